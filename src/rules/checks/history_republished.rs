//! Versions that were published again with other bytes.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match &subject.claims.history {
        Claim::Known(history) if history.republished => {
            facts.found(Place::default(), "the listed version was seen with other published digests");
        }
        Claim::Known(_) => {}
        // The first night has nothing to compare: silence here would read as a clean history.
        Claim::Absent | Claim::Unknown => facts.unavailable("nothing of before is known to compare with"),
    }
}
