//! Packages that a local list of abuse names.
//!
//! A report and never a verdict: the list, its version and its date stand in the evidence. One that is confirmed weighs more.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match &subject.claims.repository_signals.reports {
        Claim::Known(reports) => {
            // Each list stands for itself: two that agree are told as two.
            for report in reports {
                let severity = if report.confirmed { Severity::Critical } else { Severity::High };
                facts.found_as(severity, Confidence::Low, Place::default(), &report.to_string());
            }
        }
        Claim::Absent | Claim::Unknown => facts.unavailable("no list of abuse was imported"),
    }
}
