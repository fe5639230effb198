//! A digest over everything that the ranked tables of a dataset are made of: two states of a store that have the same one give
//! the same rows, whatever their nights.
//!
//! Bodies are hashed as they lie in the file, packed: that costs a tenth of unpacking them. What the operator says is no part.

use std::collections::BTreeSet;

use capdex_model::digest::{Digest, Hashing};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::capabilities::standing_sql;
use crate::scores::RubricIds;
use crate::sql::{Cells, each, first};
use crate::{Reader, StoreError};

const READ: &str = "read what the ranked tables are made of";

/// What stands now, each with the content of its documents. Facts and snapshots are told by their digests. The first column
/// finds the scores.
const STANDING: &str = standing_sql!(
    "r.facts, f.digest, d.body, q.body, l.source, l.name, l.state, b.body, e.named, i.name, n.id, n.version, n.tree,
     n.at, c.ruleset, k.id, k.digest, k.slug, k.kind, k.path, k.first_seen, s.document, t.body",
    "JOIN facts f ON f.id = r.facts
     JOIN json_documents d ON d.id = r.description
     JOIN json_documents q ON q.id = r.completeness
     LEFT JOIN json_documents b ON b.id = l.body
     LEFT JOIN scan_surfaces s ON s.scan_result = r.id
     LEFT JOIN json_documents t ON t.id = s.document"
);
/// The columns of [`STANDING`].
const STANDING_COLUMNS: usize = 23;

impl Reader {
    /// The digest, with the scores under these rubric texts that hold on a day (days since the epoch). The day itself is no part
    /// of it. Rows are hashed in the order in which they lie: another order gives another digest, and nothing worse.
    pub fn ranked_inputs(&self, rubrics: &RubricIds, day: i64) -> Result<Digest, StoreError> {
        let conn = self.connection();
        let mut hashing = Hashing::default();
        for (rubric, id) in rubrics.each() {
            add(&mut hashing, format!("{}\0{}\0{}\0{id:?}", rubric.id, rubric.version, rubric.text).as_bytes());
        }
        // Equal contents share facts, and equal scores their breakdowns: each is hashed where it is first met.
        let (mut facts_met, mut breakdowns_met) = (BTreeSet::new(), BTreeSet::new());
        let scores = "SELECT rubric, body, breakdown FROM scores
                      WHERE facts = ?1 AND (day IS NULL OR day = ?2 OR day < ?2 AND until > ?2)
                      ORDER BY rubric, day IS NULL, day DESC";
        let breakdown = "SELECT digest FROM score_breakdowns WHERE id = ?1";
        let decode = |row: &Row<'_>| {
            add_cells(&mut hashing, row, STANDING_COLUMNS)?;
            let facts: i64 = row.cell(0)?;
            if !facts_met.insert(facts) {
                return Ok(());
            }
            let of_score = |row: &Row<'_>| {
                add_cells(&mut hashing, row, 3)?;
                let Some(id) = row.cell::<Option<i64>>(2)?.filter(|id| breakdowns_met.insert(*id)) else {
                    return Ok(());
                };
                let digest = first(conn, READ, breakdown, (id,), |row| row.digest(0))?;
                add(&mut hashing, digest.as_ref().map(Digest::as_bytes).map(<[u8; 32]>::as_slice).unwrap_or_default());
                Ok(())
            };
            each::<_, StoreError>(conn, READ, scores, (facts, day), of_score, |()| Ok(()))
        };
        each::<_, StoreError>(conn, READ, STANDING, (), decode, |()| Ok(()))?;
        Ok(hashing.digest())
    }
}

/// Adds the cells of a row, each with its type.
fn add_cells(hashing: &mut Hashing, row: &Row<'_>, columns: usize) -> Result<(), StoreError> {
    for column in 0..columns {
        let cell = row.get_ref(column).map_err(|source| StoreError::Sql { what: READ, source })?;
        match cell {
            ValueRef::Null => hashing.add(b"n"),
            ValueRef::Integer(number) => {
                hashing.add(b"i");
                hashing.add(&number.to_be_bytes());
            }
            ValueRef::Real(number) => {
                hashing.add(b"r");
                hashing.add(&number.to_bits().to_be_bytes());
            }
            ValueRef::Text(bytes) => {
                hashing.add(b"t");
                add(hashing, bytes);
            }
            ValueRef::Blob(bytes) => {
                hashing.add(b"b");
                add(hashing, bytes);
            }
        }
    }
    Ok(())
}

/// Adds bytes with their length, so that no two lists of texts give the same stream.
fn add(hashing: &mut Hashing, bytes: &[u8]) {
    hashing.add(&(bytes.len() as u64).to_be_bytes());
    hashing.add(bytes);
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, facts, list, listing, scan_of, score};
    use capdex_model::listing::Claim;

    #[test]
    fn it_is_the_same_over_nights_and_another_where_anything_is_otherwise() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        let of = facts("a").digest();
        let rubric = score("x/seed", "1", 5).rubric;
        let digest = |on: i64| {
            let reader = store.reader().expect("opens");
            reader.ranked_inputs(&reader.rubric_ids(std::slice::from_ref(&rubric)).expect("reads"), on).expect("reads")
        };
        let bare = digest(1);
        assert_eq!(digest(2), bare);
        let record = |on: i64, points: i64| {
            let scores = vec![score("x/seed", "1", points)];
            store.write(move |writer| writer.record_scores(&of, Some(on), &scores)).expect("stored");
        };
        record(1, 5);
        let scored = digest(1);
        assert!(scored != bare);
        record(2, 5);
        assert_eq!(digest(2), scored, "the same scores on another day");
        record(3, 6);
        assert!(digest(3) != scored, "other scores");
        // What a listing says now is shown beside what was found.
        let mut said = listing("a", "1");
        said.claims.description = Claim::Known("other".into());
        list(&store, &said, 2);
        let told = digest(2);
        assert!(told != scored);
        list(&store, &listing("b", "1"), 2);
        assert_eq!(digest(2), told, "nothing of it stands yet");
        scan_of(&store, "b", "1", 2);
        assert!(digest(2) != told);
    }
}
