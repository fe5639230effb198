//! The nights of the history: each in its own file, in their order, and the newest row of each capability is what the ranked table
//! says.
//!
//! What was published before cannot be computed again; the digest of its file vouches for it.

use std::collections::BTreeMap;

use super::recomputed::bytes;
use super::{Dataset, Verified};
use crate::export::print::Print;
use crate::export::tables::capabilities::ReadCapabilityRow;
use crate::export::tables::history::{ReadHistoryRow, state_of};

/// Compares both tables.
pub(super) fn check(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let nights = &dataset.manifest.nights;
    if !nights.is_sorted_by(|one, other| one < other) || nights.last() != Some(&dataset.manifest.as_of) {
        verified.differs("manifest.json: the nights of the history are not in order, or do not end with this one");
        return Ok(());
    }
    let mut last: BTreeMap<[u8; 32], Option<Print>> = BTreeMap::new();
    for (night, layout) in nights.iter().zip(dataset.manifest.nightly()) {
        let mut is_of_night = true;
        dataset.each_of(&layout, |row: ReadHistoryRow| {
            let id = bytes(row.capability.as_text());
            is_of_night &= row.as_of.as_timestamp() == Some(night.0) && id.is_some();
            last.extend(id.map(|id| (id, row.state())));
            Ok(())
        })?;
        if !is_of_night {
            let file = dataset.exporter.file_name(&layout.file);
            verified.differs(format!("{file}: a row has no id or is of another night than its file"));
        }
    }
    let (file, mut differing) = (dataset.file::<ReadCapabilityRow>(), Vec::new());
    dataset.each(|row: ReadCapabilityRow| {
        let known = bytes(row.capability.as_text()).and_then(|id| last.remove(&id)).flatten();
        if known != Some(state_of(&row)) {
            differing.push(row.slug.as_text().to_owned());
        }
        Ok(())
    })?;
    if let Some(first) = differing.first() {
        verified
            .differs(format!("{file}: the history says otherwise of {} of its rows, {first} first", differing.len()));
    }
    // Whatever is left is gone, and says so.
    let there = last.values().flatten().count();
    if there > 0 {
        verified.differs(format!("{file}: it lacks {there} capabilities that are not gone in the history"));
    }
    Ok(())
}
