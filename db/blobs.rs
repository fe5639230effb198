//! Blobs: the bytes of files by content address, each stored once as a zstd frame.
//!
//! Bytes that come out are checked against their address.

use capdex_model::digest::Digest;
use rusqlite::Connection;

use crate::sql::{Cells, execute, first, id_of};
use crate::{Reader, StoreError, Writer};

/// The largest blob that is stored or read back. Far above any cap of the unpacker, it bounds what a prepared file can
/// make a reader allocate.
pub const MAX_BLOB_BYTES: u64 = 256 << 20;
/// Level 3: 144 MB/s of text, 2.7 times smaller (measured on one core).
const LEVEL: i32 = 3;

impl Writer<'_> {
    /// Stores bytes under their digest; false if they were there. [`StoreError::Refused`] for more than
    /// [`MAX_BLOB_BYTES`] and for bytes that do not have that digest.
    pub fn put_blob(&self, digest: &Digest, bytes: &[u8]) -> Result<bool, StoreError> {
        const WHAT: &str = "store a blob";
        let conn = self.connection();
        // Asked first: a file that is stored already is neither hashed nor packed again.
        if has_blob(conn, digest)? {
            return Ok(false);
        }
        let refused = |detail: String| StoreError::Refused { what: "blob", detail };
        if bytes.len() as u64 > MAX_BLOB_BYTES {
            return Err(refused(format!("{} bytes are more than {MAX_BLOB_BYTES}", bytes.len())));
        }
        // Under a wrong address they would pass for what some other snapshot fetched.
        if Digest::of(bytes) != *digest {
            return Err(refused(format!("its bytes are not those of {digest}")));
        }
        let size_bytes = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let body = zstd::bulk::compress(bytes, LEVEL).map_err(|error| refused(error.to_string()))?;
        let sql = "INSERT INTO blobs (digest, size_bytes, body) VALUES (?1, ?2, ?3)";
        execute(conn, WHAT, sql, (digest.as_bytes(), size_bytes, body))?;
        Ok(true)
    }
}

/// True where a blob is stored.
pub(crate) fn has_blob(conn: &Connection, digest: &Digest) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM blobs WHERE digest = ?1";
    Ok(id_of(conn, "look up a blob", sql, (digest.as_bytes(),))?.is_some())
}

/// The bytes of a blob, checked against their digest; none where it is not stored.
pub(crate) fn read_blob(conn: &Connection, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
    const WHAT: &str = "read a blob";
    let corrupt = |detail: String| StoreError::Corrupt { what: "blob", detail: format!("{digest}: {detail}") };
    // The lengths first: they stand in the row's header, so that a huge body is never loaded.
    let sizes = "SELECT id, size_bytes, length(body) FROM blobs WHERE digest = ?1";
    let found =
        first(conn, WHAT, sizes, (digest.as_bytes(),), |row| Ok((row.cell::<i64>(0)?, row.count(1)?, row.count(2)?)))?;
    let Some((id, size_bytes, stored_bytes)) = found else { return Ok(None) };
    // A frame of incompressible bytes is a little longer than they are, far less than twice as long.
    if size_bytes > MAX_BLOB_BYTES || stored_bytes > 2 * MAX_BLOB_BYTES {
        return Err(corrupt(format!("{size_bytes} bytes are more than {MAX_BLOB_BYTES}")));
    }
    let sql = "SELECT body FROM blobs WHERE id = ?1";
    let body: Option<Vec<u8>> = first(conn, WHAT, sql, (id,), |row| row.cell(0))?;
    // The stored size bounds the output, so that a frame that someone changed cannot unpack into more.
    let capacity = usize::try_from(size_bytes).unwrap_or(usize::MAX);
    let bytes =
        zstd::bulk::decompress(&body.unwrap_or_default(), capacity).map_err(|error| corrupt(error.to_string()))?;
    if Digest::of(&bytes) == *digest { Ok(Some(bytes)) } else { Err(corrupt("its bytes have another digest".into())) }
}

impl Reader {
    /// The bytes of a blob; none where it is not stored. [`StoreError::Corrupt`] where they do not have that digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        read_blob(self.connection(), digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::Folder;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_bytes_come_back_as_they_were(
            blobs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4096), 1..8),
            repeat in 0_usize..2000,
        ) {
            let folder = Folder::new();
            let store = folder.store();
            let mut blobs = blobs;
            blobs.push(b"the same line again\n".repeat(repeat));
            let put = blobs.clone();
            store.write(move |writer| {
                put.iter().try_for_each(|bytes| writer.put_blob(&Digest::of(bytes), bytes).map(drop))
            }).expect("written");
            let reader = store.reader().expect("opens");
            for bytes in blobs {
                prop_assert_eq!(reader.blob(&Digest::of(&bytes)).expect("reads"), Some(bytes));
            }
        }
    }

    #[test]
    fn a_blob_is_stored_once_and_small() {
        let folder = Folder::new();
        let store = folder.store();
        let bytes = vec![b'a'; 1 << 20];
        let digest = Digest::of(&bytes);
        let stored = store.write(move |writer| {
            assert!(writer.put_blob(&digest, &bytes)?);
            assert!(!writer.put_blob(&digest, &bytes)?);
            let sql = "SELECT count(*), sum(length(body)) FROM blobs";
            first(writer.connection(), "measure", sql, (), |row| Ok((row.cell::<i64>(0)?, row.cell::<i64>(1)?)))
        });
        let (count, length) = stored.expect("written").expect("a row");
        assert_eq!(count, 1, "{count} blobs of {length} bytes");
        assert!(length < 1_000, "{count} blobs of {length} bytes");
        assert_eq!(store.reader().expect("opens").blob(&Digest::of(b"other")).expect("reads"), None);
    }

    #[test]
    fn bytes_under_a_wrong_address_are_refused() {
        let folder = Folder::new();
        let result = folder.store().write(|writer| writer.put_blob(&Digest::of(b"a"), b"b"));
        assert!(matches!(result, Err(StoreError::Refused { what: "blob", .. })));
    }

    #[test]
    fn a_blob_that_someone_changed_is_corrupt() {
        let folder = Folder::new();
        let store = folder.store();
        let digest = Digest::of(b"what was fetched");
        store.write(move |writer| writer.put_blob(&digest, b"what was fetched")).expect("written");
        for sql in [
            "UPDATE blobs SET body = x'28b52ffd'",
            "UPDATE blobs SET body = x'28b52ffd200121000061'",
            "UPDATE blobs SET size_bytes = 268435457",
        ] {
            store.write(move |writer| execute(writer.connection(), "tamper", sql, ())).expect("tampered");
            let error = store.reader().expect("opens").blob(&digest).expect_err("noticed");
            assert!(matches!(error, StoreError::Corrupt { what: "blob", .. }), "{sql}: {error}");
        }
    }
}
