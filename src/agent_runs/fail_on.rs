//! `AgentThreshold`: what turns a report into exit code 1.

use std::path::PathBuf;

use capdex_agent_scan::compare::compare;
use capdex_agent_scan::report::{Report, TestVerdict};
use capdex_model::fact::Severity;

use super::run::read_report;
use crate::exit::usage;

/// A threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentThreshold {
    /// A test of this severity or worse was observed.
    Severity(Severity),
    /// The score is lower, or there is none.
    Score(u32),
    /// A test is observed that was not in an earlier report.
    Regression(PathBuf),
}

impl std::str::FromStr for AgentThreshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = || "give severity:WORD, score:NUMBER or regression:REPORT".to_owned();
        let (kind, value) = text.split_once(':').ok_or_else(known)?;
        match kind {
            "severity" => {
                let severity = Severity::ALL.into_iter().find(|severity| severity.as_str() == value);
                severity.map(Self::Severity).ok_or_else(known)
            }
            "score" => value.parse().ok().filter(|score| *score <= 100).map(Self::Score).ok_or_else(known),
            "regression" if !value.is_empty() => Ok(Self::Regression(value.into())),
            _ => Err(known()),
        }
    }
}

impl AgentThreshold {
    /// True where a report meets it.
    ///
    /// # Errors
    /// An earlier report that is none, or is of another pack.
    pub fn is_met(&self, report: &Report) -> anyhow::Result<bool> {
        Ok(match self {
            Self::Severity(least) => {
                report.tests.iter().any(|test| test.verdict == TestVerdict::Observed && test.severity >= *least)
            }
            // Without a score nothing shows that it is high enough.
            Self::Score(least) => report.score.value.is_none_or(|value| value < *least),
            Self::Regression(path) => {
                let comparison = compare(&read_report(path)?, report).map_err(usage)?;
                comparison.tests.iter().any(|test| test.is_regression)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_read_or_refused() {
        assert_eq!("severity:high".parse(), Ok(AgentThreshold::Severity(Severity::High)));
        assert_eq!("score:100".parse(), Ok(AgentThreshold::Score(100)));
        assert_eq!("regression:a:b.json".parse(), Ok(AgentThreshold::Regression("a:b.json".into())));
        for wrong in ["high", "severity:", "severity:worst", "score:101", "score:-1", "regression:", ":"] {
            assert!(wrong.parse::<AgentThreshold>().is_err(), "{wrong}");
        }
    }
}
