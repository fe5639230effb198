//! Two reports side by side, test by test.

use serde::Serialize;

use crate::Interval;
use crate::report::{Report, TestReport, TestVerdict};

/// The schema of a comparison.
pub const COMPARISON_SCHEMA: &str = "capdex.agent-comparison/1";

/// What two reports say beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// The pack of both.
    pub pack: String,
    /// The scores, the earlier first.
    pub scores: [Option<u32>; 2],
    /// The tests of both, by number.
    pub tests: Vec<TestChange>,
}

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestChange {
    /// The test.
    pub id: String,
    /// The verdicts, the earlier first.
    pub verdicts: [TestVerdict; 2],
    /// The intervals, the earlier first.
    pub intervals: [Option<Interval>; 2],
    /// True where the intervals do not overlap.
    pub is_changed: bool,
    /// True where it was not observed before and is now.
    pub is_regression: bool,
}

/// Compares two reports. Scores over packs are not comparable, so that both must be of the same one.
///
/// # Errors
/// Reports of different packs.
pub fn compare(before: &Report, after: &Report) -> Result<Comparison, String> {
    if before.run.pack_sha256 != after.run.pack_sha256 {
        return Err(format!("{} and {} are not the same pack", before.pack_name(), after.pack_name()));
    }
    let pairs = after
        .tests
        .iter()
        .filter_map(|new| before.tests.iter().find(|old| old.id == new.id).map(|old| change(old, new)));
    Ok(Comparison {
        schema: COMPARISON_SCHEMA,
        pack: after.pack_name(),
        scores: [before.score.value, after.score.value],
        tests: pairs.collect(),
    })
}

fn change(old: &TestReport, new: &TestReport) -> TestChange {
    let is_changed = old.interval.zip(new.interval).is_some_and(|(old, new)| old.is_apart_from(&new));
    TestChange {
        id: new.id.clone(),
        verdicts: [old.verdict, new.verdict],
        intervals: [old.interval, new.interval],
        is_changed,
        is_regression: old.verdict == TestVerdict::NotObserved && new.verdict == TestVerdict::Observed,
    }
}
