//! The commands of `appeal`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_model::appeal::{AppealId, AppealState, ClaimKind, Outcome};
use clap::{Args, Subcommand};

use super::{ListFormat, WaitArgs};
use crate::options::RecordingArgs;

/// The commands of `appeal`.
#[derive(Debug, Subcommand)]
pub enum AppealCommand {
    /// File an appeal against a finding, a rule's findings, or a whole verdict, for the content that stands now.
    #[command(
        after_help = "Examples:\n  capdex appeal file npm:acme#skill: --finding 9a8b7c6d --claim context --text reply.md\n  capdex appeal file npm:acme#skill: --rule pipe-to-shell --claim fixed_in --fixed-in 1.0.1 --text reply.md --contact sec@acme.example\n\nThe text is Markdown without HTML, images and any link but https, 2000 letters at most. It is shown only once its author has\nproved to control the package; no clock runs before."
    )]
    File(AppealFileArgs),
    /// Give out the token by which the vendor proves control, and the places where it may stand.
    #[command(after_help = "Example:\n  CAPDEX_APPEAL_KEY=… capdex appeal challenge A-0123456789abcdef")]
    Challenge(AppealOneArgs),
    /// Look for the token now. The nights do it anyhow.
    #[command(
        after_help = "Examples:\n  capdex appeal verify A-0123456789abcdef\n  capdex appeal verify A-0123456789abcdef --offline\n\nA file or a manifest's member is read by the source of its package, a host's own file and its TXT record by one request each.\nExit codes: 0 proved, 1 refused or not found, 2 wrong usage."
    )]
    Verify(AppealVerifyArgs),
    /// The appeals, the newest first. With --overdue: those that wait too long, and exit code 1 where there are any.
    #[command(
        after_help = "Examples:\n  capdex appeal list\n  capdex appeal list --state answered --format jsonl\n  capdex appeal list --overdue"
    )]
    List(AppealListArgs),
    /// One appeal with all that happened; as JSON it is the record that `import` takes.
    #[command(
        after_help = "Examples:\n  capdex appeal show A-0123456789abcdef\n  capdex appeal show A-0123456789abcdef --format json"
    )]
    Show(AppealShowArgs),
    /// Take an appeal up.
    #[command(after_help = "Example:\n  capdex appeal take A-0123456789abcdef --by ann")]
    Take(AppealTakeArgs),
    /// Decide. The reason must name the rule and quote the evidence, and may not be that of another decision.
    #[command(
        after_help = "Example:\n  capdex appeal decide A-0123456789abcdef --outcome overturned --reason reason.md --by ann"
    )]
    Decide(AppealDecideArgs),
    /// Take a decided appeal up again, once, with new words; another person decides then.
    #[command(after_help = "Example:\n  capdex appeal reopen A-0123456789abcdef --text more.md")]
    Reopen(AppealReopenArgs),
    /// Take an appeal back. It stays in the history.
    #[command(after_help = "Example:\n  capdex appeal withdraw A-0123456789abcdef --reason \"fixed in 1.0.1\"")]
    Withdraw(AppealWithdrawArgs),
    /// Write a decided appeal as a labelled case of `capdex bench`: overturned must stay silent, upheld must fire.
    #[command(
        after_help = "Examples:\n  capdex appeal case A-0123456789abcdef >> cases.jsonl\n  capdex appeal case --all | gzip > appeals.jsonl.gz && capdex bench appeals.jsonl.gz\n\nWith --all: every decided appeal whose lines are still kept, and on standard error which are not."
    )]
    Case(AppealCaseArgs),
    /// Where else a finding stands that an appeal overturned: near-equal copies of what it was about. Leads for a person: no copy is
    /// annotated by itself.
    #[command(after_help = "Examples:\n  capdex appeal leads\n  capdex appeal leads A-0123456789abcdef --format json")]
    Leads(AppealLeadsArgs),
    /// What the maintainers of a package claim in their file for OpenSSF Scorecard, with the rules of ours that it speaks of. No appeal is
    /// needed for it, and it changes nothing; the machine's answer to an appeal quotes it.
    #[command(
        after_help = "Examples:\n  capdex appeal claims github:acme/kit#skill:\n  capdex appeal claims acme-kit --format json"
    )]
    Claims(AppealClaimsArgs),
    /// Take records of another store or an issue tracker (`capdex.appeal/1`, one a line).
    #[command(after_help = "Example:\n  capdex appeal import appeals.jsonl")]
    Import(AppealImportArgs),
    /// How appeals against each rule ended, with the share that was overturned.
    #[command(after_help = "Examples:\n  capdex appeal rules\n  capdex appeal rules --format json")]
    Rules(AppealRulesArgs),
}

/// The schedule whose `[appeals]` table counts.
#[derive(Debug, Args)]
pub struct AppealScheduleArgs {
    /// A schedule with clocks, limits, resolvers and the name of the key (default: the usual ones).
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Options of `appeal file`.
#[derive(Debug, Args)]
pub struct AppealFileArgs {
    /// A slug, `npm:@scope/name#kind:path`, a package URL, or at least 8 hex digits of the id.
    pub capability: String,
    /// The finding with this fingerprint, or at least 8 digits of it; `explain` prints it.
    #[arg(long, value_name = "FINGERPRINT", conflicts_with = "rule")]
    pub finding: Option<String>,
    /// Everything that this rule finds.
    #[arg(long, value_name = "ID")]
    pub rule: Option<String>,
    /// What is claimed: not_there, context, declared, fixed_in, stale, not_mine, severity, other.
    #[arg(long, value_name = "KIND")]
    pub claim: ClaimKind,
    /// The version that is fixed; with the claim fixed_in.
    #[arg(long, value_name = "VERSION")]
    pub fixed_in: Option<String>,
    /// The file with the vendor's words.
    #[arg(long, value_name = "FILE")]
    pub text: PathBuf,
    /// Whom to write to; published nowhere.
    #[arg(long, value_name = "ADDRESS")]
    pub contact: Option<String>,
    #[command(flatten)]
    pub schedule: AppealScheduleArgs,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal case`.
#[derive(Debug, Args)]
pub struct AppealCaseArgs {
    /// The appeal.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub id: Option<AppealId>,
    /// Every appeal that was decided.
    #[arg(long)]
    pub all: bool,
}

/// Options of `appeal leads`.
#[derive(Debug, Args)]
pub struct AppealLeadsArgs {
    /// The appeal (default: every one that was overturned).
    pub id: Option<AppealId>,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `appeal claims`.
#[derive(Debug, Args)]
pub struct AppealClaimsArgs {
    /// A slug, `npm:@scope/name#kind:path`, a package URL, or at least 8 hex digits of the id.
    pub capability: String,
    /// How claims are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of commands about one appeal.
#[derive(Debug, Args)]
pub struct AppealOneArgs {
    /// The appeal.
    pub id: AppealId,
    #[command(flatten)]
    pub schedule: AppealScheduleArgs,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal verify`.
#[derive(Debug, Args)]
pub struct AppealVerifyArgs {
    /// The appeal.
    pub id: AppealId,
    /// Ask nobody: look only at what the store fetched since the token was given out.
    #[arg(long)]
    pub offline: bool,
    /// The host may lie on this machine or a private network.
    #[arg(long)]
    pub own_host: bool,
    #[command(flatten)]
    pub schedule: AppealScheduleArgs,
    #[command(flatten)]
    pub waiting: WaitArgs,
    /// What becomes of the exchanges with the network.
    #[command(flatten)]
    pub recording: RecordingArgs,
}

/// Options of `appeal list`.
#[derive(Debug, Args)]
pub struct AppealListArgs {
    /// Only those in this state.
    #[arg(long, value_name = "STATE")]
    pub state: Option<AppealState>,
    /// Only those that wait too long.
    #[arg(long)]
    pub overdue: bool,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// How appeals are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    #[command(flatten)]
    pub schedule: AppealScheduleArgs,
}

/// Options of `appeal show`.
#[derive(Debug, Args)]
pub struct AppealShowArgs {
    /// The appeal.
    pub id: AppealId,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    #[command(flatten)]
    pub schedule: AppealScheduleArgs,
}

/// Options of `appeal take`.
#[derive(Debug, Args)]
pub struct AppealTakeArgs {
    /// The appeal.
    pub id: AppealId,
    /// Who takes it up.
    #[arg(long, value_name = "NAME")]
    pub by: String,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal decide`.
#[derive(Debug, Args)]
pub struct AppealDecideArgs {
    /// The appeal.
    pub id: AppealId,
    /// upheld (the finding is right), overturned (it is wrong), rule_changed, not_mine.
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: Outcome,
    /// The file with the reason, which is published.
    #[arg(long, value_name = "FILE")]
    pub reason: PathBuf,
    /// Who decides.
    #[arg(long, value_name = "NAME")]
    pub by: String,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal reopen`.
#[derive(Debug, Args)]
pub struct AppealReopenArgs {
    /// The appeal.
    pub id: AppealId,
    /// The file with the vendor's new words.
    #[arg(long, value_name = "FILE")]
    pub text: PathBuf,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal withdraw`.
#[derive(Debug, Args)]
pub struct AppealWithdrawArgs {
    /// The appeal.
    pub id: AppealId,
    /// Why.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal import`.
#[derive(Debug, Args)]
pub struct AppealImportArgs {
    /// The file.
    pub file: PathBuf,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `appeal rules`.
#[derive(Debug, Args)]
pub struct AppealRulesArgs {
    /// How rules are printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}
