//! The table `sources`: how far each source was seen.

use std::collections::BTreeMap;

use capdex_db::{Reader, SourceCounts};
use capdex_model::time::AsOf;

use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// how far one source was seen
    table sources: stored(rows);
    pub(super) struct SourceRow {
        /// its id
        key source: String,
        /// as_of of the night whose walk of it came to its end last; null before that
        public last_complete: Option<AsOf>,
        /// the same for a walk over all of it
        public last_whole: Option<AsOf>,
        /// listings that were there at the last visit
        public active: u64,
        /// listings that are no longer there
        public gone: u64,
        /// listings that could not be read
        public failed: u64,
        /// listings that are missing and not taken as gone until somebody confirms it
        public held: u64,
        /// things of it that could not be looked at: rows of gaps
        public open_gaps: u64,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, SourceRow>) -> anyhow::Result<()> {
    let counts: BTreeMap<String, SourceCounts> =
        reader.source_counts()?.into_iter().map(|counts| (counts.source.clone(), counts)).collect();
    for state in reader.source_states()? {
        let counts = counts.get(&state.id).cloned().unwrap_or_default();
        emit(SourceRow {
            source: state.id,
            last_complete: state.last_completed,
            last_whole: state.last_whole,
            active: counts.active,
            gone: counts.gone,
            failed: counts.failed,
            held: state.held,
            open_gaps: counts.open_gaps,
        })?;
    }
    Ok(())
}
