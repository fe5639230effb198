//! `cargo bench --bench export`: how long `capdex export` and `capdex verify` take, and how much memory.
//!
//! Fills a store with the facts and scores of so many capabilities, no two with the same facts, and times both commands, the
//! whole program, from start to exit. Of each it prints wall time, CPU time of all its threads and the most memory that it
//! held. A store that is kept is filled once.
//!
//! `cargo bench --bench export -- --capabilities 20000 --threads 2 --keep target/export.db` times another number on so many
//! threads and keeps the store. `--format jsonl` writes one format alone.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use capdex_model::time::AsOf;

mod child;
mod stored;

/// What the command line asks for.
struct Options {
    capabilities: usize,
    threads: Option<String>,
    format: Option<String>,
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to time the export: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { capabilities: 250_000, threads: None, format: None, keep: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--capabilities" => options.capabilities = value()?.parse()?,
            "--threads" => options.threads = Some(value()?),
            "--format" => options.format = Some(value()?),
            "--keep" => options.keep = Some(PathBuf::from(value()?)),
            // Cargo says so to every benchmark.
            "--bench" => {}
            _ => return Err(format!("{word} is not known").into()),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let as_of: AsOf = "2026-11-21T00:00:00Z".parse()?;
    let folder = tempfile::tempdir()?;
    let path = options.keep.clone().unwrap_or_else(|| folder.path().join("capdex.db"));
    if !path.exists() {
        let scanned = stored::templates()?;
        let start = Instant::now();
        stored::fill(&path, &scanned, options.capabilities, as_of, |text| text)?;
        println!("{} capabilities stored in {:.1} s", options.capabilities, start.elapsed().as_secs_f64());
    }
    println!("store: {} MB", std::fs::metadata(&path)?.len() / 1_000_000);
    let out = folder.path().join("export");
    let mut export = capdex(options, &path);
    export.arg("export").arg(&out).args(options.format.iter().flat_map(|format| ["--format", format]));
    println!("export: {}", child::timed(&mut export)?);
    for entry in std::fs::read_dir(&out)? {
        let entry = entry?;
        let bytes = entry.metadata()?.len();
        if bytes > 1_000_000 {
            println!("  {} {} MB", entry.file_name().to_string_lossy(), bytes / 1_000_000);
        }
    }
    println!("verify: {}", child::timed(capdex(options, &path).arg("verify").arg(&out))?);
    Ok(())
}

fn capdex(options: &Options, store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capdex"));
    command.arg("--db").arg(store).args(options.threads.iter().flat_map(|threads| ["--threads", threads]));
    command
}
