//! source-secret-in-output: a secret of the environment is printed or thrown.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceSecretInOutput;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-secret-in-output"
version = 1
title = "A secret is written where people and models read"
why = "What is printed or thrown ends in logs, and in an MCP server in the model's context, from where it can be asked for."
fix = "Print that the secret is set, never what it is."
cannot_see = "Loggers that it does not know; secrets whose variable is not named so; masking by a function of the program."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-532", "owasp-mcp:MCP01"]
[codes]
spiderrating = ["token_leakage", "ts_token_leakage"]
[[examples.fires]]
note = "A key is printed."
[examples.fires.files]
"server.js" = '''
console.error(`starting with ${process.env.SERVICE_API_KEY}`);'''
[[examples.fires]]
note = "A token is thrown."
[examples.fires.files]
"server.py" = '''
import os
token = os.environ["SERVICE_TOKEN"]
def call(status):
    raise RuntimeError(f"{token} was refused: {status}")
'''
[[examples.silent]]
note = "Only whether it is set."
[examples.silent.files]
"server.js" = '''
console.error("key " + (process.env.SERVICE_API_KEY ? "set" : "missing")); console.log(process.env.SERVICE_API_KEY.length);'''
[[examples.silent]]
note = "The secret is used."
[examples.silent.files]
"server.py" = '''
import os, requests
token = os.environ["SERVICE_TOKEN"]
print("asking")
requests.get("https://api.test", headers={"Authorization": token})
'''
"##;

impl Rule for SourceSecretInOutput {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let written = matches!(call.callee.as_str(), "console.log" | "throw");
    let secret = call.flows.arguments().any(TaintSources::TOKEN | TaintSources::SECRET);
    (written && secret).then_some((Severity::Medium, Confidence::Medium))
}
