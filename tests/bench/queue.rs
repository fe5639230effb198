//! `cargo bench --bench queue`: the CPU time of a claimed job, from 1,000 to 1,000,000 waiting jobs of one host and of 1,000.
//!
//! It asks as the fetch stage does: whenever the host of a completed job has room for another share, and every host with
//! less room is left out. What is measured is the whole process: claims, completions and their transactions. It fails where
//! a claimed job takes more than 0.2 ms; a debug build, in which SQLite is not optimised, may take several times that.
//!
//! `cargo bench --bench queue -- 1000 50000` measures other numbers of waiting jobs.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use capdex_db::{ClaimRequest, Job, Store};
use capdex_model::time::Timestamp;
use serde_json::Value;

#[expect(dead_code, reason = "nothing runs beside the queue, so its own time is all that is read")]
mod child;

/// What is claimed of a kind of job.
const KIND: &str = "fetch";
/// Waiting jobs, where the command line names none.
const WAITING: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Jobs enqueued in one transaction.
const BATCH: usize = 10_000;
/// Jobs claimed at once, those of one host, and those under way at once, as in the fetch stage.
const CLAIM: usize = 64;
const PER_HOST: usize = 8;
const WINDOW: usize = 4_096;
/// A measure ends after so many completed jobs, or after so long.
const JOBS: usize = 20_000;
const LONGEST: Duration = Duration::from_secs(30);
/// The most CPU time that a claimed job may take, in milliseconds.
const BOUND_MS: f64 = 0.2;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to time the queue: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line for each queue; whether all stay within the bound.
fn run() -> Result<bool, Box<dyn Error>> {
    let words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let asked: Vec<usize> = words.map(|word| word.parse()).collect::<Result<_, _>>()?;
    let waiting = if asked.is_empty() { WAITING.to_vec() } else { asked };
    let mut is_within = true;
    for hosts in [1, 1_000] {
        for waiting in &waiting {
            let folder = tempfile::tempdir()?;
            let store = Store::open(&folder.path().join("queue.db"), &capdex_rules::INDEX)?;
            let filling = cpu()?;
            fill(&store, *waiting, hosts)?;
            let filled = cpu()?;
            let done = work(&store)?;
            let ms = (cpu()? - filled).as_secs_f64() * 1_000.0 / done as f64;
            let enqueued_ms = (filled - filling).as_secs_f64() * 1_000.0 / *waiting as f64;
            println!(
                "{waiting:>9} waiting, hosts {hosts:>4}: {ms:.3} ms of CPU a claimed job ({done} jobs), {enqueued_ms:.3} ms an enqueued one"
            );
            is_within &= ms <= BOUND_MS;
        }
    }
    Ok(is_within)
}

/// The CPU time of this process so far.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    Ok(child::cpu("/proc/self").ok_or("/proc/self/stat cannot be read")?)
}

/// Enqueues so many jobs, host after host, as a directory lists them.
fn fill(store: &Store, waiting: usize, hosts: usize) -> Result<(), Box<dyn Error>> {
    let numbers: Vec<usize> = (0..waiting).collect();
    for batch in numbers.chunks(BATCH) {
        let batch = batch.to_vec();
        store.write(move |writer| {
            for number in batch {
                let (name, host) =
                    (format!("npm:package-{number}@1.0.0"), format!("host-{}.test:443", number * hosts / waiting));
                let payload = Value::from(name.clone());
                writer.enqueue(KIND, &name, &payload, Some(&host), Timestamp::from_unix_seconds(0))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Claims and completes jobs, in the order in which they were claimed; how many were completed.
fn work(store: &Store) -> Result<usize, Box<dyn Error>> {
    let (begun, mut done) = (Instant::now(), 0);
    let mut running: VecDeque<Job> = VecDeque::new();
    let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
    let mut has_room = true;
    while done < JOBS && begun.elapsed() < LONGEST {
        if has_room && running.len() + CLAIM <= WINDOW {
            let except: Vec<String> =
                hosts.iter().filter(|(_, count)| **count > PER_HOST).map(|(host, _)| host.clone()).collect();
            for job in claim(store, except)? {
                *hosts.entry(job.host.clone().unwrap_or_default()).or_default() += 1;
                running.push_back(job);
            }
        }
        let Some(job) = running.pop_front() else { break };
        let host = job.host.as_deref().unwrap_or_default();
        let left = hosts.get(host).map_or(0, |count| count - 1);
        has_room = left <= PER_HOST;
        match left {
            0 => drop(hosts.remove(host)),
            left => drop(hosts.insert(host.to_owned(), left)),
        }
        store.write(move |writer| writer.complete(job.id))?;
        done += 1;
    }
    Ok(done)
}

fn claim(store: &Store, except: Vec<String>) -> Result<Vec<Job>, Box<dyn Error>> {
    Ok(store.write(move |writer| {
        writer.claim(&ClaimRequest {
            kind: KIND,
            limit: CLAIM,
            per_host: PER_HOST,
            now: Timestamp::from_unix_seconds(1),
            lease_s: 3_600,
            except: &except,
        })
    })?)
}
