//! source-input-reflection: a tool answers with its own input.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let repeated = call.callee == "return" && call.taint.first.any(TaintSources::TOOL_INPUT);
    // Echoing is what many tools are for: told for the methods that count it.
    repeated.then_some((Severity::Info, Confidence::Medium))
}
