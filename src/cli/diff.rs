//! The options of `diff`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

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
