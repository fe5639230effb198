//! A repository as SaferSkills sees it: the mean over its capabilities, under the ceiling of all their findings.
//!
//! Source: the reference implementation; the page speaks of capabilities only.

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::score::{Score, ScoreText};

use super::{META, ceiling, colour, counted};

/// The part of a capability that its repository's number needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolledUpCapability {
    kind: Kind,
    value: Option<Points>,
    worst: Option<Severity>,
}

/// A capability as a member of its repository, by its facts and its scores; none where SaferSkills gave none of them.
pub fn member(facts: &SparseFacts, scores: &[Score]) -> Option<RolledUpCapability> {
    let score = scores.iter().find(|score| score.rubric == META.rubric)?;
    let worst = counted(facts).iter().map(|finding| finding.severity).max();
    Some(RolledUpCapability { kind: facts.kind, value: score.value, worst })
}

/// The result for a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollUp {
    /// The mean over the capabilities that have a value, rounded half to even, and cut by the ceiling.
    pub value: Points,
    /// The colour of the value.
    pub grade: ScoreText,
    /// Over how many capabilities.
    pub capabilities: usize,
    /// The worst finding, where its ceiling cut the mean.
    pub ceiling: Option<Severity>,
}

/// The number of a repository; none where no capability of it has a value. Unclaimed files count only where there is
/// nothing else, as the reference takes a repository without any anchor for one capability.
pub fn roll_up(members: &[RolledUpCapability]) -> Option<RollUp> {
    let claimed: Vec<&RolledUpCapability> = members.iter().filter(|member| member.kind != Kind::Package).collect();
    let members = if claimed.is_empty() { members.iter().collect() } else { claimed };
    let values: Vec<f64> = members.iter().filter_map(|member| member.value.map(Points::as_f64)).collect();
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mean = Points::whole(mean.round_ties_even() as i64);
    // The ceiling goes by all members: one with a critical finding caps the mean of a hundred clean ones.
    let worst = members.iter().filter_map(|member| member.worst).max();
    let cut = worst.and_then(ceiling).filter(|ceiling| mean > *ceiling);
    let value = cut.unwrap_or(mean);
    Some(RollUp { value, grade: colour(value), capabilities: values.len(), ceiling: cut.and(worst) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(kind: Kind, value: Option<i64>, worst: Option<Severity>) -> RolledUpCapability {
        RolledUpCapability { kind, value: value.map(Points::whole), worst }
    }

    fn of(members: &[RolledUpCapability]) -> (i64, ScoreText, usize, Option<Severity>) {
        let rolled = roll_up(members).expect("a number");
        (rolled.value.as_hundredths() / 100, rolled.grade, rolled.capabilities, rolled.ceiling)
    }

    #[test]
    fn it_is_the_mean_rounded_half_to_even() {
        let skill = |value| member(Kind::Skill, Some(value), None);
        assert_eq!(of(&[skill(90), skill(91)]), (90, "Green".into(), 2, None));
        assert_eq!(of(&[skill(91), skill(92)]), (92, "Green".into(), 2, None));
        assert_eq!(of(&[skill(60), member(Kind::Skill, None, None)]), (60, "Yellow".into(), 1, None));
    }

    #[test]
    fn one_capability_with_a_serious_finding_caps_them_all() {
        let clean = member(Kind::McpServer, Some(100), Some(Severity::Medium));
        let high = member(Kind::Hook, Some(45), Some(Severity::High));
        let critical = member(Kind::Skill, Some(15), Some(Severity::Critical));
        assert_eq!(of(&[clean, high]), (45, "Orange".into(), 2, Some(Severity::High)));
        assert_eq!(of(&[clean, clean, clean, critical]), (15, "Red".into(), 4, Some(Severity::Critical)));
    }

    #[test]
    fn what_no_capability_claims_counts_only_alone() {
        let rest = member(Kind::Package, Some(50), None);
        assert_eq!(of(&[rest]), (50, "Orange".into(), 1, None));
        assert_eq!(of(&[rest, member(Kind::Skill, Some(100), None)]), (100, "Green".into(), 1, None));
        assert_eq!(roll_up(&[member(Kind::Skill, None, None)]), None);
    }
}
