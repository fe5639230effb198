//! The score stage: applies every rubric to the facts that have no score under its text yet.
//!
//! Must not scan or send a request. A rubric change scores again from stored facts. Each facts are read and parsed once for
//! all rubrics that lack them, and packed scores are written while the next batch is computed.

use std::collections::BTreeMap;

use anyhow::Context as _;
use capdex_dataset::bulk;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{FactsId, PackedFacts, PackedScore, ScoredDays, StoreError};
use capdex_model::time::AsOf;
use capdex_rubrics::{RUBRICS, Rubric};

use super::{JobContext, StageReport};
use crate::progress::StageProgress;

/// Facts scored between two transactions: bounds memory and what a kill costs.
const BATCH: usize = 2048;

type PendingRubrics = Vec<&'static dyn Rubric>;

/// Scores what is missing, with every rubric or with the one that `only` names; `all` scores everything again.
///
/// # Errors
/// Errors of the store.
pub fn run(context: &JobContext, only: Option<&str>, all: bool) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    let mut report = StageReport::default();
    let pending = pending(context, only, all)?;
    report.items = pending.values().map(|rubrics| u64::try_from(rubrics.len()).unwrap_or(0)).sum();
    let items: Vec<(FactsId, PendingRubrics)> = pending.into_iter().collect();
    let progress = StageProgress::stage("score", Some(report.items), context.quiet);
    let reader = context.store.reader()?;
    // Reading ends the run early: batches that are computed already are still written.
    let read = |items: &[(FactsId, PendingRubrics)]| {
        if context.stop.is_asked() {
            // None tells the pipeline that there is no more input.
            return Ok(None);
        }
        // One read and one parse of facts serve all rubrics that lack them.
        let ids: Vec<FactsId> = items.iter().map(|(id, _)| *id).collect();
        let rubrics = items.iter().map(|(_, rubrics)| rubrics.clone());
        Ok(Some(reader.packed_facts(&ids)?.into_iter().zip(rubrics).collect()))
    };
    let work = |(facts, rubrics): (PackedFacts, PendingRubrics)| score(&facts, &rubrics, context.as_of);
    let write = |scores: Vec<Result<Vec<PackedScore>, StoreError>>| {
        let scores: Vec<PackedScore> =
            scores.into_iter().collect::<Result<Vec<_>, _>>().context("failed to score")?.concat();
        let count = u64::try_from(scores.len()).unwrap_or(0);
        report.done += count;
        progress.advance(count);
        context.store.write(move |writer| writer.record_packed_scores(&scores))?;
        Ok(())
    };
    bulk::overlapped(&context.pool, &items, BATCH, read, work, write)?;
    progress.finish();
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// The facts that want a score, each with the rubrics that lack one.
fn pending(context: &JobContext, only: Option<&str>, all: bool) -> anyhow::Result<BTreeMap<FactsId, PendingRubrics>> {
    let reader = context.store.reader()?;
    let mut pending: BTreeMap<FactsId, PendingRubrics> = BTreeMap::new();
    for rubric in RUBRICS.iter().copied().filter(|rubric| only.is_none_or(|id| rubric.meta().rubric.id == id)) {
        // Asked for by hand: scores that are there are computed again all the same.
        let facts = if all {
            reader.current_facts()?
        } else {
            reader.unscored(&rubric.meta().rubric, day(rubric, context.as_of))?
        };
        // Grouped by facts instead of by rubric, for the same reason.
        for id in facts {
            pending.entry(id).or_default().push(rubric);
        }
    }
    Ok(pending)
}

/// The day that a score is wanted for, of rubrics that depend on it.
fn day(rubric: &dyn Rubric, at: AsOf) -> Option<i64> {
    // A rubric that does not age keeps its scores without a day, and they are never due again.
    rubric.meta().by_day.then(|| at.day())
}

fn score(facts: &PackedFacts, rubrics: &PendingRubrics, at: AsOf) -> Result<Vec<PackedScore>, StoreError> {
    let unpacked = facts.unpack()?;
    let packed = |rubric: &&dyn Rubric| {
        let days = day(*rubric, at).map(|from| ScoredDays { from, until: rubric.holds_until(&unpacked, at) });
        PackedScore::new(facts.id, days, &rubric.score(&unpacked, at))
    };
    rubrics.iter().map(packed).collect()
}
