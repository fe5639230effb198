//! Packages that name no source repository.
//!
//! Quality, not danger: what nobody states is unavailable, never absent.

use crate::FactSink;
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let signals = signals::of(subject);
    match signals.repository {
        Claim::Known(_) => {}
        // Only where somebody spoke: a manifest that was not read proves nothing.
        Claim::Absent => facts.found(manifest_place(&signals), "no repository in the manifest"),
        Claim::Unknown => facts.unavailable("neither manifest nor listing speaks of a repository"),
    }
}
