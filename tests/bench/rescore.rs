//! `cargo bench --bench rescore`: how fast stored capabilities are scored again after a change of every rubric's text.
//!
//! Fills a store with the facts of so many capabilities and with their scores under an earlier text of each rubric, then
//! times `capdex score`, the whole program, from start to exit. The facts are those of real scans of the labelled sets
//! in `CAPDEX_DATA` (without it, of the rules' own examples), each varied so that no two capabilities share them.
//!
//! `cargo bench --bench rescore -- --capabilities 250000 --threads 2` times another number, on so many threads.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use capdex_db::Store;
use capdex_model::digest::Digest;
use capdex_model::score::RubricRef;
use capdex_model::time::AsOf;

mod stored;

/// What the command line asks for.
struct Options {
    capabilities: usize,
    threads: Option<String>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to time the scoring: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { capabilities: 100_000, threads: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--capabilities" => options.capabilities = value()?.parse()?,
            "--threads" => options.threads = Some(value()?),
            // Cargo says so to every benchmark.
            "--bench" => {}
            _ => return Err(format!("{word} is not known").into()),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let as_of: AsOf = "2026-11-21T00:00:00Z".parse()?;
    let scanned = stored::templates()?;
    println!("{} scanned capabilities to vary", scanned.len());
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("capdex.db");
    let start = Instant::now();
    stored::fill(&path, &scanned, options.capabilities, as_of, earlier)?;
    let bytes = std::fs::metadata(&path)?.len();
    println!(
        "{} capabilities stored in {:.1} s, {} MB with their earlier scores",
        options.capabilities,
        start.elapsed().as_secs_f64(),
        bytes / 1_000_000
    );
    let seconds = score(&path, options, as_of)?;
    let scores = Store::open(&path, &capdex_rules::INDEX)?.reader()?.totals()?.scores;
    println!(
        "scored again in {seconds:.1} s: {:.0} capabilities a minute ({scores} scores in the store)",
        options.capabilities as f64 / seconds * 60.0
    );
    let again = score(&path, options, as_of)?;
    println!("nothing left to score: {again:.1} s");
    Ok(())
}

/// Another text of a rubric.
fn earlier(rubric: RubricRef) -> RubricRef {
    RubricRef { version: "0".into(), text: Digest::of(b"an earlier text"), ..rubric }
}

/// Runs the one command; how many seconds it took.
fn score(path: &Path, options: &Options, as_of: AsOf) -> Result<f64, Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capdex"));
    command.arg("--db").arg(path).arg("--as-of").arg(as_of.to_string());
    command.args(options.threads.iter().flat_map(|threads| ["--threads", threads]));
    let start = Instant::now();
    let status = command.arg("score").status()?;
    let took = start.elapsed().as_secs_f64();
    if status.success() { Ok(took) } else { Err(format!("the command ended with {status}").into()) }
}
