//! Packages that their own publishers have given up.

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
    match &signals.deprecated {
        Claim::Known(reason) => facts.found(manifest_place(&signals), reason),
        // A registry that speaks of deprecation and does not here says that it is kept up.
        Claim::Absent => {}
        Claim::Unknown => facts.unavailable("the listing does not speak of deprecation"),
    }
}
