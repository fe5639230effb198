//! `DrivenAgent`: starts an agent in a home of its own, hands it each turn, and notes what it said.
//!
//! Its mock servers are processes that its own client starts; they write into the same transcript. Whatever else the agent does on
//! this machine is its own doing, which is why the operator has to allow it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use capdex_agent_scan::pack::{AgentTest, Pack};
use capdex_agent_scan::report::RunHead;
use capdex_agent_scan::transcript::{EndReason, Event};
use capdex_agent_scan::trial::TrialId;
use capdex_dataset::output_folder::scratch;

use super::AgentProfile;
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
        let rules = trial.operator_words()?;
        fs::write(home.work().join(&self.options.profile.rules_file), rules).context("failed to write the rules")?;
        self.write_settings(&home, test, folder, id)?;
        let (mut end, mut session) = ((EndReason::Stop, String::new()), 0);
        for (number, turn) in (1..).zip(&test.turn) {
            let Some(task) = trial.turn(number)? else { break };
            let is_first = turn.session != session;
            session = turn.session;
            match self.start(&home, &task, is_first)? {
                Turn::Said(words) => trial.note(Event::Assistant { text: words })?,
                Turn::Failed(reason, detail) => {
                    end = (reason, detail);
                    break;
                }
                Turn::Interrupted => return Ok(None),
            }
        }
        trial.note(Event::End { reason: end.0, detail: end.1 })?;
        Ok(Some(end.0))
    }

    fn write_settings(&self, home: &Home, test: &AgentTest, folder: &RunFolder, id: &TrialId) -> anyhow::Result<()> {
        let out = fs::canonicalize(folder.path()).context("failed to find the folder of the run")?;
        let number = id.number.to_string();
        let arguments = |server: &str| {
            let named = ["agent-scan", "serve", "--test", &id.test, "--server", server, "--trial", &number, "--out"];
            let mut all: Vec<String> = named.into_iter().map(str::to_owned).collect();
            all.push(out.display().to_string());
            all.extend(id.is_twin.then(|| "--twin".to_owned()));
            all
        };
        let servers: Vec<(String, Vec<String>)> =
            test.server.iter().map(|server| (server.name.clone(), arguments(&server.name))).collect();
        let servers = self.options.profile.servers(&self.capdex.display().to_string(), &servers);
        for file in &self.options.profile.file {
            let path = home.0.join(&file.path);
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&path, self.filled(&file.text).replace("{servers}", &servers)))
                .with_context(|| format!("failed to write {}", file.path))?;
        }
        Ok(())
    }

    fn filled(&self, text: &str) -> String {
        let DriveOptions { endpoint, model, key, .. } = &self.options;
        text.replace("{endpoint}", endpoint).replace("{model}", model).replace("{key}", key)
    }

    /// Starts the agent with one turn, and waits for its end.
    fn start(&self, home: &Home, task: &str, is_first: bool) -> anyhow::Result<Turn> {
        let DriveOptions { profile, program, deadline, .. } = &self.options;
        let argv = if is_first { &profile.argv } else { &profile.next_argv };
        let said = home.0.join("said");
        let mut command = Command::new(program);
        command
            .args(
                argv.iter().map(|argument| if argument == "{task}" { task.to_owned() } else { self.filled(argument) }),
            )
            .current_dir(home.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home.0)
            .envs(profile.env.iter().map(|(name, value)| (name, self.filled(value))))
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

/// A home for one trial, which is gone afterwards.
struct Home(PathBuf);

impl Home {
    fn new() -> anyhow::Result<Self> {
        let home = std::env::temp_dir().join(scratch::random_name());
        // A folder that is there already is somebody else's.
        fs::create_dir(&home).and_then(|()| fs::create_dir(home.join("work"))).context("failed to make a home")?;
        Ok(Self(home))
    }

    fn work(&self) -> PathBuf {
        self.0.join("work")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What is left of it lies in the system's folder for what may be lost.
        let _ = fs::remove_dir_all(&self.0);
    }
}
