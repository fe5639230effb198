//! tool-hidden-name: a name marks the tool as hidden or internal.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for tool in subject.tools() {
        let place = || Place { pointer: format!("{}/name", tool.place.pointer), ..tool.place.clone() };
        if is_hidden(tool.name.as_bytes()) {
            facts.found(place(), &tool.name);
        } else if tool.name.contains("__") && tool.place.file.ends_with(".json") {
            // A namespace; the published rule takes it for a mark, and reads manifests alone.
            facts.found_as(Severity::Info, Confidence::Low, place(), &tool.name);
        }
    }
}

/// True where a name, whatever its case, is one of a tool that nobody is to see.
fn is_hidden(name: &[u8]) -> bool {
    let holds = |mark: &str| name.windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    let end = |length: usize| name.get(name.len().saturating_sub(length)..).unwrap_or_default();
    MARKS.iter().any(|mark| holds(mark))
        || ENDS.iter().any(|mark| end(mark.len()).eq_ignore_ascii_case(mark.as_bytes()))
        || name.starts_with(b"__")
}

/// Ends of names.
const ENDS: [&str; 2] = ["_meta", "_sys"];
/// Parts of names.
const MARKS: [&str; 3] = ["_internal", ".hidden", "_hidden"];
