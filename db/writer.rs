//! `Writer`: what can be done inside one write. Its operations stand in the file of their table group.
//!
//! It is a borrowed transaction, made by [`crate::Store::write`] for each piece of work.

use rusqlite::Connection;

/// An open write transaction, given to the work of [`crate::Store::write`].
pub struct Writer<'a> {
    conn: &'a Connection,
}

impl<'a> Writer<'a> {
    /// Wraps the connection of a transaction that is open.
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn }
    }

    /// The same transaction, for another owner.
    pub(crate) const fn again(&self) -> Self {
        Self { conn: self.conn }
    }

    /// The transaction's connection.
    pub(crate) fn connection(&self) -> &'a Connection {
        self.conn
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{
        Folder, claims_digest, day, digest, facts, gap, list, listing, put_files, scan_of, scanned, score, snapshot,
        start_run,
    };
    use crate::sql::{full_scans, id_of};
    use crate::{ListingState, StoreError};
    use capdex_model::listing::Validators;

    #[test]
    fn nothing_that_is_done_for_each_package_walks_a_whole_table() {
        let folder = Folder::new();
        let store = folder.store();
        start_run(&store, 1);
        for name in ["a", "b", "c"] {
            list(&store, &listing(name, "1"), 1);
            scan_of(&store, name, "1", 1);
            let of = facts(name).digest();
            store.write(move |writer| writer.record_scores(&of, None, &[score("x", "1", 1)])).expect("scored");
        }
        start_run(&store, 2);
        let walked = store.write(|writer| {
            let walk = "SELECT id FROM listings WHERE etag = 'none'";
            id_of(writer.connection(), "walk a table", walk, ())?;
            assert_eq!(full_scans::take(), [walk].into(), "it would be noticed");
            let (listing, snapshot) = (listing("a", "2"), snapshot("a", "2", &[("a.md", "2")]));
            writer.mark_listing(&listing.key, ListingState::Gone, Some(&gap("a")), day(2))?;
            writer.upsert_listing(&listing, &Validators::default(), day(2))?;
            put_files(writer, &snapshot)?;
            let id = writer.record_snapshot(&listing.key, &snapshot, day(2))?;
            for _ in 0..2 {
                let scanned = [scanned("a", "", "2", "a")];
                writer.record_scan(id, &digest("rules"), &claims_digest("a", "2"), &scanned, day(2))?;
            }
            for day in [None, Some(1)] {
                writer.record_scores(&facts("a").digest(), day, &[score("x", "1", 1), score("y", "1", 1)])?;
            }
            writer.record_gap("fetch", "npm:a", &gap("a"), day(2))?;
            writer.resolve_gaps("fetch", "npm:a", day(3))?;
            writer.begin_walk("npm", crate::WalkMode::Full)?;
            writer.mark_seen(&listing.key)?;
            writer.record_visit(&listing.key, day(2), day(3), 0)?;
            writer.save_cursor("npm", "2")?;
            writer.complete_walk("npm", None, day(3))?;
            writer.record_walk("npm", crate::WalkOutcome::Complete, &serde_json::json!({}), day(3))?;
            Ok::<_, StoreError>(full_scans::take())
        });
        assert_eq!(walked.expect("written"), [].into());
    }
}
