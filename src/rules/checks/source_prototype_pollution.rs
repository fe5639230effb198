//! source-prototype-pollution: a caller chooses the key that is set on an object.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let chosen = call.taint.arguments().any(TaintSources::TOOL_INPUT | TaintSources::REQUEST);
    // The view of the source names merging calls and assignments under a chosen key so.
    (call.callee == "merge" && chosen).then_some((Severity::Low, Confidence::Medium))
}
