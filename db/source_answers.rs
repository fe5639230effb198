//! Answers of sources beside their listings: what costs requests of its own and is asked for seldom.
//!
//! Each listing has its own due time, so that a night's budget goes to what was never asked and then to what waits longest.

use std::collections::BTreeSet;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing};
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, first, id_of, rows, seconds};
use crate::{Reader, StoreError, Writer, claims};

impl Writer<'_> {
    /// Keeps what a source answered of a listing, and from when on it is asked again. Without an answer the one of before
    /// stands. True where something else is claimed of the listing now.
    pub fn keep_answer(
        &self,
        key: &ListingKey,
        answer: Option<&Claims>,
        at: AsOf,
        due: AsOf,
    ) -> Result<bool, StoreError> {
        const WHAT: &str = "keep an answer of a source";
        let conn = self.connection();
        let known = "SELECT id FROM listings WHERE source = ?1 AND name = ?2";
        let Some(listing) = id_of(conn, WHAT, known, (&key.source, &key.name))? else { return Ok(false) };
        let body = answer.map(|answer| pack(canonical(answer)?)).transpose()?;
        let sql = "INSERT INTO source_answers (listing, body, asked, due) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET body = ifnull(excluded.body, body), asked = excluded.asked, due = excluded.due";
        execute(conn, WHAT, sql, (listing, body, seconds(at), seconds(due)))?;
        let mut changed = false;
        for listing in claims::listings_of(conn, &BTreeSet::from([key.to_string()]))? {
            changed |= claims::renew(conn, listing)?;
        }
        Ok(changed)
    }
}

/// The last answer about a listing; none where there is none.
pub(crate) fn of(conn: &Connection, key: &ListingKey) -> Result<Option<Claims>, StoreError> {
    let sql = "SELECT a.body FROM source_answers a JOIN listings l ON l.id = a.listing
               WHERE l.source = ?1 AND l.name = ?2 AND a.body IS NOT NULL";
    first(conn, "read an answer of a source", sql, (&key.source, &key.name), |row| row.packed(0, "answer of a source"))
}

impl Reader {
    /// The last answer of a source about a listing; none where there is none.
    pub fn answer(&self, key: &ListingKey) -> Result<Option<Claims>, StoreError> {
        of(self.connection(), key)
    }

    /// At most `limit` active listings of a source of which it is due to be asked more, those never asked first, then those
    /// that wait for longest; those that changed since are due where `when_changed` says so. Release lines are asked for
    /// with their package.
    pub fn due_answers(
        &self,
        source: &str,
        when_changed: bool,
        at: AsOf,
        limit: usize,
    ) -> Result<Vec<Listing>, StoreError> {
        // No name of a package holds a second `@`, and those of its lines do.
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   LEFT JOIN source_answers a ON a.listing = l.id
                   WHERE l.source = ?1 AND l.state = 'active' AND instr(substr(l.name, 2), '@') = 0
                     AND (a.due IS NULL OR a.due <= ?2 OR (?3 AND l.changed > a.asked))
                   ORDER BY a.due IS NOT NULL, a.due, l.name LIMIT ?4";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        rows(
            self.connection(),
            "look for answers that are due",
            sql,
            (source, seconds(at), when_changed, limit),
            |row| row.packed(0, "listing"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, key, list, listing};
    use capdex_model::listing::Claim;

    #[test]
    fn what_was_never_asked_comes_first_and_an_answer_put_off_leaves_the_one_of_before() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b", "c"] {
            list(&store, &listing(name, "1"), 1);
        }
        let answer = Claims { downloads_monthly: Claim::Known(50), ..Claims::default() };
        let keep = |name: &'static str, answer: Option<Claims>, at, due| {
            store.write(move |writer| writer.keep_answer(&key(name), answer.as_ref(), day(at), day(due))).expect("kept")
        };
        assert!(keep("a", Some(answer.clone()), 1, 8));
        assert!(!keep("a", Some(answer), 1, 8), "the same again");
        assert!(!keep("b", None, 1, 2));
        assert!(!keep("nobody", None, 1, 2));
        let reader = store.reader().expect("opens");
        let due = |at, limit| -> Vec<String> {
            let due = reader.due_answers("npm", false, day(at), limit).expect("reads");
            due.into_iter().map(|listing| listing.key.name).collect()
        };
        assert_eq!(due(1, 9), ["c"]);
        assert_eq!(due(2, 9), ["c", "b"]);
        assert_eq!(due(9, 2), ["c", "b"]);
        assert!(!keep("a", None, 9, 10));
        let known = of(store.reader().expect("opens").connection(), &key("a")).expect("reads");
        assert_eq!(known.map(|claims| claims.downloads_monthly), Some(Claim::Known(50)));
    }
}
