//! The command line: every command, option and example of `docs/cli.md`, parsed and checked.
//!
//! Must not know what a command does.

mod abuse;
mod agent_scan;
mod agents;
mod alerts;
mod appeal;
mod approved;
mod check;
mod dataset;
mod diff;
mod groups;
mod installed;
mod judge;
mod keys;
mod operation;
mod rulings;
mod scan;
mod site;
mod watch;
mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use abuse::{AbuseCommand, ModerateArgs};
pub use agent_scan::{
    AgentCheckArgs, AgentCompareArgs, AgentGradeArgs, AgentInsideArgs, AgentKeepArgs, AgentKeptArgs, AgentPacksArgs,
    AgentPublishArgs, AgentReportArgs, AgentRunArgs, AgentScanCommand, AgentScreenArgs, AgentServeArgs, SandboxPart,
    ScreenFormat, ServedOver,
};
pub use agents::{HookArgs, InitArgs, McpArgs};
pub use alerts::{AlertsAckArgs, AlertsCommand, AlertsListArgs, AlertsSendArgs};
pub use appeal::{
    AppealCaseArgs, AppealClaimsArgs, AppealCommand, AppealDecideArgs, AppealFileArgs, AppealImportArgs,
    AppealLeadsArgs, AppealListArgs, AppealOneArgs, AppealReopenArgs, AppealRulesArgs, AppealScheduleArgs,
    AppealShowArgs, AppealTakeArgs, AppealVerifyArgs, AppealWithdrawArgs,
};
pub use approved::ApprovedArgs;
pub use check::CheckArgs;
pub use dataset::{ExportArgs, VerifyArgs};
pub use diff::DiffArgs;
pub use groups::{command, parse};
pub use installed::{CompletionsArgs, ManArgs};
pub use judge::{
    JudgeAgreeArgs, JudgeBenchArgs, JudgeCommand, JudgeEstimateArgs, JudgeRunArgs, JudgeScheduleArgs, JudgeShowArgs,
    JudgeStatusArgs,
};
pub use keys::{KeysCommand, KeysNewArgs, KeysSignArgs, SigningArgs};
pub use operation::{BackupArgs, DaemonArgs, DoctorArgs, PruneArgs, RestoreArgs, WaitArgs};
pub use rulings::{RulingsCommand, RulingsGiveArgs};
pub use scan::{FailOn, ScanArgs, ScanOutput};
pub use site::{ReportArgs, ServeArgs};
pub use watch::{CampaignsArgs, ClonesArgs, CollisionsArgs, DriftArgs, TyposquatsArgs};
pub use work::WorkArgs;

use crate::options::{Global, RecordingArgs};

/// Crawls the directories of AI-agent capabilities, scores them with four published methods, watches them for drift,
/// and exports a ranked dataset that anyone can recompute.
#[derive(Debug, Parser)]
#[command(name = "capdex", version, arg_required_else_help = true, propagate_version = true)]
#[command(
    after_help = "Examples:\n  capdex nightly                     crawl, scan, score and export the quick-start packages\n  capdex scan ./my-skill             score a local folder, archive, SKILL.md or tools list\n  capdex check npm:@acme/notes-mcp   judge a package before it is installed\n  capdex explain npm:@scope/pkg#skill:skills/x\n\nExit codes: 0 done, 1 threshold met or difference found, 2 wrong usage, 3 done but incomplete,\n4 nothing could be done, 130 interrupted."
)]
pub struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// The main job: list, fetch, scan, score, watch and export what changed.
    #[command(
        after_help = "Examples:\n  capdex nightly\n  capdex nightly --config schedules/quickstart.toml --out ranked\n  capdex nightly --plan\n  capdex nightly --record crawl.warc.gz --as-of 2026-11-22T00:00:00Z"
    )]
    Nightly(NightlyArgs),
    /// Crawl one source from its beginning; resumable.
    #[command(
        after_help = "Examples:\n  capdex backfill npm --watchlist names.txt\n  capdex backfill pypi --watchlist names.txt --limit 100 --plan\n  capdex backfill folder --watchlist folders.txt\n  capdex backfill official-registry --list-only"
    )]
    Backfill(BackfillArgs),
    /// Score local input without a store: a folder, an archive, a file, a tools list.
    #[command(
        after_help = "Examples:\n  capdex scan ./my-skill\n  capdex scan package.tgz tools.json --format jsonl\n  capdex scan . --fail-on high\n  capdex scan . --min-severity medium --min-confidence high\n  capdex scan . --format github --output sarif=capdex.sarif --output markdown=summary.md\n  capdex scan . --write-baseline ../known.json\n  capdex scan . --baseline ../known.json --fail-on medium"
    )]
    Scan(ScanArgs),
    /// The question before an install: judge a package, a repository, an MCP server, or all that a configuration starts.
    #[command(
        after_help = "Examples:\n  capdex check                              everything that the agents of this machine start\n  capdex check npm:@acme/notes-mcp@1.2.0    one package, before it is installed\n  capdex check .mcp.json package-lock.json  what two files name\n  capdex check https://mcp.example/mcp --fail-on caution\n  capdex check pypi:fetch-server --offline  only what the store knows\n  capdex check https://mcp.example/mcp --report mcp-example.html\n\nWhat the store knows answers first; anything else is fetched, unpacked and scanned in memory, and never run. A container\nimage, a program of this machine and whatever cannot be fetched are unknown, with the reason. Addresses of this machine or\na private network are asked only where you name them yourself.\n\nExit codes: 0 done, 1 threshold met, 2 wrong usage, 3 something could not be judged, 4 nobody could be reached."
    )]
    Check(CheckArgs),
    /// Two versions or folders side by side: what an agent could newly do, in words, then by files.
    #[command(
        after_help = "Examples:\n  capdex diff npm:@acme/notes-mcp@1.2.0 npm:@acme/notes-mcp@1.3.0\n  capdex diff ./vendored-skill github:acme/skills\n  capdex diff old.tgz new.tgz --format json\n  capdex diff npm:@acme/notes-mcp@1.2.0 npm:@acme/notes-mcp@1.3.0 --with .mcp.json\n  capdex diff 2026-11-20 2026-11-21\n\nTwo versions or folders are read and scanned by the same rules, in memory; nothing is run or kept. Two nights are read from\nthe store, and nothing is fetched."
    )]
    Diff(DiffArgs),
    /// Score stored facts again, without any request.
    #[command(after_help = "Examples:\n  capdex score\n  capdex score --all --rubric saferskills/seed")]
    Score(ScoreArgs),
    /// Show what changed since an earlier night.
    #[command(
        after_help = "Examples:\n  capdex drift\n  capdex drift --since 2026-11-01 --format jsonl\n  capdex drift --rehash --config schedules/nightly.toml"
    )]
    Drift(DriftArgs),
    /// Show families of near-equal content: who copied whom, and what the copies added.
    #[command(
        after_help = "Examples:\n  capdex clones\n  capdex clones --changed --format jsonl\n  capdex clones npm:@scope/pkg#skill:skills/x"
    )]
    Clones(ClonesArgs),
    /// Show items that ask for the same thing and have no reason to.
    #[command(after_help = "Examples:\n  capdex campaigns\n  capdex campaigns 1f2e3d4c --format json")]
    Campaigns(CampaignsArgs),
    /// Names that are almost the name of something established: leads, never verdicts.
    #[command(
        alias = "lookalikes",
        after_help = "Examples:\n  capdex typosquats\n  capdex typosquats --format jsonl\n  capdex typosquats --names mine.tsv --popular npm.tsv\n  capdex typosquats --names names.txt\n\nA line of a list is a name, how popular it is and whose it is, with tabs between; the last two may be missing, and a\nfirst line may name the columns (a second column whose name holds `rank` gives places). Without --popular the names are\ncompared with each other, without --names what the last night found is shown. By its name alone nothing is above low."
    )]
    Typosquats(TyposquatsArgs),
    /// Names of tools and listings that unlike things share over all directories.
    #[command(after_help = "Examples:\n  capdex collisions\n  capdex collisions --format jsonl")]
    Collisions(CollisionsArgs),
    /// Write the ranked dataset.
    #[command(
        after_help = "Examples:\n  capdex export ranked\n  capdex export ranked --format jsonl,csv --rank-by spiderrating/seed\n  capdex export ranked --sign capdex.key"
    )]
    Export(ExportArgs),
    /// Write the static site: every page from the store, for a browser and without a server.
    #[command(
        after_help = "Examples:\n  capdex report site\n  capdex --db nights.db report /srv/www/capdex\n  capdex report site --sign capdex.key\n  capdex report shared --only npm:@acme/notes-mcp pypi:fetch-server"
    )]
    Report(ReportArgs),
    /// Serve the same pages, a JSON API, badges, feeds and metrics; read-only, on loopback unless another address is named.
    #[command(
        after_help = "Examples:\n  capdex serve\n  capdex --db nights.db serve --listen 127.0.0.1:8000\n  capdex serve --listen 0.0.0.0:8710 --host capdex.example.test"
    )]
    Serve(ServeArgs),
    /// Check a dataset or a site with nothing but itself, or one stored capability by scanning it again.
    #[command(
        after_help = "Examples:\n  capdex verify capdex-export\n  capdex verify capdex-export --key capdex.key.pub\n  capdex verify site --key RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n  capdex verify npm:@scope/pkg#skill:skills/x"
    )]
    Verify(VerifyArgs),
    /// Show every finding of one capability and how each rubric got to its number.
    #[command(
        after_help = "Examples:\n  capdex explain npm:@scope/pkg#mcp_server:\n  capdex explain pkg:npm/%40scope/pkg@1.2.0\n  capdex explain 1f2e3d4c\n  capdex explain npm:@scope/pkg#skill:skills/x --format json"
    )]
    Explain(ExplainArgs),
    /// Which capabilities depend on a package, directly and through others, as of a date.
    #[command(
        alias = "exposure",
        after_help = "Examples:\n  capdex dependents npm:left-pad\n  capdex dependents pypi:requests --as-of 2026-11-01T00:00:00Z --format jsonl"
    )]
    Dependents(DependentsArgs),
    /// Local lists of abuse: who reports which package.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex abuse import team.json\n  capdex abuse list --format json\n  capdex abuse export-osv records --list team\n\nA list is a JSON file:\n  {\"list\": \"team\", \"version\": 1, \"source\": \"https://list.example/team\", \"date\": \"2026-11-20\",\n   \"entries\": [{\"registry\": \"npm\", \"name\": \"@scope/name\", \"reason\": \"sends tokens\",\n                \"first_seen\": \"2026-11-01\", \"reference\": \"https://list.example/1\"}]}\nfirst_seen and reference may be left out. What a list reports is shown as its report, never as the truth."
    )]
    Abuse(AbuseCommand),
    /// What the passes raised for a person: list, read, acknowledge and send alerts.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex alerts list\n  capdex alerts list --all --severity high --format jsonl\n  capdex alerts show 1f2e3d4c5b6a\n  capdex alerts ack 1f2e3d4c5b6a --expires 30 --reason \"known release\"\n  capdex alerts send --config schedules/nightly.toml"
    )]
    Alerts(AlertsCommand),
    /// Your word on findings and capabilities: accepted, not affected, false positive, blocked. It is shown beside the verdict,
    /// which stays as it is.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex rulings list\n  capdex rulings give npm:@acme/notes#skill:skills/notes accepted --author ann --reason \"read it\"\n  capdex rulings import rulings.openvex.json\n  capdex rulings export --author ops > rulings.openvex.json"
    )]
    Rulings(RulingsCommand),
    /// The right of reply: appeals of vendors against findings, with proof of control, clocks and decisions. They annotate, and
    /// change no number.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex appeal file npm:acme#skill: --finding 9a8b7c6d --claim context --text reply.md\n  capdex appeal challenge A-0123456789abcdef\n  capdex appeal verify A-0123456789abcdef\n  capdex appeal decide A-0123456789abcdef --outcome overturned --reason reason.md --by ann\n  capdex appeal list --overdue"
    )]
    Appeal(AppealCommand),
    /// The rule catalogue.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex rules list\n  capdex rules show pipe-to-shell\n  capdex rules check"
    )]
    Rules(RulesCommand),
    /// Write the generated manual, or check that it is fresh.
    #[command(after_help = "Examples:\n  capdex docs docs\n  capdex docs docs --check")]
    Docs(DocsArgs),
    /// Measure recall, false positives and throughput on a labelled set.
    #[command(
        after_help = "Example:\n  capdex bench skills.jsonl.gz --threads 1\n  capdex bench skills-check.jsonl.gz --rates-only"
    )]
    Bench(BenchArgs),
    /// Decide about a source.
    #[command(subcommand, after_help = "Example:\n  capdex sources accept-removals official-registry")]
    Sources(SourcesCommand),
    /// Accept a mass removal: the name of `sources accept-removals` until version 0.2.
    #[command(hide = true, after_help = "Example:\n  capdex sources accept-removals official-registry")]
    Confirm(AcceptRemovalsArgs),
    /// Sources, cursors, coverage, queue and the last runs.
    #[command(after_help = "Examples:\n  capdex status\n  capdex status --format json")]
    Status(StatusArgs),
    /// Run the schedules of a folder at their times until asked to stop; what was missed is made up for.
    #[command(
        after_help = "Examples:\n  capdex daemon --schedules /etc/capdex/schedules --db /var/lib/capdex/capdex.db\n  capdex daemon --plan\n\nA schedule is run that has a [daemon] table, such as:\n  [daemon]\n  cron = \"30 2 * * *\"\n  budget_minutes = 300\n  jitter_seconds = 600\nTimes are UTC. At a signal the steps in hand are finished; the next daemon goes on."
    )]
    Daemon(DaemonArgs),
    /// A worker of a night that runs on another machine: takes jobs, puts their results into the store of work, and keeps nothing.
    #[command(
        after_help = "Examples:\n  capdex work --store /mnt/work                          all jobs of the plans there, then ends\n  capdex work --store /mnt/work --index 0 --of 4         the first of four such workers\n  capdex work --store s3://capdex-work/night --nats nats://queue:4222\n  capdex work --store /mnt/work --state                  how far the plans there are\n\nThe night is one whose schedule has a [spread] table with the same store. Keys of a bucket are read from AWS's variables\n(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT). Each job is done in a process of its own with limits.\n\nExit codes: 0 nothing is left for it, 1 a job gave two results, 2 wrong usage, 3 something was left to others, 4 the store\ndoes not answer, 130 interrupted: the job in hand is finished or another worker does it."
    )]
    Work(WorkArgs),
    /// Check keys, clock, disk, store, schedules and whether sources answer; each line says what to do. Exit code 1: something
    /// fails.
    #[command(
        after_help = "Examples:\n  capdex doctor\n  capdex doctor --schedules /etc/capdex/schedules --deep\n  capdex doctor --offline --format json"
    )]
    Doctor(DoctorArgs),
    /// Delete what is old and nothing needs: bytes of snapshots that others followed, scores of days long past, ledgers.
    #[command(
        after_help = "Examples:\n  capdex prune --plan\n  capdex prune --keep-days 30\n\nWhat stands keeps everything: every current capability can be verified, the next night compares with the same bytes, and\na dataset as of now is the same. Digests, facts, events and alerts are never deleted. What is listed again is fetched again."
    )]
    Prune(PruneArgs),
    /// Copy the store into a new file while others read and write it, and check the copy.
    #[command(after_help = "Example:\n  capdex backup capdex-2026-11-22.db")]
    Backup(BackupArgs),
    /// Put a copy in the store's place; what was there is kept beside it.
    #[command(after_help = "Example:\n  capdex restore capdex-2026-11-22.db --db capdex.db")]
    Restore(RestoreArgs),
    /// An MCP server over standard input and output, for agents that ask before they install: check, explain, diff, search.
    #[command(
        after_help = "Examples:\n  claude mcp add capdex -- capdex mcp --db /var/lib/capdex/capdex.db\n  capdex mcp --allow-network\n\nIt answers from the store that --db or CAPDEX_DB names (./capdex.db for that of the working folder, which may be a\nstranger's), and asks nobody unless it was started with --allow-network. It reads no file that its caller names and runs\nnothing. Text of packages is quoted between « and », so that it reads as data.\n\nExit codes: 0 the input ended, 2 wrong usage, 4 the streams failed, 130 interrupted."
    )]
    Mcp(McpArgs),
    /// Answer a client's question before its agent runs a tool: pass in silence, ask a person, or stop. From the store alone.
    #[command(
        after_help = "Examples:\n  capdex init --hook claude                 writes the entry that starts it\n  capdex hook claude < event.json\n  capdex hook codex --unknown pass          what nobody knows runs without a question\n\nIt looks at commands that install or start what strangers publish (npx, uvx, claude mcp add, npx skills add, plugins) and\nat writes into skills, hooks and clients' configurations. Anything else passes, and nothing is opened for it. The\nstore is the one that --db or CAPDEX_DB names. A client\nthat cannot ask from a hook (Codex) stops where another asks.\n\nExit code: 0, whatever the decision; 2 for wrong usage."
    )]
    Hook(HookArgs),
    /// Write a commented schedule, the entry of a client's settings that starts `capdex hook`, or the file of a CI system that runs
    /// `capdex scan`.
    #[command(
        after_help = "Examples:\n  capdex init                                  a commented schedule, schedules/mine.toml\n  capdex init --hook claude\n  capdex init --hook codex --user --db /var/lib/capdex/capdex.db\n  capdex init --hook gemini --unknown deny     an agent without a person, who would be asked for ever\n  capdex init --hook cursor --print\n  capdex init --ci github                      also gitlab, pre-commit\n\nRun again it changes nothing, or only the command of its own entry; all else in settings stays as it is. Settings that are\nnot what the client's format says, and a schedule or a CI system's file that is there already, are left alone, with exit code 2."
    )]
    Init(InitArgs),
    /// Test what an agent does when the texts of its tools attack it: mock tools, harmless twins, graded from transcripts.
    #[command(
        subcommand,
        name = "agent-scan",
        after_help = "Examples:\n  capdex agent-scan run --endpoint http://127.0.0.1:8080/v1 --model my-model --out runs/my-model\n  capdex agent-scan grade runs/my-model --format markdown\n  capdex agent-scan check\n\nNothing real happens: all tools are mocks, hosts end in .invalid, and keys are made up. A test that says \"not observed\" says so of\none version of one pack and so many trials, never more."
    )]
    AgentScan(AgentScanCommand),
    /// Ask a language model about servers, beside the rules: it may add findings and clears nothing. Off unless a schedule names one.
    #[command(
        subcommand,
        after_help = "Examples:\n  capdex judge estimate --config schedules/nightly.toml\n  capdex judge run --config schedules/nightly.toml\n  capdex judge replay\n\nNames, descriptions and schemas of tools are sent to the endpoint that the schedule names, and nowhere else. No rubric, rank\nor verdict reads what it says but mcpbundles/judged, which has no vote."
    )]
    Judge(JudgeCommand),
    /// The keys that sign datasets and sites, in minisign's format.
    #[command(subcommand, after_help = "Example:\n  capdex keys new capdex.key")]
    Keys(KeysCommand),
    /// What a shell needs to complete the command line.
    #[command(
        after_help = "Examples:\n  capdex completions bash > /etc/bash_completion.d/capdex\n  capdex completions zsh > ~/.zfunc/_capdex\n  capdex completions fish > ~/.config/fish/completions/capdex.fish"
    )]
    Completions(CompletionsArgs),
    /// Man pages, one for each command.
    #[command(after_help = "Example:\n  capdex man /usr/local/share/man/man1")]
    Man(ManArgs),
}

/// Options of `nightly`.
#[derive(Debug, Args)]
pub struct NightlyArgs {
    /// The schedule (default: the quick start that is compiled in).
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where the dataset goes. Its files of before are replaced; whatever else lies there stays.
    #[arg(long, value_name = "DIR", default_value = "capdex-export")]
    pub out: PathBuf,
    /// End with 3 where any item at all has a gap.
    #[arg(long)]
    pub strict: bool,
    /// Print the requests, bytes and time to expect, and send nothing.
    #[arg(long)]
    pub plan: bool,
    /// What becomes of the exchanges with the network.
    #[command(flatten)]
    pub recording: RecordingArgs,
}

/// Options of `backfill`.
#[derive(Debug, Args)]
pub struct BackfillArgs {
    /// The source's id (`capdex docs` lists them all in `sources.md`), or the name of its table in the schedule.
    pub source: String,
    /// List at most so many entries.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// A schedule whose settings for the source are used.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where the source is.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// A file of names, one a line; `#` begins a comment.
    #[arg(long, value_name = "FILE")]
    pub watchlist: Option<PathBuf>,
    /// Store the listings only; the next night fetches and scans.
    #[arg(long)]
    pub list_only: bool,
    /// End with 3 where any item at all has a gap.
    #[arg(long)]
    pub strict: bool,
    /// Print the requests, bytes and time to expect, and send nothing.
    #[arg(long)]
    pub plan: bool,
    /// What becomes of the exchanges with the network.
    #[command(flatten)]
    pub recording: RecordingArgs,
}

/// The commands of `sources`.
#[derive(Debug, Subcommand)]
pub enum SourcesCommand {
    /// Accept a mass removal that the last crawl held back. Check the reason first.
    #[command(after_help = "Example:\n  capdex sources accept-removals official-registry")]
    AcceptRemovals(AcceptRemovalsArgs),
}

/// Options of `sources accept-removals`.
#[derive(Debug, Args)]
pub struct AcceptRemovalsArgs {
    /// The source, as `capdex status` names it.
    pub source: String,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `score`.
#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// Score everything again, not only what has no score yet.
    #[arg(long)]
    pub all: bool,
    /// Only this rubric.
    #[arg(long, value_name = "ID")]
    pub rubric: Option<String>,
}

/// How lists are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people.
    Table,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Jsonl,
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A slug, `npm:@scope/name#kind:path`, a package URL such as `pkg:npm/name`, or at least 8 hex digits of the id.
    pub capability: String,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `dependents`.
#[derive(Debug, Args)]
pub struct DependentsArgs {
    /// The package with its registry, such as `npm:left-pad`, or its package URL, `pkg:npm/left-pad`.
    pub package: String,
    /// How the list is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// The commands of `rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Every rule, a line each.
    List {
        /// How the list is printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
    /// One rule, whole.
    Show {
        /// The rule's id.
        id: String,
    },
    /// What decided appeals ask of rules: a new version within 30 days of each that was wrong, and a trial for one that is overturned
    /// in more than a fifth of ten or more. Exit code 1: something is overdue or too often.
    #[command(after_help = "Examples:\n  capdex rules check\n  capdex rules check --format json")]
    Check {
        /// How it is printed.
        #[arg(long, value_enum, default_value_t = ListFormat::Table)]
        format: ListFormat,
    },
}

/// Options of `docs`.
#[derive(Debug, Args)]
pub struct DocsArgs {
    /// Where the manual goes.
    pub dir: PathBuf,
    /// Write nothing; exit with 1 when a page is missing or stale.
    #[arg(long)]
    pub check: bool,
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Labelled sets, one JSON object a line, gzip allowed: `case`, `label`, `subset`, `category` and `files` or `doc`.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Also write one verdict a line (`case`, `severity`, `findings`) to this file.
    #[arg(long, value_name = "FILE")]
    pub verdicts: Option<PathBuf>,
    /// Also write what each rule did into this file of figures, in place of what stood there about the same sets.
    #[arg(long, value_name = "FILE")]
    pub measure: Option<PathBuf>,
    /// Also write how many cases of each subset and source are flagged into this file of figures, in place of what stood
    /// there about the same sets.
    #[arg(long, value_name = "FILE")]
    pub detection: Option<PathBuf>,
    /// Print rates by subset and source alone: no case, no category, no rule. For sets that are measured and not read; what each
    /// rule did there, as a number, goes to the file of `--measure` alone.
    #[arg(long, conflicts_with = "verdicts")]
    pub rates_only: bool,
    /// How often each set is scanned; the best round counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
}

/// Options of `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{} has no example", command.get_name());
        }
    }
}
