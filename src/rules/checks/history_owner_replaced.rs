//! Packages whose publishers were all replaced.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::history::OwnerChange;
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let owners = subject.claims.history.known().map(|history| &history.owners);
    match owners {
        Some(Claim::Known(OwnerChange::Replaced)) => {
            facts.found(Place::default(), "nobody who could publish before can publish now");
        }
        // A maintainer who joins beside the old ones is the ordinary way to hand a package over.
        Some(Claim::Known(OwnerChange::Same | OwnerChange::Joined)) => {}
        Some(Claim::Absent | Claim::Unknown) | None => {
            facts.unavailable("the publishers of before and now are not both known");
        }
    }
}
