//! The fetch stage: claims fetch jobs, downloads and unpacks, and saves each snapshot in one transaction.
//!
//! Contents of files are looked at by the scan stage.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use capdex_crawlers::CrawlError;
use capdex_crawlers::fetch::{self, Fetched};
use capdex_crawlers::http::Http;
use capdex_crawlers::unpack::UnpackLimits;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{ClaimRequest, Job, JobId, ListingState, StoreError, Writer};
use capdex_model::bundle::BundleFile;
use capdex_model::listing::Locator;
use capdex_model::snapshot::{Completeness, FileEntry, Gap, GapReason, Snapshot};
use capdex_model::time::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::{debug, warn};

use super::list::{FETCH_JOB, FetchPayload};
use super::{JobContext, StageReport};
use crate::clock;
use crate::progress::StageProgress;
use crate::shutdown::ShutdownFlag;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "fetch";
/// Artifacts in memory at once, over all hosts.
const AT_ONCE: usize = 6;
/// Jobs under way at once. Most of them wait for their host's rate limit, which costs little memory.
const WINDOW: usize = 4_096;
/// Jobs of one host under way at once, so that those of one host do not hold up those of others.
const PER_HOST: usize = 16;
/// Jobs of one host that are claimed at once, and those under way above which it is left out: a host then has room for
/// another share and for no job beyond [`PER_HOST`].
const SHARE: usize = PER_HOST / 2;
/// Jobs claimed in one transaction.
const CLAIM: usize = 64;
/// Where all hosts had given their share, the queue is asked again after this long, or as soon as a host has room: jobs that
/// were put off may be due by then.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// The longest sleep of a job before it looks whether the run was stopped.
const LONGEST_NAP: Duration = Duration::from_secs(1);
/// The time for which a claimed job is ours. A dead process's jobs come back when the store is opened, whatever is left of it.
const LEASE_S: i64 = 3_600;
/// A transient failure is tried again after this long, doubled with every attempt, at most a day.
const FIRST_RETRY_S: i64 = 60;

/// Fetches everything that the queue holds and is due.
///
/// # Errors
/// Only what the store says; an artifact that fails is a gap.
pub async fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    // The client is shared with the other stages: only the difference belongs to this one.
    let before = context.http.usage();
    let mut report = StageReport::default();
    // An estimate for the progress bar alone; failures put jobs back while the stage runs.
    let waiting = context.store.reader()?.queue_counts()?.get(&(FETCH_JOB.into(), "ready".into())).copied();
    let progress = StageProgress::stage("fetch", Some(waiting.unwrap_or(0)), context.quiet);
    let mut window = FetchWindow::default();
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        // Before every wait, so that the window is full whenever a job ends.
        fill(context, &mut window, &slots)?;
        let Some(joined) = window.running.join_next().await else { break };
        let (job, payload, result) = joined.map_err(|error| anyhow::anyhow!("a fetch broke off: {error}"))?;
        window.leave(&job);
        // Never begun, so it goes back at once and costs the artifact no failure.
        let Some(result) = result else {
            let now = clock::now();
            context.store.write(move |writer| writer.retry(job.id, "the run was stopped", now))?;
            continue;
        };
        progress.advance(1);
        progress.show(context.http.usage().bytes, &payload.key.to_string());
        report.items += 1;
        // A failure does not end the stage: it is a gap, saved below.
        match &result {
            Ok(_) => report.done += 1,
            Err(_) => report.failed += 1,
        }
        save(context, job, payload, result)?;
    }
    progress.finish();
    let after = context.http.usage();
    report.requests = after.requests - before.requests;
    report.bytes = after.bytes - before.bytes;
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// A job, and what came of it; none where the run was stopped before it began.
type FetchOutcome = (Job, FetchPayload, Option<Result<Fetched, CrawlError>>);

/// The jobs under way.
#[derive(Default)]
struct FetchWindow {
    running: JoinSet<FetchOutcome>,
    /// Those in it. The lease of one that waits for long may run out, and the queue gives it to us again.
    jobs: BTreeSet<JobId>,
    /// The number of them that ask each host.
    hosts: BTreeMap<String, usize>,
    /// Since every host with room had given its share; none while there may be more.
    exhausted: Option<Stopwatch>,
}

impl FetchWindow {
    /// Takes a job in; true where it is new here.
    fn enter(&mut self, job: &Job) -> bool {
        if !self.jobs.insert(job.id) {
            return false;
        }
        if let Some(host) = &job.host {
            *self.hosts.entry(host.clone()).or_default() += 1;
        }
        true
    }

    fn leave(&mut self, job: &Job) {
        self.jobs.remove(&job.id);
        let Some(host) = &job.host else {
            self.exhausted = None;
            return;
        };
        if let Some(count) = self.hosts.get_mut(host) {
            *count -= 1;
            if *count <= SHARE {
                self.exhausted = None;
            }
            // Empty entries go, because a crawl meets thousands of hosts and the map is searched at every claim.
            if *count == 0 {
                self.hosts.remove(host);
            }
        }
    }

    /// Hosts that have no room for another share.
    fn busy_hosts(&self) -> Vec<String> {
        let busy = self.hosts.iter().filter(|(_, count)| **count > SHARE);
        busy.map(|(host, _)| host.clone()).collect()
    }

    /// True where a claim may give something. An empty window always asks: with nothing under way the stage would end.
    fn may_fill(&self) -> bool {
        self.running.len() + CLAIM <= WINDOW
            && (self.running.is_empty() || self.exhausted.is_none_or(|since| since.elapsed() >= ASK_AGAIN))
    }
}

/// Fills the window from the queue, unless somebody asked to stop. Each claim takes a share of every host that has room.
fn fill(context: &JobContext, window: &mut FetchWindow, slots: &Arc<Semaphore>) -> anyhow::Result<()> {
    // Only whole claims, so that the number of transactions stays a 64th of the number of jobs.
    while window.may_fill() && !context.requests.is_asked() {
        let (now, except) = (clock::now(), window.busy_hosts());
        let jobs = context.store.write(move |writer| {
            let request =
                ClaimRequest { kind: FETCH_JOB, limit: CLAIM, per_host: SHARE, now, lease_s: LEASE_S, except: &except };
            writer.claim(&request)
        })?;
        // Taken before jobs are sorted out: a short claim means that no host has more to give now.
        let is_last = jobs.len() < CLAIM;
        window.exhausted = is_last.then(Stopwatch::start);
        for job in jobs {
            match serde_json::from_value::<FetchPayload>(job.payload.clone()) {
                Ok(payload) => {
                    if window.enter(&job) {
                        start(context, &mut window.running, slots, job, payload);
                    }
                }
                Err(error) => {
                    // Written by another version or damaged. Buried, since a retry would read the same bytes.
                    warn!(job.id = job.id.0, %error, "a queued job cannot be read; it is set aside");
                    context.store.write(move |writer| writer.bury(job.id, "the payload cannot be read"))?;
                }
            }
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

fn start(
    context: &JobContext,
    running: &mut JoinSet<FetchOutcome>,
    slots: &Arc<Semaphore>,
    job: Job,
    payload: FetchPayload,
) {
    // The credential of the kind of source goes with the request, and with no request of another kind. Who listed the
    // artifact may lead to its own private host, and to nobody else's.
    let kind = context.kind_of(&payload.locator.ecosystem()).to_owned();
    let http = context.http.acting_for(payload.key.source.as_str(), &kind);
    let (limits, slots) = (context.limits, Arc::clone(slots));
    // The stop for requests, which also ends when the time budget is over.
    let stop = context.requests.clone();
    running.spawn(async move {
        let result = fetch_one(&http, &payload.locator, &limits, &slots, &stop).await;
        (job, payload, result)
    });
}

/// Waits until there is room in memory and the host may be asked, holding neither while it waits for the other, then
/// fetches. None where the run is stopped before.
pub async fn fetch_one(
    http: &Http,
    locator: &Locator,
    limits: &UnpackLimits,
    slots: &Semaphore,
    stop: &ShutdownFlag,
) -> Option<Result<Fetched, CrawlError>> {
    loop {
        // Room in memory comes first: a reservation of the host's rate limit that then waits would be lost time for that host.
        let slot = slots.acquire().await.expect("the semaphore is never closed");
        // Asked after the wait, which may have been long.
        if stop.is_asked() {
            return None;
        }
        let reserved = match locator.url() {
            Some(url) => http.try_reserve(url),
            // A local folder has no host and no rate limit.
            None => Ok(Ok(http.clone())),
        };
        match reserved {
            Err(error) => return Some(Err(error)),
            Ok(Ok(http)) => {
                debug!(artifact = locator.identity(), "fetching");
                return Some(fetch::fetch(&http, locator, limits).await);
            }
            Ok(Err(wait)) => {
                // Given up while the host rests, or slow hosts would fill all slots and starve fast ones.
                drop(slot);
                // Short naps, so that a stop is seen within a second even where a host asked for an hour.
                tokio::time::sleep(wait.min(LONGEST_NAP)).await;
            }
        }
    }
}

fn save(
    context: &JobContext,
    job: Job,
    payload: FetchPayload,
    result: Result<Fetched, CrawlError>,
) -> anyhow::Result<()> {
    let (at, now) = (context.as_of, clock::now());
    // Bytes, gaps, snapshot and the end of the job together: a kill leaves either all of it or a job that is claimed again.
    context.store.write(move |writer| {
        let subject = payload.key.to_string();
        match result {
            Ok(fetched) => {
                let snapshot = snapshot(&payload.locator, &fetched.files, fetched.gaps, now);
                for file in fetched.files.values() {
                    // Under its digest: files that the store holds already cost nothing.
                    writer.put_blob(&file.digest, &file.bytes)?;
                }
                // Gaps of an earlier fetch are closed before those of this one are recorded; what is still there opens again.
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

/// A failure is a gap. One that may pass by itself is tried again later. Any other is a snapshot that cannot be assessed, so
/// that the package shows as unknown rather than not at all.
fn save_failure(
    writer: &Writer<'_>,
    job: &Job,
    payload: &FetchPayload,
    error: &CrawlError,
    now: Timestamp,
    at: capdex_model::time::AsOf,
) -> Result<(), StoreError> {
    let gap = error.to_gap();
    // Recorded in either case, so that a package that is being retried does not look clean meanwhile.
    writer.record_gap(STAGE, &payload.key.to_string(), &gap, at)?;
    // The listing says that it is there and the artifact is not: that is a failure of the listing, not of the network.
    if matches!(error, CrawlError::Gone { .. }) {
        writer.mark_listing(&payload.key, ListingState::Failed, Some(&gap), at)?;
    }
    if error.is_transient() {
        // The shift is bounded, since attempts of a job that lives for years would overflow it.
        let doubled = FIRST_RETRY_S << job.attempts.min(10);
        let wait_s = match error {
            // A host that names an instant is obeyed, though not below our own shortest wait.
            CrawlError::RetryAt { wait_s, .. } => i64::try_from(*wait_s).unwrap_or(i64::MAX).max(FIRST_RETRY_S),
            _ => doubled,
        };
        // A day at most: whatever `Retry-After` says, the artifact is tried again the next night.
        let run_at = Timestamp::from_unix_seconds(now.unix_seconds() + wait_s.min(86_400));
        return writer.retry(job.id, &error.to_string(), run_at);
    }
    let snapshot = Snapshot {
        locator: payload.locator.clone(),
        tree: Snapshot::tree_of(&[]),
        files: Vec::new(),
        completeness: Completeness::NotAssessable(vec![gap]),
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
    // Nothing to look at is never clean.
    let completeness = if files.is_empty() {
        let empty = || Gap::new(locator.identity(), GapReason::Empty, "there are no files in it");
        Completeness::nothing_read(gaps, empty)
    } else {
        Completeness::from_gaps(gaps)
    };
    Snapshot { locator: locator.clone(), tree: Snapshot::tree_of(&files), files, completeness, fetched }
}
