//! Questions of pages about one capability: its files, the listings that name its package, single events of drift.
//!
//! [`Reader::data_version`] tells when a page may be out of date.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::snapshot::FileEntry;
use rusqlite::Connection;
use serde::Deserialize;

use crate::sql::{Cells, failed, first, rows};
use crate::{DriftEvent, ListingState, Reader, SnapshotId, StoreError};

/// A listing that names a package, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamingListing {
    /// The source and the name there.
    pub key: ListingKey,
    /// Its state; gone also where it is there but does not name the package any more.
    pub state: ListingState,
}

/// What is read of a file's entry where its digest is not asked for.
#[derive(Deserialize)]
struct OnlySize {
    path: String,
    size_bytes: u64,
}

impl Reader {
    /// The files of a snapshot, sorted by path; empty for one that is unknown or could not be assessed.
    pub fn files_of(&self, snapshot: SnapshotId) -> Result<Vec<FileEntry>, StoreError> {
        let sql = "SELECT f.body FROM snapshots n JOIN json_documents f ON f.id = n.files WHERE n.id = ?1";
        let files = first(self.connection(), "read the files of a snapshot", sql, (snapshot.0,), |row| {
            row.packed(0, "files of a snapshot")
        })?;
        Ok(files.unwrap_or_default())
    }

    /// Paths and sizes of the files of a snapshot, sorted by path; empty for one that is unknown or could not be assessed.
    pub fn file_sizes(&self, snapshot: SnapshotId) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "SELECT f.body FROM snapshots n JOIN json_documents f ON f.id = n.files WHERE n.id = ?1";
        let files = first(self.connection(), "read the sizes of files", sql, (snapshot.0,), |row| {
            row.packed::<Vec<OnlySize>>(0, "files of a snapshot")
        })?;
        Ok(files.unwrap_or_default().into_iter().map(|file| (file.path, file.size_bytes)).collect())
    }

    /// The bytes of a blob where they are `most` at most; none where there are more or none are stored.
    pub fn small_blob(&self, digest: &Digest, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        // The size first, so that a large file is never unpacked to be left out.
        let sql = "SELECT size_bytes FROM blobs WHERE digest = ?1";
        let size = first(self.connection(), "look up a blob", sql, (digest.as_bytes(),), |row| row.count(0))?;
        if size.is_some_and(|size| size <= most) { self.blob(digest) } else { Ok(None) }
    }

    /// The listings that name a package, sorted by key, `most` at most.
    pub fn listings_naming(&self, identity: &str, most: u32) -> Result<Vec<NamingListing>, StoreError> {
        let sql = "SELECT l.source, l.name, l.state, e.named FROM identities i
                   JOIN listing_identities e ON e.identity = i.id
                   JOIN listings l ON l.id = e.listing
                   WHERE i.name = ?1 ORDER BY l.source, l.name LIMIT ?2";
        rows(self.connection(), "read who names a package", sql, (identity, most), |row| {
            let state = ListingState::of_word(&row.cell::<String>(2)?)?;
            let key = ListingKey { source: row.cell(0)?, name: row.cell(1)? };
            Ok(NamingListing { key, state: if row.cell(3)? { state } else { ListingState::Gone } })
        })
    }

    /// One event of drift by its key.
    pub fn drift_event(&self, key: &str) -> Result<Option<DriftEvent>, StoreError> {
        let sql = "SELECT body FROM drift_events WHERE name = ?1";
        first(self.connection(), "read a drift event", sql, (key,), |row| row.packed(0, "drift event"))
    }

    /// A number that is another one after any commit by anybody else, as long as this reader lives.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        // SQLite counts the commits of other connections alone, which are those that a cache cannot know of.
        let conn: &Connection = self.connection();
        conn.pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(failed(conn, "ask whether the store changed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, digest, gap, list, listing, scan_of};

    #[test]
    fn what_a_page_asks_of_a_package_is_answered() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        let reader = store.reader().expect("opens");
        let current = reader.current().expect("reads").remove(0);
        let files = reader.files_of(current.snapshot).expect("reads");
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, current.capability.files);
        let file = files.first().expect("a file");
        assert_eq!(reader.small_blob(&file.digest, 0).expect("reads"), None);
        assert_eq!(
            reader.small_blob(&file.digest, file.size_bytes).expect("reads"),
            reader.blob(&file.digest).expect("reads")
        );
        assert_eq!(reader.small_blob(&digest("none"), 9).expect("reads"), None);
        let naming = reader.listings_naming("npm:a", 9).expect("reads");
        assert_eq!(naming, [NamingListing { key: current.listing, state: ListingState::Active }]);
        assert_eq!(reader.listings_naming("npm:none", 9).expect("reads"), []);
    }

    #[test]
    fn a_commit_of_somebody_else_is_another_data_version() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        let before = reader.data_version().expect("reads");
        assert_eq!(reader.data_version().expect("reads"), before);
        store.write(|writer| writer.record_gap("fetch", "npm:a", &gap("a"), day(1))).expect("written");
        assert_ne!(reader.data_version().expect("reads"), before);
    }
}
