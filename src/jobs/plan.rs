//! What a run would cost: requests, bytes and time, from what the store knows. Sends nothing.
//!
//! Must not open the store for writing.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_crawlers::SourceSettings;
use capdex_db::{Reader, StoreError};

/// The mean size of a listing answer and of an artifact where the store knows none. Measured on the quick-start
/// packages, 2026-11-21.
const LISTING_BYTES: u64 = 250_000;
/// See [`LISTING_BYTES`].
const ARTIFACT_BYTES: u64 = 700_000;
/// Seconds that one exchange takes beside its bytes, and bytes a second. Measured like the sizes.
const EXCHANGE_S: f64 = 0.15;
/// See [`EXCHANGE_S`].
const BYTES_PER_S: f64 = 4_000_000.0;

/// What one source would cost.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcePlan {
    /// The source.
    pub source: String,
    /// Where it is.
    pub base_url: String,
    /// Names to ask for: one request each.
    pub listings: u64,
    /// Artifacts to fetch at most: names that the store holds nothing of. One request each.
    pub artifacts: u64,
    /// Bytes to expect.
    pub bytes: u64,
    /// Seconds to expect.
    pub seconds: f64,
}

/// Plans every source. A store that does not exist yet is an empty one.
///
/// # Errors
/// A store that is there and cannot be read.
pub fn plan(db: &Path, sources: &BTreeMap<String, SourceSettings>) -> anyhow::Result<Vec<SourcePlan>> {
    let reader = match Reader::open(db) {
        Ok(reader) => Some(reader),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    sources.iter().map(|(id, settings)| plan_one(reader.as_ref(), id, settings)).collect()
}

fn plan_one(reader: Option<&Reader>, id: &str, settings: &SourceSettings) -> anyhow::Result<SourcePlan> {
    let mut held = std::collections::BTreeSet::new();
    if let Some(reader) = reader {
        for stored in reader.listings(Some(id))? {
            let locators = stored.listing.map(|listing| listing.locators).unwrap_or_default();
            if !locators.is_empty() && locators.iter().all(|locator| reader.has_artifact(locator).unwrap_or(false)) {
                held.insert(stored.key.name);
            }
        }
    }
    let listings = u64::try_from(settings.watchlist.len())?;
    let artifacts = u64::try_from(settings.watchlist.iter().filter(|name| !held.contains(*name)).count())?;
    let is_local = id == "folder";
    let bytes = if is_local { 0 } else { listings * LISTING_BYTES + artifacts * ARTIFACT_BYTES };
    let requests = if is_local { 0 } else { listings + artifacts };
    Ok(SourcePlan {
        source: id.to_owned(),
        base_url: settings.base_url.clone(),
        listings,
        artifacts,
        bytes,
        seconds: requests as f64 * EXCHANGE_S + bytes as f64 / BYTES_PER_S,
    })
}
