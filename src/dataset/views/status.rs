//! The status of a store: sources, totals, queue, gaps, notifiers, schedules and the last runs.

use std::collections::BTreeMap;

use capdex_db::{
    DueOutcome, DueRun, LedgerGap, NotifierState, Reader, RunRow, RunStatus, SourceState, StoreError, WalkRow,
};
use capdex_model::snapshot::GapReason;
use capdex_model::time::{AsOf, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ledger::{SourceReport, StageTime};

/// The schema of the document.
pub const SCHEMA: &str = "capdex.status/1";
/// Runs that a status has at most, the newest first.
pub const MOST_RUNS: usize = 10;

/// The status of a store. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatusView {
    /// Alerts and those who are told of them.
    pub alerts: AlertsStatus,
    /// Schedules that a daemon runs.
    pub daemon: Vec<ScheduleView>,
    /// Open gaps, all of them.
    pub gaps: Vec<GapView>,
    /// Jobs by kind and state.
    pub queue: Vec<QueueView>,
    /// The last runs, the newest first.
    pub runs: Vec<RunView>,
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Sources that were ever asked, then those that were only skipped.
    pub sources: Vec<SourceStatusView>,
    /// Rows of the store, counted.
    pub totals: TotalsView,
}

/// A source: one that has a state in the store, or one that was never asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SourceStatusView {
    /// It was asked at least once.
    Asked(AskedSource),
    /// It was never asked.
    NeverAsked(NeverAskedSource),
}

/// A source that was asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskedSource {
    /// Listings that are there.
    pub active: u64,
    /// The place where the next walk goes on; none where it begins anew.
    pub cursor: Option<String>,
    /// Listings that are missing and not taken as gone until somebody confirms it.
    pub held: u64,
    /// The source's id.
    pub id: String,
    /// The night of the last walk that came to its end.
    pub last_complete: Option<AsOf>,
    /// The outcome of the last walk: `complete`, `stopped`, `failed` or `skipped`.
    pub last_outcome: Option<&'static str>,
    /// The report of the last walk.
    pub last_walk: Option<SourceReport>,
    /// The night of the last full walk that came to its end.
    pub last_whole: Option<AsOf>,
    /// Listings of all states.
    pub listings: u64,
    /// The point from which the next walk may ask for changes only.
    pub watermark: Option<String>,
}

/// The last walk of a source without a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NeverAskedSource {
    /// The source's id.
    pub id: String,
    /// The outcome, as a word.
    pub last_outcome: &'static str,
    /// The report.
    pub last_walk: SourceReport,
}

/// Rows of the store, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TotalsView {
    /// Blobs.
    pub blobs: u64,
    /// Capabilities that were ever seen.
    pub capabilities: u64,
    /// Distinct sets of facts.
    pub facts: u64,
    /// Listings of all sources and states.
    pub listings: u64,
    /// Scores.
    pub scores: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// The size of the store's file in bytes.
    pub stored_bytes: u64,
}

/// Jobs of one kind in one state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueView {
    /// The number of jobs.
    pub jobs: u64,
    /// The kind of job.
    pub kind: String,
    /// The state that they are in.
    pub state: String,
}

/// Something that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GapView {
    /// The particulars.
    pub detail: String,
    /// The night that met it first.
    pub first_seen: AsOf,
    /// The listing or source that the stage was about.
    pub listing: String,
    /// The reason, as a closed word.
    pub reason: GapReason,
    /// The stage that met it.
    pub stage: String,
    /// The path, listing or address that could not be looked at.
    pub subject: String,
}

/// Alerts and those who are told of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertsStatus {
    /// Alerts ever raised.
    pub raised: u64,
    /// Those who are told; left out for strangers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sinks: Option<Vec<NotifierView>>,
}

/// One who is told of alerts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotifierView {
    /// The last error; none after a success.
    pub error: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// Not to be tried before, by the clock; none without a failure.
    pub next_try: Option<Timestamp>,
    /// Messages that were taken.
    pub sent: u64,
    /// The name in the schedule.
    pub sink: String,
    /// Messages that wait.
    pub waiting: u64,
}

/// A schedule that a daemon runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScheduleView {
    /// The cron expression, UTC.
    pub cron: String,
    /// The due time that was begun last.
    pub last: Option<DueView>,
    /// The schedule's name.
    pub schedule: String,
}

/// A due time of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DueView {
    /// The due time.
    pub due: Timestamp,
    /// The end of the run, by the clock.
    pub finished: Option<Timestamp>,
    /// Due times before it that nobody answered.
    pub missed_before: u64,
    /// The answer, as a word; `open` while there is none.
    pub outcome: &'static str,
    /// The last beginning, by the clock.
    pub started: Timestamp,
    /// The number of beginnings.
    pub tries: u32,
}

/// A run of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunView {
    /// The instant that ages were measured against.
    pub as_of: AsOf,
    /// The command, as it was given; left out for strangers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The end, by the clock; none while it runs and where its process died.
    pub finished: Option<Timestamp>,
    /// The number in the ledger.
    pub run: i64,
    /// The stages with their times, in their order: a part of the summary.
    #[serde(skip)]
    pub stages: Vec<StageTime>,
    /// The beginning, by the clock.
    pub started: Timestamp,
    /// The outcome, as a word; `running` while there is none.
    pub status: &'static str,
    /// The run's own document, as the ledger has it; left out for strangers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
}

impl StatusView {
    /// The status of a store.
    ///
    /// # Errors
    /// A store that cannot be read, or a ledger that is damaged.
    pub fn of(reader: &Reader) -> Result<Self, StoreError> {
        let sinks = reader.notifier_states()?.into_iter().map(NotifierView::of).collect();
        Ok(Self {
            alerts: AlertsStatus { raised: reader.alert_count()?, sinks: Some(sinks) },
            daemon: schedules(reader)?,
            gaps: reader.gaps(true)?.into_iter().map(GapView::of).collect(),
            queue: reader.queue_counts()?.into_iter().map(QueueView::of).collect(),
            runs: reader.runs(MOST_RUNS)?.into_iter().map(RunView::of).collect::<Result<_, _>>()?,
            schema: SCHEMA,
            sources: sources(reader)?,
            totals: TotalsView::of(&reader.totals()?),
        })
    }

    /// The same without what is the operator's own: those who are told of alerts, command lines and summaries.
    #[must_use]
    pub fn for_strangers(mut self) -> Self {
        self.alerts.sinks = None;
        // Command lines may hold paths and addresses of the operator's.
        for run in &mut self.runs {
            (run.command, run.summary) = (None, None);
        }
        self
    }
}

impl SourceStatusView {
    /// The source's id.
    pub fn id(&self) -> &str {
        match self {
            Self::Asked(source) => &source.id,
            Self::NeverAsked(walk) => &walk.id,
        }
    }

    /// The outcome and the report of the last walk.
    pub fn last(&self) -> (Option<&'static str>, Option<&SourceReport>) {
        match self {
            Self::Asked(source) => (source.last_outcome, source.last_walk.as_ref()),
            Self::NeverAsked(walk) => (Some(walk.last_outcome), Some(&walk.last_walk)),
        }
    }
}

fn sources(reader: &Reader) -> Result<Vec<SourceStatusView>, StoreError> {
    let rows = reader.last_walks()?.into_iter();
    let mut walks: BTreeMap<String, NeverAskedSource> =
        rows.map(|row| Ok((row.source.clone(), NeverAskedSource::of(row)?))).collect::<Result<_, StoreError>>()?;
    let mut sources = Vec::new();
    for state in reader.source_states()? {
        let (active, listings) = reader.listing_counts(&state.id)?;
        // Taken out, so that those that are left belong to sources that were only skipped.
        let walk = walks.remove(&state.id);
        sources.push(SourceStatusView::Asked(AskedSource::of(state, walk, (active, listings))));
    }
    sources.extend(walks.into_values().map(SourceStatusView::NeverAsked));
    Ok(sources)
}

fn schedules(reader: &Reader) -> Result<Vec<ScheduleView>, StoreError> {
    let timetable = reader.timetable()?.into_iter();
    timetable
        .map(|(schedule, cron)| {
            let last = reader.last_due(&schedule)?.map(|run| DueView::of(&run));
            Ok(ScheduleView { cron, last, schedule })
        })
        .collect()
}

impl NeverAskedSource {
    fn of(row: WalkRow) -> Result<Self, StoreError> {
        let report = serde_json::from_value(row.report);
        // A report of another version still reads, because missing keys have defaults; anything else is damage.
        let last_walk = report.map_err(|error| corrupt("report of a walk", &error))?;
        Ok(Self { id: row.source, last_outcome: row.outcome.as_str(), last_walk })
    }
}

impl AskedSource {
    fn of(state: SourceState, walk: Option<NeverAskedSource>, (active, listings): (u64, u64)) -> Self {
        Self {
            active,
            cursor: state.cursor,
            held: state.held,
            id: state.id,
            last_complete: state.last_completed,
            last_outcome: walk.as_ref().map(|walk| walk.last_outcome),
            last_walk: walk.map(|walk| walk.last_walk),
            last_whole: state.last_whole,
            listings,
            watermark: state.watermark,
        }
    }
}

impl TotalsView {
    const fn of(totals: &capdex_db::Totals) -> Self {
        let capdex_db::Totals { listings, snapshots, blobs, stored_bytes, capabilities, facts, scores } = *totals;
        Self { blobs, capabilities, facts, listings, scores, snapshots, stored_bytes }
    }
}

impl QueueView {
    fn of(((kind, state), jobs): ((String, String), u64)) -> Self {
        Self { jobs, kind, state }
    }
}

impl GapView {
    fn of(row: LedgerGap) -> Self {
        Self {
            detail: row.gap.detail,
            first_seen: row.first_seen,
            listing: row.subject,
            reason: row.gap.reason,
            stage: row.stage,
            subject: row.gap.subject,
        }
    }
}

impl NotifierView {
    fn of(sink: NotifierState) -> Self {
        Self {
            error: sink.error,
            failures: sink.failures,
            // The store has an instant for every sink; without a failure it says nothing.
            next_try: (sink.failures > 0).then_some(sink.next_try),
            sent: sink.sent,
            sink: sink.name,
            waiting: sink.queued,
        }
    }
}

impl DueView {
    fn of(run: &DueRun) -> Self {
        Self {
            due: run.due,
            finished: run.finished,
            missed_before: run.missed,
            outcome: run.outcome.map_or("open", DueOutcome::as_str),
            started: run.started,
            tries: run.tries,
        }
    }
}

/// The part of a run's document that is shown to people.
#[derive(Deserialize)]
struct Timed {
    #[serde(default)]
    stages: Vec<StageTime>,
}

impl RunView {
    fn of(row: RunRow) -> Result<Self, StoreError> {
        // The summary is null while a run goes on and where its process died.
        let timed = Option::<Timed>::deserialize(&row.summary).map_err(|error| corrupt("summary of a run", &error))?;
        Ok(Self {
            as_of: row.as_of,
            command: Some(row.command),
            finished: row.finished,
            run: row.id.0,
            stages: timed.map(|timed| timed.stages).unwrap_or_default(),
            started: row.started,
            status: row.status.map_or("running", RunStatus::as_str),
            summary: Some(row.summary),
        })
    }
}

/// The stages of the last run that ended and has any, with their times.
///
/// # Errors
/// A store that cannot be read, or a ledger that is damaged.
pub fn last_stages(reader: &Reader) -> Result<Vec<StageTime>, StoreError> {
    let runs = reader.runs(MOST_RUNS)?.into_iter().filter(|run| run.finished.is_some());
    let mut stages = runs.map(|run| RunView::of(run).map(|run| run.stages));
    Ok(stages.find(|stages| stages.as_ref().is_ok_and(|stages| !stages.is_empty())).transpose()?.unwrap_or_default())
}

fn corrupt(what: &'static str, error: &serde_json::Error) -> StoreError {
    StoreError::Corrupt { what, detail: error.to_string() }
}
