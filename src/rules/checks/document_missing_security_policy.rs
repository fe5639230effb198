//! Capabilities without a security policy beside them or at the root of their package.
//!
//! Quality, not danger. Source: SaferSkills' transparency rules.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::package_subject::report_missing;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_missing(subject, facts, "no security policy", |signals| signals.has_security_policy);
}
