//! The signals stage: asks sources what their listings do not say themselves, those never asked first, within each
//! source's budget.
//!
//! Answers stand beside the listings for days, so that nothing is asked twice. Must not list or fetch anything.

use capdex_crawlers::{CollectRequest, Collected, Collector, source};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_model::listing::{Claims, Listing};
use capdex_model::time::{AsOf, Timestamp};
use futures_util::future::join_all;
use tracing::warn;

use super::{JobContext, StageReport};
use crate::config::SourceRun;
use crate::progress::StageProgress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "signals";

/// Asks every source that has more to say.
///
/// # Errors
/// Only what the store says; a source that fails is a gap.
pub async fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    let before = context.http.usage();
    let mut report = StageReport::default();
    let progress = StageProgress::stage("signals", None, context.quiet);
    let all = context.sources.iter().filter(|(_, run)| run.signals > 0);
    let asked =
        all.filter_map(|(id, run)| Some(of_source(context, id, run, source(&run.kind)?.collector()?, &progress)));
    // All have ended before a store error is passed on, so that none is cut in the middle of a step.
    for asked in join_all(asked).await {
        let of_source = asked?;
        report.items += of_source.items;
        report.done += of_source.done;
        report.failed += of_source.failed;
    }
    progress.finish();
    let usage = context.http.usage();
    (report.requests, report.bytes) = (usage.requests - before.requests, usage.bytes - before.bytes);
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

async fn of_source(
    context: &JobContext,
    id: &str,
    run: &SourceRun,
    collector: &dyn Collector,
    progress: &StageProgress,
) -> anyhow::Result<StageReport> {
    let mut report = StageReport::default();
    let reader = context.store.reader()?;
    let due = reader.due_answers(id, collector.is_of_version(), context.as_of, run.signals)?;
    report.items = u64::try_from(due.len())?;
    let http = context.http.counted().acting_for(id, &run.kind);
    let at = context.as_of;
    let forget = id.to_owned();
    // A source that answers again has no gap any more.
    context.store.write(move |writer| writer.resolve_gaps(STAGE, &forget, at))?;
    for step in due.chunks(collector.step().max(1)) {
        if context.requests.is_asked() {
            break;
        }
        let request = CollectRequest { id, http: &http, settings: &run.settings, listings: step, as_of: at };
        match collector.collect(request).await {
            Ok(answers) => {
                for (key, answer) in answers {
                    let listing = step.iter().find(|listing| listing.key == key);
                    if let Some(listing) = listing {
                        keep(context, listing, answer, collector, &mut report)?;
                    }
                }
            }
            // What was answered so far is kept, and the rest is due the next night.
            Err(error) => {
                warn!(source = id, %error, "a source is asked for no more signals tonight");
                let (gap, id) = (error.to_gap(), id.to_owned());
                report.failed += 1;
                context.store.write(move |writer| writer.record_gap(STAGE, &id, &gap, at))?;
                break;
            }
        }
        progress.advance(u64::try_from(step.len())?);
    }
    Ok(report)
}

/// Keeps an answer, and says when it is asked again.
fn keep(
    context: &JobContext,
    listing: &Listing,
    answer: Collected,
    collector: &dyn Collector,
    report: &mut StageReport,
) -> anyhow::Result<()> {
    let (key, at) = (listing.key.clone(), context.as_of);
    let after = |days: i64| AsOf(Timestamp::from_unix_seconds(at.0.unix_seconds() + days * 86_400));
    let (claims, days): (Option<Claims>, i64) = match answer {
        Collected::Told(claims) => (Some(*claims), collector.days()),
        Collected::Unfinished(mut claims) => {
            // What was counted before stands until it is counted anew.
            if let Some(before) = context.store.reader()?.answer(&key)? {
                claims.fill(&before);
            }
            (Some(*claims), 1)
        }
        // A signal that could not be asked for is unknown, and no gap of the package.
        Collected::Failed(gap) => {
            warn!(listing = %key, %gap, "a listing's signals could not be asked for");
            report.failed += 1;
            (None, 1)
        }
    };
    // An hour early, so that a night that begins a little sooner still asks.
    let due = AsOf(Timestamp::from_unix_seconds(after(days).0.unix_seconds() - 3_600));
    report.done += u64::from(claims.is_some());
    context.store.write(move |writer| writer.keep_answer(&key, claims.as_ref(), at, due))?;
    Ok(())
}
