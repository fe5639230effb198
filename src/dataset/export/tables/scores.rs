//! The table `scores`: every rubric's score of every capability, with what it was computed from.

use std::sync::Arc;

use capdex_model::points::Points;
use capdex_model::score::{Coverage, RubricRef, Score, ScoreText};
use capdex_rubrics::{RUBRICS, Rubric};

use crate::export::cell::Cell;
use crate::export::field::{Field as _, Nested, NestedCell};
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
        key rubric: Arc<str>,
        /// the version of our reading of it
        public version: Arc<str>,
        /// SHA-256 (hex) over the rubric's numbers and page
        public text_sha256: Arc<str>,
        /// on the rubric's own scale; null where it has none
        public value: Option<Points>,
        /// as the rubric names it, or n/a
        public grade: &'a str,
        /// share of what the rubric asks that could be answered
        public coverage: Coverage,
        /// hard constraints that took hold
        public caps: NestedCell<[ScoreText]>,
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

/// The rubric of a score: the same in all rows of one rubric.
#[derive(Clone)]
pub struct RubricText {
    rubric: Arc<str>,
    version: Arc<str>,
    text_sha256: Arc<str>,
    /// The cell of a score on which no constraint took hold, as on most.
    no_caps: NestedCell<[ScoreText]>,
}

/// The rubrics of this program, each written out once.
pub struct RubricTexts(Vec<(&'static RubricRef, RubricText)>);

impl RubricTexts {
    /// The texts of all.
    ///
    /// # Errors
    /// Never: a list without items is JSON.
    pub fn new() -> anyhow::Result<Self> {
        let texts = |rubric: &&'static dyn Rubric| {
            let rubric = &rubric.meta().rubric;
            Ok((rubric, RubricText::of(rubric)?))
        };
        RUBRICS.iter().map(texts).collect::<anyhow::Result<_>>().map(Self)
    }

    /// The texts of a rubric.
    ///
    /// # Errors
    /// Never: a list without items is JSON.
    pub fn of(&self, rubric: &RubricRef) -> anyhow::Result<RubricText> {
        let known = self.0.iter().find(|(known, _)| *known == rubric);
        known.map_or_else(|| RubricText::of(rubric), |(_, text)| Ok(text.clone()))
    }
}

impl RubricText {
    fn of(rubric: &RubricRef) -> anyhow::Result<Self> {
        let (version, text_sha256) = ((*rubric.version).into(), rubric.text.hex().into());
        Ok(Self { rubric: (*rubric.id).into(), version, text_sha256, no_caps: NestedCell::of(&[(); 0])? })
    }
}

impl<'a> ScoreRow<'a> {
    /// The row of one score of a subject by a rubric, with the number of its breakdown.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn of(subject: ScoreSubject, rubric: RubricText, score: &'a Score, breakdown: u64) -> anyhow::Result<Self> {
        let RubricText { rubric, version, text_sha256, no_caps } = rubric;
        let ScoreSubject { slug, capability, content_sha256, facts_sha256, ruleset_sha256 } = subject;
        Ok(Self {
            slug,
            capability,
            content_sha256,
            facts_sha256,
            ruleset_sha256,
            rubric,
            version,
            text_sha256,
            value: score.value,
            grade: &score.grade,
            coverage: score.coverage,
            caps: if score.caps.is_empty() { no_caps } else { NestedCell::of(&score.caps)? },
            reason: &score.reason,
            breakdown,
        })
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
