//! `Ranked`: a capability with its place in the order, scores, verdict and counts.
//!
//! Must not compute a score: it reads those that the score stage kept.

use std::collections::BTreeSet;

use capdex_db::{CurrentCapability, Reader};
use capdex_model::facts::SparseFacts;
use capdex_model::score::{RubricRef, Score, Verdict};
use capdex_model::time::AsOf;
use capdex_rubrics::saferskills::Member;
use capdex_rubrics::{RUBRICS, verdict};

use crate::finding::Tally;

/// A capability with its place in the order.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// From 1.
    pub rank: u64,
    /// The capability as the store holds it.
    pub current: CurrentCapability,
    /// Its scores, in the order of the rubrics.
    pub scores: Vec<Score>,
    /// The verdict over them.
    pub verdict: Verdict,
    /// What the number of its package needs of it, where SaferSkills scored it.
    pub member: Option<Member>,
    /// Its findings, counted.
    pub findings: Tally,
    /// Its capability codes.
    pub tags: BTreeSet<String>,
}

/// The facts of a capability.
///
/// # Errors
/// What the store says, or that the facts are missing.
pub fn facts(reader: &Reader, current: &CurrentCapability) -> anyhow::Result<SparseFacts> {
    reader
        .facts(&current.facts, capdex_rules::defaults())?
        .ok_or_else(|| anyhow::anyhow!("the facts of {} are missing from the store", current.capability.slug))
}

/// The scores of a capability under today's rubric texts, and the verdict over them.
///
/// # Errors
/// What the store says.
pub fn scores(reader: &Reader, current: &CurrentCapability, as_of: AsOf) -> anyhow::Result<(Vec<Score>, Verdict)> {
    let rubrics: Vec<RubricRef> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.clone()).collect();
    let scores = reader.scores(&current.facts, &rubrics, as_of.day())?;
    let verdict = verdict(&scores, &current.completeness);
    Ok((scores, verdict))
}

/// The instant that is asked for, else that of the last run.
///
/// # Errors
/// What the store says, or that there was no run.
pub fn as_of(asked: Option<AsOf>, reader: &Reader) -> anyhow::Result<AsOf> {
    let last = reader.runs(1)?.first().map(|run| run.as_of);
    asked.or(last).ok_or_else(|| anyhow::anyhow!("the store holds no run yet; run `capdex nightly` first"))
}
