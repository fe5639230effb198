//! The table `scores`: every rubric's score of every capability, with what it was computed from.

use std::sync::Arc;

use capdex_model::digest::Digest;
use capdex_model::points::Points;
use capdex_model::score::{Coverage, Score, ScoreText};

use crate::export::cell::Cell;
use crate::export::field::{Field as _, Nested};
use crate::export::table_row::table_row;

table_row! {
    /// one rubric's score of one capability
    table scores: ranked;
    pub struct ScoreRow<'a> read as ReadScoreRow {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// SHA-256 (hex) over the capability's files
        public content_sha256: Arc<str>,
        /// the facts that were scored: key into the table facts
        public facts_sha256: Arc<str>,
        /// SHA-256 (hex) over the rule set that found them
        public ruleset_sha256: Arc<str>,
        /// the rubric's id
        key rubric: &'a str,
        /// the version of our reading of it
        public version: &'a str,
        /// SHA-256 (hex) over the rubric's numbers and page
        public text_sha256: Digest,
        /// on the rubric's own scale; null where it has none
        public value: Option<Points>,
        /// as the rubric names it, or n/a
        public grade: &'a str,
        /// share of what the rubric asks that could be answered
        public coverage: Coverage,
        /// hard constraints that took hold
        public caps: Nested<&'a [ScoreText]>,
        /// why there is no value
        public reason: &'a str,
        /// how it was computed: key into the table score_breakdowns
        public breakdown: u64,
    }
}

/// The subject of a score: the same in all rows of one capability.
#[derive(Clone)]
pub struct ScoreSubject {
    /// The capability.
    pub slug: Arc<str>,
    /// Its id.
    pub capability: Arc<str>,
    /// The digest over its files.
    pub content_sha256: Arc<str>,
    /// The digest of the facts that were scored.
    pub facts_sha256: Arc<str>,
    /// The digest of the rule set that found them.
    pub ruleset_sha256: Arc<str>,
}

impl<'a> ScoreRow<'a> {
    /// The row of one score of a subject with the number of its breakdown.
    pub fn of(subject: ScoreSubject, score: &'a Score, breakdown: u64) -> Self {
        let ScoreSubject { slug, capability, content_sha256, facts_sha256, ruleset_sha256 } = subject;
        Self {
            slug,
            capability,
            content_sha256,
            facts_sha256,
            ruleset_sha256,
            rubric: &score.rubric.id,
            version: &score.rubric.version,
            text_sha256: score.rubric.text,
            value: score.value,
            grade: &score.grade,
            coverage: score.coverage,
            caps: Nested(&score.caps),
            reason: &score.reason,
            breakdown,
        }
    }
}

impl ReadScoreRow {
    /// The columns that a recomputation must give again, beside those of the breakdown.
    pub const fn computed(&self) -> [&Cell; 8] {
        [
            &self.rubric,
            &self.version,
            &self.text_sha256,
            &self.value,
            &self.grade,
            &self.coverage,
            &self.caps,
            &self.reason,
        ]
    }
}

/// The cells of [`ReadScoreRow::computed`] for a score that was computed again.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn computed_cells(score: &Score) -> anyhow::Result<[Cell; 8]> {
    Ok([
        (&*score.rubric.id).into_cell()?,
        (&*score.rubric.version).into_cell()?,
        score.rubric.text.into_cell()?,
        score.value.into_cell()?,
        (&*score.grade).into_cell()?,
        score.coverage.into_cell()?,
        Nested(&score.caps).into_cell()?,
        (&*score.reason).into_cell()?,
    ])
}
