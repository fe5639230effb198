//! The options of what an operator runs around the nights.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

/// Options of `daemon`.
#[derive(Debug, Args)]
pub struct DaemonArgs {
    /// The folder of schedules; those with a `[daemon]` table are run.
    #[arg(long, value_name = "DIR", default_value = "schedules")]
    pub schedules: PathBuf,
    /// Count a run as incomplete where any item at all has a gap.
    #[arg(long)]
    pub strict: bool,
    /// Say when each schedule runs next, and run nothing.
    #[arg(long)]
    pub plan: bool,
}

/// The option of what an operator decides while a run may hold the store.
#[derive(Debug, Args)]
pub struct WaitArgs {
    /// Seconds to wait while a run is in the middle of a write.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub wait: u64,
}

/// Options of `prune`.
#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Days for which everything is kept.
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: u32,
    /// Say what would go, table by table, and change nothing.
    #[arg(long)]
    pub plan: bool,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The copy; it must not be there yet.
    pub file: PathBuf,
}

/// Options of `restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A copy that `backup` made.
    pub file: PathBuf,
}

/// Options of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// A schedule whose sources, keys and times are checked; may be given again (default: the quick start).
    #[arg(long, value_name = "FILE", conflicts_with = "schedules")]
    pub config: Vec<PathBuf>,
    /// A folder of schedules.
    #[arg(long, value_name = "DIR")]
    pub schedules: Option<PathBuf>,
    /// Ask no source.
    #[arg(long)]
    pub offline: bool,
    /// Also read every page of the store.
    #[arg(long)]
    pub deep: bool,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}
