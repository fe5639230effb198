//! The `[daemon]` table of a schedule: when the daemon runs it, and what holds where times meet or were missed.
//!
//! Must not know what time it is.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::daemon::cron::Cron;

/// The `[daemon]` table of a schedule. A schedule without one is run by hand only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DaemonSection {
    /// When it is due, UTC: minute, hour, day of month, month, day of week; with a sixth field in front for seconds.
    pub cron: String,
    /// What becomes of a due time that comes while the schedule's own run before is still going (default skip).
    #[serde(default)]
    pub overlap: Overlap,
    /// Minutes after which a run begins no more requests; what was fetched by then is scanned, scored, watched, exported and
    /// told, and the next run fetches the rest (default: no budget).
    pub budget_minutes: Option<u32>,
    /// Seconds over which starts are spread, by the schedule's name and the due time (default 0).
    #[serde(default)]
    pub jitter_seconds: u32,
    /// Whether due times at which nobody was there are made up for, once for all of them (default true).
    pub recover: Option<bool>,
    /// Where the dataset goes (default `capdex-export`).
    pub out: Option<PathBuf>,
}

/// What becomes of a due time that comes while the run before is still going.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It is left out.
    #[default]
    Skip,
    /// It is run right after, once for all that came.
    Queue,
}

/// When a schedule runs.
#[derive(Clone, Debug)]
pub struct Timing {
    /// When it is due.
    pub cron: Cron,
    /// What holds where due times meet a run.
    pub overlap: Overlap,
    /// How long a run may begin requests.
    pub budget: Option<Duration>,
    /// Seconds over which starts are spread.
    pub jitter_s: u32,
    /// Whether missed due times are made up for.
    pub recovers: bool,
    /// Where the dataset goes.
    pub out: PathBuf,
}

/// More than this is no spreading any more.
const MOST_JITTER_S: u32 = 6 * 3600;

impl DaemonSection {
    /// The same, checked.
    ///
    /// # Errors
    /// The key and what is wrong with it.
    pub fn timing(&self) -> Result<Timing, String> {
        if self.budget_minutes == Some(0) {
            return Err("daemon.budget_minutes: a run needs some time; leave the key out for no budget".to_owned());
        }
        if self.jitter_seconds > MOST_JITTER_S {
            let given = self.jitter_seconds;
            return Err(format!("daemon.jitter_seconds: {given} is more than six hours ({MOST_JITTER_S})"));
        }
        Ok(Timing {
            cron: Cron::parse(&self.cron).map_err(|why| format!("daemon.cron: {why}"))?,
            overlap: self.overlap,
            budget: self.budget_minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60)),
            jitter_s: self.jitter_seconds,
            recovers: self.recover.unwrap_or(true),
            out: self.out.clone().unwrap_or_else(|| PathBuf::from("capdex-export")),
        })
    }
}
