//! The sources of listings, the progress of each walk, and what could not be looked at.
//!
//! The ledgers are read and not judged.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::time::AsOf;

/// One source.
#[derive(Clone, Debug)]
pub(crate) struct SourceSummary {
    /// Its id.
    pub(crate) id: String,
    /// Listings that it ever had.
    pub(crate) listings: u64,
    /// Those that are there.
    pub(crate) active: u64,
    /// The last walk that came to its end.
    pub(crate) completed: Option<AsOf>,
    /// The outcome of the last walk, as a word; none before the first.
    pub(crate) outcome: Option<&'static str>,
    /// Listings that are missing and held back until a person has looked.
    pub(crate) held: u64,
}

/// The number of open gaps that have one reason, in one stage.
#[derive(Clone, Debug)]
pub(crate) struct GapCount {
    /// The stage.
    pub(crate) stage: String,
    /// The reason, a closed word.
    pub(crate) reason: &'static str,
    /// Their number.
    pub(crate) count: u64,
    /// One of them: what was being looked at; untrusted.
    pub(crate) example: String,
    /// The detail of that one; untrusted.
    pub(crate) detail: String,
}

/// The sources, by id; those that were only ever skipped among them.
pub(super) fn load(reader: &Reader) -> anyhow::Result<Vec<SourceSummary>> {
    let walks = reader.last_walks()?;
    let outcome = |id: &str| walks.iter().find(|walk| walk.source == id).map(|walk| walk.outcome.as_str());
    let mut rows = BTreeMap::new();
    for state in reader.source_states()? {
        let (active, listings) = reader.listing_counts(&state.id)?;
        let row = SourceSummary {
            listings,
            active,
            completed: state.last_completed,
            outcome: outcome(&state.id),
            held: state.held,
            id: state.id,
        };
        rows.insert(row.id.clone(), row);
    }
    // Sources that were only ever skipped have a walk and no state; they must not be missing.
    for walk in &walks {
        rows.entry(walk.source.clone()).or_insert_with(|| SourceSummary {
            id: walk.source.clone(),
            listings: 0,
            active: 0,
            completed: None,
            outcome: Some(walk.outcome.as_str()),
            held: 0,
        });
    }
    Ok(rows.into_values().collect())
}

/// The open gaps, counted by stage and reason, the most frequent first.
pub(super) fn gaps(reader: &Reader) -> anyhow::Result<Vec<GapCount>> {
    let mut counts: BTreeMap<(String, &'static str), GapCount> = BTreeMap::new();
    for row in reader.gaps(true)? {
        let reason = row.gap.reason.as_str();
        // The first of a kind stands as the example; the ledger is sorted, so it is always the same.
        let known = counts.entry((row.stage.clone(), reason)).or_insert_with(|| GapCount {
            stage: row.stage,
            reason,
            count: 0,
            example: row.subject,
            detail: row.gap.detail,
        });
        known.count += 1;
    }
    let mut counts: Vec<GapCount> = counts.into_values().collect();
    // A stable sort keeps stage and reason as the order of equals.
    counts.sort_by_key(|gap| std::cmp::Reverse(gap.count));
    Ok(counts)
}
