//! Visits: when a listing that is asked for by name is due again.
//!
//! The caller decides how long is waited and says from when on.

use std::collections::BTreeSet;

use capdex_model::ids::ListingKey;
use capdex_model::time::{AsOf, Timestamp};

use crate::sql::{Cells, execute, first, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// The visits to one listing so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// When it was asked for last; none before the first time.
    pub visited: Option<AsOf>,
    /// From when on it is due; none before the first time: it is due now.
    pub due: Option<AsOf>,
    /// The number of visits in a row at which nothing was new.
    pub unchanged_streak: i64,
}

impl Writer<'_> {
    /// Notes that a listing was asked for, from when on it is due again, and how often in a row nothing was new.
    pub fn record_visit(&self, key: &ListingKey, at: AsOf, due: AsOf, calm: i64) -> Result<(), StoreError> {
        let sql = "UPDATE listings SET visited = ?3, due = ?4, unchanged_streak = ?5 WHERE source = ?1 AND name = ?2";
        let params = (&key.source, &key.name, seconds(at), seconds(due), calm);
        execute(self.connection(), "note a visit", sql, params).map(drop)
    }
}

impl Reader {
    /// The visits to a listing so far.
    pub fn visits(&self, key: &ListingKey) -> Result<Visits, StoreError> {
        let sql = "SELECT visited, due, unchanged_streak FROM listings WHERE source = ?1 AND name = ?2";
        let visits = first(self.connection(), "read the visits", sql, (&key.source, &key.name), |row| {
            let instant = |column| -> Result<Option<AsOf>, StoreError> {
                let at: Option<i64> = row.cell(column)?;
                Ok(at.map(|at| AsOf(Timestamp::from_unix_seconds(at))))
            };
            Ok(Visits { visited: instant(0)?, due: instant(1)?, unchanged_streak: row.cell(2)? })
        })?;
        Ok(visits.unwrap_or_default())
    }

    /// Every name that active listings refer to under the key of source `kind`, sorted.
    pub fn references(&self, kind: &str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT r.name FROM listing_references r
                   JOIN listings l ON l.id = r.listing AND l.state = 'active'
                   WHERE r.source = ?1 ORDER BY r.name";
        rows(self.connection(), "read the references", sql, (kind,), |row| row.cell(0))
    }

    /// The names of release lines of these packages that active listings refer to under the key of source `kind` and that are
    /// listings of `source` already, sorted. One answer of a registry tells of a package and of all its lines.
    pub fn known_lines(&self, kind: &str, source: &str, packages: &BTreeSet<&str>) -> Result<Vec<String>, StoreError> {
        // Beside each package: no name holds a second `@`, and `A` follows it.
        let sql = "SELECT DISTINCT r.name FROM listing_references r
                   JOIN listings l ON l.id = r.listing AND l.state = 'active'
                   JOIN listings k ON k.source = ?2 AND k.name = r.name AND k.state = 'active'
                   WHERE r.source = ?1 AND r.name >= ?3 || '@' AND r.name < ?3 || 'A' ORDER BY r.name";
        let mut lines = Vec::new();
        for package in packages {
            lines.extend(rows(
                self.connection(),
                "read the lines of a package",
                sql,
                (kind, source, package),
                |row| row.cell::<String>(0),
            )?);
        }
        Ok(lines)
    }

    /// At most `limit` names that active listings refer to under the key of source `kind` and that are due at `at` as
    /// listings of `source`. A release line is due with its package. Those that were never visited come first, then those
    /// that are due for longest.
    pub fn due_references(&self, kind: &str, source: &str, at: AsOf, limit: usize) -> Result<Vec<String>, StoreError> {
        // Grouped, because many listings may refer to one name, which is asked for once. A line has its package's name before
        // the `@` that begins no scope; one that is gone waits for its own turn.
        let sql = "SELECT r.name FROM listing_references r
                   JOIN listings l ON l.id = r.listing AND l.state = 'active'
                   LEFT JOIN listings k ON k.source = ?2 AND k.name = r.name
                   LEFT JOIN listings p ON ?1 IN ('npm', 'pypi') AND instr(substr(r.name, 2), '@') > 0 AND k.state = 'active'
                        AND p.source = ?2 AND p.name = substr(r.name, 1, instr(substr(r.name, 2), '@'))
                   WHERE r.source = ?1 AND (k.due IS NULL OR k.due <= ?3 OR p.due <= ?3)
                   GROUP BY r.name ORDER BY k.due IS NOT NULL, min(k.due, ifnull(p.due, k.due)), r.name LIMIT ?4";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        rows(self.connection(), "look for references that are due", sql, (kind, source, seconds(at), limit), |row| {
            row.cell(0)
        })
    }
}

#[cfg(test)]
mod tests {
    use capdex_model::listing::Validators;

    use super::*;
    use crate::fixtures::{Folder, day, listing};

    #[test]
    fn what_was_never_visited_comes_first_and_what_is_not_due_waits() {
        let folder = Folder::new();
        let store = folder.store();
        let mut row = listing("row", "1");
        row.key.source = "directory".into();
        row.references = ["a", "b", "c", "d"].map(|name| ListingKey::new("npm", name)).to_vec();
        store
            .write(move |writer| {
                writer.upsert_listing(&row, &Validators::default(), day(1))?;
                for (name, due) in [("a", 9), ("b", 3), ("c", 2)] {
                    let listed = listing(name, "1");
                    writer.upsert_listing(&listed, &Validators::default(), day(1))?;
                    writer.record_visit(&listed.key, day(1), day(due), 1)?;
                }
                Ok(())
            })
            .expect("written");
        let reader = store.reader().expect("opens");
        let due = |limit| reader.due_references("npm", "npm", day(4), limit).expect("reads");
        assert_eq!(due(9), ["d", "c", "b"]);
        assert_eq!(due(1), ["d"]);
        assert_eq!(reader.references("npm").expect("reads"), ["a", "b", "c", "d"]);
        assert_eq!(reader.known_lines("npm", "npm", &BTreeSet::from(["a"])).expect("reads"), Vec::<String>::new());
        let visits = reader.visits(&ListingKey::new("npm", "b")).expect("reads");
        assert_eq!(visits, Visits { visited: Some(day(1)), due: Some(day(3)), unchanged_streak: 1 });
        assert_eq!(reader.visits(&ListingKey::new("npm", "d")).expect("reads"), Visits::default());
    }
    #[test]
    fn a_line_is_due_with_its_package_and_comes_with_it() {
        let folder = Folder::new();
        let store = folder.store();
        let mut row = listing("row", "1");
        row.key.source = "directory".into();
        row.references = ["@a/b@1", "@a/b@9", "c@2", "d@3", "ab@1"].map(|name| ListingKey::new("npm", name)).to_vec();
        store
            .write(move |writer| {
                writer.upsert_listing(&row, &Validators::default(), day(1))?;
                for (name, due) in [("@a/b", 2), ("@a/b@1", 9), ("c", 8), ("c@2", 9)] {
                    let listed = listing(name, "1");
                    writer.upsert_listing(&listed, &Validators::default(), day(1))?;
                    writer.record_visit(&listed.key, day(1), day(due), 1)?;
                }
                let gone = ListingKey::new("npm", "@a/b@9");
                writer.mark_listing(&gone, crate::ListingState::Gone, None, day(1))?;
                writer.record_visit(&gone, day(1), day(9), 1)
            })
            .expect("written");
        let reader = store.reader().expect("opens");
        let due = reader.due_references("npm", "npm", day(4), 9).expect("reads");
        assert_eq!(due, ["ab@1", "d@3", "@a/b@1"]);
        let known = reader.known_lines("npm", "npm", &BTreeSet::from(["@a/b", "a", "d"])).expect("reads");
        assert_eq!(known, ["@a/b@1"]);
    }
}
