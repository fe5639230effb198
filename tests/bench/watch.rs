//! `cargo bench --bench watch`: what the passes over the whole corpus cost, by the name of the pass.
//!
//! `cargo bench --bench watch -- lookalikes` runs one of them, and `-- lookalikes 100000` with another number.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::process::ExitCode;

mod clones;
mod lookalikes;

/// A benchmark: its name and what runs it, with a number where one was given; false where a bar was missed.
type Bench = (&'static str, fn(Option<usize>) -> bool);

const BENCHES: &[Bench] = &[("clones", clones::run), ("lookalikes", lookalikes::run)];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = words.get(1).and_then(|word| word.parse().ok());
    let asked: Vec<&Bench> = BENCHES.iter().filter(|(name, _)| words.first().is_none_or(|word| word == name)).collect();
    if asked.is_empty() {
        let names: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        eprintln!("there is no such benchmark; there are {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    let held = asked.iter().filter(|(_, run)| run(number)).count();
    if held == asked.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
