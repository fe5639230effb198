//! Options that stages and services take beside commands: those of every command, and those of a recorded crawl.
//!
//! They are apart from the commands, so that jobs and services can take them too.

use std::path::{Path, PathBuf};

use capdex_model::time::AsOf;
use clap::{Args, ValueEnum};

/// The store where none is named: a file of the working folder.
const DEFAULT_DB: &str = "capdex.db";

/// Options that every command understands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The store, one SQLite file.
    #[arg(long, global = true, env = "CAPDEX_DB", default_value = DEFAULT_DB, value_name = "PATH")]
    pub db: PathBuf,
    /// Threads for scanning and scoring (default: one for each core).
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The instant that all ages are measured against (default: the start of the run).
    #[arg(long, global = true, value_name = "RFC3339")]
    pub as_of: Option<AsOf>,
    /// More log lines; given twice, one for every request.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Say only what went wrong.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// How log lines look.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    pub log_format: LogFormat,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub color: Colour,
}

impl Global {
    /// The store, where one was named; none for the default. An agent's client starts programs in the folder of a project, and
    /// a project of a stranger may bring a store that calls everything ok.
    pub fn named_db(&self) -> Option<&Path> {
        (self.db != Path::new(DEFAULT_DB)).then_some(&self.db)
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whether a crawl is recorded, or played from a record.
#[derive(Clone, Debug, Default, Args)]
pub struct RecordingArgs {
    /// Record every exchange in this new file (WARC 1.1, gzip), credentials left out.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Ask nobody: play the exchanges of a recorded crawl. With the same --as-of and schedule it gives the same bytes.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
}
