//! `TopRows`: the end of the order that a terminal shows, the worst, kept while the dataset is written, so that nothing is read
//! twice.

use capdex_db::CurrentCapability;
use capdex_model::capability::Kind;
use capdex_model::points::Points;
use capdex_model::score::{Band, Score, ScoreText, Verdict};
use capdex_rubrics::answers;
use serde::{Deserialize, Serialize};

use super::ranked_capability::RankedCapability;

/// Lines that are kept, the worst; the dataset holds them all.
pub(super) const LINES: usize = 20;

/// One capability as the terminal shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopRow {
    /// Its place in the order, from 1.
    pub rank: Option<u64>,
    /// Its locator's identity; untrusted.
    pub package: String,
    /// Its path in the package; untrusted.
    pub path: String,
    /// Its kind.
    pub kind: Kind,
    /// The verdict's band.
    pub band: Band,
    /// The sentence behind it; it quotes strangers.
    pub reason: String,
    /// Value and grade by each seed rubric that gave a score, in their order; none where it cannot answer.
    pub scores: Vec<Option<(Points, ScoreText)>>,
}

impl TopRow {
    /// The line of a capability.
    pub fn of(ranked: &RankedCapability) -> Self {
        Self::new(ranked.standing.rank, &ranked.current, &ranked.verdict, &ranked.scores)
    }

    /// The same of its parts.
    pub(super) fn new(rank: Option<u64>, current: &CurrentCapability, verdict: &Verdict, scores: &[Score]) -> Self {
        let capability = &current.capability;
        let answer = |score: &Score| score.value.filter(|_| answers(score)).map(|value| (value, score.grade.clone()));
        let seed = |score: &Score| score.rubric.is_seed().then(|| answer(score));
        Self {
            rank,
            package: current.identity.clone(),
            path: capability.path.clone(),
            kind: capability.kind,
            band: verdict.band,
            reason: verdict.reason.clone(),
            scores: scores.iter().filter_map(seed).collect(),
        }
    }
}

/// The lines of the worst, and the number of those besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopRows {
    /// Those that rank last of what is shown, the worst first.
    pub lines: Vec<TopRow>,
    /// Further ones.
    pub beyond: u64,
    /// The number of all rows for which each seed rubric gave an answer, in their order.
    answered: Vec<u64>,
}

/// A method that answers for fewer than one row in so many has no column.
const ONE_IN: u64 = 20;

/// True where a method that answers for some of all rows answers for enough of them to have a column.
pub const fn has_column(answered: u64, rows: u64) -> bool {
    answered.saturating_mul(ONE_IN) >= rows
}

impl TopRows {
    /// Adds the next capability of the order, which goes from the best to the worst.
    pub fn add(&mut self, line: TopRow) {
        self.answered.resize(self.answered.len().max(line.scores.len()), 0);
        for (answered, score) in self.answered.iter_mut().zip(&line.scores) {
            *answered += u64::from(score.is_some());
        }
        self.lines.insert(0, line);
        // Counted, because a terminal says how much it left out.
        if self.lines.len() > LINES {
            self.lines.truncate(LINES);
            self.beyond += 1;
        }
    }
    /// True where a seed rubric, by its place among them, answers for enough rows to have a column.
    pub fn is_answering(&self, rubric: usize) -> bool {
        let rows = self.beyond.saturating_add(u64::try_from(self.lines.len()).unwrap_or(u64::MAX));
        self.answered.get(rubric).is_some_and(|answered| has_column(*answered, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_answers_for_fewer_than_one_row_in_twenty_has_no_column() {
        let row = |answer: Option<Points>| TopRow {
            rank: None,
            package: "folder:a".to_owned(),
            path: String::new(),
            kind: Kind::Skill,
            band: Band::Ok,
            reason: String::new(),
            scores: vec![answer.map(|value| (value, "ALLOW".into())), None],
        };
        let mut rows = TopRows::default();
        rows.add(row(Some(Points::whole(99))));
        (1..20).for_each(|_| rows.add(row(None)));
        assert!(rows.is_answering(0), "one of twenty");
        rows.add(row(None));
        assert!(!rows.is_answering(0), "one of twenty-one");
        assert!(!rows.is_answering(1), "none");
    }
}
