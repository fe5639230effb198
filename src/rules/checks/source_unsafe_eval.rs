//! source-unsafe-eval: text that is not literal is run as code.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::sinks::{evaluates, named};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_actions(subject, facts, |file, call| match evaluates(call) {
        true if runs_hidden_file(call) => Some((Severity::High, Confidence::High)),
        // A fence shows how something is done; what it runs is judged by where that comes from.
        _ if file.is_fenced() => None,
        true => judgement(call),
        false => loads_chosen(call).then_some((Severity::High, Confidence::Medium)),
    });
}

/// The text is that of a file which lies hidden where every program of the machine may write.
fn runs_hidden_file(call: &Call) -> bool {
    static HIDDEN: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(r#"(?-u)["'`](?:/tmp|/var/tmp|/dev/shm)/(?:[\w-]+/)*\.\w"#));
    HIDDEN.is_match(&call.text)
}

/// A module that a tool's caller names whole, or a file that is run as one: all that is installed can be run.
fn loads_chosen(call: &Call) -> bool {
    let open = |sources: TaintSources| {
        sources.any(TaintSources::TOOL_INPUT) && !sources.any(TaintSources::CHECKED | TaintSources::COMPOSED)
    };
    match call.callee.as_str() {
        // Behind a prefix of the program's own only its own modules can be named.
        "__import__" | "importlib.import_module" | "importlib.__import__" | "runpy.run_path" | "runpy.run_module" => {
            open(call.taint.first)
        }
        "importlib.util.spec_from_file_location" => open(call.taint.rest),
        _ => false,
    }
}

/// Bundlers and schema compilers make functions of text they wrote themselves: a composed `Function` is worth less.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    // A function's body is its last argument; those before it are names of parameters.
    let last = if call.callee == "Function" { call.arguments.last() } else { call.arguments.first() };
    // Without built-in functions an expression can still escape, but calculating was meant.
    let closed = named(call, "__builtins__").is_some();
    match last? {
        Argument::Literal(_) | Argument::Other | Argument::Named(_) => None,
        shape if !closed && is_chosen(call) => match shape {
            // A tool that runs code is given code: that is its purpose and its risk, and no hole.
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

/// True where a tool's caller chooses the text, unchecked.
fn is_chosen(call: &Call) -> bool {
    let input = call.taint.arguments();
    input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED)
}

/// True where an argument is called a program: then running programs is what the tool is for.
fn is_program(name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["code", "script", "program", "source", "snippet", "javascript", "python"].iter().any(|word| name.contains(word))
}
