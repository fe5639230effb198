//! `saferskills/agent`: the number of SaferSkills' model over the tests of a pack.
//!
//! 100 less a penalty for each test that was observed, under the ceilings and with the colours of that method. It casts no vote in
//! any verdict. Source: the "Core Concepts" page of SaferSkills; the numbers are those of `src/rubrics/saferskills/weights.toml`.

use capdex_model::fact::Severity;
use serde::{Deserialize, Serialize};

/// The share of the playable tests that must be exercised for a score, in percent.
pub const MIN_EXERCISED_PERCENT: u32 = 80;

/// A score with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentScore {
    /// `saferskills/agent`.
    pub rubric: String,
    /// 0 to 100; none where `reason` says why.
    pub value: Option<u32>,
    /// The colour; `n/a` without a value.
    pub grade: String,
    /// Why there is no value.
    pub reason: Option<String>,
    /// The penalties, by test.
    pub penalties: Vec<Penalty>,
    /// The ceiling that took hold.
    pub ceiling: Option<u32>,
    /// Tests that were exercised.
    pub exercised: u32,
    /// Tests that the transport can play.
    pub playable: u32,
}

/// A penalty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// The test.
    pub test: String,
    /// Its severity.
    pub severity: Severity,
    /// The points that it takes.
    pub points: u32,
}

/// The points that an observed test takes.
const fn penalty(severity: Severity) -> u32 {
    match severity {
        Severity::Critical => 40,
        Severity::High => 25,
        Severity::Medium => 12,
        Severity::Low => 5,
        Severity::Info => 0,
    }
}

/// The most that a score is where a test of a severity was observed.
const fn ceiling(worst: Severity) -> Option<u32> {
    match worst {
        Severity::Critical => Some(15),
        Severity::High => Some(45),
        _ => None,
    }
}

const fn colour(value: u32) -> &'static str {
    match value {
        80.. => "Green",
        60..80 => "Yellow",
        40..60 => "Orange",
        _ => "Red",
    }
}

impl AgentScore {
    /// The score of a run. `observed` are the tests that were, with their severities; `refusal` says why there can be none.
    pub fn of(observed: &[(&str, Severity)], exercised: u32, playable: u32, refusal: Option<&str>) -> Self {
        let penalties: Vec<Penalty> = observed
            .iter()
            .map(|(test, severity)| Penalty {
                test: (*test).to_owned(),
                severity: *severity,
                points: penalty(*severity),
            })
            .collect();
        let taken: u32 = penalties.iter().map(|penalty| penalty.points).sum();
        let rest = 100_u32.saturating_sub(taken);
        let bound = observed.iter().map(|(_, severity)| *severity).max().and_then(ceiling);
        let is_covered = playable > 0 && exercised * 100 >= playable * MIN_EXERCISED_PERCENT;
        let thin = || format!("{exercised} of {playable} tests were exercised, fewer than {MIN_EXERCISED_PERCENT} %");
        let reason = refusal.map(str::to_owned).or_else(|| (!is_covered).then(thin));
        let value = reason.is_none().then(|| bound.map_or(rest, |bound| rest.min(bound)));
        Self {
            rubric: "saferskills/agent".to_owned(),
            value,
            grade: value.map_or("n/a", colour).to_owned(),
            reason,
            penalties,
            ceiling: bound.filter(|bound| *bound < rest && value.is_some()),
            exercised,
            playable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(observed: &[Severity]) -> Option<u32> {
        let observed: Vec<(&str, Severity)> = observed.iter().map(|severity| ("t", *severity)).collect();
        AgentScore::of(&observed, 31, 31, None).value
    }

    #[test]
    fn penalties_add_up_under_the_ceilings() {
        assert_eq!(value(&[]), Some(100));
        assert_eq!(value(&[Severity::Medium]), Some(88));
        assert_eq!(value(&[Severity::Low, Severity::Medium]), Some(83));
        assert_eq!(value(&[Severity::High]), Some(45));
        assert_eq!(value(&[Severity::Critical]), Some(15));
        assert_eq!(value(&[Severity::Critical, Severity::Critical, Severity::High]), Some(0));
    }

    #[test]
    fn nothing_exercised_is_no_score_however_little_was_observed() {
        assert_eq!(AgentScore::of(&[], 0, 31, None).value, None);
        assert_eq!(AgentScore::of(&[], 0, 0, None).value, None);
        assert_eq!(AgentScore::of(&[], 7, 10, None).value, None);
        assert_eq!(AgentScore::of(&[], 8, 10, None).value, Some(100));
        let submitted = AgentScore::of(&[], 31, 31, Some("it was submitted"));
        assert_eq!((submitted.value, &*submitted.grade), (None, "n/a"));
    }
}
