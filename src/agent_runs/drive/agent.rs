//! `DrivenAgent`: starts an agent in a home of its own, hands it each turn, and notes what it said.
//!
//! In a sandbox it reaches its mock servers and its model alone. Without one its mock servers are processes that its own client
//! starts, and whatever else it does on this machine is its own doing, which is why the operator has to allow it.

use std::fs::{self, File};
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use capdex_agent_scan::pack::{AgentTest, Pack};
use capdex_agent_scan::report::RunHead;
use capdex_agent_scan::transcript::{EndReason, Event};
use capdex_agent_scan::trial::TrialId;

use super::AgentProfile;
use super::home::Home;
use super::over_http;
use super::profile::ServerWay;
use super::sandbox::Sandbox;
#[cfg(unix)]
use super::{
    inside::SERVERS_PORT,
    offered::Offered,
    sockets::{self, ModelWay},
};
use crate::agent_runs::folder::RunFolder;
use crate::agent_runs::mock_server::MockServer;
use crate::shutdown::Shutdown;

/// The time between two looks at an agent that runs.
const LOOK: Duration = Duration::from_millis(50);
/// The most bytes of what an agent says in one turn.
const MAX_WORDS: u64 = 1 << 20;

/// The options of driving an agent.
#[derive(Clone)]
pub struct DriveOptions {
    /// Its profile.
    pub profile: AgentProfile,
    /// Its program.
    pub program: PathBuf,
    /// The address of its model.
    pub endpoint: String,
    /// The name of its model.
    pub model: String,
    /// The key of its model; empty where it wants none.
    pub key: String,
    /// The time that one turn may take.
    pub deadline: Duration,
    /// The sandbox that it runs in; none where the operator allows its own tools.
    pub sandbox: Option<Sandbox>,
    /// True where its mock servers are served over HTTP, false where its client starts them.
    pub is_over_http: bool,
}

/// An agent that is driven.
pub struct DrivenAgent {
    options: DriveOptions,
    capdex: PathBuf,
    signals: Shutdown,
}

/// The end of one start of an agent.
enum Turn {
    Said(String),
    Failed(EndReason, String),
    Interrupted,
}

impl DrivenAgent {
    /// Gets ready to drive an agent.
    ///
    /// # Errors
    /// When the system tells no path of this program, or gives no threads.
    pub fn new(options: DriveOptions) -> anyhow::Result<Self> {
        let capdex = std::env::current_exe().context("failed to find the path of capdex itself")?;
        Ok(Self { options, capdex, signals: Shutdown::listen()? })
    }

    /// True where somebody asked to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.signals.stop.is_asked()
    }

    /// Plays a trial. Gives how it ended; none where somebody asked to stop.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn play(
        &self,
        (pack, test): (&Pack, &AgentTest),
        (run, folder): (&RunHead, &RunFolder),
        id: &TrialId,
    ) -> anyhow::Result<Option<EndReason>> {
        // What a trial left that broke off is of no use: the agent has forgotten it.
        folder.forget(id)?;
        let first = test.server.first().map(|server| server.name.as_str()).unwrap_or_default();
        let trial = MockServer::new((pack, test), (run, folder), id.clone(), first);
        let home = Home::new()?;
        home.write(&format!("work/{}", self.options.profile.rules_file), &trial.operator_words()?)?;
        let servers: Vec<(String, MockServer<'_>)> = test
            .server
            .iter()
            .map(|server| {
                let mock = MockServer::new((pack, test), (run, folder), id.clone(), &server.name);
                (server.name.clone(), mock)
            })
            .collect();
        let driven = |over_http| self.in_place((&trial, &home), test, (folder, id), (&servers, over_http));
        let ended = match self.options.is_over_http {
            true => over_http::served(&servers, |address| driven(Some(address)))?,
            false => driven(None)?,
        };
        let Some((reason, detail)) = ended else { return Ok(None) };
        trial.note(Event::End { reason, detail })?;
        Ok(Some(reason))
    }

    /// Drives the agent in its sandbox, or in none.
    fn in_place(
        &self,
        (trial, home): (&MockServer<'_>, &Home),
        test: &AgentTest,
        (folder, id): (&RunFolder, &TrialId),
        (servers, over_http): (&[(String, MockServer<'_>)], Option<SocketAddr>),
    ) -> anyhow::Result<Option<(EndReason, String)>> {
        let asked = |base: &str| {
            let url = |name: &String| (name.clone(), ServerWay::Asked(format!("http://{base}/{name}")));
            servers.iter().map(|(name, _)| url(name)).collect::<Vec<_>>()
        };
        match &self.options.sandbox {
            #[cfg(unix)]
            Some(sandbox) => {
                let way = ModelWay::to(&self.options.endpoint)?;
                let hidden = fs::canonicalize(folder.path()).context("failed to find the folder of the run")?;
                let sandbox = Some((sandbox, hidden.as_path()));
                let place = Place { endpoint: &way.endpoint, environment: way.environment(), sandbox };
                let led = |(at, (name, _)): (usize, &(String, MockServer<'_>))| {
                    let socket = sockets::path_of(&home.sockets(), at).display().to_string();
                    let arguments = ["agent-scan", "inside", "connect", &socket].map(str::to_owned);
                    (name.clone(), ServerWay::Started(arguments.to_vec()))
                };
                let ways = match over_http {
                    Some(_) => asked(&format!("127.0.0.1:{SERVERS_PORT}")),
                    None => servers.iter().enumerate().map(led).collect(),
                };
                self.write_settings(home, &place, &ways)?;
                let offered = Offered::new(test);
                let turns = || self.turns(trial, test, home, &place);
                let ended = sockets::answered(&home.sockets(), (servers, over_http), (&way, &offered), turns)?;
                let names = offered.names();
                if ended.is_some() && !names.is_empty() {
                    trial.note(Event::OwnTools { names })?;
                }
                Ok(ended)
            }
            #[cfg(not(unix))]
            Some(_) => Ok(None),
            None => {
                let place = Place { endpoint: &self.options.endpoint, environment: Vec::new(), sandbox: None };
                let ways = match over_http {
                    Some(address) => asked(&address.to_string()),
                    None => started(test, folder, id)?,
                };
                self.write_settings(home, &place, &ways)?;
                self.turns(trial, test, home, &place)
            }
        }
    }

    /// Hands the agent all turns. Gives how it ended; none where somebody asked to stop.
    fn turns(
        &self,
        trial: &MockServer<'_>,
        test: &AgentTest,
        home: &Home,
        place: &Place<'_>,
    ) -> anyhow::Result<Option<(EndReason, String)>> {
        home.lay_down(&trial.home()?)?;
        let before = home.tree();
        let (mut end, mut session) = ((EndReason::Stop, String::new()), 0);
        for (number, turn) in (1..).zip(&test.turn) {
            let Some(task) = trial.turn(number)? else { break };
            let is_first = turn.session != session;
            session = turn.session;
            match self.start(home, place, &task, is_first)? {
                Turn::Said(words) => trial.note(Event::Assistant { text: words })?,
                Turn::Failed(reason, detail) => {
                    end = (reason, detail);
                    break;
                }
                Turn::Interrupted => return Ok(None),
            }
        }
        trial.note(before.became(&home.tree()))?;
        Ok(Some(end))
    }

    /// Writes the agent's settings: its model, and its servers with the way to each.
    fn write_settings(&self, home: &Home, place: &Place<'_>, servers: &[(String, ServerWay)]) -> anyhow::Result<()> {
        let servers = self.options.profile.servers(&self.capdex.display().to_string(), servers);
        let files = &self.options.profile.file;
        files
            .iter()
            .try_for_each(|file| home.write(&file.path, &self.filled(&file.text, place).replace("{servers}", &servers)))
    }

    fn filled(&self, text: &str, place: &Place<'_>) -> String {
        let DriveOptions { model, key, .. } = &self.options;
        text.replace("{endpoint}", place.endpoint).replace("{model}", model).replace("{key}", key)
    }

    /// Starts the agent with one turn, and waits for its end.
    fn start(&self, home: &Home, place: &Place<'_>, task: &str, is_first: bool) -> anyhow::Result<Turn> {
        let DriveOptions { profile, program, deadline, .. } = &self.options;
        let argv = if is_first { &profile.argv } else { &profile.next_argv };
        let said = home.said();
        let mut command = match place.sandbox {
            Some((sandbox, run)) => sandbox.command((&home.inside(), &home.sockets()), run, program),
            None => Command::new(program),
        };
        let filled =
            |argument: &String| if argument == "{task}" { task.to_owned() } else { self.filled(argument, place) };
        command
            .args(argv.iter().map(filled))
            .current_dir(home.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.inside())
            .env("TMPDIR", home.inside().join("tmp"))
            .envs(place.environment.iter().map(|(name, value)| (name, value)))
            .envs(profile.env.iter().map(|(name, value)| (name, self.filled(value, place))))
            .stdin(Stdio::null())
            .stdout(File::create(&said).context("failed to keep what the agent says")?)
            .stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("failed to start {}", program.display()))?;
        let mut waited = Duration::ZERO;
        let status = loop {
            if let Some(status) = child.try_wait().context("failed to wait for the agent")? {
                break status;
            }
            let is_over = waited >= *deadline;
            if is_over || self.is_asked_to_stop() {
                // It may have ended in between.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(if is_over { Turn::Failed(EndReason::Timeout, String::new()) } else { Turn::Interrupted });
            }
            self.signals.wait(LOOK);
            waited += LOOK;
        };
        if !status.success() {
            return Ok(Turn::Failed(EndReason::Transport, format!("the agent ended with {status}")));
        }
        let mut words = Vec::new();
        File::open(&said)
            .and_then(|file| file.take(MAX_WORDS).read_to_end(&mut words))
            .context("failed to read what the agent said")?;
        Ok(Turn::Said(String::from_utf8_lossy(&words).into_owned()))
    }
}

/// Where an agent is started.
struct Place<'a> {
    /// The address of its model, as it is reached from there.
    endpoint: &'a str,
    /// What stands in its environment besides.
    environment: Vec<(&'static str, String)>,
    /// The sandbox, and the folder of the run, which it hides.
    sandbox: Option<(&'a Sandbox, &'a Path)>,
}

/// The servers of a test with the arguments by which an agent without a sandbox starts each.
fn started(test: &AgentTest, folder: &RunFolder, id: &TrialId) -> anyhow::Result<Vec<(String, ServerWay)>> {
    let out = fs::canonicalize(folder.path()).context("failed to find the folder of the run")?;
    let number = id.number.to_string();
    let arguments = |server: &str| {
        let named = ["agent-scan", "serve", "--test", &id.test, "--server", server, "--trial", &number, "--out"];
        let mut all: Vec<String> = named.into_iter().map(str::to_owned).collect();
        all.push(out.display().to_string());
        all.extend(id.is_twin.then(|| "--twin".to_owned()));
        ServerWay::Started(all)
    };
    Ok(test.server.iter().map(|server| (server.name.clone(), arguments(&server.name))).collect())
}
