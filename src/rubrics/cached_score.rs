//! Scores of capabilities in which nothing is found: those of a kind are nearly always the same, and made once.
//!
//! `CachedScore`: a rubric shares the score as long as each rule said the same.

use std::sync::OnceLock;

use capdex_model::capability::Kind;
use capdex_model::facts::OutcomeSet;
use capdex_model::facts::SparseFacts;
use capdex_model::score::{Score, ScorePart, ScoreText, ScoreTexts, Term};

/// The score of a rubric that goes by no day where nothing is found. It is made for the first capability of each kind
/// and shared with every other of which each rule said the same.
pub(super) struct CachedScore([OnceLock<(OutcomeSet, Score)>; Kind::ALL.len()]);

impl CachedScore {
    /// Nothing scored yet.
    pub(super) const fn new() -> Self {
        Self([const { OnceLock::new() }; Kind::ALL.len()])
    }

    /// The score that `score` makes of the facts. With no true fact it sees nothing but what each rule said.
    pub(super) fn of(&'static self, facts: &SparseFacts, score: impl Fn() -> Score) -> Score {
        // A finding carries evidence and places, which differ between capabilities.
        if facts.found().next().is_some() {
            return score();
        }
        let first =
            // The kind alone does not decide: another capability may lack the data that a rule needs.
            self.0.get(facts.kind as usize).map(|first| first.get_or_init(|| (facts.outcome_set().clone(), score())));
        match first {
            // Another outcome set is scored afresh and not kept: the first is nearly always the one that comes again.
            Some((said, first)) if said == facts.outcome_set() => shared(first),
            _ => score(),
        }
    }
}

/// The same score, whose texts are not copied.
fn shared(score: &'static Score) -> Score {
    let Score { rubric, value, grade, coverage, terms, parts, caps, reason } = score;
    let text = |text: &'static ScoreText| ScoreText::Borrowed(&**text);
    let term = |Term { label, points, rules, note }: &'static Term| Term {
        label: text(label),
        points: *points,
        rules: ScoreTexts::Borrowed(rules),
        note: text(note),
    };
    let part = |ScorePart { name, value, coverage, note }: &'static ScorePart| ScorePart {
        name: text(name),
        value: *value,
        coverage: *coverage,
        note: text(note),
    };
    Score {
        rubric: rubric.clone(),
        value: *value,
        grade: text(grade),
        coverage: *coverage,
        terms: terms.iter().map(term).collect(),
        parts: parts.iter().map(part).collect(),
        caps: caps.iter().map(text).collect(),
        reason: text(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{day, reported};
    use crate::{Rubric, agentscore, saferskills, verdict};
    use capdex_model::fact::Outcome;

    #[test]
    fn the_shared_score_is_what_is_computed() {
        type Computed = fn(&SparseFacts) -> Score;
        let rubrics: [(&dyn Rubric, Computed); 3] = [
            (&agentscore::AgentScore, agentscore::computed),
            (&saferskills::SaferSkills, saferskills::computed),
            (&verdict::OwnVerdict, verdict::computed),
        ];
        let outcomes = [Outcome::False, Outcome::Unavailable, Outcome::False, Outcome::NotApplicable];
        for (rubric, computed) in rubrics {
            for (kind, outcome) in Kind::ALL.into_iter().flat_map(|kind| outcomes.map(|outcome| (kind, outcome))) {
                let facts = reported(kind, &[], outcome);
                assert_eq!(rubric.score(&facts, day()), computed(&facts), "{kind} {outcome:?}");
            }
        }
    }
}
