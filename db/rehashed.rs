//! Snapshots that can be fetched and hashed again, and when that was done last.
//!
//! Other bytes at the same address are a replaced artifact. The caller fetches and compares.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Locator;
use capdex_model::time::{AsOf, Timestamp};

use crate::sql::{Cells, execute, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// A current snapshot of a package that its source still lists, with an address to fetch it from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehashable {
    /// The snapshot.
    pub id: SnapshotId,
    /// The listing that speaks for it.
    pub key: ListingKey,
    /// The locator of its bytes.
    pub locator: Locator,
    /// The digest over its files.
    pub tree: Digest,
    /// `analysed` or `partial`: how far it could be read.
    pub state: String,
    /// When it was first met.
    pub fetched: AsOf,
    /// When it was hashed again last; none where it never was.
    pub hashed: Option<AsOf>,
}

impl Writer<'_> {
    /// Notes that the bytes of a snapshot were fetched and hashed again.
    pub fn rehashed(&self, snapshot: SnapshotId, at: AsOf) -> Result<(), StoreError> {
        let sql = "INSERT INTO rehashed (snapshot, at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = excluded.at";
        execute(self.connection(), "note a re-hash", sql, (snapshot.0, seconds(at))).map(drop)
    }
}

impl Reader {
    /// Every current snapshot that can be fetched again, in the order of the identities. It could be assessed, and its listing
    /// is there and names it. Snapshots that need no request are left out.
    pub fn rehashable(&self) -> Result<Vec<Rehashable>, StoreError> {
        // Inline text and folders come with the listing or the operator's disk: nobody can swap them behind an address.
        let sql = "SELECT n.id, l.source, l.name, n.locator, n.tree, n.state, n.at, h.at
                   FROM identities i
                   JOIN snapshots n ON n.id = i.snapshot
                   JOIN listings l ON l.id = i.listing
                   JOIN listing_identities e ON e.identity = i.id AND e.listing = l.id
                   LEFT JOIN rehashed h ON h.snapshot = n.id
                   WHERE n.state <> 'not_assessable' AND l.state = 'active' AND e.named = 1
                     AND json_extract(n.locator, '$.type') NOT IN ('inline', 'folder')
                   ORDER BY i.name";
        rows(self.connection(), "read what can be hashed again", sql, (), |row| {
            let hashed: Option<i64> = row.cell(7)?;
            Ok(Rehashable {
                id: SnapshotId(row.cell(0)?),
                key: ListingKey { source: row.cell(1)?, name: row.cell(2)? },
                locator: row.json(3, "locator")?,
                tree: row.digest(4)?,
                state: row.cell(5)?,
                fetched: row.as_of(6)?,
                hashed: hashed.map(|at| AsOf(Timestamp::from_unix_seconds(at))),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ListingState;
    use crate::fixtures::{Folder, day, key, list, listing, mark, not_assessable, record, scan_of};

    #[test]
    fn what_is_there_and_has_an_address_can_be_hashed_again() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b", "c"] {
            list(&store, &listing(name, "1"), 1);
        }
        let a = scan_of(&store, "a", "1", 1);
        scan_of(&store, "b", "1", 1);
        record(&store, "c", &not_assessable("c", "1", "no answer"), 1);
        mark(&store, &key("b"), ListingState::Gone, None, 2);
        let reader = store.reader().expect("opens");
        let found = reader.rehashable().expect("reads");
        assert_eq!(found.iter().map(|one| (one.id, one.hashed)).collect::<Vec<_>>(), [(a, None)]);
        store.write(move |writer| writer.rehashed(a, day(9))).expect("noted");
        assert_eq!(reader.rehashable().expect("reads")[0].hashed, Some(day(9)));
    }
}
