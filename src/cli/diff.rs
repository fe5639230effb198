//! The options of `diff`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_dataset::signature::VerifyingKey;
use clap::Args;

use super::ListFormat;
use crate::check::published::DatasetPlace;
use crate::signing;

/// Options of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The side before: a folder, an archive, a target of `check` such as `npm:NAME@VERSION`, or a night of the store such as
    /// `2026-11-20`, which means its last one.
    #[arg(value_name = "A")]
    pub before: String,
    /// The side after.
    #[arg(value_name = "B")]
    pub after: String,
    /// A client's configuration or a lock file. What an agent could newly do is told together with what that loads: text of
    /// strangers here, private data there, and a way out in B make a leak.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// A dataset that is asked about what FILE loads before any registry, for what the store does not know: a folder, or the address
    /// at which one is published, which is fetched into your cache. A and B are compared by their files, which no dataset has.
    #[arg(long, value_name = "DIR_OR_URL", requires = "with")]
    pub dataset: Option<DatasetPlace>,
    /// The public key that must have signed the dataset: its file, or its text. A dataset that it has not signed is not asked.
    #[arg(long, value_name = "PUBKEY", requires = "dataset", value_parser = signing::verifying_key)]
    pub key: Option<VerifyingKey>,
    /// Ask nobody: A and B are paths, or versions whose files the store keeps, and what neither the store nor the dataset knows of
    /// what FILE loads is not known. Of a published dataset only what was fetched before.
    #[arg(long)]
    pub offline: bool,
    /// How the comparison is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// Rulings of yours (OpenVEX), beside those of the schedule: what the verdict of each side comes to by them is shown.
    #[arg(long, value_name = "FILE")]
    pub rulings: Vec<PathBuf>,
    /// A schedule whose registries are asked, such as a company's own.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
