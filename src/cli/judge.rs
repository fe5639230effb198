//! The options of `judge`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ListFormat;

/// The commands of `judge`.
#[derive(Debug, Subcommand)]
pub enum JudgeCommand {
    /// Say what asking about everything that waits would cost. Nothing is sent.
    #[command(after_help = "Example:\n  capdex judge estimate --config schedules/nightly.toml")]
    Estimate(JudgeEstimateArgs),
    /// Ask the model about servers without an answer, within the limits of the day.
    #[command(
        after_help = "Examples:\n  JUDGE_KEY=… capdex judge run --config schedules/nightly.toml\n  capdex judge run --config local.toml --only npm:acme-mcp --max-calls 10\n\nExit codes: 0 done, 3 something has no answer, 130 interrupted: what is under way is awaited and kept."
    )]
    Run(JudgeRunArgs),
    /// What was asked: answers that count, reasons of the others, tokens, agreement of the two ways to ask.
    #[command(after_help = "Examples:\n  capdex judge status\n  capdex judge status --format json")]
    Status(JudgeStatusArgs),
    /// What the model says of one server, in the server's own words.
    #[command(after_help = "Example:\n  capdex judge show npm:acme-mcp")]
    Show(JudgeShowArgs),
    /// Read every recorded answer again, without asking anybody. Exit code 1 where one is read as something else.
    #[command(after_help = "Example:\n  capdex judge replay")]
    Replay,
    /// Ask about a sample with two models, or with one twice: Cohen's kappa, and marks that turned. Answers of before stay those
    /// that count.
    #[command(
        after_help = "Examples:\n  capdex judge agree --config local.toml --sample 50 --models small,large\n  capdex judge agree --config local.toml --sample 50 --models small,small"
    )]
    Agree(JudgeAgreeArgs),
    /// Precision and recall of each check over labelled units, from recorded answers; with --ask, what has none is asked.
    #[command(
        after_help = "Example:\n  capdex judge bench labelled.jsonl --config local.toml --ask\n\nA line is {\"server\": …, \"host\": …, \"tools\": [{\"name\": …, \"fields\": [{\"pointer\": …, \"text\": …}]}], \"labels\": {\"tool\": [\"instruction-control\"]}}."
    )]
    Bench(JudgeBenchArgs),
}

/// The schedule whose `[judge]` table counts.
#[derive(Debug, Args)]
pub struct JudgeScheduleArgs {
    /// A schedule with a `[judge]` table that names an endpoint and a model.
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
}

/// Options of `judge estimate`.
#[derive(Debug, Args)]
pub struct JudgeEstimateArgs {
    #[command(flatten)]
    pub schedule: JudgeScheduleArgs,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `judge run`.
#[derive(Debug, Args)]
pub struct JudgeRunArgs {
    #[command(flatten)]
    pub schedule: JudgeScheduleArgs,
    /// Requests of this run at most, beside the limits of the day.
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,
    /// Only this server.
    #[arg(long, value_name = "CAPABILITY")]
    pub only: Option<String>,
}

/// Options of `judge status`.
#[derive(Debug, Args)]
pub struct JudgeStatusArgs {
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `judge show`.
#[derive(Debug, Args)]
pub struct JudgeShowArgs {
    /// A slug, `npm:@scope/name#kind:path`, a package URL, or at least 8 hex digits of the id.
    pub capability: String,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `judge agree`.
#[derive(Debug, Args)]
pub struct JudgeAgreeArgs {
    #[command(flatten)]
    pub schedule: JudgeScheduleArgs,
    /// Units, the first in the order in which they are asked about.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sample: u32,
    /// Two models of the endpoint; the same one twice asks it twice.
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    pub models: Vec<String>,
}

/// Options of `judge bench`.
#[derive(Debug, Args)]
pub struct JudgeBenchArgs {
    /// The labelled units, one a line.
    pub file: PathBuf,
    #[command(flatten)]
    pub schedule: JudgeScheduleArgs,
    /// Ask about units without an answer.
    #[arg(long)]
    pub ask: bool,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}
