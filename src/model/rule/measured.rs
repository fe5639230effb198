//! Hit counts of each rule on a labelled set, and the rates that follow from them.
//!
//! The figures themselves stand beside the rules, as `capdex bench` measured them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::capability::Kind;
use crate::fact::Severity;

/// The highest share of benign cases on which a rule may fire at high or critical and keep that severity: 0.3 %.
pub const TOLERATED: f64 = 0.003;

/// The measured counts of one labelled set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSet {
    /// The SHA-256 of the set's file, `sha256:<hex>`.
    pub digest: String,
    /// The number of its benign cases.
    pub benign: u64,
    /// The number of its malicious cases.
    pub malicious: u64,
    /// The hits of each rule, by id. Rules that fired on no case are left out.
    pub rules: BTreeMap<String, Hits>,
}

/// On how many cases a rule fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hits {
    /// Benign cases with a finding of high or critical severity.
    pub benign_high: u64,
    /// Benign cases with any finding.
    pub benign: u64,
    /// Malicious cases with a finding of high or critical severity.
    pub malicious_high: u64,
    /// Malicious cases with any finding.
    pub malicious: u64,
}

impl Hits {
    /// Counts one case on which the rule fired, by its worst severity there.
    pub fn add(&mut self, is_malicious: bool, severity: Severity) {
        let high = u64::from(severity >= Severity::High);
        if is_malicious {
            self.malicious += 1;
            self.malicious_high += high;
        } else {
            self.benign += 1;
            self.benign_high += high;
        }
    }
}

/// On how many benign cases a rule fires at high or critical, over all sets about one kind of thing: servers, by their tool
/// lists, or everything else, by skills. None where it fires on no case of theirs: some rules ask what no case can answer, such
/// as what a night changed.
pub fn benign_high(sets: &BTreeMap<String, MeasuredSet>, rule: &str, kind: Kind) -> Option<Rate> {
    let about = if kind == Kind::McpServer { "mcp-" } else { "skills" };
    let own: Vec<&MeasuredSet> = sets.iter().filter(|(name, _)| name.starts_with(about)).map(|(_, set)| set).collect();
    let hits: Vec<&Hits> = own.iter().filter_map(|set| set.rules.get(rule)).collect();
    let rate =
        Rate { hits: hits.iter().map(|hits| hits.benign_high).sum(), of: own.iter().map(|set| set.benign).sum() };
    (!hits.is_empty()).then_some(rate)
}

/// The text of a figures file.
pub fn render(sets: &BTreeMap<String, MeasuredSet>) -> String {
    let mut text = serde_json::to_string_pretty(sets).unwrap_or_default();
    text.push('\n');
    text
}

/// A share of cases with its 95 % Wilson interval, printed in percent: `0.3 [0.1, 1.1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The cases that count.
    pub hits: u64,
    /// All cases.
    pub of: u64,
}

impl Rate {
    /// The share, 0 of no cases.
    pub fn share(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    /// The bounds of the 95 % Wilson score interval, in percent.
    pub fn interval(self) -> (f64, f64) {
        const Z: f64 = 1.96;
        // Of no cases the interval would be divided by nought.
        if self.of == 0 {
            return (0.0, 0.0);
        }
        let (n, share) = (self.of as f64, self.share());
        // Wilson's and not the normal interval: shares near nought, which count here, would get bounds below it.
        let denominator = 1.0 + Z * Z / n;
        let centre = (share + Z * Z / (2.0 * n)) / denominator;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / denominator;
        (100.0 * (centre - half).max(0.0), 100.0 * (centre + half).min(1.0))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.interval();
        write!(f, "{:.1} [{low:.1}, {high:.1}]", 100.0 * self.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_about_one_kind_count_together() {
        let set = |benign, benign_high| MeasuredSet {
            benign,
            rules: [("a".to_owned(), Hits { benign_high, ..Hits::default() })].into(),
            ..MeasuredSet::default()
        };
        let sets = [
            ("skills".to_owned(), set(10, 1)),
            ("skills-train".to_owned(), set(30, 2)),
            ("mcp-src".to_owned(), set(5, 5)),
        ];
        let sets = BTreeMap::from(sets);
        assert_eq!(benign_high(&sets, "a", Kind::Hook), Some(Rate { hits: 3, of: 40 }));
        assert_eq!(benign_high(&sets, "a", Kind::McpServer), Some(Rate { hits: 5, of: 5 }));
        assert_eq!(benign_high(&sets, "b", Kind::McpServer), None);
    }

    #[test]
    fn intervals_are_wilsons() {
        let (low, high) = Rate { hits: 1, of: 10 }.interval();
        assert!((low - 1.79).abs() < 0.01, "{low} {high}");
        assert!((high - 40.42).abs() < 0.01, "{low} {high}");
        assert_eq!(Rate { hits: 0, of: 0 }.interval(), (0.0, 0.0));
    }
}
