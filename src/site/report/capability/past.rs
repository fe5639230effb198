//! The verdict on a capability as of each of its scans: today's methods over the facts of that day.

use std::collections::BTreeMap;

use capdex_db::{CapabilityRevision, Reader};
use capdex_model::points::Points;
use capdex_model::score::{Score, Verdict};
use capdex_rubrics::{RUBRICS, verdict};

/// The newest scans of which it is worked out: what a stranger publishes often costs no more than that.
const NEWEST: usize = 50;

/// What is known of one scan.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    /// The verdict.
    pub(crate) verdict: Verdict,
    scores: Vec<Score>,
}

impl Past {
    /// The value of each method; null where it has none.
    pub(crate) fn values(&self) -> BTreeMap<String, Option<Points>> {
        self.scores.iter().map(|score| (score.rubric.id.to_string(), score.value)).collect()
    }
}

/// The verdict of each scan, which come oldest first; none of all but the newest, and of one whose facts were pruned.
///
/// # Errors
/// Errors of the store.
pub(crate) fn of_each(reader: &Reader, scans: &[CapabilityRevision]) -> anyhow::Result<Vec<Option<Past>>> {
    let older = scans.len().saturating_sub(NEWEST);
    scans.iter().enumerate().map(|(at, scan)| if at < older { Ok(None) } else { of(reader, scan) }).collect()
}

/// The verdict of a scan; none where its facts were pruned. Ages are measured against the instant of the scan, so that it is the
/// same on every later night.
///
/// # Errors
/// Errors of the store.
fn of(reader: &Reader, scan: &CapabilityRevision) -> anyhow::Result<Option<Past>> {
    let Some(facts) = reader.facts(&scan.facts)? else { return Ok(None) };
    let scores: Vec<Score> = RUBRICS.iter().map(|rubric| rubric.score(&facts, scan.scan_as_of)).collect();
    Ok(Some(Past { verdict: verdict(&scores, &scan.completeness), scores }))
}
