//! Jobs: the stages of a night, each resumable by itself: list, fetch (and re-hash), scan, score, watch, export, alerts, prune.
//!
//! Stages that talk to the network (list, fetch) go through the queue in the store. Pure ones (scan, score, watch) ask the
//! store what is missing. Either way each step is one transaction, so a run may be killed anywhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capdex_corpus::identity::Overrides;
use capdex_crawlers::http::Http;
use capdex_crawlers::unpack::UnpackLimits;
use capdex_dataset::signature::SigningKey;
use capdex_db::Store;
use capdex_model::approved::ApprovedNames;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;
use serde::Serialize;

use self::spread::settings::SpreadSettings;
use crate::appeals::settings::AppealSettings;
use crate::config::{AlertSettings, GapTolerance, SourceRun};
use crate::judge_runs::night::NightJudge;
use crate::shutdown::ShutdownFlag;

pub mod alerts;
pub mod collect;
pub mod export;
pub mod fetch;
mod handed_out;
pub mod join;
pub mod list;
pub mod plan;
pub mod prune;
pub mod rehash;
pub mod run;
pub(crate) mod same_version;
pub mod scan;
pub mod score;
mod slugs;
pub mod spread;
mod standing_verdicts;
mod times;
mod verdict_alerts;
pub mod watch;

/// Everything a job may use: the only bag of dependencies.
pub struct JobContext {
    /// The store.
    pub store: Store,
    /// The client.
    pub http: Http,
    /// The address and the names of each source, by the id under which the schedule names it.
    pub sources: BTreeMap<String, SourceRun>,
    /// Sources of the schedule that are not asked, and why.
    pub skipped: BTreeMap<String, String>,
    /// Artifacts that are fetched and hashed again in one night although they claim to be unchanged.
    pub rehash_per_night: usize,
    /// Files of popular names.
    pub popular: Vec<PathBuf>,
    /// The operator's decisions about which listings are one thing.
    pub overrides: Overrides,
    /// The operator's own list of what may be used.
    pub approved: ApprovedNames,
    /// The operator's word beside the verdict, as the schedule has it.
    pub policy: OperatorPolicy,
    /// The judge that is asked beside the night; none where the schedule enables none.
    pub judge: Option<NightJudge>,
    /// Where scans are handed out to workers; none where they are done here.
    pub spread: Option<SpreadSettings>,
    /// How appeals are handled.
    pub appeals: AppealSettings,
    /// The caps of the unpacker.
    pub limits: UnpackLimits,
    /// Whom to tell of alerts, and how.
    pub alerts: AlertSettings,
    /// The formats of the dataset, by id.
    pub formats: Vec<String>,
    /// The licence of what the dataset adds.
    pub license: String,
    /// The key that signs the dataset; none where nothing is signed.
    pub signing_key: Option<SigningKey>,
    /// True where the dataset has the transcripts of the judge.
    pub judge_transcripts: bool,
    /// Days for which the store keeps everything; none where nothing is ever deleted.
    pub keep_days: Option<u32>,
    /// How many gaps a run may have and still count as complete.
    pub gaps: GapTolerance,
    /// The pool for scanning and scoring.
    pub pool: rayon::ThreadPool,
    /// The instant that all ages are measured against.
    pub as_of: AsOf,
    /// True where every listing is asked for as if nothing were known of it: no validators, no watermark, everything is due.
    /// So a host is caught that says "not modified" of what was.
    pub ignore_validators: bool,
    /// True where the person at the terminal wants to see nothing.
    pub quiet: bool,
    /// True where a recorded crawl is played: nobody is asked then, and nobody told.
    pub is_replayed: bool,
    /// Set when the run is to stop after the steps in hand.
    pub stop: ShutdownFlag,
    /// Set when no further request is to be begun: the run is to stop, or its time for requests is over. Things fetched by then
    /// are judged, exported and told all the same.
    pub requests: ShutdownFlag,
}

impl JobContext {
    /// Asks the run to stop after the steps in hand.
    pub fn ask_to_stop(&self) {
        self.stop.ask();
        self.requests.ask();
    }

    /// The kind of a source by the name under which the schedule has it; the name itself for any other.
    pub fn kind_of<'a>(&'a self, source: &'a str) -> &'a str {
        self.sources.get(source).map_or(source, |run| run.kind.as_str())
    }

    /// True where the run's time for requests was over before somebody asked it to stop.
    pub fn is_over_budget(&self) -> bool {
        self.requests.is_asked() && !self.stop.is_asked()
    }
}

/// The result of one stage. Written into the ledger of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageReport {
    /// Items that the stage looked at.
    pub items: u64,
    /// Items that it had something to do for.
    pub done: u64,
    /// Items that failed; each is a gap in the ledger.
    pub failed: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes received or read.
    pub bytes: u64,
    /// Wall time.
    pub wall_ms: u64,
}

impl StageReport {
    /// The result of a stage that ran twice.
    #[must_use]
    const fn and(self, again: Self) -> Self {
        Self {
            items: self.items + again.items,
            done: self.done + again.done,
            failed: self.failed + again.failed,
            // The stages run one after the other, so their times add up.
            requests: self.requests + again.requests,
            bytes: self.bytes + again.bytes,
            wall_ms: self.wall_ms + again.wall_ms,
        }
    }
}
