//! The real binary against a hostile registry: every trick ends as a named gap, soon, in little memory, and without a
//! request to anybody who was not configured.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::capdex::Capdex;
use crate::support::hostile::{Hostile, Trick};

/// What a run may hold in memory at most.
const MAX_MEMORY_KB: u64 = 512 * 1024;
/// A run that is not over by then hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most memory that a process of this machine held so far; none where the system does not say.
fn peak_kb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Runs a night against a trick: the exit code and the most memory that it held.
fn night(capdex: &Capdex) -> (Option<i32>, u64) {
    let line = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-22T00:00:00Z"];
    watched(capdex.command(&line))
}

/// Runs a command whose output nobody reads: the exit code and the most memory that it held.
pub(crate) fn watched(mut command: Command) -> (Option<i32>, u64) {
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    let (begun, mut peak) = (Instant::now(), 0);
    loop {
        peak = peak.max(peak_kb(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return (status.code(), peak);
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("a child of ours");
            panic!("the run hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn gaps(capdex: &Capdex) -> Vec<String> {
    let status = capdex.run(&["status", "--format", "json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    status["gaps"].as_array().expect("gaps").iter().map(|gap| gap["reason"].as_str().expect("a word").into()).collect()
}

fn play(trick: Trick) {
    let hostile = Hostile::start(trick);
    let capdex = Capdex::offline();
    let schedule = format!(
        "name = \"hostile\"\n[http]\nmax_tries = 2\nbackoff_ms = 10\nidle_deadline_ms = 500\n\
         total_deadline_ms = 2000\n[sources.npm]\nbase_url = \"{}\"\nwatchlist = [\"victim\"]\n",
        hostile.url
    );
    capdex.write("schedule.toml", schedule);
    let (code, peak) = night(&capdex);
    assert!(matches!(code, Some(3 | 4)), "{trick:?} ended with {code:?}");
    assert!(!gaps(&capdex).is_empty(), "{trick:?} is a gap");
    assert!(peak < MAX_MEMORY_KB, "{trick:?} took {peak} kB");
    assert_eq!(hostile.canary_connections(), 0, "{trick:?} led to the canary");
}

#[test]
fn every_trick_of_a_hostile_registry_is_a_gap_and_nothing_else() {
    for tricks in Trick::ALL.chunks(4) {
        std::thread::scope(|scope| {
            let players: Vec<_> = tricks.iter().map(|trick| scope.spawn(|| play(*trick))).collect();
            for player in players {
                if let Err(panic) = player.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
    }
}
