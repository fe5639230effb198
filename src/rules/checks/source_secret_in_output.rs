//! source-secret-in-output: a secret of the environment is printed or thrown.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    // Logs are kept and shared by people who were never meant to have the secret.
    let written = matches!(call.callee.as_str(), "console.log" | "throw");
    let secret = call.taint.arguments().any(TaintSources::TOKEN | TaintSources::SECRET);
    if !(written && secret) {
        return None;
    }
    // What shares an object with a secret carries its taint, and is none.
    match SECRET_VALUE.is_match(&call.text) {
        true => Some((Severity::Medium, Confidence::Medium)),
        false => Some((Severity::Low, Confidence::Low)),
    }
}

/// A value that is secret by its own name, and that is written as it is: not counted, compared or redacted.
static SECRET_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)(?:[(,{+]|\bf["'])\s*(?:[a-z_$][a-z0-9_$]*(?:\?\.|\[["']?))*[a-z0-9_$]*(?:token|secret|passw(?:or)?d|api_?key|private_?key|credentials?|access_?key)s?(?:["']?\])?\s*(?:[),}+;]|$)"#,
    )
});
