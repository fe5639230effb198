//! `TopRows`: the end of the order that a terminal shows, the worst, kept while the dataset is written, so that nothing is read
//! twice.

use capdex_db::CurrentCapability;
use capdex_model::capability::Kind;
use capdex_model::score::{Band, Score, ScoreText, Verdict};
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
    /// Value and grade by each seed rubric that gave a score, in their order.
    pub scores: Vec<(Option<capdex_model::points::Points>, ScoreText)>,
}

impl TopRow {
    /// The line of a capability.
    pub fn of(ranked: &RankedCapability) -> Self {
        Self::new(ranked.standing.rank, &ranked.current, &ranked.verdict, &ranked.scores)
    }

    /// The same of its parts.
    pub(super) fn new(rank: Option<u64>, current: &CurrentCapability, verdict: &Verdict, scores: &[Score]) -> Self {
        let capability = &current.capability;
        let seed = |score: &Score| score.rubric.is_seed().then(|| (score.value, score.grade.clone()));
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
}

impl TopRows {
    /// Adds the next capability of the order, which goes from the best to the worst.
    pub fn add(&mut self, line: TopRow) {
        self.lines.insert(0, line);
        // Counted, because a terminal says how much it left out.
        if self.lines.len() > LINES {
            self.lines.truncate(LINES);
            self.beyond += 1;
        }
    }
}
