//! `AppealClocks`: how long each step of an appeal may take. Plain hours: a calendar of working days is no data of ours.

use super::{Appeal, AppealDeed, AppealId, AppealState, Outcome};
use crate::rule::RuleMeta;
use crate::time::Timestamp;

const HOUR_S: i64 = 3600;
const DAY_S: i64 = 86_400;

/// The times of an appeal, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppealClocks {
    /// How long a token counts.
    pub lapse: i64,
    /// From the proof to the machine's answer.
    pub machine_answer: i64,
    /// From the proof until a person takes it up.
    pub take: i64,
    /// From the proof to the decision.
    pub decide: i64,
    /// From the reopening to the second decision.
    pub reopen: i64,
    /// From an overturned finding to a new version of its rule.
    pub rule: i64,
}

impl Default for AppealClocks {
    fn default() -> Self {
        Self {
            lapse: 7 * DAY_S,
            machine_answer: HOUR_S,
            take: DAY_S,
            decide: 7 * DAY_S,
            reopen: 14 * DAY_S,
            rule: 30 * DAY_S,
        }
    }
}

/// A step that has its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClockName {
    /// The token's end.
    Lapse,
    /// The machine's answer.
    Answer,
    /// That a person takes it up.
    Take,
    /// The decision.
    Decide,
    /// The second decision.
    DecideAgain,
    /// The new version of the rule.
    Rule,
}

impl ClockName {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lapse => "lapse",
            Self::Answer => "answer",
            Self::Take => "take",
            Self::Decide => "decide",
            Self::DecideAgain => "decide_again",
            Self::Rule => "rule",
        }
    }
}

/// What is due, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The step.
    pub what: ClockName,
    /// From when on it is late.
    pub at: Timestamp,
}

/// Where an appeal stands, as far as its next clock follows from it. It is less than the chain, and what a store can be asked by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppealStanding {
    /// Its name.
    pub id: AppealId,
    /// Its state.
    pub state: AppealState,
    /// The instant from which the clock of that state runs; of a token its end.
    pub since: Timestamp,
    /// The rule that is appealed against; none for the whole verdict.
    pub rule: Option<String>,
    /// The rule's version when it was filed.
    pub rule_version: Option<u32>,
}

impl AppealStanding {
    /// The next thing that is due; none where nothing is. `rule_now` gives a rule as it is today.
    pub fn due<'a>(&self, clocks: &AppealClocks, rule_now: impl Fn(&str) -> Option<&'a RuleMeta>) -> Option<Due> {
        let (what, seconds) = match self.state {
            AppealState::Challenged => (ClockName::Lapse, 0),
            AppealState::Proven => (ClockName::Answer, clocks.machine_answer),
            AppealState::Answered => (ClockName::Take, clocks.take),
            AppealState::UnderReview => (ClockName::Decide, clocks.decide),
            AppealState::Reopened => (ClockName::DecideAgain, clocks.reopen),
            AppealState::Decided(Outcome::Overturned) => {
                let (rule, filed) = (self.rule.as_deref()?, self.rule_version?);
                // A rule that is gone is no rule that is wrong again, and of one that stays as it is its card says why.
                if rule_now(rule).is_none_or(|now| now.version > filed || now.is_known_to_err(&self.id)) {
                    return None;
                }
                (ClockName::Rule, clocks.rule)
            }
            _ => return None,
        };
        let at = Timestamp::from_unix_seconds(self.since.unix_seconds().saturating_add(seconds));
        Some(Due { what, at })
    }
}

impl Appeal {
    /// Where it stands.
    pub fn standing(&self) -> AppealStanding {
        // What was refused or lost changes no state, and no clock with it.
        let newest = |is: fn(&AppealDeed) -> Option<Option<Timestamp>>| {
            self.newest(|event| is(&event.deed).map(|other| other.unwrap_or(event.at.0)))
        };
        let since = match self.state() {
            AppealState::Challenged => newest(|deed| match deed {
                AppealDeed::Challenged { expires, .. } => Some(Some(*expires)),
                _ => None,
            }),
            AppealState::Proven | AppealState::Answered | AppealState::UnderReview => {
                newest(|deed| matches!(deed, AppealDeed::Proven { .. }).then_some(None))
            }
            _ => newest(|deed| {
                let is_beside = matches!(deed, AppealDeed::Refused { .. } | AppealDeed::Lost { .. });
                (!is_beside).then_some(None)
            }),
        };
        AppealStanding {
            id: self.id(),
            state: self.state(),
            since: since.unwrap_or(Timestamp::from_unix_seconds(0)),
            rule: self.filing().rule.clone(),
            rule_version: self.filing().rule_version,
        }
    }

    /// The next thing that is due; none where nothing is. `rule_now` gives a rule as it is today.
    pub fn due<'a>(&self, clocks: &AppealClocks, rule_now: impl Fn(&str) -> Option<&'a RuleMeta>) -> Option<Due> {
        self.standing().due(clocks, rule_now)
    }
}
