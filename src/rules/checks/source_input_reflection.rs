//! source-input-reflection: a tool answers with its own input.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceInputReflection;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-input-reflection"
version = 1
title = "A tool's answer repeats its input"
why = "Text that the caller chose comes back to the model as if the server had said it."
fix = "Answer with data of your own; mark what is quoted as quoted."
cannot_see = "Answers that other functions put together; whether the repetition is wanted."
severity = "info"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-116", "owasp-mcp:MCP06"]
[codes]
spiderrating = ["input_reflection", "ts_input_reflection"]
[[examples.fires]]
note = "A template."
[examples.fires.files]
"server.js" = '''
server.tool("hi", "Greets", { text: z.string() }, async ({ text }) => { return { content: [{ type: "text", text: `You said ${text}` }] }; });'''
[[examples.fires]]
note = "An f-string."
[examples.fires.files]
"server.py" = '''
@mcp.tool()
def hi(text: str) -> str:
    """Greet."""
    return f"You said {text}"
'''
[[examples.silent]]
note = "An answer of its own."
[examples.silent.files]
"server.py" = '''
@mcp.tool()
def hi(text: str) -> str:
    """Count."""
    return f"{len(text)} letters"
'''
[[examples.silent]]
note = "No tool."
[examples.silent.files]
"lib.py" = '''
def hi(text):
    return f"You said {text}"
'''
"##;

impl Rule for SourceInputReflection {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let repeated = call.callee == "return" && call.flows.first.any(TaintSources::TOOL_INPUT);
    repeated.then_some((Severity::Info, Confidence::Medium))
}
