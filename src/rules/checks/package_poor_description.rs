//! Packages whose description says nothing.
//!
//! Quality, not danger. The threshold of ten code points is ours; AgentScore publishes only "no meaningful
//! description".

use crate::FactSink;
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// Fewer code points than this say nothing.
const MEANINGFUL: usize = 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let signals = signals::of(subject);
    match &signals.description {
        Claim::Known(text) if text.chars().count() >= MEANINGFUL => {}
        Claim::Known(text) => facts.found(manifest_place(&signals), text),
        Claim::Absent => facts.found(manifest_place(&signals), "no description"),
        Claim::Unknown => facts.unavailable("neither manifest nor listing speaks of a description"),
    }
}
