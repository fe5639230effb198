//! source-unsafe-eval: text that is not literal is run as code.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::{evaluates, named};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceUnsafeEval;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-unsafe-eval"
version = 2
title = "Changing text is run as code"
why = "Code that is made of input runs whatever the input says."
fix = "Parse the data instead of evaluating it."
cannot_see = "Whether the text can be chosen by somebody else; template engines."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-95", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["dangerous_eval", "ts_unsafe_eval"]
agentscore = ["unsafe_eval"]
[[examples.fires]]
note = "eval of a parameter."
[examples.fires.files]
"server.py" = '''
def calc(expression):
    return eval(expression)
'''
[[examples.fires]]
note = "A tool's argument."
[examples.fires.files]
"server.py" = '''
@mcp.tool()
def calc(expression: str) -> float:
    """Calculate."""
    return eval(expression)
'''
[[examples.silent]]
note = "A fixed text."
[examples.silent.files]
"server.js" = 'const root = Function("return this")(); export const t = eval("1 + 1");'
[[examples.silent]]
note = "A method of a database."
[examples.silent.files]
"server.js" = 'export const rows = (db, sql) => db.exec(sql);'
"##;

impl Rule for SourceUnsafeEval {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| if evaluates(call) { judgement(call) } else { None });
    }
}

/// Bundlers and schema compilers make functions of text they wrote themselves: a composed `Function` is worth less.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let last = if call.callee == "Function" { call.arguments.last() } else { call.arguments.first() };
    let closed = named(call, "__builtins__").is_some();
    match last? {
        Argument::Literal(_) | Argument::Other | Argument::Named(_) => None,
        shape if !closed && is_chosen(call) => match shape {
            Argument::Name(name) if is_program(name) => Some((Severity::Medium, Confidence::Medium)),
            _ => Some((Severity::High, Confidence::High)),
        },
        _ if closed || call.callee == "Function" || call.callee.starts_with("vm.") => {
            Some((Severity::Low, Confidence::Low))
        }
        Argument::Composed(_) | Argument::Name(_) => Some((Severity::Medium, Confidence::Medium)),
        Argument::Result(_) => Some((Severity::Medium, Confidence::Low)),
    }
}

/// Whether a tool's caller chooses the text, unchecked.
fn is_chosen(call: &Call) -> bool {
    let input = call.flows.arguments();
    input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED)
}

/// Whether an argument is called a program: then running programs is what the tool is for.
fn is_program(name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["code", "script", "program", "source", "snippet", "javascript", "python"].iter().any(|word| name.contains(word))
}
