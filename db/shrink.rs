//! Making the file smaller after much was deleted: SQLite keeps freed pages for later unless it is told.
//!
//! New stores are made so that freed pages can be given back piece by piece; one of before is written anew once.

use rusqlite::Connection;

use crate::connection::{INCREMENTAL, make_shrinkable};
use crate::sql::{failed, rows};
use crate::store::Store;
use crate::{Reader, StoreError, Writer};

fn number(conn: &Connection, name: &'static str) -> Result<i64, StoreError> {
    conn.pragma_query_value(None, name, |row| row.get(0)).map_err(failed(conn, "measure the store"))
}

/// The pages of a file, in use and free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Bytes in the file.
    pub bytes: u64,
    /// Bytes among them that hold nothing.
    pub free_bytes: u64,
    /// True where those can be given back piece by piece; otherwise only by [`Store::rewrite`].
    pub is_incremental: bool,
}

impl Reader {
    /// The size of the file, and the part of it that holds nothing.
    pub fn pages(&self) -> Result<Pages, StoreError> {
        let conn = self.connection();
        let size = number(conn, "page_size")?;
        let bytes = |pages: i64| pages.saturating_mul(size).unsigned_abs();
        Ok(Pages {
            bytes: bytes(number(conn, "page_count")?),
            free_bytes: bytes(number(conn, "freelist_count")?),
            is_incremental: number(conn, "auto_vacuum")? == INCREMENTAL,
        })
    }
}

impl Writer<'_> {
    /// Gives up to 4096 freed pages back to the system; how many bytes are left to be given back. Changes nothing in a file
    /// that was not made for it.
    pub fn give_back(&self) -> Result<u64, StoreError> {
        let conn = self.connection();
        let before = number(conn, "freelist_count")?;
        // A row for each page: it must be read to its end.
        rows(conn, "give freed pages back", "PRAGMA incremental_vacuum(4096)", (), |_| Ok(()))?;
        let left = number(conn, "freelist_count")?;
        // A file that was not made for it frees nothing: the caller must not ask for ever.
        let is_stuck = left == before;
        Ok(if is_stuck { 0 } else { left.saturating_mul(number(conn, "page_size")?).unsigned_abs() })
    }
}

impl Store {
    /// Writes the whole file anew without what holds nothing, so that later freed pages can be given back piece by piece. Needs
    /// room for two more copies while it lasts, and nobody writes meanwhile.
    pub fn rewrite(&self) -> Result<(), StoreError> {
        self.outside_a_write(|conn| {
            // SQLite takes the setting over only as it writes the file anew.
            make_shrinkable(conn)?;
            conn.execute_batch("VACUUM").map_err(failed(conn, "write the store anew"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::Folder;
    use capdex_model::digest::Digest;

    fn fill(store: &Store) -> Vec<Digest> {
        let texts: Vec<String> = (0..400_u32).map(|number| format!("{number}").repeat(300)).collect();
        let digests = texts.iter().map(|text| Digest::of(text.as_bytes())).collect();
        let put = move |writer: &Writer<'_>| {
            texts.iter().try_for_each(|text| writer.put_blob(&Digest::of(text.as_bytes()), text.as_bytes()).map(drop))
        };
        store.write(put).expect("written");
        digests
    }

    #[test]
    fn freed_pages_are_given_back() {
        let folder = Folder::new();
        let store = folder.store();
        let blobs = fill(&store);
        let before = store.reader().expect("opens").pages().expect("measured");
        assert!(before.is_incremental, "{before:?}");
        assert_eq!(before.free_bytes, 0, "{before:?}");
        store.write(move |writer| writer.drop_blobs(&blobs)).expect("dropped");
        while store.write(|writer| writer.give_back()).expect("given back") > 0 {}
        let after = store.reader().expect("opens").pages().expect("measured");
        assert_eq!(after.free_bytes, 0, "{before:?} {after:?}");
        assert!(after.bytes < before.bytes, "{before:?} {after:?}");
        drop(store);
        assert_eq!(std::fs::metadata(folder.path()).expect("there").len(), after.bytes, "the file itself");
        assert_eq!(folder.store().reader().expect("opens").faults().expect("checked"), Vec::<String>::new());
    }

    #[test]
    fn a_store_of_before_is_written_anew_once() {
        let folder = Folder::new();
        drop(folder.store());
        folder.sql("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM");
        let store = folder.store();
        let blobs = fill(&store);
        store.write(move |writer| writer.drop_blobs(&blobs)).expect("dropped");
        assert_eq!(store.write(|writer| writer.give_back()).expect("asked"), 0, "it was not made for it");
        let before = store.reader().expect("opens").pages().expect("measured");
        assert!(!before.is_incremental, "{before:?}");
        assert!(before.free_bytes > 0, "{before:?}");
        store.rewrite().expect("written anew");
        let after = store.reader().expect("opens").pages().expect("measured");
        assert!(after.is_incremental, "{before:?} {after:?}");
        assert_eq!(after.free_bytes, 0, "{before:?} {after:?}");
        assert!(after.bytes < before.bytes, "{before:?} {after:?}");
    }
}
