//! Times the passes of the watch stage over made input of the size of all directories: the first argument names which.

#![expect(clippy::print_stderr, reason = "a benchmark says what went wrong")]

use std::process::ExitCode;

mod clones;

fn main() -> ExitCode {
    // Cargo says `--bench` to every benchmark.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (name, rest) = words.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    match name {
        "clones" => clones::run(rest),
        other => {
            eprintln!("there is no benchmark `{other}`; clones is one");
            ExitCode::FAILURE
        }
    }
}
