//! Packages with many run-time dependencies.
//!
//! Quality, not danger. More than 20 is inferred from AgentScore's posted results: 20 passed, 25 did not.

use crate::FactSink;
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The most direct run-time dependencies that are ordinary.
const ORDINARY: usize = 20;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let signals = signals::of(subject);
    match &signals.dependencies {
        // Direct ones alone: what they pull in is nobody's choice here and changes by the day.
        Claim::Known(names) if names.len() > ORDINARY => {
            facts.found(manifest_place(&signals), &format!("{} run-time dependencies", names.len()));
        }
        Claim::Known(_) | Claim::Absent => {}
        Claim::Unknown => facts.unavailable("neither manifest nor listing names the dependencies"),
    }
}
