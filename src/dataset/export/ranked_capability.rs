//! `RankedCapability`: a capability with its place in the order, scores, verdict and counts.
//!
//! Scores are read as the score stage kept them, and never computed here.

use std::collections::BTreeSet;

use capdex_db::{CurrentCapability, Reader};
use capdex_model::facts::SparseFacts;
use capdex_model::score::{RubricRef, Score, Verdict};
use capdex_model::time::AsOf;
use capdex_rubrics::operator::{BeforeOperator, OperatorVerdict};
use capdex_rubrics::saferskills::RolledUpCapability;
use capdex_rubrics::{RUBRICS, verdict};

use super::rank_order::Standing;
use crate::finding::SeverityCounts;

/// A capability with its place in the order.
#[derive(Clone, Debug)]
pub struct RankedCapability {
    /// Its place in the order.
    pub standing: Standing,
    /// Known users; none where nothing is known.
    pub users: Option<u64>,
    /// The licence that it states; none where nothing is known.
    pub licence: Option<String>,
    /// The bytes of its files together.
    pub bytes: u64,
    /// The repository that its listing states; none where nothing is known.
    pub repository: Option<String>,
    /// The other things that its listing names.
    pub links: Vec<String>,
    /// The verdict by the operator's word; none where he has none.
    pub operator: Option<OperatorVerdict>,
    /// The capability as the store holds it.
    pub current: CurrentCapability,
    /// Its scores, in the order of the rubrics.
    pub scores: Vec<Score>,
    /// Why the strictest and the mildest of them differ; none where they do not.
    pub difference: Option<String>,
    /// The verdict over them.
    pub verdict: Verdict,
    /// Its part in the number of its package, where SaferSkills scored it.
    pub member: Option<RolledUpCapability>,
    /// Its findings, counted.
    pub findings: SeverityCounts,
    /// Its capability codes.
    pub tags: BTreeSet<String>,
}

/// The facts of a capability.
///
/// # Errors
/// Errors of the store, or that the facts are missing.
pub fn facts(reader: &Reader, current: &CurrentCapability) -> anyhow::Result<SparseFacts> {
    there(reader.facts(&current.facts)?, &current.capability.slug)
}

/// The facts that were read of a capability of a slug.
///
/// # Errors
/// That there are none.
pub fn there(facts: Option<SparseFacts>, slug: &str) -> anyhow::Result<SparseFacts> {
    // A capability always has facts; without them the store is damaged, which must not read as harmless.
    facts.ok_or_else(|| anyhow::anyhow!("the facts of {slug} are missing from the store"))
}

/// The scores of a capability under today's rubric texts, and the verdict over them.
///
/// # Errors
/// Errors of the store.
pub fn scores(reader: &Reader, current: &CurrentCapability, as_of: AsOf) -> anyhow::Result<(Vec<Score>, Verdict)> {
    let rubrics: Vec<RubricRef> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.clone()).collect();
    // By the digest of today's texts: scores of an older rubric are not shown beside new ones.
    let scores = reader.scores(&current.facts, &rubrics, as_of.day())?;
    let verdict = verdict(&scores, &current.completeness);
    Ok((scores, verdict))
}

/// The verdict of a capability by the operator's word; none where he has none.
///
/// # Errors
/// Errors of the store.
pub fn operator(
    reader: &Reader,
    current: &CurrentCapability,
    facts: &SparseFacts,
    (scores, verdict): (&[Score], &Verdict),
    as_of: AsOf,
) -> anyhow::Result<Option<OperatorVerdict>> {
    let policy = reader.operator_policy()?;
    let (capability, completeness) = (&current.capability, &current.completeness);
    let before = BeforeOperator { capability, facts, scores, completeness, verdict };
    Ok(crate::operator::heard(&policy, before, as_of))
}

/// The instant that is asked for, else that of the last run.
///
/// # Errors
/// Errors of the store, or that there was no run.
pub fn as_of(asked: Option<AsOf>, reader: &Reader) -> anyhow::Result<AsOf> {
    // The last run, and not the clock: a report says what that night saw.
    let last = reader.runs(1)?.first().map(|run| run.as_of);
    asked.or(last).ok_or_else(|| anyhow::anyhow!("the store holds no run yet; run `capdex nightly` first"))
}
