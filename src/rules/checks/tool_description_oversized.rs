//! tool-description-oversized: a description is as long as a page.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for tool in subject.tools() {
        let length = tool.description.as_deref().map_or(0, |text| text.chars().count());
        if length >= LIMIT {
            // Every call pays for the text, and orders are best hidden where nobody reads to the end.
            let severity = if length >= 4 * LIMIT { Severity::Low } else { Severity::Info };
            let place = Place { pointer: format!("{}/description", tool.place.pointer), ..tool.place.clone() };
            facts.found_as(severity, Confidence::High, place, &format!("{}: {length} characters", tool.name));
        }
    }
}

/// From how many characters on, as SaferSkills counts.
const LIMIT: usize = 2_000;
