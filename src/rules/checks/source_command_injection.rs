//! source-command-injection: a shell runs text that was put together at run time.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::runs_shell;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceCommandInjection;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-command-injection"
version = 2
title = "A shell command is built from changing text"
why = "Whoever can choose a part of the text can run commands of their own: a file name with a semicolon is enough."
fix = "Pass the program and its arguments as a list, without a shell."
cannot_see = "Whether the changing part is checked before; commands in languages other than JavaScript, TypeScript and Python."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-78", "SAFE-T1101", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["command_injection", "child_process_injection", "async_shell_injection", "ts_async_injection"]
agentscore = ["command_injection"]
[[examples.fires]]
note = "A template into exec."
[examples.fires.files]
"server.js" = '''
import { exec } from "child_process";
export function size(path) { exec(`du -sh ${path}`); }'''
[[examples.fires]]
note = "shell=True."
[examples.fires.files]
"server.py" = '''
import subprocess as sp
def size(path):
    sp.run(f"du -sh {path}", shell=True)
'''
[[examples.fires]]
note = "A tool's argument in a command, by way of a variable and another function."
[examples.fires.files]
"server.js" = '''
const { execSync } = require("child_process");
function size(folder) { const command = `du -sh ${folder}`; return execSync(command).toString(); }
server.registerTool("size", { description: "Size", inputSchema: { folder: z.string() } }, async ({ folder }) => size(folder));'''
[[examples.silent]]
note = "A list of arguments."
[examples.silent.files]
"server.js" = '''
import { execFile } from "child_process";
export function size(path) { execFile("du", ["-sh", path]); }'''
[[examples.silent]]
note = "A fixed command."
[examples.silent.files]
"server.py" = '''
import os
os.system("clear")
'''
"##;

impl Rule for SourceCommandInjection {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| if runs_shell(call) { judgement(call) } else { None });
    }
}

/// Text with holes is plain, and plainer where a tool's caller fills them; a bare name may hold anything, a fixed
/// command included. A tool that is there to run commands hands one on whole.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let first = call.arguments.first()?;
    let input = call.flows.first;
    let chosen = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
    match first {
        Argument::Composed(text) if is_fixed_look_up(text) => Some((Severity::Low, Confidence::Low)),
        Argument::Composed(_) if chosen => Some((Severity::High, Confidence::High)),
        Argument::Name(_) | Argument::Other if chosen && input.any(TaintSources::COMPOSED) => {
            Some((Severity::High, Confidence::Medium))
        }
        Argument::Composed(_) => Some((Severity::Medium, Confidence::Medium)),
        Argument::Name(_) | Argument::Result(_) if chosen => Some((Severity::Medium, Confidence::Medium)),
        Argument::Name(_) | Argument::Result(_) => Some((Severity::Low, Confidence::Low)),
        _ => None,
    }
}

/// Looking a program up by its name, as installers do.
fn is_fixed_look_up(text: &str) -> bool {
    ["which ", "where ", "command -v ", "reg query ", "osascript -e "].iter().any(|start| text.starts_with(start))
}
