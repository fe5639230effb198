//! The list stage: walks every source, and saves listings, cursor and fetch jobs of each page in one transaction.
//!
//! Must not fetch an artifact. Directories are walked first and all at once; then the sources that are asked by name,
//! because directories refer to names.

mod absence;
mod caps;
mod names;
mod page;
mod release_lines;
mod stored_page;
mod stored_validators;
mod takedown_notice;
mod walk;
mod walk_context;

use capdex_crawlers::source;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Locator;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{JobContext, StageReport};
use crate::config::SourceRun;
use crate::progress::StageProgress;
use capdex_dataset::views::ledger::{SourceReport, WalkReport};
use walk_context::WalkContext;

pub use absence::confirm;
pub(super) use names::{is_directory, is_local, planned};

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "list";
/// The kind of the jobs that this stage makes.
pub const FETCH_JOB: &str = "fetch";

/// A fetch job as the queue keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FetchPayload {
    /// Whose artifact.
    pub key: ListingKey,
    /// Which artifact.
    pub locator: Locator,
}

/// The result of the walks of all sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListReport {
    /// The stage as the ledger shows it.
    pub stage: StageReport,
    /// Sources asked.
    pub sources: u64,
    /// Sources that gave nothing at all.
    pub unreachable: u64,
}

/// Walks every source of the schedule.
///
/// # Errors
/// Only what the store says; a source that fails is a gap.
pub async fn run(context: &JobContext) -> anyhow::Result<ListReport> {
    let watch = Stopwatch::start();
    let mut report = ListReport::default();
    let progress = StageProgress::stage("list", names::expected(context)?, context.quiet);
    // Skipped sources are entered first, so that a crash during the walks still shows them.
    skip(context)?;
    // Directories before sources that follow: a name first seen in the first round is asked for in the same night.
    for follows in [false, true] {
        let of_round = context.sources.iter().filter(|(_, source)| source.follows == follows);
        let walks = of_round.map(|(id, source)| walk_one(context, id, source, &progress));
        // All walks of a round have ended before a store error is passed on, so that none is cut in the middle of a page.
        for walked in join_all(walks).await {
            add(&mut report, &walked?);
        }
    }
    progress.finish();
    // The list stage comes first in a run, so the client's totals are its own.
    report.stage.requests = context.http.usage().requests;
    report.stage.bytes = context.http.usage().bytes;
    report.stage.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

fn add(report: &mut ListReport, walked: &WalkReport) {
    report.sources += 1;
    report.unreachable += u64::from(walked.is_unreachable());
    report.stage.items += walked.listed;
    // Entries that stayed as they were were looked at and needed nothing.
    report.stage.done += walked.new + walked.changed + walked.gone;
    report.stage.failed += walked.failed + u64::from(walked.error.is_some());
}

async fn walk_one(
    context: &JobContext,
    id: &str,
    run: &SourceRun,
    progress: &StageProgress,
) -> anyhow::Result<WalkReport> {
    let source = source(&run.kind);
    // A schedule may name a kind of source that this build has not.
    let source = source.ok_or_else(|| anyhow::anyhow!("the schedule names a source {} that is none", run.kind))?;
    let walked = WalkContext { context, id, run, source, progress }.walk().await?;
    let (outcome, report, at, source) =
        (walked.outcome(), json!(SourceReport::Walked(walked.clone())), context.as_of, id.to_owned());
    // The row is written for failed walks too: `capdex status` shows their error.
    context.store.write(move |writer| writer.record_walk(&source, outcome, &report, at))?;
    Ok(walked)
}

/// Enters the sources that are not asked at all, with the reason, so that nobody takes them for empty.
fn skip(context: &JobContext) -> anyhow::Result<()> {
    for (id, reason) in &context.skipped {
        let (id, report, at) = (id.clone(), json!(SourceReport::Skipped { detail: reason.clone() }), context.as_of);
        let outcome = capdex_db::WalkOutcome::Skipped;
        context.store.write(move |writer| writer.record_walk(&id, outcome, &report, at))?;
    }
    Ok(())
}
