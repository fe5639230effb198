//! `AlertEvidence`: one thing that an alert rests on, as a program reads it.
//!
//! The particulars of an alert are sentences for people. Here the same stands in parts, so that no receiver takes sentences
//! apart that hold what strangers wrote.

use serde::{Deserialize, Serialize};

use crate::fact::{Fact, Severity};

/// Pieces of evidence that one alert carries at most: the gravest come first.
pub const MOST_EVIDENCE: usize = 20;

/// One thing that an alert rests on. What is not known or makes no sense is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertEvidence {
    /// What was seen, a closed word of the pass: `finding`, an effect of a change, a mark of a campaign, a kind of likeness.
    pub effect: String,
    /// The line in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file, by its path inside the package. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The words that say it: the line, the address, the names; masked where secret. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The rule that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How grave it is by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What it is about, where that is no file: a tool, a declaration, a name, a listing. Untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

impl AlertEvidence {
    /// The word for what a rule found.
    pub const FINDING: &str = "finding";

    /// Evidence of so much, about something that is no file.
    pub fn about(effect: &str, subject: &str, quote: &str) -> Self {
        Self { effect: effect.to_owned(), subject: said(subject), quote: said(quote), ..Self::default() }
    }

    /// What a rule found in a file, at a line or at none (0).
    pub fn finding(rule: &str, severity: Severity, (path, line): (&str, u32), quote: &str) -> Self {
        Self {
            effect: Self::FINDING.to_owned(),
            line: Some(line).filter(|line| *line > 0),
            path: said(path),
            quote: said(quote),
            rule: said(rule),
            severity: Some(severity),
            subject: None,
        }
    }

    /// The findings at a severity or above, the gravest first.
    pub fn of_findings<'a>(facts: impl Iterator<Item = &'a Fact>, least: Severity) -> Vec<Self> {
        let mut grave: Vec<&Fact> = facts.filter(|fact| fact.severity >= least).collect();
        grave.sort_by(|one, other| {
            let key = |fact: &Fact| (std::cmp::Reverse(fact.severity), fact.place.clone());
            key(one).cmp(&key(other))
        });
        let of = |fact: &Fact| {
            Self::finding(fact.rule.as_str(), fact.severity, (&fact.place.file, fact.place.line), &fact.evidence)
        };
        grave.into_iter().take(MOST_EVIDENCE).map(of).collect()
    }
}

/// A text, where it says anything.
fn said(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out() {
        let json = |evidence: &AlertEvidence| serde_json::to_string(evidence).expect("serialises");
        assert_eq!(
            json(&AlertEvidence::about("transposition", "postmark-mcp", "")),
            r#"{"effect":"transposition","subject":"postmark-mcp"}"#
        );
        let finding = AlertEvidence::finding("reverse-shell", Severity::Critical, ("a.sh", 3), "bash -i");
        assert_eq!(
            json(&finding),
            r#"{"effect":"finding","line":3,"path":"a.sh","quote":"bash -i","rule":"reverse-shell","severity":"critical"}"#
        );
        assert_eq!(serde_json::from_str::<AlertEvidence>(&json(&finding)).expect("parses"), finding);
        assert_eq!(AlertEvidence::finding("x", Severity::Low, ("a.sh", 0), "").line, None);
    }
}
