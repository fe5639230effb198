//! source-secret-in-output: a secret of the environment is printed or thrown.

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
    (written && secret).then_some((Severity::Medium, Confidence::Medium))
}
