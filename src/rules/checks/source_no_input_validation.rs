//! source-no-input-validation: a tool hands its input on without asking anything about it.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::sinks::{runs_shell, sends};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    let sink = runs_shell(call)
        || sends(call)
        || call.callee.starts_with("child_process.")
        || call.callee.starts_with("subprocess.")
        || call.callee.starts_with("fs.")
        || matches!(method, "open" | "query" | "execute" | "raw");
    let input = call.taint.arguments();
    // Any check counts: this asks whether there was one, not whether it is enough.
    let unchecked = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
    (sink && unchecked).then_some((Severity::Low, Confidence::Low))
}
