//! The daemon: what is due is run once, whoever dies and however many there are; a mistake in a schedule is told.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::packages;
use crate::rows::text;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

/// How long a test waits for a line. A due time comes every few seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running daemon whose lines are read as they come. Dropping it kills it.
pub(crate) struct Daemon {
    child: Child,
    lines: Receiver<String>,
}

impl Daemon {
    pub(crate) fn start(capdex: &Capdex) -> Self {
        let mut command = capdex.command(&["daemon", "--schedules", "schedules"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("the binary starts");
        let (tell, lines) = channel();
        let stdout = child.stdout.take().expect("piped");
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // The test may have seen enough.
                let _ = tell.send(line);
            }
        });
        Self { child, lines }
    }

    /// The next line that holds a word.
    pub(crate) fn line_with(&self, word: &str) -> String {
        self.line_within(word, PATIENCE)
    }

    /// The same, with another patience.
    pub(crate) fn line_within(&self, word: &str, patience: Duration) -> String {
        let begun = Instant::now();
        while let Some(left) = patience.checked_sub(begun.elapsed()) {
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(word) => return line,
                Ok(_) => (),
                Err(_) => break,
            }
        }
        panic!("the daemon never said {word:?}");
    }

    /// Kills it as the kernel would; what it said and nobody read.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("a child of ours can be killed");
        self.child.wait().expect("ends");
        self.lines.iter().collect()
    }

    /// Asks it to stop, as a service manager does; its exit code and the rest of its lines.
    pub(crate) fn stop(mut self) -> (Option<i32>, Vec<String>) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
        let status = self.child.wait().expect("ends");
        (status.code(), self.lines.iter().collect())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn with_schedule(registry: &Registry, timing: &str) -> Capdex {
    let capdex = Capdex::with(registry);
    let schedule = packages::everything().replacen('\n', &format!("\n[daemon]\n{timing}\n"), 1);
    capdex.write("schedules/s.toml", schedule);
    capdex
}

/// The due time that a line speaks of.
fn due(line: &str) -> &str {
    let (_, rest) = line.split_once("due ").expect("a due time");
    rest.split([',', ' ']).next().expect("a word")
}

fn status(capdex: &Capdex) -> Value {
    serde_json::from_str(&capdex.run(&["status", "--format", "json"]).stdout).expect("JSON")
}

#[test]
fn a_due_time_that_a_dead_daemon_missed_is_run_once() {
    let registry = packages::registry();
    let capdex = with_schedule(&registry, "cron = \"*/4 * * * * *\"");
    let daemon = Daemon::start(&capdex);
    daemon.line_with(": done, due");
    daemon.kill();
    let runs_before = status(&capdex)["runs"].as_array().map_or(0, Vec::len);
    // Over at least two due times nobody is there.
    thread::sleep(Duration::from_secs(9));
    let daemon = Daemon::start(&capdex);
    let caught_up = daemon.line_with("begun");
    assert!(caught_up.contains("missed time"), "{caught_up}");
    daemon.line_with(": done, due");
    let rest = daemon.kill();
    let begun = 1 + rest.iter().filter(|line| line.contains("begun")).count();
    let runs = status(&capdex)["runs"].as_array().map_or(0, Vec::len);
    // `status` shows the last ten.
    assert_eq!(runs.min(10), (runs_before + begun).min(10), "{rest:?}");
    assert!(rest.iter().filter(|line| line.contains("begun")).all(|line| due(line) > due(&caught_up)), "{rest:?}");
}

#[test]
fn a_run_that_was_killed_is_gone_on_with_and_answered_once() {
    let registry = packages::registry();
    // Due once, a few seconds from now, and then not again while the test runs.
    let capdex = with_schedule(&registry, "cron = \"*/20 * * * * *\"");
    let daemon = Daemon::start(&capdex);
    let begun = daemon.line_with("begun");
    daemon.kill();
    let daemon = Daemon::start(&capdex);
    let again = daemon.line_with("begun");
    let is_same = due(&again) == due(&begun);
    assert!(is_same && again.contains("try 2") || again.contains("missed time"), "{begun} / {again}");
    assert_eq!(due(&daemon.line_with(": done, due")), due(&again));
    let last = &status(&capdex)["daemon"][0]["last"];
    assert!(text(last, "outcome") == "done" || text(last, "due") > due(&again), "{last}");
}

#[test]
fn two_daemons_on_one_store_share_the_due_times() {
    let registry = packages::registry();
    let capdex = with_schedule(&registry, "cron = \"*/2 * * * * *\"");
    let daemons = [Daemon::start(&capdex), Daemon::start(&capdex)];
    let begun = Instant::now();
    let runs = || {
        let status: Value =
            serde_json::from_str(&capdex.run(&["status", "--format", "json"]).stdout).unwrap_or_default();
        status["runs"].as_array().map_or(0, Vec::len)
    };
    while runs() < 4 && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(500));
    }
    let lines: Vec<String> = daemons.into_iter().flat_map(Daemon::kill).collect();
    let begun: Vec<&str> = lines.iter().filter(|line| line.contains("begun")).map(|line| due(line)).collect();
    let distinct: BTreeSet<&str> = begun.iter().copied().collect();
    assert!(begun.len() >= 2, "{lines:#?}");
    assert!(begun.len() == distinct.len(), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("try 2")), "{lines:#?}");
}

#[test]
fn a_service_manager_stops_it_and_frees_the_store() {
    let registry = packages::registry();
    let capdex = with_schedule(&registry, "cron = \"*/5 * * * * *\"");
    let daemon = Daemon::start(&capdex);
    daemon.line_with("begun");
    let begun = Instant::now();
    let (code, rest) = daemon.stop();
    assert_eq!(code, Some(0), "{rest:?}");
    assert!(begun.elapsed() < PATIENCE, "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("stopped")), "{rest:?}");
    let ended = rest.iter().any(|line| line.contains(": left, due") || line.contains(": done, due"));
    assert!(ended, "a run is answered or left for the next: {rest:?}");
    let score = capdex.run(&["score"]);
    assert_eq!(score.code, Some(0), "the store is free: {}", score.stderr);
}

#[test]
fn a_mistake_is_refused_with_file_key_and_reason() {
    let registry = packages::registry();
    for (timing, key, reason) in [
        ("cron = \"30 2 * *\"", "daemon.cron", "4 fields"),
        ("cron = \"30 25 * * *\"", "daemon.cron", "no cron expression"),
        ("cron = \"30 2 * * 1-5\"", "daemon.cron", "write MON"),
        ("cron = \"30 2 30 2 *\"", "daemon.cron", "names no time"),
        ("crom = \"30 2 * * *\"", "crom", "unknown key"),
        ("overlap = \"skip\"", "cron", "missing field"),
        ("cron = \"30 2 * * *\"\noverlap = \"both\"", "overlap", "unknown `both`"),
        ("cron = \"30 2 * * *\"\nbudget_minutes = 0", "daemon.budget_minutes", "needs some time"),
        ("cron = \"30 2 * * *\"\njitter_seconds = 100000", "daemon.jitter_seconds", "six hours"),
    ] {
        let capdex = with_schedule(&registry, timing);
        let run = capdex.run(&["daemon", "--schedules", "schedules"]);
        assert_eq!(run.code, Some(2), "{timing}: {}", run.stdout);
        for part in ["schedules/s.toml", key, reason] {
            assert!(run.stderr.contains(part), "{timing}: no {part} in {}", run.stderr);
        }
        assert!(!capdex.path().join("capdex.db").exists(), "nothing is made of a mistake");
    }
    let capdex = with_schedule(&registry, "cron = \"30 2 * * *\"");
    capdex.write("schedules/t.toml", std::fs::read(capdex.path().join("schedules/s.toml")).expect("reads"));
    let twice = capdex.run(&["daemon"]);
    assert_eq!(twice.code, Some(2), "{}", twice.stderr);
    assert!(twice.stderr.contains("schedules/t.toml: name:"), "{}", twice.stderr);
    let none = Capdex::offline();
    none.write("schedules/s.toml", packages::everything());
    assert!(none.run(&["daemon"]).stderr.contains("[daemon]"), "a folder in which nothing is ever due is a mistake");
}

#[test]
fn a_plan_says_when_each_schedule_runs_next_and_runs_nothing() {
    let capdex = with_schedule(&packages::registry(), "cron = \"30 2 * * *\"");
    let run = capdex.run(&["daemon", "--plan"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains("T02:30:00Z, from schedules/s.toml"), "{}", run.stdout);
    assert!(!capdex.path().join("capdex.db").exists());
}
