//! Facts: what the rules said, stored once for each digest.
//!
//! Must not know which capabilities they are about: revisions do.

use capdex_core::digest::Digest;
use capdex_core::fact::Facts;
use capdex_core::time::AsOf;
use rusqlite::Connection;

use crate::documents::{pack, unpack};
use crate::sql::{Cells, canonical, first, id_of, insert, rows, seconds};
use crate::{Reader, StoreError};

/// Facts by where they lie in this file: quicker than by their digest, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactsId(pub(crate) i64);

/// Facts as they are stored, so that another thread can read them.
#[derive(Clone, Debug)]
pub struct PackedFacts {
    /// Where they lie.
    pub id: FactsId,
    body: Vec<u8>,
}

impl PackedFacts {
    /// The facts. [`StoreError::Corrupt`] where they are damaged.
    pub fn unpack(&self) -> Result<Facts, StoreError> {
        unpack(&self.body, "facts")
    }
}

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
    /// The facts of every current capability, each once, in the order in which they lie in the file.
    pub fn current_facts(&self) -> Result<Vec<FactsId>, StoreError> {
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN revisions r ON r.scan = i.scan ORDER BY r.facts";
        rows(self.connection(), "read the current facts", sql, (), |row| row.cell(0).map(FactsId))
    }

    /// Some facts as they are stored, in the order asked for. [`StoreError::Unknown`] where they are not.
    pub fn packed_facts(&self, ids: &[FactsId]) -> Result<Vec<PackedFacts>, StoreError> {
        let sql = "SELECT body FROM facts WHERE id = ?1";
        ids.iter()
            .map(|id| {
                let body = first(self.connection(), "read facts", sql, (id.0,), |row| row.cell(0))?;
                let body = body.ok_or_else(|| StoreError::Unknown { what: "facts", key: id.0.to_string() })?;
                Ok(PackedFacts { id: *id, body })
            })
            .collect()
    }

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
