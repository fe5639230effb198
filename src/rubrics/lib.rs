//! Rubrics: pure functions from facts to scores. Each is named after a published method, but for capdex's own verdict.
//!
//! A score depends on nothing but facts, the rules' codes and the day that ages are measured against.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

use serde::Serialize;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::facts::SparseFacts;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{Band, RubricRef, Score, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;

pub mod agentscore;
mod bands;
mod cached_score;
pub mod catalogue;
mod findings;
pub mod mcpbundles;
pub mod operator;
mod over_rules;
pub mod rank;
mod reads;
mod reasons;
pub mod saferskills;
pub mod spiderrating;
mod terms;
mod unanswered;
pub mod verdict;

pub use unanswered::{answers, cannot_answer};

/// The description of a rubric, known without running it. The manual is written from it.
#[derive(Clone, Debug, Serialize)]
pub struct RubricMeta {
    /// Id, version and text digest.
    pub rubric: RubricRef,
    /// One line for a person.
    pub title: &'static str,
    /// Our page about it, in Markdown: the published formula, and each choice of ours marked as such.
    pub page: &'static str,
    /// The place where the method is published.
    pub published_at: &'static str,
    /// When the published text was read.
    pub published_read: &'static str,
    /// SHA-256 (hex) of the published text as read.
    pub published_sha256: &'static str,
    /// The kinds that it publishes a score for.
    pub kinds: &'static [Kind],
    /// Lowest and highest value of its scale, whole points.
    pub scale: (i64, i64),
    /// True where its value depends on the day (ages): then scores are kept with the days on which they hold.
    pub by_day: bool,
}

/// The day that never comes.
pub const NEVER: i64 = i64::MAX;

/// A method of scoring.
pub trait Rubric: Send + Sync {
    /// The description of it, known without running it.
    fn meta(&self) -> &RubricMeta;
    /// The rules whose facts it reads: its measures, and every stable rule that carries a code of its family.
    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str];
    /// Scores one capability. A rule that it needs and that has not reported is a fault of ours: the score then has
    /// no value and says so.
    fn score(&self, facts: &SparseFacts, at: AsOf) -> Score;
    /// The first day (days since the epoch) after that of `at` on which its score of these facts may be another: before it no age
    /// passes a threshold. [`NEVER`] where none will; the next day where the rubric does not know.
    fn holds_until(&self, _facts: &SparseFacts, at: AsOf) -> i64 {
        if self.meta().by_day { at.day().saturating_add(1) } else { NEVER }
    }
    /// The band that one of its scores stands for, by the mapping table; `Unknown` for a score without a value.
    fn band(&self, score: &Score) -> Band {
        bands::band_of(score)
    }
}

/// Every rubric, in the order of the manual.
pub const RUBRICS: &[&dyn Rubric] = &[
    &verdict::OwnVerdict,
    &spiderrating::SpiderRating,
    &saferskills::SaferSkills,
    &mcpbundles::McpBundles,
    &agentscore::AgentScore,
    // Variants: they stand beside the four and have no voice in the verdict.
    &spiderrating::oss::Oss,
    &spiderrating::live::Live,
    &saferskills::oss::Oss,
];

/// The rubric with an id such as `saferskills/seed`.
pub fn find(id: &str) -> Option<&'static dyn Rubric> {
    RUBRICS.iter().find(|rubric| rubric.meta().rubric.id == id).copied()
}

/// Scores one capability with every rubric, in their order.
pub fn score_all(facts: &SparseFacts, at: AsOf) -> Vec<Score> {
    RUBRICS.iter().map(|rubric| rubric.score(facts, at)).collect()
}

/// What to do about a capability: the band of its findings, `unknown` where not everything was looked at and nothing worse was
/// found. Needs the score of [`verdict::VERDICT`] among the others; the methods have no voice in it.
pub fn verdict(scores: &[Score], completeness: &Completeness) -> Verdict {
    verdict::over(scores, completeness)
}

/// The whole mapping table: method, grade or constraint, band. A constraint that took hold decides before the grade.
pub fn band_table() -> Vec<(&'static str, &'static str, Band)> {
    bands::table()
}

/// Why the strictest and the mildest of the seed rubrics differ, in one line; none where they do not.
pub fn why_they_differ(scores: &[Score]) -> Option<String> {
    reasons::why_they_differ(scores)
}

/// What one rubric says and what moved its score most; [`why_they_differ`] is the strictest's and the mildest's.
pub fn why_it_says(score: &Score) -> Option<String> {
    reasons::why_it_says(score)
}

/// The places of the two scores whose terms and parts [`why_they_differ`] reads; it needs only outlines of the others.
pub fn opposites(scores: &[Score]) -> Option<[usize; 2]> {
    reasons::opposites(scores).map(|opposites| opposites.map(|(at, _)| at))
}

/// The text digest of a rubric: over its numbers file and our page about it.
fn text_digest(numbers: &str, page: &str) -> Digest {
    // By fields with their lengths: moving a line from one file to the other is another text.
    Digest::of_fields([numbers.as_bytes(), page.as_bytes()])
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
