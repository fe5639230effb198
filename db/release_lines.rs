//! Release lines of packages: which are listed, and where a line that is new came from.
//!
//! A line that led to the same version as its package, or as another line of it, has no bytes of its own. Once it leads
//! elsewhere it is compared with the bytes that it led to before. They are entered as its own, which copies a row and no bytes.

use capdex_model::ids::{ListingKey, split_registry};
use capdex_model::listing::{Listing, Locator};
use capdex_model::release_line;
use rusqlite::Connection;

use crate::identities::put_identity;
use crate::sql::{Cells, execute, first, id_of, rows};
use crate::{Reader, StoreError};

/// Enters the snapshot that a line led to until now as its first, where the line is new and its package was known before.
/// Called before the package's own listing is replaced.
pub(crate) fn follow(conn: &Connection, listing: &Listing) -> Result<(), StoreError> {
    const WHAT: &str = "enter where a release line came from";
    let (Some((package, line)), Some(locator)) = (listing.release_line(), listing.locators.first()) else {
        return Ok(());
    };
    // A line of another registry is a version, which never leads elsewhere.
    if !matches!(locator, Locator::NpmPackage { .. }) {
        return Ok(());
    }
    let identity = locator.identity();
    let package_identity = release_line::package_of_identity(&identity);
    // Its bytes are those of its package still.
    if identity == package_identity {
        return Ok(());
    }
    let identity = put_identity(conn, &identity)?;
    let is_known = "SELECT id FROM succession WHERE identity = ?1 LIMIT 1";
    if id_of(conn, WHAT, is_known, (identity,))?.is_some() {
        return Ok(());
    }
    let package = ListingKey::new(&listing.key.source, package);
    let version = match stored(conn, &listing.key)? {
        Some(before) => before.locators.first().and_then(Locator::version).map(str::to_owned),
        None => stored(conn, &package)?.and_then(|before| version_of(&before, line)),
    };
    let Some(version) = version else { return Ok(()) };
    if locator.version() == Some(version.as_str()) {
        return Ok(());
    }
    // Its lines are those at the same registry.
    let (bare, _) = split_registry(&package_identity);
    // The row of the succession goes along, so that what is fetched now comes after it.
    let sql = "SELECT s.snapshot, s.run, s.at FROM succession s
               JOIN snapshots n ON n.id = s.snapshot JOIN identities i ON i.id = n.identity
               WHERE (i.name = ?1 OR (i.name >= ?3 || '@' AND i.name < ?3 || 'A'
                                     AND substr(i.name, instr(i.name || '?', '?')) = substr(?1, instr(?1 || '?', '?'))))
                     AND n.version = ?2
                 AND n.state <> 'not_assessable'
                 AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = n.id)
               ORDER BY s.run DESC, s.at DESC, n.tree DESC, s.id DESC LIMIT 1";
    let before = first(conn, WHAT, sql, (&*package_identity, &version, bare), |row| {
        Ok((row.cell::<i64>(0)?, row.cell::<i64>(1)?, row.cell::<i64>(2)?))
    })?;
    let Some((snapshot, run, at)) = before else { return Ok(()) };
    let copy =
        "INSERT INTO snapshots (identity, artifact, tree, state, completeness, version, locator, files, fetched, at)
                SELECT ?2, artifact, tree, state, completeness, version, locator, files, fetched, at
                FROM snapshots WHERE id = ?1";
    execute(conn, WHAT, copy, (snapshot, identity))?;
    let succeed = "INSERT INTO succession (identity, snapshot, run, at) VALUES (?1, ?2, ?3, ?4)";
    execute(conn, WHAT, succeed, (identity, conn.last_insert_rowid(), run, at)).map(drop)
}

/// What a source said of a listing last.
fn stored(conn: &Connection, key: &ListingKey) -> Result<Option<Listing>, StoreError> {
    let sql =
        "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body WHERE l.source = ?1 AND l.name = ?2";
    first(conn, "read a listing", sql, (&key.source, &key.name), |row| row.packed(0, "listing"))
}

/// The version that a line led to when its package was listed last; none for a line that led nowhere then.
fn version_of(package: &Listing, line: &str) -> Option<String> {
    if let Some(version) = package.claims.release_lines.versions.get(line) {
        return Some(version.clone());
    }
    // The latest version's own major is not stated by itself.
    let latest = package.locators.first().and_then(Locator::version);
    let is_own = |version: &&str| release_line::of_version(version).as_deref() == Some(line);
    latest.filter(is_own).map(str::to_owned)
}

impl Reader {
    /// The listings of a package's release lines that are there, sorted.
    pub fn active_lines(&self, package: &ListingKey) -> Result<Vec<ListingKey>, StoreError> {
        let sql = "SELECT source, name FROM listings
                   WHERE source = ?1 AND name >= ?2 || '@' AND name < ?2 || 'A' AND state <> 'gone' ORDER BY name";
        rows(self.connection(), "read the lines of a package", sql, (&package.source, &package.name), |row| {
            Ok(ListingKey { source: row.cell(0)?, name: row.cell(1)? })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, list, listing, scan_of, start_run};

    /// The listing of a line at a version, with its bytes kept under `kept_as`.
    fn line(name: &str, kept_as: &str, version: &str) -> Listing {
        Listing { locators: listing(kept_as, version).locators, ..listing(name, version) }
    }

    #[test]
    fn a_line_that_parts_from_its_package_is_compared_with_what_it_led_to() {
        let folder = Folder::new();
        let store = folder.store();
        start_run(&store, 1);
        let mut package = listing("a", "1");
        package.claims.release_lines.versions.insert("next".into(), "1".into());
        list(&store, &package, 1);
        scan_of(&store, "a", "1", 1);
        start_run(&store, 2);
        list(&store, &line("a@next", "a@next", "2"), 2);
        list(&store, &line("a@other", "a@other", "2"), 2);
        scan_of(&store, "a@next", "2", 2);
        scan_of(&store, "a@other", "2", 2);
        let pairs = store.reader().expect("opens").uncompared_snapshots().expect("reads");
        let [pair] = pairs.as_slice() else { panic!("one pair: {pairs:?}") };
        assert_eq!((pair.before.locator.version(), pair.after.locator.version()), (Some("1"), Some("2")));
        assert_eq!(pair.after.locator.identity(), "npm:a@next");
        assert_eq!(store.reader().expect("opens").bundle(pair.before.id).expect("its bytes").identity, "npm:a@next");
    }

    #[test]
    fn the_lines_of_a_package_are_its_own() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "a@1", "a@next", "ab@1", "a-b@1", "@a/b@1"] {
            list(&store, &listing(name, "1"), 1);
        }
        let reader = store.reader().expect("opens");
        let lines = |name: &str| {
            let lines = reader.active_lines(&ListingKey::new("npm", name)).expect("reads");
            lines.into_iter().map(|key| key.name).collect::<Vec<_>>()
        };
        assert_eq!(lines("a"), ["a@1", "a@next"]);
        assert_eq!(lines("@a/b"), ["@a/b@1"]);
        assert_eq!(lines("b"), Vec::<String>::new());
    }
}
