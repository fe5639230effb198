//! source-sql-composed: a database statement is put together from text.

use super::source_calls::{source_files, weighed};
use crate::FactSink;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in source_files(subject) {
        for call in file.view.calls.iter().filter(|call| is_statement(call)) {
            // Names of tables and lists of placeholders cannot be bound: such text has to be put together. What nobody
            // outside chose is the program's own.
            let chosen = call.taint.first.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST | TaintSources::ANSWER);
            let structural = !chosen || call.arguments.len() > 1 || !has_value(call) || is_list_of_marks(call);
            let plain =
                if structural { (Severity::Low, Confidence::Low) } else { (Severity::Medium, Confidence::Medium) };
            let (severity, confidence) = weighed(&file, plain.0, plain.1);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
    }
}

/// True where a composed SQL statement is run. A list of placeholders with values beside it is the safe form.
fn is_statement(call: &Call) -> bool {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    if !matches!(
        method,
        "query"
            | "execute"
            | "executemany"
            | "executescript"
            | "raw"
            | "prepare"
            | "$queryRawUnsafe"
            | "$executeRawUnsafe"
    ) {
        return false;
    }
    let Some(Argument::Composed(text)) = call.arguments.first() else { return false };
    let upper = text.trim_start().to_ascii_uppercase();
    let verb = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "DROP ", "CREATE ", "ALTER ", "REPLACE "]
        .iter()
        .any(|verb| upper.starts_with(verb));
    // The number of marks varies; their values are bound.
    let placeholders = upper.contains("IN ({") && call.arguments.len() > 1;
    verb && upper.contains("{}") | upper.contains('%') && !placeholders
}

/// True where the hole is a list of marks that stand for bound values, by its name: their number varies.
fn is_list_of_marks(call: &Call) -> bool {
    let Some(Argument::Composed(text)) = call.arguments.first() else { return false };
    let holes = text.matches("{}").count();
    let named = |name: &str| call.text.to_ascii_lowercase().matches(name).count();
    holes > 0 && holes == named("placeholder") + named("marks}") + named("{}")
}

/// True where a hole stands where a value stands: after a comparison, in quotation marks, or in a list of values.
fn has_value(call: &Call) -> bool {
    let Some(Argument::Composed(text)) = call.arguments.first() else { return false };
    ["={}", "= {}", "'{}", "\"{}", "LIKE {}", "like {}", "({}", "%s'", "'%", "> {}", "< {}"]
        .iter()
        .any(|hole| text.contains(hole))
}
