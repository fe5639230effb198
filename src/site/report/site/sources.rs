//! Where listings come from, how far each walk came, and what could not be looked at.
//!
//! Reads the ledgers; must not judge them.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::time::AsOf;

/// One source.
#[derive(Clone, Debug)]
pub(crate) struct SourceRow {
    /// Its id.
    pub(crate) id: String,
    /// Listings that it ever had.
    pub(crate) listings: u64,
    /// Those that are there.
    pub(crate) active: u64,
    /// The last walk that came to its end.
    pub(crate) completed: Option<AsOf>,
    /// How the last walk ended, as a word; none before the first.
    pub(crate) outcome: Option<&'static str>,
    /// Listings that are missing and held back until a person has looked.
    pub(crate) held: u64,
}

/// How many open gaps have one reason, in one stage.
#[derive(Clone, Debug)]
pub(crate) struct GapCount {
    /// The stage.
    pub(crate) stage: String,
    /// The reason, a closed word.
    pub(crate) reason: &'static str,
    /// How many.
    pub(crate) count: u64,
    /// One of them: what was being looked at; untrusted.
    pub(crate) example: String,
    /// What was said of that one; untrusted.
    pub(crate) detail: String,
}

/// The sources, by id; those that were only ever skipped among them.
pub(super) fn load(reader: &Reader) -> anyhow::Result<Vec<SourceRow>> {
    let walks = reader.last_walks()?;
    let outcome = |id: &str| walks.iter().find(|walk| walk.source == id).map(|walk| walk.outcome.as_str());
    let mut rows = BTreeMap::new();
    for state in reader.source_states()? {
        let (active, listings) = reader.listing_counts(&state.id)?;
        let row = SourceRow {
            listings,
            active,
            completed: state.last_completed,
            outcome: outcome(&state.id),
            held: state.held,
            id: state.id,
        };
        rows.insert(row.id.clone(), row);
    }
    for walk in &walks {
        rows.entry(walk.source.clone()).or_insert_with(|| SourceRow {
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
    counts.sort_by_key(|gap| std::cmp::Reverse(gap.count));
    Ok(counts)
}
