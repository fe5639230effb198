//! Rubrics: pure functions from facts to scores, each named after a published method.
//!
//! Must not look at anything but facts, the rules' codes and the day that ages are measured against.

use serde::Serialize;

use crate::capability::Kind;
use crate::fact::Facts;
use crate::score::{Band, RubricRef, Score, Verdict};
use crate::snapshot::Completeness;
use crate::time::AsOf;

/// What is known of a rubric without running it. The manual is written from it.
#[derive(Clone, Debug, Serialize)]
pub struct RubricMeta {
    /// Id, version and text digest.
    pub rubric: RubricRef,
    /// One line for a person.
    pub title: &'static str,
    /// Our page about it, in Markdown: the published formula, and each choice of ours marked as such.
    pub page: &'static str,
    /// Where the method is published.
    pub published_at: &'static str,
    /// When the published text was read.
    pub published_read: &'static str,
    /// SHA-256 (hex) of the published text as read.
    pub published_sha256: &'static str,
    /// The kinds that it publishes a score for.
    pub kinds: &'static [Kind],
    /// Lowest and highest value of its scale, whole points.
    pub scale: (i64, i64),
    /// Whether its value depends on the day (ages): then scores are kept per day.
    pub by_day: bool,
}

/// A method of scoring.
pub trait Rubric: Send + Sync {
    /// What is known of it without running it.
    fn meta(&self) -> &RubricMeta;
    /// The rules whose facts it reads.
    fn needs(&self) -> &[&'static str];
    /// Scores one capability. A rule that it needs and that has not reported is a fault of ours: the score then has
    /// no value and says so.
    fn score(&self, facts: &Facts, at: AsOf) -> Score;
    /// The band that one of its scores stands for, by the mapping table.
    fn band(&self, score: &Score) -> Band;
}

/// Every rubric, in the order of the manual.
pub const RUBRICS: &[&dyn Rubric] = &[];

/// The verdict over the four seed rubrics: the strictest band, `unknown` at best while not everything was analysed.
pub fn verdict(_scores: &[Score], _completeness: &Completeness) -> Verdict {
    Verdict { band: Band::Unknown, disagreement: None }
}
