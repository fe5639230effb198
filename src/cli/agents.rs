//! The options of what agents and CI systems start, `mcp` and `hook`, and of `init`, which has them start it.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_dataset::signature::VerifyingKey;
use capdex_model::score::Band;
use clap::{ArgGroup, Args};

use super::approved::ApprovedArgs;
use crate::check::published::DatasetPlace;
use crate::ci::CiSystem;
use crate::hook::client::HookClient;
use crate::hook::policy::{HookDecision, HookPolicy};
use crate::signing;

/// The dataset that `mcp` and `hook` ask, as they take it and `init` writes it down.
#[derive(Debug, Args)]
pub struct DatasetArgs {
    /// A dataset that is asked for what the store does not know: a folder, or the address at which one is published, which is
    /// fetched into your cache and asked for anew after six hours.
    #[arg(long, value_name = "DIR_OR_URL")]
    pub dataset: Option<DatasetPlace>,
    /// The public key that must have signed the dataset: its file, or its text. A dataset that it has not signed is not asked.
    #[arg(long, value_name = "PUBKEY", requires = "dataset", value_parser = signing::verifying_key)]
    pub key: Option<VerifyingKey>,
}

/// Options of `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// The dataset that is asked.
    #[command(flatten)]
    pub asked: DatasetArgs,
    /// Ask registries, forges and endpoints for what the store does not know. Without it nobody is asked.
    #[arg(long)]
    pub allow_network: bool,
    /// The operator's own list.
    #[command(flatten)]
    pub approved: ApprovedArgs,
    /// A schedule whose registries are asked, such as a company's own, and whose `[approved]` counts.
    #[arg(long, value_name = "FILE", requires = "allow_network")]
    pub config: Option<PathBuf>,
}

/// Options of `hook`.
#[derive(Debug, Args)]
pub struct HookArgs {
    /// The client that asks. Without it the event says.
    #[arg(value_enum)]
    pub client: Option<HookClient>,
    /// The dataset that is asked.
    #[command(flatten)]
    pub asked: DatasetArgs,
    /// The operator's own list.
    #[command(flatten)]
    pub approved: ApprovedArgs,
    /// Which verdict leads to which decision.
    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// The decisions of `hook`, as `hook` takes them and `init` writes them down.
#[derive(Clone, Copy, Debug, Args)]
pub struct PolicyArgs {
    /// Ask a person from this band on: watch, caution or block.
    #[arg(long, value_name = "BAND", default_value = "watch", value_parser = band)]
    ask_from: Band,
    /// Stop the call from this band on.
    #[arg(long, value_name = "BAND", default_value = "block", value_parser = band)]
    deny_from: Band,
    /// The decision about names that the store does not know, or has no fresh answer for.
    #[arg(long, value_enum, value_name = "DECISION", default_value = "ask")]
    unknown: HookDecision,
    /// The decision about what your own list (--approved) does not name, whatever its verdict; the stricter of both counts.
    #[arg(long, value_enum, value_name = "DECISION", default_value = "ask")]
    not_approved: HookDecision,
    /// The decision where the call or the store cannot be read.
    #[arg(long, value_enum, value_name = "DECISION", default_value = "ask")]
    on_failure: HookDecision,
}

impl PolicyArgs {
    /// The policy that the options ask for.
    pub const fn policy(&self) -> HookPolicy {
        let Self { ask_from, deny_from, unknown, not_approved, on_failure } = *self;
        HookPolicy { ask_from, deny_from, unknown, not_approved, on_failure }
    }

    /// The options that are not those of default, as they are written.
    pub fn words(&self) -> Vec<&'static str> {
        let (own, usual) = (self.policy(), HookPolicy::default());
        let options = [
            ("--ask-from", own.ask_from.as_str(), usual.ask_from.as_str()),
            ("--deny-from", own.deny_from.as_str(), usual.deny_from.as_str()),
            ("--unknown", own.unknown.word(), usual.unknown.word()),
            ("--not-approved", own.not_approved.word(), usual.not_approved.word()),
            ("--on-failure", own.on_failure.word(), usual.on_failure.word()),
        ];
        options.iter().filter(|(_, own, usual)| own != usual).flat_map(|(option, own, _)| [*option, *own]).collect()
    }
}

/// Options of `init`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("writes").args(["hook", "ci"]))]
pub struct InitArgs {
    /// The client whose settings get the entry that starts `capdex hook`.
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub hook: Option<HookClient>,
    /// The system that is to run `capdex scan` before a change lands. A file that is there already is left as it is.
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub ci: Option<CiSystem>,
    /// The settings of your home folder, for all projects, and not those of the working folder.
    #[arg(long, conflicts_with_all = ["file", "ci"], requires = "hook")]
    pub user: bool,
    /// The file, where it lies elsewhere.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print what would be written, and write nothing.
    #[arg(long, conflicts_with_all = ["user", "file"])]
    pub print: bool,
    /// The dataset that the hook asks.
    #[command(flatten)]
    pub asked: DatasetArgs,
    /// The operator's own list, which the hook is given.
    #[command(flatten)]
    pub approved: ApprovedArgs,
    /// The decisions of the hook that is started.
    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// A band that a threshold may be.
fn band(text: &str) -> Result<Band, String> {
    let known = [Band::Watch, Band::Caution, Band::Block];
    let band = known.into_iter().find(|band| band.as_str() == text);
    band.ok_or_else(|| format!("{text:?} is none of watch, caution and block"))
}
