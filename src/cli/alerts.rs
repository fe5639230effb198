//! The commands of `alerts`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_model::fact::Severity;
use clap::{Args, Subcommand};

use super::{ListFormat, WaitArgs};

/// The commands of `alerts`.
#[derive(Debug, Subcommand)]
pub enum AlertsCommand {
    /// Open alerts, worst first.
    #[command(
        after_help = "Examples:\n  capdex alerts list\n  capdex alerts list --since 2026-11-01 --severity medium"
    )]
    List(AlertsListArgs),
    /// One alert, whole: why, what to do, evidence, differences, scores, and the command that shows the same again.
    #[command(after_help = "Example:\n  capdex alerts show 1f2e3d4c5b6a")]
    Show {
        /// Its short name or key, or the unique beginning of either.
        key: String,
        /// How it is printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
    /// Acknowledge an alert: it is not told again while its content and rule stay as they are.
    #[command(
        after_help = "Examples:\n  capdex alerts ack 1f2e3d4c5b6a\n  capdex alerts ack 1f2e3d4c5b6a --expires 2026-12-31 --reason \"asked the publisher\"\n  capdex alerts ack 1f2e3d4c5b6a --withdraw"
    )]
    Ack(AlertsAckArgs),
    /// Tell the sinks of a schedule what they have not been told yet.
    #[command(
        after_help = "Examples:\n  capdex alerts send --config schedules/nightly.toml\n  capdex alerts send --config schedules/nightly.toml --plan"
    )]
    Send(AlertsSendArgs),
}

/// Options of `alerts list`.
#[derive(Debug, Args)]
pub struct AlertsListArgs {
    /// Also what is acknowledged or suppressed.
    #[arg(long)]
    pub all: bool,
    /// Only alerts of this day and later: a date or instant (RFC 3339), `yesterday`, days before the last run (`7d`), or a run's
    /// number.
    #[arg(long, value_name = "DATE|RUN")]
    pub since: Option<String>,
    /// Only alerts of this severity (info … critical) or worse.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub severity: Option<Severity>,
    /// Exactly the alerts that a message told, in whatever state they are.
    #[arg(long, value_name = "ID", conflicts_with_all = ["all", "since", "severity"])]
    pub message: Option<String>,
    /// How alerts are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `alerts ack`.
#[derive(Debug, Args)]
pub struct AlertsAckArgs {
    /// Its short name or key, or the unique beginning of either.
    pub key: String,
    /// Until when: a date, an instant, or a number of days (default: while content and rule stay).
    #[arg(long, value_name = "DATE|DAYS", conflicts_with = "withdraw")]
    pub expires: Option<String>,
    /// Why it needs no more attention.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Take an acknowledgement back.
    #[arg(long)]
    pub withdraw: bool,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `alerts send`.
#[derive(Debug, Args)]
pub struct AlertsSendArgs {
    /// The schedule whose `[alerts]` table names the sinks.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print what would be told to whom, and send and store nothing.
    #[arg(long)]
    pub plan: bool,
}

fn severity(text: &str) -> Result<Severity, String> {
    let known = Severity::ALL.into_iter().find(|severity| severity.as_str() == text);
    known.ok_or_else(|| "info, low, medium, high and critical are severities".to_owned())
}
