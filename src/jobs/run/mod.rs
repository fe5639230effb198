//! A whole run: opens the store, takes every stage in order, writes the ledger.
//!
//! Prints nothing but progress; commands print.

pub mod shortfall;

use std::path::PathBuf;

use anyhow::Context as _;
use capdex_crawlers::http::{CrawlRecordingSettings, Http};
use capdex_crawlers::unpack::UnpackLimits;
use capdex_dataset::bulk;
use capdex_db::{RunId, RunStatus, Store};
use capdex_model::time::AsOf;
use serde::Serialize;
use serde_json::json;
use tracing::info;

use super::alerts::{self, AlertsReport};
use super::times::Times;
use super::{
    JobContext, StageReport, collect, export, fetch, handed_out, join, list, prune, rehash, scan, score,
    verdict_alerts, watch,
};
use crate::appeals::tend::tend;
use crate::clock;
use crate::config::Schedule;
use crate::exit::usage;
use crate::judge_runs::night::{JudgeUnderWay, NightJudge};
use crate::options::{Global, RecordingArgs};
use crate::shutdown::{ShutdownFlag, shutdown_requested};
use capdex_dataset::export::WrittenDataset;

/// The report of a run, stage by stage.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunReport {
    /// Listing.
    pub list: StageReport,
    /// Fetching.
    pub fetch: StageReport,
    /// Hashing again what claims to be unchanged.
    pub rehash: StageReport,
    /// Asking sources for what their listings do not say.
    pub signals: StageReport,
    /// Joining the claims of each entity's listings.
    pub join: StageReport,
    /// Scanning.
    pub scan: StageReport,
    /// Scoring.
    pub score: StageReport,
    /// Watching.
    pub watch: StageReport,
    /// Exporting.
    pub export: StageReport,
    /// Telling of alerts.
    pub alerts: AlertsReport,
    /// Deleting what is old and not needed; nothing where the schedule does not say so.
    pub prune: StageReport,
    /// Gaps that stand open in the ledger.
    pub open_gaps: u64,
    /// Why the run counts as incomplete, one phrase each; empty where it does not. May hold text of strangers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shortfalls: Vec<String>,
    /// True where somebody asked to stop.
    pub interrupted: bool,
    /// True where the time for requests was over before all were made; the next run goes on.
    pub over_budget: bool,
    /// The dataset; none for a backfill.
    #[serde(skip)]
    pub written: Option<WrittenDataset>,
}

impl RunReport {
    /// True where a source or a stage failed, or more of a source's items have gaps than may.
    pub const fn is_incomplete(&self) -> bool {
        !self.shortfalls.is_empty()
    }
}

/// The stage after which a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Last {
    /// Listing.
    List,
    /// Watching.
    Watch,
    /// Exporting, to this folder.
    Export(PathBuf),
}

/// Opens the store over the rules of this program.
///
/// # Errors
/// A store that is locked or damaged.
pub fn open_store(global: &Global) -> anyhow::Result<Store> {
    Store::open(&global.db, &capdex_rules::INDEX)
        .with_context(|| format!("failed to open the store {}", global.db.display()))
}

/// Opens everything that a run needs.
///
/// # Errors
/// Wrong configuration, or a store that is locked or damaged.
pub fn open(global: &Global, schedule: &Schedule, recording: &RecordingArgs) -> anyhow::Result<JobContext> {
    // What is wrong with a schedule is told before a store is made.
    schedule.resolve(0)?;
    open_in(open_store(global)?, global, schedule, recording)
}

/// The same over a store that is open already.
///
/// # Errors
/// Wrong configuration.
pub fn open_in(
    store: Store,
    global: &Global,
    schedule: &Schedule,
    recording: &RecordingArgs,
) -> anyhow::Result<JobContext> {
    let as_of = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let mut resolved = schedule.resolve(u64::try_from(as_of.0.unix_seconds()).unwrap_or(0))?;
    // Playing wins over recording, so that no request leaves.
    resolved.http.recording = match (&recording.record, &recording.replay) {
        (_, Some(path)) => Some(CrawlRecordingSettings::Replay(path.clone())),
        (Some(path), None) => Some(CrawlRecordingSettings::Record(path.clone())),
        (None, None) => None,
    };
    let http = Http::new(resolved.http).context("failed to set up the HTTP client")?;
    Ok(JobContext {
        store,
        http,
        sources: resolved.sources,
        skipped: resolved.skipped,
        rehash_per_night: resolved.rehash_per_night,
        popular: schedule.lookalikes.popular.clone(),
        overrides: resolved.overrides,
        approved: schedule.approved.list(),
        policy: schedule.verdict.policy()?,
        judge: schedule
            .judge
            .settings()?
            .filter(|settings| settings.is_nightly)
            .map(|settings| NightJudge { settings, contact: schedule.http.contact.clone().unwrap_or_default() }),
        // Who plays a record does so on this machine alone.
        spread: schedule.spread.settings().map_err(usage)?.filter(|_| recording.replay.is_none()),
        appeals: schedule.appeals.settings()?,
        limits: UnpackLimits::default(),
        alerts: schedule.alerts()?,
        formats: schedule.export.formats().map_err(usage)?,
        license: schedule.export.license(),
        signing_key: schedule.export.signing_key()?,
        judge_transcripts: schedule.export.judge_transcripts,
        keep_days: schedule.keep_days().map_err(usage)?,
        gaps: schedule.gap_tolerance().map_err(usage)?,
        pool: bulk::pool(global.threads)?,
        as_of,
        // Only `drift --rehash` sets it, once the context is open.
        ignore_validators: false,
        quiet: global.quiet,
        is_replayed: recording.replay.is_some(),
        stop: ShutdownFlag::default(),
        requests: ShutdownFlag::default(),
    })
}

/// Runs every stage. Interrupting it (Ctrl-C) finishes the steps in hand; whatever was done is kept.
///
/// # Errors
/// When no source could be reached and there is nothing to show for it, or the store fails.
pub fn whole(context: &JobContext, name: &str, last: Last) -> anyhow::Result<RunReport> {
    if let Last::Export(out) = &last {
        // Now and not after a night of crawling.
        export::check(context, out)?;
    }
    // The plan goes into the ledger first: a run that is killed leaves a row that says what it meant to do.
    let plan = json!({ "schedule": name, "sources": context.sources.keys().collect::<Vec<_>>() });
    let (as_of, command, started) = (context.as_of, name.to_owned(), clock::now());
    // A backfill has no schedule of its own, and must not end what a night's says.
    let policy = matches!(last, Last::Export(_)).then(|| context.policy.clone());
    let run = context.store.write(move |writer| {
        policy.iter().try_for_each(|policy| writer.set_scheduled_policy(policy))?;
        writer.start_run(&command, as_of, started, &plan)
    })?;
    info!(run = run.0, as_of = %as_of, "started");
    let mut times = Times::of_run(run, name, as_of);
    let result = stages(context, &last, &mut times);
    // Interrupted before incomplete: gaps of a run that somebody stopped are no surprise.
    let (status, summary) = match &result {
        Ok(report) if report.interrupted => (RunStatus::Interrupted, json!(report)),
        Ok(report) if report.is_incomplete() => (RunStatus::Incomplete, json!(report)),
        Ok(report) => (RunStatus::Done, json!(report)),
        // The whole chain of causes, since the ledger outlives the log.
        Err(error) => (RunStatus::Failed, json!({ "error": format!("{error:#}") })),
    };
    finish(context, run, times, (status, summary))?;
    result
}

/// Closes a run in the ledger.
fn finish(
    context: &JobContext,
    run: RunId,
    times: Times,
    (status, summary): (RunStatus, serde_json::Value),
) -> anyhow::Result<()> {
    let (finished, summary) = (clock::now(), times.close(status, summary));
    Ok(context.store.write(move |writer| writer.finish_run(run, status, finished, &summary))?)
}

/// Takes in the corpus signals, which are evidence too: packages of which the passes saw something new are scanned anew.
/// Passes leave such findings out of account, so that this ends here.
fn take_corpus_signals_in(context: &JobContext, times: &mut Times) -> anyhow::Result<(StageReport, StageReport)> {
    // The state before the second scan: passes that ran over it have nothing new to read.
    let watched = context.store.reader()?.watched_state()?;
    let (mut scanned, mut scored) = scan_again(context, times)?;
    // By then packages have their verdicts, and what rows hand out is told to the rows.
    if handed_out::run(context)? > 0 {
        let (rows, scores) = scan_again(context, times)?;
        (scanned, scored) = (scanned.and(rows), scored.and(scores));
    }
    if scanned.items > 0 {
        // Without it the next night would run every pass again over scores that it wrote itself.
        watch::carry_over(context, &watched)?;
    }
    if !context.stop.is_asked() {
        handed_out::done(context)?;
    }
    Ok((scanned, scored))
}

/// Scans and scores what other claims made stale.
fn scan_again(context: &JobContext, times: &mut Times) -> anyhow::Result<(StageReport, StageReport)> {
    let scanned = times.time("scan", || scan::run(context))?;
    let scored = if scanned.items == 0 {
        StageReport::default()
    } else {
        times.time("score", || score::run(context, None, false))?
    };
    Ok((scanned, scored))
}

/// Lists, fetches and hashes everything again, and looks at what came: the ledger has it as a run of its own.
///
/// # Errors
/// Errors of the store.
pub fn rehash(context: &JobContext) -> anyhow::Result<StageReport> {
    let (as_of, started, plan) = (context.as_of, clock::now(), json!({ "rehash": "all" }));
    let run = context.store.write(move |writer| writer.start_run("drift --rehash", as_of, started, &plan))?;
    let mut times = Times::of_run(run, "drift --rehash", as_of);
    let result = rehash_stages(context, &mut times);
    let (status, summary) = match &result {
        Ok(report) if context.stop.is_asked() => (RunStatus::Interrupted, json!({ "rehash": report })),
        Ok(report) if report.failed > 0 => (RunStatus::Incomplete, json!({ "rehash": report })),
        Ok(report) => (RunStatus::Done, json!({ "rehash": report })),
        Err(error) => (RunStatus::Failed, json!({ "error": format!("{error:#}") })),
    };
    finish(context, run, times, (status, summary))?;
    result
}

fn rehash_stages(context: &JobContext, times: &mut Times) -> anyhow::Result<StageReport> {
    // It lives to the end: a signal is heard in every stage.
    let runtime = runtime()?;
    let report = runtime.block_on(async {
        stop_when_asked(context);
        let listed = times.wait("list", list::run(context)).await?.stage;
        let fetched = times.wait("fetch", fetch::run(context)).await?;
        let hashed = times.wait("rehash", rehash::run(context, rehash::RehashScope::All)).await?;
        // Failures of all three count, because an artifact that was never listed anew was not hashed anew.
        let failed = hashed.failed + listed.failed + fetched.failed;
        anyhow::Ok(StageReport { failed, ..hashed })
    })?;
    times.time("join", || join::run(context))?;
    times.time("scan", || scan::run(context))?;
    times.time("score", || score::run(context, None, false))?;
    times.time("watch", || watch::run(context))?;
    // Corpus signals last, as in a whole run, so that both leave the same store.
    take_corpus_signals_in(context, times)?;
    Ok(report)
}

/// The runtime of requests.
///
/// # Errors
/// Those of the machine.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    // Two threads: the work waits for the network, and the cores belong to the pool that scans.
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().context("no runtime")
}

/// Asks everybody to stop at Ctrl-C or at a service manager's word. Called within a runtime.
fn stop_when_asked(context: &JobContext) {
    let (stop, requests) = (context.stop.clone(), context.requests.clone());
    tokio::spawn(async move {
        shutdown_requested().await;
        stop.ask();
        requests.ask();
    });
}

fn stages(context: &JobContext, last: &Last, times: &mut Times) -> anyhow::Result<RunReport> {
    let mut report = RunReport::default();
    // It lives to the end: a signal is heard in every stage.
    let runtime = runtime()?;
    let listed = runtime.block_on(async {
        stop_when_asked(context);
        let listed = times.wait("list", list::run(context)).await?;
        if !matches!(last, Last::List) {
            report.fetch = times.wait("fetch", fetch::run(context)).await?;
            let some = rehash::RehashScope::Sample(context.rehash_per_night);
            report.rehash = times.wait("rehash", rehash::run(context, some)).await?;
            report.signals = times.wait("signals", collect::run(context)).await?;
        }
        anyhow::Ok(listed)
    })?;
    report.list = listed.stage;
    // Noted now: judging goes on after the deadline and takes time of its own.
    let is_cut_short = context.is_over_budget();
    let nothing_known = context.store.reader()?.totals()?.listings == 0;
    // Nothing was reached and nothing is known: an empty dataset would look like a clean world.
    if listed.sources > 0 && listed.unreachable == listed.sources && nothing_known {
        anyhow::bail!("no source could be reached; see `capdex status` for each one's error");
    }
    let mut judge = None;
    if !matches!(last, Last::List) {
        report.join = times.time("join", || join::run(context))?;
        report.scan = times.time("scan", || scan::run(context))?;
        report.score = times.time("score", || score::run(context, None, false))?;
        // Who plays a record asks nobody.
        let night = context.judge.clone().filter(|_| matches!(last, Last::Export(_)) && !context.is_replayed);
        judge =
            night.map(|night| night.begin(context.store.path(), context.as_of, context.stop.clone())).transpose()?;
        // Counted around the passes, so that only alerts of this run are told as new.
        let before = context.store.reader()?.alert_count()?;
        report.watch = times.time("watch", || watch::run(context))?;
        let (scanned, scored) = take_corpus_signals_in(context, times)?;
        report.scan = report.scan.and(scanned);
        report.score = report.score.and(scored);
        // Last of all that raises: by now every verdict of the night stands.
        times.time("watch", || {
            verdict_alerts::run(context)?;
            // After the verdicts: what a token stands in was fetched this night, and answers speak of tonight's numbers.
            tend(&context.store, &context.appeals, context.as_of)
        })?;
        report.alerts.raised = context.store.reader()?.alert_count()?.saturating_sub(before);
    }
    // Last, because every stage opens and closes gaps.
    report.open_gaps = u64::try_from(context.store.reader()?.gaps(true)?.len()).unwrap_or(u64::MAX);
    report.interrupted = context.stop.is_asked();
    report.over_budget = is_cut_short;
    // An interrupted run writes no dataset: readers keep the one before, which is whole.
    if let (Last::Export(out), false) = (last, report.interrupted) {
        let (stage, written) = times.time("export", || export::run(context, out, !is_cut_short))?;
        report.export = stage;
        report.written = Some(written);
        // Who plays a record asks nobody, and so tells nobody.
        if !context.is_replayed {
            let raised = report.alerts.raised;
            let tell = || alerts::run(&context.store, &context.alerts, context.as_of, &context.stop);
            let told = times.time("alerts", tell)?;
            report.alerts = AlertsReport { raised, ..told };
            report.interrupted = context.stop.is_asked();
        }
        if let (Some(days), false) = (context.keep_days, report.interrupted) {
            // The night is done and told by now: what old things do not go now go the next night.
            let at = prune::instant(&context.store.reader()?, context.as_of, 1)?;
            match times.time("prune", || prune::run(&context.store, (at, days), &context.stop, context.quiet)) {
                Ok((_, stage)) => report.prune = stage,
                Err(error) => {
                    tracing::error!(
                        error = format!("{error:#}"),
                        "old things could not be deleted; the next night tries again"
                    );
                    report.prune.failed = 1;
                }
            }
        }
    }
    report.shortfalls = shortfall::of_run(&context.store.reader()?, context.sources.keys(), context.gaps, &report)?;
    // Waited for by nobody else: the dataset is written and told by now.
    report.shortfalls.extend(judge.and_then(JudgeUnderWay::end));
    Ok(report)
}

#[cfg(test)]
pub(in crate::jobs) mod tests;
