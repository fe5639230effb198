//! The state of what the ranked tables of a dataset are made of: of two nights with one state they hold the same rows.
//!
//! Made of ids of rows that never change and of the columns that do. No document is unpacked for it.

use capdex_model::digest::{Digest, Hashing};
use capdex_model::time::AsOf;
use rusqlite::Row;
use rusqlite::types::Value;

use crate::capabilities::standing_sql;
use crate::sql::{Cells, each, execute, first};
use crate::{Reader, StoreError, Writer};

/// The name under which the state of the last dataset is kept beside those of the passes.
const EXPORT: &str = "export";

/// What stands, by the row of its scan, and whatever else of it may become another: names, the listing and its word, what was listed
/// of it later. Facts, description, completeness, pins and rule set follow from that row, version and files from the snapshot.
const STANDS: &str = standing_sql!(
    "r.id, k.slug, k.first_seen, i.name, n.id, n.at, l.source, l.name, l.state, e.named, l.body, u.document",
    "LEFT JOIN scan_surfaces u ON u.scan_result = r.id"
);

/// The columns of [`STANDS`].
const COLUMNS: usize = 12;

/// The first half of a digest over the columns of a row.
type Print = [u8; 16];

impl Reader {
    /// The state of what the ranked tables are made of, but for the operator's word and the day: rows of scores that hold on a day are
    /// added by the score stage of the first night on which they are asked for.
    pub fn ranked_state(&self) -> Result<Digest, StoreError> {
        let mut stands: Vec<Print> = Vec::new();
        let visit = |print| {
            stands.push(print);
            Ok::<(), StoreError>(())
        };
        each(self.connection(), "read the state of what is ranked", STANDS, (), |row| print(row, COLUMNS), visit)?;
        // In one order, whichever way the statement goes.
        stands.sort_unstable();
        let mut hashing = Hashing::default();
        stands.iter().for_each(|print| hashing.add(print));
        // Scores are added and never changed; where some are pruned, the state that is kept is forgotten.
        let sql = "SELECT ifnull(max(id), 0) FROM scores";
        let scores = first(self.connection(), "read the state of the scores", sql, (), |row| row.cell::<i64>(0))?;
        hashing.add(&scores.unwrap_or_default().to_le_bytes());
        Ok(hashing.digest())
    }

    /// Over which states some passes ran last, and when: while they do not run again, what they keep is as it was. None where one of
    /// them never ran.
    pub fn passes_state(&self, passes: &[&str]) -> Result<Option<Digest>, StoreError> {
        let mut hashing = Hashing::default();
        for pass in passes {
            let sql = "SELECT name, input, at FROM passes WHERE name = ?1";
            let ran = first(self.connection(), "read the state of a pass", sql, (pass,), |row| print(row, 3))?;
            let Some(ran) = ran else { return Ok(None) };
            hashing.add(&ran);
        }
        Ok(Some(hashing.digest()))
    }

    /// What was kept of the dataset that a night wrote last; none before the first, and where it was forgotten.
    pub fn last_dataset(&self) -> Result<Option<String>, StoreError> {
        self.pass_input(EXPORT)
    }
}

impl Writer<'_> {
    /// Keeps which dataset a night wrote, and of which state.
    pub fn dataset_written(&self, dataset: &str, at: AsOf) -> Result<(), StoreError> {
        self.pass_ran(EXPORT, dataset, at)
    }

    /// Forgets the last dataset, where ids of what it was made of may be given again.
    pub(crate) fn forget_dataset(&self) -> Result<(), StoreError> {
        let sql = "DELETE FROM passes WHERE name = ?1";
        execute(self.connection(), "forget the state of the last dataset", sql, (EXPORT,)).map(drop)
    }
}

fn print(row: &Row<'_>, columns: usize) -> Result<Print, StoreError> {
    let mut hashing = Hashing::default();
    for at in 0..columns {
        // With its length before it, or neighbouring columns could be split in another way with the same print.
        let mut add = |kind: u8, bytes: &[u8]| {
            hashing.add(&[kind]);
            hashing.add(&(bytes.len() as u64).to_le_bytes());
            hashing.add(bytes);
        };
        match row.cell::<Value>(at)? {
            Value::Null => add(0, &[]),
            Value::Integer(number) => add(1, &number.to_le_bytes()),
            Value::Real(number) => add(2, &number.to_le_bytes()),
            Value::Text(text) => add(3, text.as_bytes()),
            Value::Blob(bytes) => add(4, &bytes),
        }
    }
    Ok(hashing.digest().as_bytes().first_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        Folder, at, day, facts, gap, key, list, listing, mark, scan_of, scan_with, score, start_run,
    };
    use crate::{ListingState, Store, WalkOutcome};
    use serde_json::json;

    fn state(store: &Store) -> Digest {
        store.reader().expect("opens").ranked_state().expect("reads")
    }

    #[test]
    fn whatever_a_row_is_made_of_changes_the_state_and_a_visit_does_not() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b"] {
            list(&store, &listing(name, "1"), 1);
            scan_of(&store, name, "1", 1);
        }
        let mut seen = vec![state(&store)];
        let mut expect_another = |what: &str| {
            let now = state(&store);
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        let record = |rubric: &'static str, day: Option<i64>| {
            store
                .write(move |writer| writer.record_scores(&facts("a").digest(), day, &[score(rubric, "1", 1)]))
                .expect("stored");
        };
        record("x", None);
        expect_another("a score");
        record("y", Some(5));
        expect_another("a score of a day");
        scan_with(&store, "a", "2", 2, "other");
        expect_another("another version");
        mark(&store, &key("b"), ListingState::Failed, Some(gap("npm:b")), 3);
        expect_another("another state of a listing");
        let mut claims = listing("b", "1");
        claims.references.push(key("a"));
        list(&store, &claims, 4);
        expect_another("other claims");
        list(&store, &listing("c", "1"), 4);
        scan_of(&store, "c", "1", 4);
        expect_another("another capability");
        folder.sql("UPDATE capabilities SET slug = slug || '-2' WHERE id = 1");
        expect_another("another slug");
        let before = state(&store);
        list(&store, &listing("c", "1"), 5);
        start_run(&store, 5);
        record("x", None);
        store.write(|writer| writer.enqueue("fetch", "npm:c", &json!({}), None, at(0))).expect("stored");
        store.write(|writer| writer.pass_ran("drift", "1", day(5))).expect("stored");
        assert_eq!(state(&store), before, "a night without news");
        let passes = || store.reader().expect("opens").passes_state(&["drift"]).expect("reads");
        let before = passes();
        assert_eq!(store.reader().expect("opens").passes_state(&["drift", "clones"]).expect("reads"), None);
        store.write(|writer| writer.pass_ran("identity", "1", day(6))).expect("stored");
        assert_eq!(passes(), before, "another pass");
        store.write(|writer| writer.pass_ran("drift", "1", day(6))).expect("stored");
        assert_ne!(passes(), before);
    }

    #[test]
    fn the_last_dataset_is_forgotten_where_scores_go() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        let kept = || store.reader().expect("opens").last_dataset().expect("reads");
        store
            .write(|writer| {
                writer.record_scores(&facts("a").digest(), Some(day(1).day()), &[score("x", "1", 1)])?;
                writer.dataset_written("one", day(1))
            })
            .expect("stored");
        let prune = |table: &str, at| {
            let ledger = crate::LEDGERS.iter().find(|ledger| ledger.table == table).expect("one of them");
            store.write(move |writer| writer.prune_rows(ledger, at, 9)).expect("pruned")
        };
        start_run(&store, 5);
        for night in 1..3 {
            store
                .write(move |writer| writer.record_walk("npm", WalkOutcome::Complete, &json!({}), day(night)))
                .expect("stored");
        }
        assert_eq!(prune("walks", day(9)).rows, 1);
        assert_eq!(kept().as_deref(), Some("one"));
        assert_eq!(prune("scores", day(9)).rows, 1);
        assert_eq!(kept(), None);
    }
}
