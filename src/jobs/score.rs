//! The score stage: applies every rubric to the facts that have no score under its text yet.
//!
//! Must not scan or send a request. A rubric change scores again from stored facts.

use capdex_core::digest::Digest;
use capdex_core::rubrics::{RUBRICS, Rubric};
use capdex_core::score::Score;

use super::{Context, StageReport};
use crate::progress::Progress;
use crate::{bulk, clock};

/// Facts scored between two transactions.
const BATCH: usize = 512;

/// Scores what is missing, with every rubric or with the one that `only` names; `all` scores everything again.
///
/// # Errors
/// What the store says.
pub fn run(context: &Context, only: Option<&str>, all: bool) -> anyhow::Result<StageReport> {
    let watch = clock::Stopwatch::start();
    let mut report = StageReport::default();
    for rubric in RUBRICS.iter().filter(|rubric| only.is_none_or(|id| rubric.meta().rubric.id == id)) {
        if context.stop.is_asked() {
            break;
        }
        score_all(context, *rubric, all, &mut report)?;
    }
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

fn score_all(context: &Context, rubric: &dyn Rubric, all: bool, report: &mut StageReport) -> anyhow::Result<()> {
    let meta = rubric.meta();
    let day = meta.by_day.then(|| context.as_of.day());
    let reader = context.store.reader()?;
    let pending = if all {
        let mut digests: Vec<Digest> = reader.current()?.into_iter().map(|current| current.facts).collect();
        digests.sort();
        digests.dedup();
        digests
    } else {
        reader.unscored(&meta.rubric, day)?
    };
    let count = u64::try_from(pending.len()).unwrap_or(0);
    report.items += count;
    let progress = Progress::stage("score", Some(count), context.quiet);
    for batch in pending.chunks(BATCH) {
        let facts: Vec<_> =
            batch.iter().map(|digest| Ok((*digest, reader.facts(digest)?))).collect::<anyhow::Result<Vec<_>>>()?;
        let work = |(digest, facts): &(Digest, Option<capdex_core::fact::Facts>)| {
            facts.as_ref().map(|facts| (*digest, rubric.score(facts, context.as_of)))
        };
        bulk::ordered(&context.pool, &facts, BATCH, work, |_, scores| {
            let scores: Vec<(Digest, Score)> = scores.into_iter().flatten().collect();
            report.done += u64::try_from(scores.len()).unwrap_or(0);
            progress.advance(u64::try_from(scores.len()).unwrap_or(0));
            progress.show(0, &meta.rubric.id);
            context.store.write(move |writer| {
                for (digest, score) in &scores {
                    writer.record_scores(digest, day, std::slice::from_ref(score))?;
                }
                Ok(())
            })?;
            Ok(())
        })?;
    }
    progress.finish();
    Ok(())
}
