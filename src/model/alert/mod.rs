//! `Alert`: something that a pass raises for a person. The files below hold what becomes of it then.
//!
//! An alert is a plain value: the store keeps it, and notifiers send it.

pub mod ack;
pub mod backoff;
mod behind;
pub mod evidence;
#[cfg(feature = "testing")]
pub mod hostile;
pub mod message;
pub mod origin;
pub mod plan;
pub mod suppression;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

pub use evidence::{AlertEvidence, MOST_EVIDENCE};

use crate::digest::Digest;
use crate::fact::Severity;
use crate::ids::CapabilityId;
use crate::time::AsOf;

/// Something for a person to look at. Its key is stable over nights, so that it is raised once.
///
/// Everything but `key`, `pass`, `class` and `reproduce` may hold untrusted text: it is escaped where it is shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alert {
    /// Stable over nights: the pass, what it is about and what distinguishes this event.
    pub key: String,
    /// The pass that raised it, such as `drift`.
    pub pass: String,
    /// The event that the pass saw, a closed word of that pass such as `same_version`. With the pass it is the rule
    /// that an acknowledgement is bound to.
    #[serde(default)]
    pub class: String,
    /// The capability that it is about, where it is about one.
    pub capability: Option<CapabilityId>,
    /// The subject, readable: a slug, a listing, an entity, a name.
    #[serde(default)]
    pub subject: String,
    /// The severity.
    pub severity: Severity,
    /// One sentence for a person.
    pub title: String,
    /// Why it matters.
    #[serde(default)]
    pub why: String,
    /// The advice.
    #[serde(default)]
    pub fix: String,
    /// The content at which it was raised: what an acknowledgement is bound to, beside the rule.
    #[serde(default)]
    pub content: Option<Digest>,
    /// The particulars, one a line: files that changed, versions, digests, signals.
    pub details: Vec<String>,
    /// The same in parts, for programs: the things that it rests on, the gravest first.
    #[serde(default)]
    pub evidence: Vec<AlertEvidence>,
    /// Lines of a diff, each with its sign (`-`, `+` or a blank) before it; secrets masked.
    #[serde(default)]
    pub diff: Vec<String>,
    /// The changes of the scores.
    #[serde(default)]
    pub scores: Vec<ScoreChange>,
    /// Everything else that is raised together with the subject, as a campaign does; sorted.
    #[serde(default)]
    pub members: Vec<String>,
    /// The command that shows the same again.
    #[serde(default)]
    pub reproduce: String,
    /// The number of people it may concern, 0 to 1000: ranks alerts of one severity, never raises one.
    #[serde(default)]
    pub reach: u32,
}

impl Alert {
    /// The rule that an acknowledgement names beside the content: the pass and the class.
    pub fn rule(&self) -> String {
        format!("{}/{}", self.pass, self.class)
    }

    /// The subject, as acknowledgements and the cooldown compare it: the capability, which no target can rename,
    /// or the subject where it is about none.
    pub fn about(&self) -> String {
        self.capability.map_or_else(|| self.subject.clone(), |id| id.to_string())
    }

    /// The content that an acknowledgement is bound to. An alert about no content is bound to itself, so that nothing
    /// that is raised later is covered by what was said of it.
    pub fn bound_content(&self) -> Digest {
        self.content.unwrap_or_else(|| Digest::of(self.key.as_bytes()))
    }

    /// A short name for it: the first twelve hex digits of its key's digest.
    pub fn handle(&self) -> String {
        // Keys hold untrusted text of any length; a handle can be typed.
        Digest::of(self.key.as_bytes()).hex().chars().take(12).collect()
    }

    /// The command that shows the same again; what the pass said, or the note about it.
    pub fn command(&self) -> String {
        if self.reproduce.is_empty() { format!("capdex alerts show {}", self.handle()) } else { self.reproduce.clone() }
    }
}

/// An alert and when it was first raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The alert as the pass has it now.
    pub alert: Alert,
    /// The night that raised it first.
    pub at: AsOf,
}

/// The order for a person: severity, then reach, then freshness, then the key.
pub fn by_rank(one: &Raised, other: &Raised) -> Ordering {
    let weight = |raised: &Raised| (raised.alert.severity, raised.alert.reach, raised.at);
    // The greatest weight first; the key, ascending, makes the order total.
    weight(other).cmp(&weight(one)).then_with(|| one.alert.key.cmp(&other.alert.key))
}

/// The change of one rubric's score.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreChange {
    /// The rubric's id.
    pub rubric: String,
    /// The value and grade before, as people read them; none where there was none.
    pub before: Option<String>,
    /// The value and grade after.
    pub after: Option<String>,
}

/// The number of people something may concern, 0 to 1000, by its count of users: 100 for each power of ten.
pub fn reach_of(popularity: Option<u64>) -> u32 {
    // In integers, because alerts are ordered by it and must be so on every machine.
    popularity.filter(|count| *count > 0).map_or(0, |count| {
        let (whole, mut rest) = (count.ilog10(), count);
        let mut unit = 10_u64.pow(whole);
        // The first digit as a tenth of the next step: 1 gives 0, 9 gives 80.
        rest /= unit.max(1);
        unit = rest.saturating_sub(1).saturating_mul(10);
        // A counter of a source may say any number.
        (whole * 100 + u32::try_from(unit).unwrap_or(0)).min(1000)
    })
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_grows_with_popularity() {
        let steps = [None, Some(0), Some(1), Some(9), Some(10), Some(95), Some(100), Some(1_000_000), Some(u64::MAX)];
        let reach: Vec<u32> = steps.into_iter().map(reach_of).collect();
        assert_eq!(reach, [0, 0, 0, 80, 100, 180, 200, 600, 1000]);
    }

    #[test]
    fn an_alert_of_an_earlier_program_is_read() {
        let id = CapabilityId(Digest::of(b"x"));
        let text = format!(
            r#"{{"key":"k","pass":"drift","capability":{},"severity":"high","title":"t","details":["d"]}}"#,
            serde_json::to_string(&id).expect("serialises")
        );
        let alert: Alert = serde_json::from_str(&text).expect("parses");
        assert_eq!(alert.capability, Some(id));
        assert_eq!(alert.rule(), "drift/".to_owned());
        assert_eq!(alert.about(), id.to_string());
        assert_eq!(alert.command(), format!("capdex alerts show {}", alert.handle()));
    }

    #[test]
    fn rank_is_severity_reach_freshness_key() {
        use super::testing::raised;
        let mut alerts = [
            raised("e", Severity::High, 0, 1),
            raised("d", Severity::High, 0, 1),
            raised("c", Severity::High, 0, 2),
            raised("b", Severity::High, 9, 1),
            raised("a", Severity::Critical, 0, 0),
        ];
        alerts.sort_by(by_rank);
        let keys: Vec<&str> = alerts.iter().map(|raised| raised.alert.key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "d", "e"]);
    }
}
