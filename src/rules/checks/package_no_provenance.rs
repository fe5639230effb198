//! Packages whose listed version carries no provenance attestation.
//!
//! Quality, not danger. Only a registry knows; a mirror that strips the field leaves it unknown.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match subject.claims.provenance {
        Claim::Known(true) => {}
        // A registry that knows provenance and has none for this version was never given one.
        Claim::Known(false) | Claim::Absent => facts.found(Place::default(), "no provenance attestation"),
        Claim::Unknown => facts.unavailable("the listing does not speak of provenance"),
    }
}
