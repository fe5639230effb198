//! The options of `check`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_dataset::signature::VerifyingKey;
use clap::Args;

use super::FailOn;
use super::approved::ApprovedArgs;
use super::scan::formats;
use crate::check::published::DatasetPlace;
use crate::signing;

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What may be installed: `npm:NAME[@VERSION]`, `pypi:NAME[@VERSION]`, `github:OWNER/NAME[@COMMIT]`, a package URL, the
    /// address of an MCP server, a lock file, or a client's configuration. Without any: everything that the agents of this
    /// machine load below your home folder and in the working folder: the servers of their configurations, and skills, plugins,
    /// hooks, commands, agents and rules files.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// How results are printed.
    #[arg(long, value_parser = formats(), default_value = "table")]
    pub format: String,
    /// Also write a page that can be handed on: one HTML file that loads nothing. A report of before is replaced, and no other file.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Exit with 1 when a band (watch, caution, block) or a severity (info … critical) is met or exceeded.
    #[arg(long, value_name = "BAND_OR_SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Rulings of yours (OpenVEX), beside those of the store: what they set aside counts for no threshold, and what they block
    /// is `block`. Read only where you name them.
    #[arg(long, value_name = "FILE")]
    pub rulings: Vec<PathBuf>,
    /// The operator's own list.
    #[command(flatten)]
    pub approved: ApprovedArgs,
    /// Let findings that were overturned on appeal count for nothing, listed as set aside. Without it they count as they stand.
    #[arg(long, value_parser = ["overturned"], value_name = "OUTCOME")]
    pub honour_annotations: Option<String>,
    /// A dataset that is asked before any registry, for what the store does not know: a folder, or the address at which one is
    /// published, which is fetched into your cache.
    #[arg(long, value_name = "DIR_OR_URL")]
    pub dataset: Option<DatasetPlace>,
    /// The public key that must have signed the dataset: its file, or its text. A dataset that it has not signed is not asked.
    #[arg(long, value_name = "PUBKEY", requires = "dataset", value_parser = signing::verifying_key)]
    pub key: Option<VerifyingKey>,
    /// Ask nobody: what neither the store nor a dataset knows is unknown. Of a published dataset only what was fetched before.
    #[arg(long)]
    pub offline: bool,
    /// A schedule whose registries are asked, such as a company's own, and whose `[approved]` and `[verdict]` count.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
