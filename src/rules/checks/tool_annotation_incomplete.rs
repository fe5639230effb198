//! tool-annotation-incomplete: a tool leaves hints out.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // A manifest's list of tools has no place for hints.
    let declared = || subject.tools().filter(|tool| tool.origin != ToolOrigin::Manifest);
    let incomplete = || declared().filter(|tool| missing(tool).next().is_some());
    let Some(first) = incomplete().next() else { return };
    let evidence = format!(
        "{} of {} tools; {} lacks {}",
        incomplete().count(),
        declared().count(),
        first.name,
        missing(first).collect::<Vec<_>>().join(", ")
    );
    // Leaving all out is a habit of whole servers; stating some and not others leaves a client to guess.
    let none = incomplete().all(|tool| tool.annotations.is_none());
    let severity = if none { Severity::Info } else { Severity::Low };
    facts.found_as(severity, Confidence::High, first.place.clone(), &evidence);
}

/// The hints that a tool should state and does not.
fn missing(tool: &Tool) -> impl Iterator<Item = &'static str> {
    let hint = move |name: &str| tool.annotations.as_ref().and_then(|hints| hints.get(name)).and_then(Value::as_bool);
    let needed: &[&str] = match hint("readOnlyHint") {
        Some(true) => &["openWorldHint"],
        Some(false) => &["destructiveHint", "idempotentHint", "openWorldHint"],
        None => &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"],
    };
    needed.iter().copied().filter(move |name| hint(name).is_none())
}
