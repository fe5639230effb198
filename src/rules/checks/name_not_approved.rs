//! `name-not-approved`: a package that the operator's own list does not name.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    tell(&subject.claims.repository_signals.approved, facts);
}

/// The answer by what a list says alone.
pub(crate) fn tell(approved: &Claim<bool>, facts: &mut FactSink<'_>) {
    match approved {
        Claim::Known(true) => {}
        Claim::Known(false) => facts.found(Place::default(), "not on the operator's list"),
        // Without a list nothing is forbidden: a finding for every package would say nothing.
        Claim::Absent | Claim::Unknown => facts.unavailable("no operator's list was given"),
    }
}
