//! The verdict on a capability as of each of its scans: today's methods over the facts of that day.

use std::collections::BTreeMap;

use capdex_db::{CapabilityRevision, Reader};
use capdex_model::points::Points;
use capdex_model::score::{Score, Verdict};
use capdex_rubrics::{RUBRICS, verdict};

/// The newest scans of which it is worked out.
pub(crate) const NEWEST: usize = 50;

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

/// The verdict of a scan; none where its facts were pruned. Ages are measured against the instant of the scan, so that it is the
/// same on every later night.
///
/// # Errors
/// Errors of the store.
pub(crate) fn of(reader: &Reader, scan: &CapabilityRevision) -> anyhow::Result<Option<Past>> {
    let Some(facts) = reader.facts(&scan.facts)? else { return Ok(None) };
    let scores: Vec<Score> = RUBRICS.iter().map(|rubric| rubric.score(&facts, scan.scan_as_of)).collect();
    Ok(Some(Past { verdict: verdict(&scores, &scan.completeness), scores }))
}
