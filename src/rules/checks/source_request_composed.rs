//! source-request-composed: a caller chooses the address that is asked.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::sinks::sends;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

/// The whole address, or the host in it, comes from a tool's caller or from a request.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let asks = sends(call) || matches!(call.callee.as_str(), "connection.get" | "connection.request");
    let origins = call.taint.first;
    if !asks || !origins.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) || origins.any(TaintSources::CHECKED) {
        return None;
    }
    match call.arguments.first() {
        // With a fixed host a caller chooses a page of that host alone.
        Some(Argument::Composed(text)) if !is_open_host(text) => None,
        Some(Argument::Named(_) | Argument::Literal(_)) => None,
        _ => Some((Severity::Low, Confidence::Medium)),
    }
}

/// True where a hole stands where the host does.
fn is_open_host(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    // Without a scheme the address begins with the hole, or it is no address.
    rest.map_or(text.starts_with("{}"), |rest| rest.split('/').next().is_some_and(|host| host.contains("{}")))
}
