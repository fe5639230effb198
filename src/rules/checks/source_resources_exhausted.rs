//! source-resources-exhausted: a loop takes all of the machine there is.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| (call.callee == "flood").then_some((Severity::High, Confidence::Medium)));
}
