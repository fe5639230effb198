//! The `[daemon]` table of a schedule: when the daemon runs it, and what holds where times meet or were missed.
//!
//! No clock is read here: due times are computed from an instant that is given.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::cron::Cron;
use super::keys::{ConfigValue, REQUIRED, ValueKind, keys};

keys! {
    /// The times at which `capdex daemon` runs the schedule. A schedule without this table is run by hand only.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct DaemonSection {
        /// The due times, UTC: minute, hour, day of month, month, day of week, with a sixth field in front for seconds. Days of
        /// the week stand by name; one of the two kinds of day is `*`.
        #[key(default = REQUIRED, example = r#""30 2 * * *""#)]
        pub cron: String,
        /// The fate of a due time that comes while the schedule's own run before is still going: `skip` leaves it out, `queue`
        /// runs it right after, once for all that came.
        #[serde(default)]
        #[key(default = "skip", example = r#""queue""#)]
        pub overlap: OverlapPolicy,
        /// Minutes after which a run begins no more requests. Everything that was fetched by then is scanned, scored, watched,
        /// exported and told all the same, and the next run fetches the rest.
        #[key(default = "no budget", example = "240")]
        pub budget_minutes: Option<u32>,
        /// Seconds over which starts are spread, by the schedule's name and the due time; six hours at most.
        #[serde(default)]
        #[key(default = 0, example = "900")]
        pub jitter_seconds: u32,
        /// Whether due times that nobody met are made up for, once for all of them.
        #[key(default = true, example = "false")]
        pub recover: Option<bool>,
        /// The folder of the dataset.
        #[key(default = OUT, example = r#""/srv/capdex/dataset""#)]
        pub out: Option<PathBuf>,
    }
}

/// The folder of the dataset unless the schedule names another.
const OUT: &str = "capdex-export";

/// The fate of a due time that comes while the run before is still going.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverlapPolicy {
    /// It is left out.
    #[default]
    Skip,
    /// It is run right after, once for all that came.
    Queue,
}

impl ConfigValue for OverlapPolicy {
    fn kind() -> ValueKind {
        ValueKind::Words(vec!["skip", "queue"])
    }
}

/// The times at which a schedule runs.
#[derive(Clone, Debug)]
pub struct Timing {
    /// When it is due.
    pub cron: Cron,
    /// The rule for due times that meet a run.
    pub overlap: OverlapPolicy,
    /// The time in which a run may begin requests.
    pub budget: Option<Duration>,
    /// Seconds over which starts are spread.
    pub jitter_s: u32,
    /// True where missed due times are made up for.
    pub recovers: bool,
    /// The folder of the dataset.
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
        // No time at all would fetch nothing for ever.
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
            out: self.out.clone().unwrap_or_else(|| PathBuf::from(OUT)),
        })
    }
}
