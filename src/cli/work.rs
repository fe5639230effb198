//! The options of `work`.
//!
//! Must not know what a command does.

use clap::Args;

/// Options of `work`.
#[derive(Debug, Args)]
pub struct WorkArgs {
    /// The store of work: a folder that the coordinator shares, or s3://BUCKET/PREFIX with keys in AWS's variables.
    #[arg(long, value_name = "STORE", env = "CAPDEX_WORK_STORE", required_unless_present = "child")]
    pub store: Option<String>,
    /// Take jobs from this NATS server (nats://HOST:4222, tls://HOST:4222); without it, from the plans in the store.
    #[arg(long, value_name = "URL", env = "CAPDEX_WORK_NATS", conflicts_with = "once")]
    pub nats: Option<String>,
    /// The number of this worker, from 0, where there is no queue.
    #[arg(long, value_name = "I", env = "JOB_COMPLETION_INDEX", default_value_t = 0)]
    pub index: usize,
    /// How many such workers there are.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub of: usize,
    /// Do this one job, by its digest, and end.
    #[arg(long, value_name = "JOB", conflicts_with = "of")]
    pub once: Option<String>,
    /// Say how far the plans in the store are, and do nothing.
    #[arg(long, conflicts_with_all = ["nats", "once", "linger", "under"])]
    pub state: bool,
    /// Wait for so many seconds without anything to do before it ends (default: 0, and for ever with --nats).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=31_536_000))]
    pub linger: Option<u64>,
    /// A command, such as a sandbox, by which computing processes are started: "bwrap --unshare-all --ro-bind / /".
    #[arg(long, value_name = "COMMAND")]
    pub under: Option<String>,
    /// Be a computing process of a worker: jobs come in on standard input.
    #[arg(long, hide = true)]
    pub child: bool,
    /// The memory of a computing process, in MiB.
    #[arg(long, hide = true, value_name = "N", default_value_t = 1024)]
    pub memory_mb: u64,
}
