//! The options of what an operator runs around the nights.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

/// Options of `daemon`.
#[derive(Debug, Args)]
pub struct Daemon {
    /// The folder of schedules; those with a `[daemon]` table are run.
    #[arg(long, value_name = "DIR", default_value = "schedules")]
    pub schedules: PathBuf,
    /// Say when each schedule runs next, and run nothing.
    #[arg(long)]
    pub plan: bool,
}
