//! The fetch stage: claims fetch jobs, downloads and unpacks, and saves each snapshot in one transaction.
//!
//! Must not look inside the files.

use std::collections::BTreeMap;

use capdex_core::bundle::BundleFile;
use capdex_core::listing::Locator;
use capdex_core::snapshot::{Completeness, FileEntry, Gap, GapReason, Snapshot};
use capdex_core::time::Timestamp;
use capdex_crawlers::CrawlError;
use capdex_crawlers::fetch::{self, Fetched};
use capdex_db::{Job, ListingState, StoreError, Writer};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use super::list::{FETCH_JOB, FetchPayload};
use super::{Context, StageReport};
use crate::clock;
use crate::progress::Progress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "fetch";
/// Artifacts fetched at once, over all hosts; the client limits each host further.
const AT_ONCE: usize = 6;
/// Jobs claimed in one transaction.
const CLAIM: usize = 32;
/// How long a claimed job is ours. A dead process's jobs come back when the store is opened, whatever is left of it.
const LEASE_S: i64 = 3_600;
/// A transient failure is tried again after this long, doubled with every attempt, at most a day.
const FIRST_RETRY_S: i64 = 60;

/// Fetches everything that the queue holds and is due.
///
/// # Errors
/// Only what the store says; an artifact that fails is a gap.
pub async fn run(context: &Context) -> anyhow::Result<StageReport> {
    let watch = clock::Stopwatch::start();
    let before = context.http.usage();
    let mut report = StageReport::default();
    let waiting = context.store.reader()?.queue_counts()?.get(&(FETCH_JOB.into(), "ready".into())).copied();
    let progress = Progress::stage("fetch", Some(waiting.unwrap_or(0)), context.quiet);
    loop {
        let now = clock::now();
        let jobs = context.store.write(move |writer| writer.claim(FETCH_JOB, CLAIM, now, LEASE_S))?;
        if jobs.is_empty() || context.stop.is_asked() {
            break;
        }
        fetch_batch(context, jobs, &mut report, &progress).await?;
    }
    progress.finish();
    let after = context.http.usage();
    report.requests = after.requests - before.requests;
    report.bytes = after.bytes - before.bytes;
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

type Outcome = (Job, FetchPayload, Result<Fetched, CrawlError>);

async fn fetch_batch(
    context: &Context,
    jobs: Vec<Job>,
    report: &mut StageReport,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut running: JoinSet<Outcome> = JoinSet::new();
    let mut jobs = jobs.into_iter();
    loop {
        while running.len() < AT_ONCE && !context.stop.is_asked() {
            let Some(job) = jobs.next() else { break };
            match serde_json::from_value::<FetchPayload>(job.payload.clone()) {
                Ok(payload) => start(context, &mut running, job, payload),
                Err(error) => {
                    warn!(job.id = job.id.0, %error, "a queued job cannot be read; it is set aside");
                    context.store.write(move |writer| writer.bury(job.id, "the payload cannot be read"))?;
                }
            }
        }
        let Some(joined) = running.join_next().await else { break };
        let (job, payload, result) = joined.map_err(|error| anyhow::anyhow!("a fetch broke off: {error}"))?;
        progress.advance(1);
        progress.show(context.http.usage().bytes, &payload.key.to_string());
        report.items += 1;
        match &result {
            Ok(_) => report.done += 1,
            Err(_) => report.failed += 1,
        }
        save(context, job, payload, result)?;
    }
    Ok(())
}

fn start(context: &Context, running: &mut JoinSet<Outcome>, job: Job, payload: FetchPayload) {
    let (http, limits) = (context.http.clone(), context.limits);
    running.spawn(async move {
        debug!(listing = %payload.key, "fetching");
        let result = fetch::fetch(&http, &payload.locator, &limits).await;
        (job, payload, result)
    });
}

fn save(context: &Context, job: Job, payload: FetchPayload, result: Result<Fetched, CrawlError>) -> anyhow::Result<()> {
    let (at, now) = (context.as_of, clock::now());
    context.store.write(move |writer| {
        let subject = payload.key.to_string();
        match result {
            Ok(fetched) => {
                let snapshot = snapshot(&payload.locator, &fetched.files, fetched.gaps, now);
                for file in fetched.files.values() {
                    writer.put_blob(&file.digest, &file.bytes)?;
                }
                writer.resolve_gaps(STAGE, &subject, at)?;
                for gap in snapshot.completeness.gaps() {
                    writer.record_gap(STAGE, &subject, gap, at)?;
                }
                writer.record_snapshot(&payload.key, &snapshot, at)?;
                writer.complete(job.id)
            }
            Err(error) => save_failure(writer, &job, &payload, &error, now, at),
        }
    })?;
    Ok(())
}

/// A failure is a gap. What may pass by itself is tried again later; what will not is a snapshot that cannot be
/// assessed, so that the package shows as unknown rather than not at all.
fn save_failure(
    writer: &Writer<'_>,
    job: &Job,
    payload: &FetchPayload,
    error: &CrawlError,
    now: Timestamp,
    at: capdex_core::time::AsOf,
) -> Result<(), StoreError> {
    let gap = error.to_gap();
    writer.record_gap(STAGE, &payload.key.to_string(), &gap, at)?;
    if matches!(error, CrawlError::Gone { .. }) {
        writer.mark_listing(&payload.key, ListingState::Failed, Some(&gap), at)?;
    }
    if error.is_transient() {
        let doubled = FIRST_RETRY_S << job.attempts.min(10);
        let wait_s = match error {
            CrawlError::RetryAt { wait_s, .. } => i64::try_from(*wait_s).unwrap_or(i64::MAX).max(FIRST_RETRY_S),
            _ => doubled,
        };
        let run_at = Timestamp::from_unix_seconds(now.unix_seconds() + wait_s.min(86_400));
        return writer.retry(job.id, &error.to_string(), run_at);
    }
    let snapshot = Snapshot {
        locator: payload.locator.clone(),
        tree: Snapshot::tree_of(&[]),
        files: Vec::new(),
        completeness: Completeness::NotAssessable(gap),
        fetched: now,
    };
    writer.record_snapshot(&payload.key, &snapshot, at)?;
    writer.complete(job.id)
}

/// The snapshot of fetched files. No files at all cannot be assessed.
pub fn snapshot(
    locator: &Locator,
    files: &BTreeMap<String, BundleFile>,
    gaps: Vec<Gap>,
    fetched: Timestamp,
) -> Snapshot {
    let files: Vec<FileEntry> = files
        .iter()
        .map(|(path, file)| FileEntry {
            path: path.clone(),
            digest: file.digest,
            size_bytes: u64::try_from(file.bytes.len()).unwrap_or(u64::MAX),
        })
        .collect();
    let completeness = if files.is_empty() {
        let first = gaps.into_iter().next();
        Completeness::NotAssessable(
            first.unwrap_or_else(|| Gap::new(locator.identity(), GapReason::Empty, "there are no files in it")),
        )
    } else {
        Completeness::from_gaps(gaps)
    };
    Snapshot { locator: locator.clone(), tree: Snapshot::tree_of(&files), files, completeness, fetched }
}
