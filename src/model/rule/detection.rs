//! How many cases of labelled sets are flagged, by subset and by source.
//!
//! The figures stand beside the rules, as `capdex bench --detection` measured them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::Severity;

/// All sets that were measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detection {
    /// Each set by its name.
    pub sets: BTreeMap<String, DetectionSet>,
}

/// One set, measured with one rule set on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectionSet {
    /// The SHA-256 of the set's file, `sha256:<hex>`.
    pub digest: String,
    /// The digest of the rule set.
    pub rules: String,
    /// The day, `YYYY-MM-DD`.
    pub day: String,
    /// The groups of cases: label, then `subset NAME` or `source NAME`, then its counts.
    pub groups: BTreeMap<String, BTreeMap<String, Flagged>>,
}

/// The cases of a group, and how many of them have a finding of a severity or worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flagged {
    /// All cases.
    pub of: u64,
    /// Those at critical.
    pub critical: u64,
    /// Those at high or critical.
    pub high: u64,
    /// Those at medium or worse.
    pub medium: u64,
}

impl Flagged {
    /// Counts one case by its worst finding.
    pub fn add(&mut self, worst: Option<Severity>) {
        self.of += 1;
        self.critical += u64::from(worst >= Some(Severity::Critical));
        self.high += u64::from(worst >= Some(Severity::High));
        self.medium += u64::from(worst >= Some(Severity::Medium));
    }
}

impl DetectionSet {
    /// Counts one case in its groups.
    pub fn add(&mut self, label: &str, groups: [(&str, &str); 2], worst: Option<Severity>) {
        let labelled = self.groups.entry(label.to_owned()).or_default();
        labelled.entry("all".to_owned()).or_default().add(worst);
        for (word, name) in groups.into_iter().filter(|(_, name)| !name.is_empty()) {
            labelled.entry(format!("{word} {name}")).or_default().add(worst);
        }
    }
}

/// The text of a file of such figures.
pub fn render(detection: &Detection) -> String {
    let mut text = serde_json::to_string_pretty(detection).unwrap_or_default();
    text.push('\n');
    text
}
