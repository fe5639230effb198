//! Capabilities as they stand now, and the history of each.
//!
//! Their scores are found by the digest of their facts.

use std::collections::BTreeMap;

use capdex_model::capability::{Capability, CapabilityRole, Kind};
use capdex_model::digest::Digest;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;

use rusqlite::{Connection, Row};

use crate::facts::FactsId;
use crate::sql::{Cells, each, first, rows};
use crate::{ListingState, Reader, SnapshotId, StoreError};

/// A capability in the scan that counts of the current snapshot of its identity.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentCapability {
    /// The capability as it was found.
    pub capability: Capability,
    /// The listing that speaks for its package.
    pub listing: ListingKey,
    /// Its locator's identity.
    pub identity: String,
    /// The version of its snapshot, where the locator has one.
    pub version: Option<String>,
    /// The listing's state; gone also where the listing is there but does not name the package any more.
    pub listing_state: ListingState,
    /// The extent to which it could be looked at.
    pub completeness: Completeness,
    /// The digest of its facts.
    pub facts: Digest,
    /// When it was first met.
    pub first_seen: AsOf,
    /// When its snapshot was first met.
    pub revision_as_of: AsOf,
    /// Its snapshot, by which the bytes can be read again. Not for export.
    pub snapshot: SnapshotId,
    /// The rule set that the facts come from.
    pub ruleset: Digest,
}

/// A capability in one scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapabilityRevision {
    /// When the snapshot was first met.
    pub snapshot_as_of: AsOf,
    /// When it was scanned.
    pub scan_as_of: AsOf,
    /// The version of the snapshot, where the locator has one.
    pub version: Option<String>,
    /// The digest over its files.
    pub content: Digest,
    /// The rule set.
    pub ruleset: Digest,
    /// The digest of its facts.
    pub facts: Digest,
    /// The completeness of that look at it.
    pub completeness: Completeness,
}

/// The names of a current capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentName {
    /// Its id.
    pub id: CapabilityId,
    /// Its slug.
    pub slug: String,
    /// Its locator's identity.
    pub identity: String,
    /// Its kind.
    pub kind: Kind,
    /// Its path inside the package; empty for the package's root.
    pub path: String,
}

/// A capability that was found in some scan, and the last snapshot that had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerCapability {
    /// Its readable name.
    pub slug: String,
    /// The version of that snapshot, where the locator has one.
    pub version: Option<String>,
    /// That snapshot.
    pub snapshot: SnapshotId,
}

/// The place of a current capability in this file. Meaningless outside it, and once the file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentPlace {
    pub(crate) revision: i64,
    /// The number of the capability in this file, which stays when the file changes.
    pub capability: i64,
    /// Its kind.
    pub kind: Kind,
    /// Its facts.
    pub facts: FactsId,
    /// Its description, for what is asked of its files alone.
    pub(crate) description: i64,
    /// Its snapshot.
    pub(crate) snapshot: SnapshotId,
    /// True where all of it could be looked at.
    pub is_analysed: bool,
    /// The part that it plays.
    pub role: CapabilityRole,
}

const READ: &str = "read the capabilities";

/// Some columns of what stands now, with what follows: which capabilities stand is said here alone.
macro_rules! standing_sql {
    ($columns:literal, $rest:expr) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM identities i
             JOIN snapshots n ON n.id = i.snapshot
             JOIN listings l ON l.id = i.listing
             JOIN listing_identities e ON e.identity = i.id AND e.listing = l.id
             JOIN scans c ON c.id = i.scan
             JOIN scan_results r ON r.scan = c.id
             JOIN capabilities k ON k.id = r.capability ",
            $rest
        )
    };
}

pub(crate) use standing_sql;

/// All that [`stands`] decodes of what stands now, with how it is chosen or sorted after it.
macro_rules! current_sql {
    ($rest:literal) => {
        standing_sql!(
            "d.body, l.source, l.name, i.name, n.version, l.state, e.named, q.body, f.digest,
             k.first_seen, n.at, n.id, c.ruleset, k.slug",
            concat!(
                "JOIN json_documents d ON d.id = r.description
                 JOIN json_documents q ON q.id = r.completeness
                 JOIN facts f ON f.id = r.facts ",
                $rest
            )
        )
    };
}

/// The capability at a place. Its row leads to the identity at once; by the scan alone every identity would be looked at.
const AT_PLACE: &str = current_sql!("WHERE r.id = ?1 AND i.id = k.identity");

fn stands(row: &Row<'_>) -> Result<CurrentCapability, StoreError> {
    let state = ListingState::of_word(&row.cell::<String>(5)?)?;
    let named: bool = row.cell(6)?;
    // The scan knew no other capabilities; the store tells slugs apart.
    let capability = Capability { slug: row.cell(13)?, ..row.packed(0, "capability")? };
    Ok(CurrentCapability {
        capability,
        listing: ListingKey { source: row.cell(1)?, name: row.cell(2)? },
        identity: row.cell(3)?,
        version: row.cell(4)?,
        // The listing is there but names another package now: for this one it is as good as gone.
        listing_state: if named { state } else { ListingState::Gone },
        completeness: row.packed(7, "completeness")?,
        facts: row.digest(8)?,
        first_seen: row.as_of(9)?,
        revision_as_of: row.as_of(10)?,
        snapshot: SnapshotId(row.cell(11)?),
        ruleset: row.digest(12)?,
    })
}

/// The role that a stored description of a capability gives.
fn role_in(conn: &Connection, document: i64) -> Result<CapabilityRole, StoreError> {
    let sql = "SELECT body FROM json_documents WHERE id = ?1";
    let read: Option<Capability> = first(conn, "read a role", sql, (document,), |row| row.packed(0, "capability"))?;
    Ok(read.map(|capability| capability.role).unwrap_or_default())
}

impl Reader {
    /// Every capability as it stands now, sorted by (slug, id). An identity whose current snapshot was not scanned yet
    /// has none.
    pub fn current(&self) -> Result<Vec<CurrentCapability>, StoreError> {
        let sql = current_sql!("ORDER BY k.slug, k.digest");
        rows(self.connection(), READ, sql, (), stands)
    }

    /// The same one by one, for who does not need them all at once. An error of `visit` ends it.
    pub fn each_current<E: From<StoreError>>(
        &self,
        visit: impl FnMut(CurrentCapability) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = current_sql!("ORDER BY k.slug, k.digest");
        each(self.connection(), READ, sql, (), stands, visit)
    }

    /// The names of every capability that stands now, sorted as [`Reader::current`] sorts them, one by one.
    pub fn each_name(&self, mut visit: impl FnMut(CurrentName)) -> Result<(), StoreError> {
        let sql = standing_sql!("k.digest, k.slug, i.name, k.kind, k.path", "ORDER BY k.slug, k.digest");
        let name = |row: &Row<'_>| {
            let kind: String = row.cell(3)?;
            Ok(CurrentName {
                id: CapabilityId(row.digest(0)?),
                slug: row.cell(1)?,
                identity: row.cell(2)?,
                kind: kind.parse().map_err(|_| StoreError::Unknown { what: "kind", key: kind })?,
                path: row.cell(4)?,
            })
        };
        each(self.connection(), "read the names of the capabilities", sql, (), name, |name| -> Result<(), StoreError> {
            visit(name);
            Ok(())
        })
    }

    /// One capability as it stands now; none where it is unknown or gone from its package.
    pub fn current_of(&self, capability: &CapabilityId) -> Result<Option<CurrentCapability>, StoreError> {
        // The second condition leads from the capability to its identity; else every identity would be looked at.
        let sql = current_sql!("WHERE k.digest = ?1 AND i.id = k.identity");
        first(self.connection(), READ, sql, (capability.0.as_bytes(),), stands)
    }

    /// The place of every capability now, sorted as [`Reader::current`] sorts them: little enough for a store of any size.
    pub fn current_places(&self) -> Result<Vec<CurrentPlace>, StoreError> {
        let conn = self.connection();
        let sql = standing_sql!(
            "r.id, r.facts, r.completeness, k.id, k.kind, k.path, r.description, n.id",
            "ORDER BY k.slug, k.digest"
        );
        // Equal documents are stored once, so all capabilities that were read whole share one, unpacked once.
        let mut known: BTreeMap<i64, bool> = BTreeMap::new();
        rows(conn, "read where the capabilities stand", sql, (), |row| {
            let document: i64 = row.cell(2)?;
            let is_analysed = match known.get(&document) {
                Some(known) => *known,
                None => {
                    let sql = "SELECT body FROM json_documents WHERE id = ?1";
                    let read =
                        first(conn, "read a completeness", sql, (document,), |row| row.packed(0, "completeness"))?;
                    let is_analysed = read == Some(Completeness::Analysed);
                    known.insert(document, is_analysed);
                    is_analysed
                }
            };
            let (revision, facts, capability) = (row.cell(0)?, FactsId(row.cell(1)?), row.cell(3)?);
            // Only a server at a file may be a configuration; the description of nothing else is read.
            let kind: String = row.cell(4)?;
            let kind: Kind = kind.parse().map_err(|_| StoreError::Unknown { what: "kind", key: kind })?;
            let is_asked = kind == Kind::McpServer && !row.cell::<String>(5)?.is_empty();
            let (description, snapshot) = (row.cell(6)?, SnapshotId(row.cell(7)?));
            let role = if is_asked { role_in(conn, description)? } else { CapabilityRole::Offer };
            Ok(CurrentPlace { revision, capability, kind, facts, description, snapshot, is_analysed, role })
        })
    }

    /// The capability that stands at a place. [`StoreError::Unknown`] where none does any more.
    pub fn current_at(&self, place: &CurrentPlace) -> Result<CurrentCapability, StoreError> {
        let found = first(self.connection(), "read a capability", AT_PLACE, (place.revision,), stands)?;
        found.ok_or_else(|| StoreError::Unknown { what: "capability", key: place.revision.to_string() })
    }

    /// The capabilities that ever had this slug, or whose id begins with these hex digits (empty for none), sorted by id.
    /// Each comes with the snapshot that had it last. At most two ids: more are not told apart.
    pub fn former(&self, slug: &str, hex: &str) -> Result<Vec<FormerCapability>, StoreError> {
        // Two rows show that a prefix is ambiguous; a third would tell no more.
        let sql = "SELECT k.slug, n.version, n.id FROM capabilities k
                   JOIN scan_results r ON r.id = (SELECT max(id) FROM scan_results WHERE capability = k.id)
                   JOIN scans c ON c.id = r.scan
                   JOIN snapshots n ON n.id = c.snapshot
                   WHERE k.slug = ?1 OR (?2 <> '' AND substr(lower(hex(k.digest)), 1, length(?2)) = ?2)
                   ORDER BY k.digest LIMIT 2";
        rows(self.connection(), "look for a former capability", sql, (slug, hex), |row| {
            Ok(FormerCapability { slug: row.cell(0)?, version: row.cell(1)?, snapshot: SnapshotId(row.cell(2)?) })
        })
    }

    /// The slug of a capability; none for one that is unknown.
    pub fn slug(&self, capability: &CapabilityId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT slug FROM capabilities WHERE digest = ?1";
        first(self.connection(), "read a slug", sql, (capability.0.as_bytes(),), |row| row.cell(0))
    }

    /// Every scan in which a capability was found, oldest first. Empty for one that is unknown.
    pub fn capability_history(&self, capability: &CapabilityId) -> Result<Vec<CapabilityRevision>, StoreError> {
        let sql = "SELECT n.at, c.at, n.version, r.content, c.ruleset, f.digest, q.body
                   FROM capabilities k
                   JOIN scan_results r ON r.capability = k.id
                   JOIN scans c ON c.id = r.scan
                   JOIN snapshots n ON n.id = c.snapshot
                   JOIN facts f ON f.id = r.facts
                   JOIN json_documents q ON q.id = r.completeness
                   WHERE k.digest = ?1 ORDER BY r.id";
        rows(self.connection(), "read a capability's history", sql, (capability.0.as_bytes(),), |row| {
            Ok(CapabilityRevision {
                snapshot_as_of: row.as_of(0)?,
                scan_as_of: row.as_of(1)?,
                version: row.cell(2)?,
                content: row.digest(3)?,
                ruleset: row.digest(4)?,
                facts: row.digest(5)?,
                completeness: row.packed(6, "completeness")?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        Folder, capability, claims_digest, day, digest, facts, gap, key, list, listing, mark, scan, scan_of, scanned,
        start_run,
    };

    #[test]
    fn what_stands_at_a_place_is_found_without_looking_at_everything() {
        let folder = Folder::new();
        let reader = folder.store().reader().expect("opens");
        let sql: &'static str = format!("EXPLAIN QUERY PLAN {AT_PLACE}").leak();
        let steps: Vec<String> = rows(reader.connection(), "explain", sql, (1,), |row| row.cell(3)).expect("explains");
        assert!(steps.len() >= 10, "{steps:#?}");
        assert!(steps.iter().all(|step| step.starts_with("SEARCH ")), "{steps:#?}");
    }

    #[test]
    fn a_capability_stands_with_all_that_is_known_of_it() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        let stands = store.reader().expect("opens").current().expect("reads").remove(0);
        let expected = CurrentCapability {
            capability: capability("a", "", "1"),
            listing: key("a"),
            identity: "npm:a".into(),
            version: Some("1".into()),
            listing_state: ListingState::Active,
            completeness: Completeness::Analysed,
            facts: facts("a").digest(),
            first_seen: day(1),
            revision_as_of: day(1),
            snapshot: stands.snapshot,
            ruleset: digest("rules"),
        };
        assert_eq!(stands, expected);
        let reader = store.reader().expect("opens");
        assert_eq!(reader.current_of(&expected.capability.id).expect("reads"), Some(expected.clone()));
        assert_eq!(reader.current_of(&CapabilityId(digest("none"))).expect("reads"), None);
        let mut all = Vec::new();
        let visit = |current| {
            all.push(current);
            Ok::<_, StoreError>(())
        };
        reader.each_current(visit).expect("reads");
        assert_eq!(all, [expected]);
    }

    #[test]
    fn the_places_lead_to_the_same_capabilities_in_the_same_order() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["c", "a", "b"] {
            list(&store, &listing(name, "1"), 1);
            scan_of(&store, name, "1", 1);
        }
        let reader = store.reader().expect("opens");
        let places = reader.current_places().expect("reads");
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place.is_analysed));
        let led: Vec<_> = places.iter().map(|place| reader.current_at(place).expect("reads")).collect();
        assert_eq!(led, reader.current().expect("reads"));
    }

    #[test]
    fn capabilities_are_sorted_by_slug_and_not_by_when_they_came() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["c", "a", "b"] {
            scan_of(&store, name, "1", 1);
        }
        let slugs: Vec<_> =
            store.reader().expect("opens").current().expect("reads").into_iter().map(|c| c.capability.slug).collect();
        assert_eq!(slugs, ["npm-a-package", "npm-b-package", "npm-c-package"]);
    }

    #[test]
    fn a_second_night_takes_the_place_of_the_first_and_both_stay_in_the_history() {
        let folder = Folder::new();
        let store = folder.store();
        for (night, version) in [(1, "1"), (2, "2")] {
            start_run(&store, night);
            list(&store, &listing("a", version), night);
            scan_of(&store, "a", version, night);
        }
        let reader = store.reader().expect("opens");
        let now = reader.current().expect("reads");
        let versions: Vec<_> = now.iter().map(|c| (c.version.as_deref(), c.first_seen, c.revision_as_of)).collect();
        assert_eq!(versions, [(Some("2"), day(1), day(2))]);
        let history = reader.capability_history(&capability("a", "", "1").id).expect("reads");
        let history: Vec<_> = history.iter().map(|r| (r.snapshot_as_of, r.version.as_deref(), r.content)).collect();
        let content = |version| capability("a", "", version).content;
        assert_eq!(history, [(day(1), Some("1"), content("1")), (day(2), Some("2"), content("2"))]);
        assert_eq!(reader.listing_versions(&key("a")).expect("reads").len(), 2);
        let unknown = reader.capability_history(&CapabilityId(digest("none"))).expect("reads");
        assert_eq!(unknown, []);
        let slug = |id: &CapabilityId| reader.slug(id).expect("reads");
        assert_eq!(slug(&capability("a", "", "1").id).as_deref(), Some("npm-a-package"));
        assert_eq!(slug(&CapabilityId(digest("none"))), None);
    }

    #[test]
    fn the_listing_that_speaks_is_active_before_it_is_first_by_name() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        let mut other = listing("a", "1");
        other.key = ListingKey::new("directory", "the-a");
        list(&store, &other, 1);
        scan_of(&store, "a", "1", 1);
        let reader = store.reader().expect("opens");
        let speaks = || {
            let stands = reader.current().expect("reads").remove(0);
            (stands.listing.to_string(), stands.listing_state)
        };
        assert_eq!(speaks(), ("directory:the-a".into(), ListingState::Active));
        mark(&store, &other.key, ListingState::Gone, Some(gap("a")), 2);
        assert_eq!(speaks(), ("npm:a".into(), ListingState::Active));
        mark(&store, &key("a"), ListingState::Gone, None, 3);
        assert_eq!(speaks(), ("directory:the-a".into(), ListingState::Gone));
    }

    #[test]
    fn a_listing_that_names_another_package_leaves_the_first_one_gone() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        let mut moved = listing("a", "1");
        moved.locators = listing("b", "1").locators;
        list(&store, &moved, 2);
        let stands = store.reader().expect("opens").current().expect("reads").remove(0);
        assert_eq!(stands.identity.as_str(), "npm:a");
        assert_eq!(stands.listing_state, ListingState::Gone);
    }

    #[test]
    fn what_was_partly_read_stays_partial() {
        let folder = Folder::new();
        let store = folder.store();
        let snapshot = scan_of(&store, "a", "1", 1);
        let mut partial = scanned("a", "", "1", "a");
        partial.completeness = Completeness::Partial(vec![gap("a.bin")]);
        scan(&store, snapshot, "rules 2", &claims_digest("a", "1"), &[partial.clone()], 2);
        let stands = store.reader().expect("opens").current().expect("reads").remove(0);
        assert_eq!(stands.completeness, partial.completeness);
    }
}
