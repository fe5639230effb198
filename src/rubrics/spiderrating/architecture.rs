//! The architecture score of 0 to 10 and the bonus that security gets from it.
//!
//! Reads the value of `measure-architecture`. Source: the public engine, version 0.3.4.

use serde::Deserialize;
use serde_json::Value;

use super::description::round;
use super::numbers::ENGINE;

/// The counts over the files.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Counts {
    pub(super) test_files: u64,
    pub(super) source_files: u64,
    pub(super) handling_files: u64,
    pub(super) readme_length: Option<u64>,
    pub(super) python_files: u64,
    pub(super) typed_python_files: u64,
    pub(super) typescript_files: u64,
    pub(super) dependency_files: u64,
    pub(super) environment_example: bool,
    pub(super) environment_documented: bool,
}

/// The bonus in points, 0 to 2, from the value of the measure.
pub(super) fn bonus_of(value: &Value) -> Option<f64> {
    Counts::deserialize(value).ok().map(|counts| bonus(score(&counts)))
}

/// The bonus for an architecture score.
pub(super) fn bonus(score: f64) -> f64 {
    let numbers = &ENGINE.architecture;
    (score / numbers.divisor).clamp(0.0, numbers.most)
}

/// The architecture score, one decimal.
pub(super) fn score(counts: &Counts) -> f64 {
    let numbers = &ENGINE.architecture;
    let total = step(&numbers.tests, counts.test_files)
        + share_step(&numbers.handling, numbers.handling_some, counts.handling_files, counts.source_files)
        + counts.readme_length.map_or(0.0, |length| step(&numbers.readme, length))
        + types(counts)
        + step(&numbers.dependency_files, counts.dependency_files)
        + environment(counts);
    // The engine rounds here, before the bonus is taken: rounding later gives other bonuses.
    round(total.min(10.0), 1)
}

fn types(counts: &Counts) -> f64 {
    let numbers = &ENGINE.architecture;
    // The engine takes TypeScript as typed; a file of Python beside it is measured by its own types.
    if counts.typescript_files > 0 && counts.python_files == 0 {
        return numbers.typescript;
    }
    share_step(&numbers.types, numbers.types_some, counts.typed_python_files, counts.python_files)
}

fn environment(counts: &Counts) -> f64 {
    let numbers = &ENGINE.architecture;
    match (counts.environment_example, counts.environment_documented) {
        (true, _) => numbers.environment_example,
        (false, true) => numbers.environment_documented,
        (false, false) => 0.0,
    }
}

fn step(steps: &[(u64, f64)], count: u64) -> f64 {
    // The steps stand highest first in the numbers file.
    steps.iter().find(|(least, _)| count >= *least).map_or(0.0, |(_, points)| *points)
}

fn share_step(steps: &[(f64, f64)], some: f64, part: u64, of: u64) -> f64 {
    // No source file is no share; without the check a division by zero would be infinite.
    if part == 0 || of == 0 {
        return 0.0;
    }
    let share = part as f64 / of as f64;
    steps.iter().find(|(least, _)| share >= *least).map_or(some, |(_, points)| *points)
}
