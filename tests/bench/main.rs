//! `cargo bench --bench shapes`: how long the program takes for files of 5 MB that were made to be slow.
//!
//! Each shape is one input of one file; what is timed is the whole program, from start to exit, on one thread. It fails
//! where a shape takes longer than the bound. Timing stands here and in no test: the machine decides it.
//!
//! `cargo bench --bench shapes -- --bound 1.0 --rounds 3 quotes` times the shapes whose name holds `quotes`, takes the
//! best of three rounds of each, and fails above one second.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

mod shapes;

use shapes::{SHAPES, Shape};

/// What the command line asks for.
struct Options {
    bound: Duration,
    rounds: u32,
    names: Vec<String>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to time the shapes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { bound: Duration::from_secs(1), rounds: 1, names: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--bound" => options.bound = Duration::from_secs_f64(value()?.parse()?),
            "--rounds" => options.rounds = value()?.parse::<u32>()?.max(1),
            // Cargo says so to every benchmark.
            "--bench" => {}
            _ => options.names.push(word),
        }
    }
    Ok(options)
}

/// Times every shape that is asked for; whether all stay within the bound.
fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let mut over = Vec::new();
    let asked = |shape: &&Shape| options.names.is_empty() || options.names.iter().any(|name| shape.name.contains(name));
    for shape in SHAPES.iter().filter(asked) {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(shape.file);
        std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        std::fs::write(path, shape.bytes())?;
        let mut best = Duration::MAX;
        for _ in 0..options.rounds {
            best = best.min(scan(folder.path())?);
        }
        println!("{:24} {:8.3} s", shape.name, best.as_secs_f64());
        if best > options.bound {
            over.push(shape.name);
        }
    }
    let bound = options.bound.as_secs_f64();
    if !over.is_empty() {
        println!("{} over {bound} s: {}", over.len(), over.join(", "));
    }
    Ok(over.is_empty())
}

fn scan(folder: &Path) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_capdex"))
        .args(["--threads", "1", "scan", "--format", "jsonl"])
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let took = start.elapsed();
    // Any exit code but those of usage and crashes: findings and gaps have codes of their own.
    match status.code() {
        Some(0..=9) => Ok(took),
        _ => Err(format!("the scan ended with {status}").into()),
    }
}
