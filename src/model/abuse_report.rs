//! `AbuseReport`: what somebody submits about a package, and what a person makes of it. A claim, never ground truth.
//!
//! Only what a person accepted is told on, as the report of a list that names this store as its source.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::abuse::{AbuseEntry, AbuseList, AbuseListError};
use crate::digest::Digest;
use crate::time::AsOf;

/// The list of what a person accepted.
pub const MODERATED: &str = "moderated";

/// A report as its file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbuseReport {
    /// The registry, such as `npm`.
    pub registry: String,
    /// The package's name there.
    pub name: String,
    /// What it is said to have done.
    pub reason: String,
    /// The day when it was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<String>,
    /// A place where more is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Who reports; published nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reporter: Option<String>,
}

impl AbuseReport {
    /// Reads a file of reports: one object, or one a line.
    ///
    /// # Errors
    /// What is wrong with which line.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        if let Ok(one) = serde_json::from_str::<Self>(text) {
            return one.checked().map(|one| vec![one]);
        }
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let reports: Result<Vec<Self>, String> = lines
            .map(|(at, line)| {
                let read =
                    serde_json::from_str::<Self>(line).map_err(|error| error.to_string()).and_then(Self::checked);
                read.map_err(|error| format!("line {}: {error}", at + 1))
            })
            .collect();
        reports.and_then(
            |reports| if reports.is_empty() { Err("there is no report in it".to_owned()) } else { Ok(reports) },
        )
    }

    /// The report, where a list could hold it.
    fn checked(self) -> Result<Self, String> {
        // Judged by the list that it may come to stand in, so that what is accepted can always be told on.
        list([&self], 1, "1970-01-01").map(|_| self).map_err(|error| error.to_string())
    }

    fn entry(&self) -> AbuseEntry {
        AbuseEntry {
            registry: self.registry.clone(),
            name: self.name.clone(),
            reason: self.reason.clone(),
            first_seen: self.first_seen.clone(),
            reference: self.reference.clone(),
            // A report is about a name: which versions are meant, its reader finds out.
            versions: Vec::new(),
        }
    }

    /// The name of the report: `R-` and 16 hex digits. The same said twice, by whomever, is one report.
    pub fn id(&self) -> String {
        let hex = Digest::of_json(&self.entry()).hex();
        format!("R-{}", hex.get(..16).unwrap_or(&hex))
    }
}

/// The list of accepted reports.
///
/// # Errors
/// A report that no list can hold.
pub fn list<'a>(
    accepted: impl IntoIterator<Item = &'a AbuseReport>,
    version: u32,
    date: &str,
) -> Result<AbuseList, AbuseListError> {
    let list = AbuseList {
        list: MODERATED.to_owned(),
        version,
        source: "reports that were submitted to this store and accepted by a person".to_owned(),
        date: date.to_owned(),
        confirmed: false,
        entries: accepted.into_iter().map(AbuseReport::entry).collect(),
    };
    AbuseList::parse(&serde_json::to_vec(&list)?)
}

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportState {
    /// Nobody has looked at it.
    Submitted,
    /// A person tells it on, as a report.
    Accepted,
    /// A person does not.
    Rejected,
    /// Who reported takes it back, or a person takes back what was accepted.
    Withdrawn,
}

impl ReportState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Submitted, Self::Accepted, Self::Rejected, Self::Withdrawn];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl FromStr for ReportState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == text);
        known.ok_or_else(|| format!("{text:?} is not one of submitted, accepted, rejected, withdrawn"))
    }
}

/// What a person made of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportDecision {
    /// The state from now on.
    pub state: ReportState,
    /// Who decided.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: AsOf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_one_report_or_one_a_line_and_nothing_else() {
        let one = r#"{"registry":"npm","name":"bad","reason":"sends tokens"}"#;
        let read = AbuseReport::parse_all(one).expect("read");
        assert_eq!(read.len(), 1);
        let lines = format!("{one}\n\n{}\n", one.replace("bad", "worse"));
        assert_eq!(AbuseReport::parse_all(&lines).expect("read").len(), 2);
        for wrong in [
            "",
            "[]",
            r#"{"registry":"npm","name":"bad"}"#,
            &one.replace("\"npm\"", "\"\""),
            &one.replace("reason", "why"),
        ] {
            assert!(AbuseReport::parse_all(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_same_said_twice_is_one_report_whoever_says_it() {
        let one =
            AbuseReport::parse_all(r#"{"registry":"npm","name":"bad","reason":"x","reporter":"ann"}"#).expect("read");
        let other = AbuseReport::parse_all(r#"{"registry":"npm","name":"bad","reason":"x"}"#).expect("read");
        assert_eq!(one[0].id(), other[0].id());
        for state in ReportState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
    }
}
