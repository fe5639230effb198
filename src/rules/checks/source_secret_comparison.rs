//! source-secret-comparison: a secret is compared by an operator.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::Call;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    // The view of the source tells only of comparisons with a token of the environment or of two named secrets.
    (call.callee == "compare").then_some((Severity::Low, Confidence::Medium))
}
