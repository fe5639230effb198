//! Totals: how much the store holds.
//!
//! Counts only; nothing here is exported.

use crate::sql::{Cells, failed, first};
use crate::{Reader, StoreError};

/// The amounts that the store holds, history included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Listings of all sources and states.
    pub listings: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Blobs.
    pub blobs: u64,
    /// The size of the store's file in bytes, without what still waits in its log.
    pub stored_bytes: u64,
    /// Capabilities that were ever seen.
    pub capabilities: u64,
    /// Distinct sets of facts.
    pub facts: u64,
    /// Scores.
    pub scores: u64,
}

impl Reader {
    /// Counts what the store holds.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        const WHAT: &str = "count what the store holds";
        let conn = self.connection();
        let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(failed(conn, WHAT));
        let stored_bytes = number("page_count")?.saturating_mul(number("page_size")?).unsigned_abs();
        let sql = "SELECT (SELECT count(*) FROM listings), (SELECT count(*) FROM snapshots),
                          (SELECT count(*) FROM blobs), (SELECT count(*) FROM capabilities),
                          (SELECT count(*) FROM facts), (SELECT count(*) FROM scores)";
        let totals = first(conn, WHAT, sql, (), |row| {
            Ok(Totals {
                listings: row.count(0)?,
                snapshots: row.count(1)?,
                blobs: row.count(2)?,
                stored_bytes,
                capabilities: row.count(3)?,
                facts: row.count(4)?,
                scores: row.count(5)?,
            })
        })?;
        Ok(totals.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, scan_of};

    #[test]
    fn everything_is_counted() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        scan_of(&store, "a", "2", 2);
        let totals = store.reader().expect("opens").totals().expect("counts");
        assert!(totals.stored_bytes > 0);
        let expected = Totals {
            listings: 1,
            snapshots: 2,
            blobs: 2,
            stored_bytes: totals.stored_bytes,
            capabilities: 1,
            facts: 1,
            scores: 0,
        };
        assert_eq!(totals, expected);
    }
}
