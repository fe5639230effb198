//! `AppealClocks`: how long each step of an appeal may take. Plain hours: a calendar of working days is no data of ours.

use super::{Appeal, AppealDeed, AppealState, Outcome};
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

impl Appeal {
    /// The next thing that is due; none where nothing is. `rule_now` gives a rule as it is today.
    pub fn due<'a>(&self, clocks: &AppealClocks, rule_now: impl Fn(&str) -> Option<&'a RuleMeta>) -> Option<Due> {
        let after =
            |since: Timestamp, seconds: i64| Timestamp::from_unix_seconds(since.unix_seconds().saturating_add(seconds));
        let proven = self.proof().map(|(event, ..)| event.at.0);
        let (what, at) = match self.state() {
            AppealState::Challenged => (
                ClockName::Lapse,
                self.newest(|event| match event.deed {
                    AppealDeed::Challenged { expires, .. } => Some(expires),
                    _ => None,
                })?,
            ),
            AppealState::Proven => (ClockName::Answer, after(proven?, clocks.machine_answer)),
            AppealState::Answered => (ClockName::Take, after(proven?, clocks.take)),
            AppealState::UnderReview => (ClockName::Decide, after(proven?, clocks.decide)),
            AppealState::Reopened => {
                let since =
                    self.newest(|event| matches!(event.deed, AppealDeed::Reopened { .. }).then_some(event.at.0))?;
                (ClockName::DecideAgain, after(since, clocks.reopen))
            }
            AppealState::Decided(Outcome::Overturned) => {
                let (rule, filed) = (self.filing().rule.as_deref()?, self.filing().rule_version?);
                // A rule that is gone is no rule that is wrong again, and of one that stays as it is its card says why.
                if rule_now(rule).is_none_or(|now| now.version > filed || now.is_known_to_err(&self.id())) {
                    return None;
                }
                (ClockName::Rule, after(self.decision()?.0.at.0, clocks.rule))
            }
            _ => return None,
        };
        Some(Due { what, at })
    }
}
