//! `FindingFilter`: which findings a print shows, by severity and confidence.
//!
//! Verdicts and scores are not its business: they are made of all findings.

use capdex_model::fact::{Confidence, Severity};

/// The mildest finding that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingFilter {
    /// The least severity.
    pub severity: Severity,
    /// The least confidence.
    pub confidence: Confidence,
}

impl Default for FindingFilter {
    /// Shows everything.
    fn default() -> Self {
        Self { severity: Severity::Info, confidence: Confidence::Low }
    }
}

impl FindingFilter {
    /// True for a finding that is shown.
    pub fn shows(self, severity: Severity, confidence: Confidence) -> bool {
        severity >= self.severity && confidence >= self.confidence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_shown_from_both_bounds_on() {
        let filter = FindingFilter { severity: Severity::Medium, confidence: Confidence::Medium };
        assert!(filter.shows(Severity::Medium, Confidence::Medium) && filter.shows(Severity::High, Confidence::High));
        assert!(!filter.shows(Severity::Low, Confidence::High) && !filter.shows(Severity::High, Confidence::Low));
        assert!(FindingFilter::default().shows(Severity::Info, Confidence::Low));
    }
}
