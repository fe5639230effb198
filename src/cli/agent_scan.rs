//! The options of `agent-scan`.
//!
//! Must not know what a command does.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use capdex_agent_scan::canary::RunSeed;
use capdex_rubrics::agentscore::screen::ScreenDecision;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};

use super::{ListFormat, WaitArgs};
use crate::agent_runs::drive::PROFILES;
use crate::agent_runs::fail_on::AgentThreshold;
use crate::agent_runs::formats::AgentFormat;

/// What to do with an agent.
#[derive(Debug, Subcommand)]
pub enum AgentScanCommand {
    /// Play the tests with a model behind a chat endpoint, and grade what it did. Run again, it goes on where it was.
    #[command(
        after_help = "Examples:\n  capdex agent-scan run --endpoint http://127.0.0.1:8080/v1 --model my-model --out runs/my-model\n  capdex agent-scan run --endpoint https://model.example/v1 --model m --key-env MODEL_KEY --out runs/m --fail-on severity:high\n  capdex agent-scan run --endpoint http://127.0.0.1:8080/v1 --model m --tests 06,09 --trials 10 --out runs/two\n  capdex agent-scan run --drive codex --endpoint http://127.0.0.1:8080/v1 --model m --out runs/codex\n\nExit codes: 0 done, 1 threshold met, 2 wrong usage, 3 tests that say nothing, 4 the endpoint does not answer,\n130 interrupted; all finished trials are kept."
    )]
    Run(AgentRunArgs),
    /// The mock servers of one trial, for an agent with a client of its own: one over standard input and output, or all over HTTP.
    #[command(
        after_help = "Examples:\n  capdex agent-scan serve --test return-recipient --out runs/mine\n  capdex agent-scan serve --test cross-relay --server post --out runs/mine --trial 2\n  capdex agent-scan serve --test return-recipient --out runs/mine --task 1     the words to give the agent\n  capdex agent-scan serve --test cross-relay --out runs/mine --listen 127.0.0.1:8090\n  capdex agent-scan grade runs/mine\n\nGive the agent's client one server for each that the test names, then give the agent the words of each turn."
    )]
    Serve(AgentServeArgs),
    /// Grade the transcripts of a run again, or transcripts that were handed in, which are never scored.
    #[command(
        after_help = "Examples:\n  capdex agent-scan grade runs/my-model --format markdown\n  capdex agent-scan grade --transcript handed-in.jsonl"
    )]
    Grade(AgentGradeArgs),
    /// Keep a run in the store, with its transcripts. Kept twice it is there once; nothing of it is published by that.
    #[command(after_help = "Example:\n  capdex agent-scan keep runs/my-model --db night.db")]
    Keep(AgentKeepArgs),
    /// The runs that were kept, or the report of one, graded again from its transcripts.
    #[command(
        after_help = "Examples:\n  capdex agent-scan kept\n  capdex agent-scan kept S-0123456789abcdef --format markdown"
    )]
    Kept(AgentKeptArgs),
    /// Let exports carry what a kept run came to, with the digests of its transcripts, and take that back.
    #[command(
        after_help = "Examples:\n  capdex agent-scan publish S-0123456789abcdef\n  capdex agent-scan publish S-0123456789abcdef --withdraw\n\nTranscripts are in no export but one with private columns (capdex export --private)."
    )]
    Publish(AgentPublishArgs),
    /// The part of capdex that runs in the sandbox of an agent. It is started by `run --drive`.
    #[cfg(unix)]
    #[command(hide = true)]
    Inside(AgentInsideArgs),
    /// Prove the pack without any model: agents that obey, that are careful, that refuse and that are broken.
    #[command(after_help = "Example:\n  capdex agent-scan check")]
    Check(AgentCheckArgs),
    /// The packs and their tests.
    #[command(after_help = "Examples:\n  capdex agent-scan packs\n  capdex agent-scan packs --format json")]
    Packs(AgentPacksArgs),
    /// What AgentScore asks of an agent, from one request in which it describes itself: deployer, model, code, abuse, permissions and
    /// deployment, with its fail-closed decision.
    #[command(
        after_help = "Examples:\n  capdex agent-scan screen agent.json\n  capdex agent-scan screen agent.json --offline --format json\n  capdex agent-scan screen agent.json --fail-on caution\n\nA request:\n  {\"schema\": \"capdex.agent-screen/1\", \"agent\": \"forecaster\", \"purpose\": \"answers questions about the weather\",\n   \"deployer\": \"acme\", \"model\": {\"name\": \"claude-sonnet-4-5\", \"provider\": \"anthropic\"}, \"code\": \"github:acme/forecaster\",\n   \"tools\": [\"get_forecast\"], \"deployment\": {\"transport\": \"stdio\", \"origin\": \"local\", \"human_in_loop\": true,\n   \"orchestration\": false, \"persistence\": false}}\n\nExit codes: 0 done, 1 threshold met, 2 wrong usage, 3 insufficient data or code that could not be looked at."
    )]
    Screen(AgentScreenArgs),
    /// Two reports of one pack side by side; a rate has changed where the intervals do not overlap.
    #[command(after_help = "Example:\n  capdex agent-scan compare runs/before/report.json runs/after/report.json")]
    Compare(AgentCompareArgs),
}

/// Options of `agent-scan run`.
#[derive(Debug, Args)]
pub struct AgentRunArgs {
    /// The address of Chat Completions, up to `/v1` or with the whole path.
    #[arg(long, value_name = "URL")]
    pub endpoint: String,
    /// The model to ask for.
    #[arg(long, value_name = "NAME")]
    pub model: String,
    /// The variable of the environment that holds the key.
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// The folder of the run: transcripts and report.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Trials of each attack.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trials: u32,
    /// Trials of each harmless twin.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub twins: u32,
    /// Only these tests, by number or name. A part of a pack has no score.
    #[arg(long, value_name = "TESTS", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// The seed of the marks, 64 hex digits (default: chance, kept in the run).
    #[arg(long, value_name = "HEX")]
    pub seed: Option<RunSeed>,
    /// The temperature to ask for (default: the endpoint's own).
    #[arg(long, value_name = "T", value_parser = temperature, conflicts_with = "drive")]
    pub temperature: Option<f64>,
    /// The most tokens of one answer (default: the endpoint's own).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "drive")]
    pub max_tokens: Option<u32>,
    /// Start this agent for each turn, with the mock servers in its settings, in place of asking the model in a loop of our own. It
    /// asks the model at --endpoint itself, in the way it always does, and runs in a sandbox (bubblewrap): no network but to that
    /// model, a home of its own, and nothing else that it may write.
    #[arg(long, value_name = "PROFILE", value_parser = PossibleValuesParser::new(PROFILES))]
    pub drive: Option<String>,
    /// The program of the agent (default: as its profile says, by the PATH).
    #[arg(long, value_name = "PATH", requires = "drive")]
    pub program: Option<PathBuf>,
    /// How the mock servers of an agent that is started are reached: its client starts them, or asks them over HTTP, where there are no
    /// forms and no questions.
    #[arg(long, value_enum, value_name = "WAY", default_value_t = ServedOver::Stdio, requires = "drive")]
    pub servers: ServedOver,
    /// Start the agent without a sandbox: what it does with tools of its own it does as you, with your rights. Do this on a machine
    /// that may be lost.
    #[arg(long, requires = "drive")]
    pub allow_own_tools: bool,
    /// Seconds that one answer, or one turn of an agent that is started, may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// How it is printed.
    #[command(flatten)]
    pub report: AgentReportArgs,
}

/// The way to mock servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServedOver {
    /// Standard input and output.
    Stdio,
    /// HTTP on loopback.
    Http,
}

/// How a report is printed, and what it leads to.
#[derive(Debug, Args)]
pub struct AgentReportArgs {
    /// How the report is printed.
    #[arg(long, value_enum, default_value_t = AgentFormat::Table)]
    pub format: AgentFormat,
    /// Exit with 1 where an observed test has this severity (severity:high), the score is lower (score:80), or a test is observed
    /// that was not in an earlier report (regression:report.json). May be given several times.
    #[arg(long, value_name = "THRESHOLD")]
    pub fail_on: Vec<AgentThreshold>,
}

/// Options of `agent-scan serve`.
#[derive(Debug, Args)]
pub struct AgentServeArgs {
    /// The test, by number or name.
    #[arg(long, value_name = "TEST")]
    pub test: String,
    /// The server of the test; it may be left out where the test has one.
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Serve all servers of the test over HTTP on this address of loopback, each at its name, until asked to stop. Port 0 is any.
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["server", "task"])]
    pub listen: Option<SocketAddr>,
    /// The folder of the run.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The number of the trial.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trial: u32,
    /// Serve the harmless twin.
    #[arg(long)]
    pub twin: bool,
    /// The seed of the marks of a new run (default: chance).
    #[arg(long, value_name = "HEX")]
    pub seed: Option<RunSeed>,
    /// Print the words of this turn of the user, note that they were given, and serve nothing.
    #[arg(long, value_name = "TURN", conflicts_with = "server")]
    pub task: Option<usize>,
}

/// Options of `agent-scan grade`.
#[derive(Debug, Args)]
pub struct AgentGradeArgs {
    /// The folder of a run.
    #[arg(value_name = "DIR", required_unless_present = "transcript", conflicts_with = "transcript")]
    pub run: Option<PathBuf>,
    /// Transcripts that were handed in, one file.
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// How it is printed.
    #[command(flatten)]
    pub report: AgentReportArgs,
}

/// Options of `agent-scan keep`.
#[derive(Debug, Args)]
pub struct AgentKeepArgs {
    /// The folder of the run.
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `agent-scan kept`.
#[derive(Debug, Args)]
pub struct AgentKeptArgs {
    /// The run whose report is printed (default: the list of all).
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// How it is printed. The list has a table and json.
    #[command(flatten)]
    pub report: AgentReportArgs,
}

/// Options of `agent-scan publish`.
#[derive(Debug, Args)]
pub struct AgentPublishArgs {
    /// The run.
    #[arg(value_name = "RUN")]
    pub run: String,
    /// No further export carries it.
    #[arg(long)]
    pub withdraw: bool,
    #[command(flatten)]
    pub waiting: WaitArgs,
}

/// Options of `agent-scan inside`.
#[derive(Debug, Args)]
pub struct AgentInsideArgs {
    /// What it does there.
    pub part: SandboxPart,
    /// The folder of the sockets that lead out, or one socket.
    pub socket: PathBuf,
    /// The agent with its arguments.
    #[arg(last = true)]
    pub program: Vec<OsString>,
}

/// What capdex does in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SandboxPart {
    /// Listens, then becomes the agent.
    Start,
    /// Leads to the model.
    Listen,
    /// Leads to a mock server.
    Connect,
}

/// Options of `agent-scan check`.
#[derive(Debug, Args)]
pub struct AgentCheckArgs {
    /// The seed of the marks (default: zeros).
    #[arg(long, value_name = "HEX")]
    pub seed: Option<RunSeed>,
}

/// Options of `agent-scan packs`.
#[derive(Debug, Args)]
pub struct AgentPacksArgs {
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Options of `agent-scan screen`.
#[derive(Debug, Args)]
pub struct AgentScreenArgs {
    /// The request, a JSON file.
    #[arg(value_name = "FILE")]
    pub request: PathBuf,
    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t = ScreenFormat::Table)]
    pub format: ScreenFormat,
    /// Exit with 1 where the decision is this or stricter.
    #[arg(long, value_enum, value_name = "DECISION")]
    pub fail_on: Option<ScreenThreshold>,
    /// Ask nobody: code that is not in the store is not looked at.
    #[arg(long)]
    pub offline: bool,
    /// A schedule whose registries are asked for the code, such as a company's own.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// How the answer of `agent-scan screen` is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScreenFormat {
    /// For people.
    Table,
    /// One document.
    Json,
}

/// The decision from which `agent-scan screen` ends with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScreenThreshold {
    /// Too little is known, a person looks first, or it is kept out.
    InsufficientData,
    /// A person looks first, or it is kept out.
    Caution,
    /// It is kept out.
    Block,
}

impl ScreenThreshold {
    /// The mildest decision that meets it.
    pub const fn lowest(self) -> ScreenDecision {
        match self {
            Self::InsufficientData => ScreenDecision::InsufficientData,
            Self::Caution => ScreenDecision::Caution,
            Self::Block => ScreenDecision::Block,
        }
    }
}

/// Options of `agent-scan compare`.
#[derive(Debug, Args)]
pub struct AgentCompareArgs {
    /// The earlier report.
    pub before: PathBuf,
    /// The later report.
    pub after: PathBuf,
    /// How it is printed.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// A temperature as endpoints take it.
fn temperature(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| (0.0..=2.0).contains(value));
    value.ok_or_else(|| "a temperature is a number from 0 to 2".to_owned())
}
