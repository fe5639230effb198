//! The table `sources`: how far each source was seen.

use std::collections::BTreeMap;

use capdex_db::{Reader, SourceCounts};
use serde_json::json;

use super::{Column, Emit, Integer, Rows, Table, Text, column};

pub(super) const TABLE: Table =
    Table { name: "sources", about: "how far one source was seen", columns: COLUMNS, rows: Rows::Stored(rows) };

const COLUMNS: &[Column] = &[
    column("source", Text, "its id"),
    column("last_complete", Text, "as_of of the night whose walk of it came to its end last; null before that"),
    column("last_whole", Text, "the same for a walk over all of it"),
    column("active", Integer, "listings that were there at the last visit"),
    column("gone", Integer, "listings that are no longer there"),
    column("failed", Integer, "listings that could not be read"),
    column("held", Integer, "listings that are missing and not taken as gone until somebody confirms it"),
    column("open_gaps", Integer, "things of it that could not be looked at: rows of gaps"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    let counts: BTreeMap<String, SourceCounts> =
        reader.source_counts()?.into_iter().map(|counts| (counts.source.clone(), counts)).collect();
    for state in reader.source_states()? {
        let counts = counts.get(&state.id).cloned().unwrap_or_default();
        emit(vec![
            json!(state.id),
            json!(state.last_completed),
            json!(state.last_whole),
            json!(counts.active),
            json!(counts.gone),
            json!(counts.failed),
            json!(state.held),
            json!(counts.open_gaps),
        ])?;
    }
    Ok(())
}
