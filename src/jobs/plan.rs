//! The cost of a run to come: requests, bytes and time, from what the store knows. Sends nothing.
//!
//! The store is only read, and need not exist.

use std::collections::BTreeMap;
use std::path::Path;

use super::list;
use crate::config::SourceRun;
use capdex_dataset::views::ledger::WalkReport;
use capdex_db::{Reader, StoreError, WalkOutcome, WalkRow};
use capdex_model::ids::ListingKey;
use capdex_model::time::AsOf;
use serde::Deserialize as _;

/// The mean size of a listing answer and of an artifact where the store knows none. Measured on the quick-start
/// packages, 2026-11-21.
const LISTING_BYTES: u64 = 250_000;
/// See [`LISTING_BYTES`].
const ARTIFACT_BYTES: u64 = 700_000;
/// Seconds that one exchange takes beside its bytes, and bytes a second. Measured like the sizes.
const EXCHANGE_S: f64 = 0.15;
/// See [`EXCHANGE_S`].
const BYTES_PER_S: f64 = 4_000_000.0;

/// The cost of one source. A directory that was never walked is of unknown size, which is not guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcePlan {
    /// The source.
    pub source: String,
    /// Its address.
    pub base_url: String,
    /// Entries to be listed; none for a directory that was never walked.
    pub listings: Option<u64>,
    /// Requests for listing and fetching together.
    pub requests: Option<u64>,
    /// Artifacts to fetch at most: names that the store holds nothing of. One request each.
    pub artifacts: u64,
    /// Bytes to expect.
    pub bytes: u64,
    /// Seconds to expect.
    pub seconds: f64,
    /// The requests after which the walk of one run stops; none without a budget.
    pub max_requests: Option<u64>,
}

impl SourcePlan {
    /// The runs that a walk takes within its budget, 1 at least. None without a budget, and where the size of the walk is not
    /// known. Requests for artifacts are no part of the walk.
    pub fn runs(&self) -> Option<u64> {
        let walk = self.requests?.saturating_sub(self.artifacts);
        // A budget of nothing would never end.
        self.max_requests.filter(|budget| *budget > 0).map(|budget| walk.div_ceil(budget).max(1))
    }
}

/// Plans every source. A store that does not exist yet is an empty one.
///
/// # Errors
/// A store that is there and cannot be read.
pub fn plan(db: &Path, sources: &BTreeMap<String, SourceRun>, at: AsOf) -> anyhow::Result<Vec<SourcePlan>> {
    // No store yet: the first run of an installation is the one that is planned most.
    let reader = match Reader::open(db, &capdex_rules::INDEX) {
        Ok(reader) => Some(reader),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let walks = reader.as_ref().map(Reader::last_walks).transpose()?.unwrap_or_default();
    let plan_one = |(id, run): (&String, &SourceRun)| {
        if list::is_directory(&run.kind) {
            // Only a whole walk tells what a whole walk costs.
            let last = walks.iter().find(|walk| walk.source == *id && walk.outcome == WalkOutcome::Complete);
            Ok(of_directory(id, run, last))
        } else {
            of_names(reader.as_ref(), id, run, at)
        }
    };
    sources.iter().map(plan_one).collect()
}

/// A directory costs what it cost last time.
fn of_directory(id: &str, run: &SourceRun, last: Option<&WalkRow>) -> SourcePlan {
    // A report that cannot be read is none: a plan is an estimate.
    let report = last.and_then(|walk| WalkReport::deserialize(&walk.report).ok());
    let bytes = report.as_ref().map_or(0, |report| report.bytes);
    let requests = report.as_ref().map(|report| report.requests);
    SourcePlan {
        source: id.to_owned(),
        base_url: run.settings.base_url.clone(),
        listings: report.as_ref().map(|report| report.listed),
        requests,
        artifacts: 0,
        bytes,
        seconds: seconds(requests.unwrap_or(0), bytes),
        max_requests: run.max_requests,
    }
}

fn of_names(reader: Option<&Reader>, id: &str, run: &SourceRun, at: AsOf) -> anyhow::Result<SourcePlan> {
    let names = list::planned(reader, id, run, at)?;
    let mut held = std::collections::BTreeSet::new();
    for name in &names {
        // A plan is also made where no store exists; then nothing is held.
        let Some(reader) = reader else { break };
        let stored = reader.listing(&ListingKey::new(id, name))?.and_then(|stored| stored.listing);
        let locators = stored.map(|listing| listing.locators).unwrap_or_default();
        // A store error reads as not held: a plan errs towards more cost.
        if !locators.is_empty() && locators.iter().all(|locator| reader.has_artifact(locator).unwrap_or(false)) {
            held.insert(name);
        }
    }
    let listings = u64::try_from(names.len())?;
    let artifacts = u64::try_from(names.iter().filter(|name| !held.contains(name)).count())?;
    // Local sources read files of this machine and send nothing.
    let is_local = list::is_local(&run.kind);
    let bytes = if is_local { 0 } else { listings * LISTING_BYTES + artifacts * ARTIFACT_BYTES };
    let requests = if is_local { 0 } else { listings + artifacts };
    Ok(SourcePlan {
        source: id.to_owned(),
        base_url: run.settings.base_url.clone(),
        listings: Some(listings),
        requests: Some(requests),
        artifacts,
        bytes,
        seconds: seconds(requests, bytes),
        max_requests: run.max_requests,
    })
}

fn seconds(requests: u64, bytes: u64) -> f64 {
    requests as f64 * EXCHANGE_S + bytes as f64 / BYTES_PER_S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_takes_as_many_runs_as_its_budget_needs() {
        let runs = |requests: Option<u64>, artifacts: u64, max_requests: Option<u64>| {
            let plan = SourcePlan {
                source: "npm".into(),
                base_url: String::new(),
                listings: requests,
                requests,
                artifacts,
                bytes: 0,
                seconds: 0.0,
                max_requests,
            };
            plan.runs()
        };
        assert_eq!(runs(Some(10), 0, Some(10)), Some(1));
        assert_eq!(runs(Some(11), 0, Some(10)), Some(2));
        assert_eq!(runs(Some(21), 11, Some(10)), Some(1), "artifacts are no part of the walk");
        assert_eq!(runs(Some(0), 0, Some(10)), Some(1));
        assert_eq!(runs(None, 0, Some(10)), None);
        assert_eq!(runs(Some(10), 0, None), None);
    }
}
