//! Facts: what the rules said, stored once for each digest.
//!
//! Must not know which capabilities they are about: revisions do.

use capdex_core::digest::Digest;
use capdex_core::fact::Facts;
use capdex_core::time::AsOf;
use rusqlite::Connection;

use crate::documents::pack;
use crate::sql::{Cells, canonical, first, id_of, insert, seconds};
use crate::{Reader, StoreError};

/// Stores facts unless they are there; their id.
pub(crate) fn put_facts(conn: &Connection, facts: &Facts, at: AsOf) -> Result<i64, StoreError> {
    // Serialised once for the digest and the body: `Facts::digest` is the digest of this text.
    let text = canonical(facts)?;
    let digest = Digest::of(text.as_bytes());
    if let Some(id) = facts_id(conn, &digest)? {
        return Ok(id);
    }
    let sql = "INSERT INTO facts (digest, body, at) VALUES (?1, ?2, ?3)";
    insert(conn, "store facts", sql, (digest.as_bytes(), pack(text)?, seconds(at)))
}

/// The id of stored facts.
pub(crate) fn facts_id(conn: &Connection, digest: &Digest) -> Result<Option<i64>, StoreError> {
    id_of(conn, "look up facts", "SELECT id FROM facts WHERE digest = ?1", (digest.as_bytes(),))
}

impl Reader {
    /// The facts of a digest; none where they are not stored.
    pub fn facts(&self, digest: &Digest) -> Result<Option<Facts>, StoreError> {
        let sql = "SELECT body FROM facts WHERE digest = ?1";
        first(self.connection(), "read facts", sql, (digest.as_bytes(),), |row| row.packed(0, "facts"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, facts};

    #[test]
    fn facts_are_stored_once_under_their_own_digest() {
        let folder = Folder::new();
        let store = folder.store();
        let ids = store.write(|writer| {
            let put = |name, night| put_facts(writer.connection(), &facts(name), day(night));
            Ok([put("a", 1)?, put("b", 1)?, put("a", 2)?])
        });
        let [first, other, again] = ids.expect("written");
        assert!(first == again && first != other);
        let reader = store.reader().expect("opens");
        let stored = reader.facts(&facts("a").digest()).expect("reads");
        assert_eq!(stored, Some(facts("a")));
        assert_eq!(stored.expect("stored").digest(), facts("a").digest());
        assert_eq!(reader.facts(&Digest::of(b"none")).expect("reads"), None);
    }
}
