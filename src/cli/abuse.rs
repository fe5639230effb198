//! The commands of `abuse`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_model::abuse_report::ReportState;
use clap::{Args, Subcommand};

use super::{ListFormat, WaitArgs};

/// The commands of `abuse`.
#[derive(Debug, Subcommand)]
pub enum AbuseCommand {
    /// Take a list, or a newer version in the place of the one before. The next night scans what it concerns.
    #[command(
        after_help = "Example:\n  capdex abuse import team.json\n  capdex abuse import team.json --confirmed\n  capdex abuse import malicious-packages/osv/malicious"
    )]
    Import {
        /// The list, a JSON file; or a folder of OSV records, of which those of malicious packages (`MAL-…`) are a list under
        /// the folder's name. A record that names versions reports these alone.
        file: PathBuf,
        /// Your word that what the list reports is malicious: what it names is `block` then, and `caution` otherwise. Records of
        /// malicious packages (`MAL-…`) are confirmed without it.
        #[arg(long)]
        confirmed: bool,
        #[command(flatten)]
        waiting: WaitArgs,
    },
    /// The lists that count, with version, source, date and digest.
    #[command(after_help = "Example:\n  capdex abuse list --format json")]
    List {
        /// How the lists are printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
    /// Write OSV records of what lists report. Naming a list is your word that what it reports is malicious: nothing that
    /// capdex suspects by itself is ever written. What a newer version of a list leaves out is withdrawn.
    #[command(after_help = "Example:\n  capdex abuse export-osv records --list team")]
    ExportOsv {
        /// Where the records go, one file each; files of other names are left alone.
        dir: PathBuf,
        /// A list that you confirm; may be given again.
        #[arg(long, required = true, value_name = "NAME")]
        list: Vec<String>,
    },
    /// Keep a report that somebody submits. It is a claim: nothing is made of it until a person accepts it.
    #[command(
        after_help = "Example:\n  capdex abuse report report.json\n\nA report is a JSON object, or one a line:\n  {\"registry\": \"npm\", \"name\": \"@scope/name\", \"reason\": \"sends tokens\", \"reference\": \"https://list.example/1\",\n   \"first_seen\": \"2026-11-01\", \"reporter\": \"ann@example.test\"}\nreference, first_seen and reporter may be left out; the reporter is published nowhere."
    )]
    Report {
        /// The file.
        file: PathBuf,
        #[command(flatten)]
        waiting: WaitArgs,
    },
    /// The reports that were submitted, and what became of each.
    #[command(after_help = "Examples:\n  capdex abuse reports\n  capdex abuse reports --format jsonl")]
    Reports {
        /// How the reports are printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
    /// Decide about a report. What is accepted is told on as the report of a list, and never as the truth.
    #[command(
        after_help = "Example:\n  capdex abuse moderate R-0123456789abcdef accepted --by ann --reason \"seen in version 1.2\""
    )]
    Moderate(ModerateArgs),
}

/// Options of `abuse moderate`.
#[derive(Debug, Args)]
pub struct ModerateArgs {
    /// The report, as `abuse reports` names it.
    pub report: String,
    /// accepted, rejected, withdrawn.
    pub state: ReportState,
    /// Who decides.
    #[arg(long, value_name = "NAME")]
    pub by: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[command(flatten)]
    pub waiting: WaitArgs,
}
