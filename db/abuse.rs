//! Local lists of abuse, and whom their reports concern.
//!
//! An import makes exactly those packages unscanned of which it says something else than before (`claims.rs`).

use std::collections::BTreeSet;

use capdex_model::abuse::{AbuseList, Report};
use capdex_model::digest::Digest;
use capdex_model::listing::{Listing, Locator};
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::sql::{Cells, canonical, execute, first, insert, rows, seconds};
use crate::{Reader, StoreError, Writer, claims, json_documents};

/// The newest version of a list that was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedList {
    /// The list.
    pub list: AbuseList,
    /// The digest of the file that it came in.
    pub digest: Digest,
    /// When it was imported.
    pub imported: AsOf,
}

impl Writer<'_> {
    /// Takes a version of a list in the place of the one before. Returns the number of listings of which something else is
    /// said now; none where this file was imported before. The first list of all concerns every listing: nobody had looked.
    ///
    /// A list that says the same and is confirmed now, or no more, counts as a version of its own.
    ///
    /// [`StoreError::Refused`] for a version that is older than the one held, or the same with other bytes.
    pub fn import_abuse_list(&self, list: &AbuseList, digest: &Digest, at: AsOf) -> Result<Option<u64>, StoreError> {
        let conn = self.connection();
        if is_held(conn, list, digest)? {
            return Ok(None);
        }
        let is_first = !claims::has_abuse_lists(conn)?;
        // Also whom only the earlier version named: a report that was withdrawn must make its package unscanned.
        let mut subjects = take_out(conn, &list.list)?;
        subjects.extend(put(conn, list, digest, at)?);
        // With no list every claim says "unknown"; the first one makes it "known", which changes every digest.
        let concerned = if is_first { every_listing(conn)? } else { claims::listings_of(conn, &subjects)? };
        let mut changed = 0;
        for listing in concerned {
            changed += u64::from(claims::renew(conn, listing)?);
        }
        Ok(Some(changed))
    }
}

/// True where this very file is the newest version held.
fn is_held(conn: &Connection, list: &AbuseList, digest: &Digest) -> Result<bool, StoreError> {
    let sql = "SELECT a.version, a.digest, d.body FROM abuse_lists a JOIN json_documents d ON d.id = a.body
               WHERE a.name = ?1 ORDER BY a.version DESC LIMIT 1";
    let newest = first(conn, "look up a list of abuse", sql, (&list.list,), |row| {
        Ok((row.cell::<u32>(0)?, row.digest(1)?, row.packed::<AbuseList>(2, "list of abuse")?))
    })?;
    let AbuseList { list: name, version, .. } = list;
    let refused = |detail| Err(StoreError::Refused { what: "list of abuse", detail });
    match newest {
        // A nightly import of a file that did not change must make nothing unscanned.
        // A file may say of itself what only the operator can: its digest alone does not tell whether he did.
        Some((held, of, known)) if held == *version && of == *digest && known.confirmed == list.confirmed => Ok(true),
        // The operator's word about the same list: what it reports stays, and only its weight is another.
        Some((held, _, of)) if held == *version && says_the_same(&of, list) => Ok(false),
        // Reports name list and version: one version with two contents could not be told apart later.
        Some((held, ..)) if held == *version => {
            refused(format!("version {held} of {name} was imported with other bytes; raise its version"))
        }
        // A mirror that lags, or an old list that someone replays, must not take reports back.
        Some((held, ..)) if held > *version => {
            refused(format!("version {version} of {name} is older than version {held}, which was imported before"))
        }
        _ => Ok(false),
    }
}

/// True where two lists differ in no more than whether they are confirmed.
fn says_the_same(one: &AbuseList, other: &AbuseList) -> bool {
    AbuseList { confirmed: other.confirmed, ..one.clone() } == *other
}

/// Takes out the reports of a list's earlier version; returns their subjects.
fn take_out(conn: &Connection, name: &str) -> Result<BTreeSet<String>, StoreError> {
    const WHAT: &str = "take out the reports of a list";
    let sql = "SELECT r.subject FROM abuse_reports r JOIN abuse_lists a ON a.id = r.list WHERE a.name = ?1";
    let subjects = rows(conn, WHAT, sql, (name,), |row| row.cell(0))?;
    // The rows of `abuse_lists` stay as history; only the reports that count now are replaced.
    let sql = "DELETE FROM abuse_reports WHERE list IN (SELECT id FROM abuse_lists WHERE name = ?1)";
    execute(conn, WHAT, sql, (name,))?;
    Ok(subjects.into_iter().collect())
}

/// Puts a version of a list in; returns the subjects of its reports.
fn put(conn: &Connection, list: &AbuseList, digest: &Digest, at: AsOf) -> Result<BTreeSet<String>, StoreError> {
    const WHAT: &str = "store a list of abuse";
    // The same version was there before only where its weight has changed, and then its reports were taken out.
    execute(conn, WHAT, "DELETE FROM abuse_lists WHERE name = ?1 AND version = ?2", (&list.list, list.version))?;
    let sql = "INSERT INTO abuse_lists (name, version, digest, body, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let body = json_documents::put(conn, list)?;
    let id = insert(conn, WHAT, sql, (&list.list, list.version, digest.as_bytes(), body, seconds(at)))?;
    let sql = "INSERT INTO abuse_reports (list, subject, report) VALUES (?1, ?2, ?3)";
    let mut subjects = BTreeSet::new();
    for entry in &list.entries {
        let subject = entry.subject();
        execute(conn, WHAT, sql, (id, &subject, canonical(&list.report(entry))?))?;
        subjects.insert(subject);
    }
    Ok(subjects)
}

fn every_listing(conn: &Connection) -> Result<BTreeSet<i64>, StoreError> {
    let all = rows(conn, "read the listings", "SELECT id FROM listings", (), |row| row.cell(0))?;
    Ok(all.into_iter().collect())
}

impl Reader {
    /// The newest version of every list of abuse that was imported, sorted by name.
    pub fn abuse_lists(&self) -> Result<Vec<ImportedList>, StoreError> {
        let sql = "SELECT d.body, a.digest, a.at FROM abuse_lists a JOIN json_documents d ON d.id = a.body
                   WHERE a.version = (SELECT max(version) FROM abuse_lists WHERE name = a.name) ORDER BY a.name";
        rows(self.connection(), "read the lists of abuse", sql, (), |row| {
            Ok(ImportedList { list: row.packed(0, "list of abuse")?, digest: row.digest(1)?, imported: row.as_of(2)? })
        })
    }

    /// The listings that are there and that the newest versions of the lists report, each report by itself; sorted by listing,
    /// then by report.
    pub fn reported(&self) -> Result<Vec<(Listing, Report)>, StoreError> {
        const WHAT: &str = "read whom lists of abuse report";
        let conn = self.connection();
        let reports = rows(conn, WHAT, "SELECT subject, report FROM abuse_reports", (), |row| {
            Ok((row.cell::<String>(0)?, row.json::<Report>(1, "report")?))
        })?;
        let mut found = Vec::new();
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   WHERE l.id = ?1 AND l.state = 'active'";
        for (subject, report) in reports {
            for id in claims::listings_of(conn, &BTreeSet::from([subject]))? {
                let listing = first(conn, WHAT, sql, (id,), |row| row.packed::<Listing>(0, "listing"))?;
                let is_about =
                    |listing: &Listing| report.is_about(listing.locators.iter().filter_map(Locator::version));
                found.extend(listing.filter(is_about).map(|listing| (listing, report.clone())));
            }
        }
        found.sort_by(|(a, of_a), (b, of_b)| (&a.key, of_a).cmp(&(&b.key, of_b)));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::fixtures::{Folder, day, digest, list, listing, scan_of, scan_unscanned};
    use capdex_model::abuse::AbuseEntry;
    use capdex_model::listing::Claim;

    #[test]
    fn a_bad_release_is_no_report_about_the_others() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        list(&store, &listing("b", "2"), 1);
        let _ = (scan_of(&store, "a", "1", 1), scan_of(&store, "b", "2", 1));
        let mut bad = abuse_list("team", 1, &["a", "b"]);
        for entry in &mut bad.entries {
            entry.versions = vec!["2".into(), "3".into()];
        }
        store.write(move |writer| writer.import_abuse_list(&bad, &digest("one"), day(2))).expect("imports");
        let reported = store.reader().expect("opens").reported().expect("reads");
        let names: Vec<&str> = reported.iter().map(|(listing, _)| listing.key.name.as_str()).collect();
        assert_eq!(names, ["b"]);
    }

    fn abuse_list(name: &str, version: u32, names: &[&str]) -> AbuseList {
        let entry = |name: &&str| AbuseEntry {
            registry: "npm".into(),
            name: (*name).into(),
            reason: "sends tokens".into(),
            first_seen: None,
            versions: vec![],
            reference: None,
        };
        let entries = names.iter().map(entry).collect();
        AbuseList {
            list: name.into(),
            version,
            source: "us".into(),
            date: "2026-11-20".into(),
            confirmed: false,
            entries,
        }
    }

    fn import(store: &Store, list: &AbuseList) -> Result<Option<u64>, StoreError> {
        let (list, of) = (list.clone(), Digest::of_json(list));
        store.write(move |writer| writer.import_abuse_list(&list, &of, day(2)))
    }

    /// The lists and versions that report a package, or none where nobody looked.
    fn reports(store: &Store, snapshot: crate::SnapshotId) -> Option<Vec<(String, u32)>> {
        let claims = store.reader().expect("opens").bundle(snapshot).expect("reads").claims;
        let reports = claims.repository_signals.reports.known()?.iter();
        Some(reports.map(|report| (report.list.clone(), report.version)).collect())
    }

    #[test]
    fn an_import_makes_those_unscanned_of_whom_it_says_something_new() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        list(&store, &listing("b", "1"), 1);
        let (a, b) = (scan_of(&store, "a", "1", 1), scan_of(&store, "b", "1", 1));
        let scan_all = || scan_unscanned(&store, &[(a, "a"), (b, "b")]);
        assert_eq!(scan_all(), vec![]);
        assert_eq!(reports(&store, a), None);
        assert_eq!(import(&store, &abuse_list("x", 1, &["a", "z"])).expect("taken"), Some(2), "nobody had looked");
        assert_eq!(reports(&store, a), Some(vec![("x".into(), 1)]));
        assert_eq!(reports(&store, b), Some(vec![]));
        assert_eq!(scan_all(), vec![a, b]);
        assert_eq!(scan_all(), vec![]);
        assert_eq!(import(&store, &abuse_list("y", 7, &["b"])).expect("taken"), Some(1));
        assert_eq!(scan_all(), [b]);
        assert_eq!(import(&store, &abuse_list("x", 2, &["z"])).expect("taken"), Some(1), "taken out of the list");
        assert_eq!(scan_all(), vec![a]);
        assert_eq!(reports(&store, a), Some(vec![]));
        assert_eq!(reports(&store, b), Some(vec![("y".into(), 7)]), "another list is left alone");
    }

    #[test]
    fn a_list_that_is_confirmed_later_says_something_new_of_all_that_it_names() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        let a = scan_of(&store, "a", "1", 1);
        let plain = abuse_list("x", 1, &["a"]);
        let confirmed = AbuseList { confirmed: true, ..plain.clone() };
        let is_confirmed = || {
            let claims = store.reader().expect("opens").bundle(a).expect("reads").claims;
            claims.repository_signals.reports.known().map(|reports| reports.iter().all(|report| report.confirmed))
        };
        assert_eq!(import(&store, &plain).expect("taken"), Some(1));
        assert_eq!(is_confirmed(), Some(false));
        assert_eq!(import(&store, &confirmed).expect("taken"), Some(1));
        assert_eq!(is_confirmed(), Some(true));
        assert_eq!(import(&store, &confirmed).expect("taken"), None);
        let other = AbuseList { confirmed: true, ..abuse_list("x", 1, &["b"]) };
        import(&store, &other).expect_err("another list under the same version");
        assert_eq!(import(&store, &plain).expect("taken"), Some(1), "the word may be taken back");
        assert_eq!(is_confirmed(), Some(false));
    }

    #[test]
    fn the_same_file_changes_nothing_and_an_older_or_other_one_is_refused() {
        let folder = Folder::new();
        let store = folder.store();
        let second = abuse_list("x", 2, &["a"]);
        assert_eq!(import(&store, &second).expect("taken"), Some(0));
        assert_eq!(import(&store, &second).expect("taken"), None);
        for (refused, why) in [(abuse_list("x", 1, &["a"]), "older"), (abuse_list("x", 2, &["b"]), "other bytes")] {
            let error = import(&store, &refused).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
        let held = store.reader().expect("opens").abuse_lists().expect("reads");
        assert_eq!(held, [ImportedList { digest: Digest::of_json(&second), list: second, imported: day(2) }]);
    }

    #[test]
    fn a_listing_that_is_new_or_changes_meets_the_lists_that_are_there() {
        let folder = Folder::new();
        let store = folder.store();
        import(&store, &abuse_list("x", 1, &["a"])).expect("taken");
        list(&store, &listing("a", "1"), 3);
        let a = scan_of(&store, "a", "1", 3);
        assert_eq!(reports(&store, a), Some(vec![("x".into(), 1)]));
        let unscanned = store.reader().expect("opens").unscanned(&digest("rules")).expect("reads");
        assert_eq!(unscanned, [a], "a scan without the reports is not one of these claims");
        let stored = store.reader().expect("opens").listing(&listing("a", "1").key).expect("reads").expect("listed");
        let said = stored.listing.expect("it speaks").claims.repository_signals.reports;
        assert_eq!(said, Claim::Unknown, "what the source said is left alone");
    }
}
