//! Entities: what is one thing over all directories, why, and what the pass saw last of each subject.
//!
//! The pass `identity` decides what is one thing.

use std::collections::{BTreeMap, BTreeSet};

use crate::blobs::read_blob;
use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, id_of, insert, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer};
use capdex_corpus::drift::Pins;
use capdex_corpus::identity::{
    Contents, Identified, IdentityAnchor, IdentityAnchors, IdentityEdge, KnownEntities, NamedManifest, Statement,
    is_manifest, named_by,
};
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::snapshot::FileEntry;
use capdex_model::source_role::SourceRoles;
use capdex_model::time::AsOf;

/// Listings that may hold the same capability before it is a template that tells nothing of where it came from.
const MAX_HOLDERS: i64 = 6;

impl Writer<'_> {
    /// Stores of which entity a listing is, and why, in the place of what was stored before.
    ///
    /// [`StoreError::Unknown`] for a listing that is not stored.
    pub fn put_entity(&self, of: &Identified, at: AsOf) -> Result<(), StoreError> {
        const WHAT: &str = "store of which entity a listing is";
        let conn = self.connection();
        let key = &of.listing;
        let known = "SELECT id FROM listings WHERE source = ?1 AND name = ?2";
        let listing = id_of(conn, WHAT, known, (&key.source, &key.name))?
            .ok_or_else(|| StoreError::Unknown { what: "listing", key: key.to_string() })?;
        // Ids of entities are never deleted: one that was given must not come to stand for another thing.
        let entity = match id_of(conn, WHAT, "SELECT id FROM entities WHERE name = ?1", (&of.entity,))? {
            Some(entity) => entity,
            None => insert(conn, WHAT, "INSERT INTO entities (name, at) VALUES (?1, ?2)", (&of.entity, seconds(at)))?,
        };
        let sql = "INSERT INTO entity_members (listing, entity, edges) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO UPDATE SET entity = excluded.entity, edges = excluded.edges";
        execute(conn, WHAT, sql, (listing, entity, pack(canonical(&of.edges)?)?)).map(drop)
    }

    /// Keeps what the pass saw of a subject.
    pub fn keep_anchor(&self, subject: &str, anchor: &IdentityAnchor) -> Result<(), StoreError> {
        let sql = "INSERT INTO identity_anchors (name, body) VALUES (?1, ?2)
                   ON CONFLICT DO UPDATE SET body = excluded.body";
        execute(self.connection(), "keep an anchor", sql, (subject, canonical(anchor)?)).map(drop)
    }

    /// Keeps the digests of contents by their own paths.
    pub fn keep_contents(&self, contents: &[ToldContent]) -> Result<(), StoreError> {
        let sql = "INSERT INTO scan_result_contents (scan_result, digest) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        contents.iter().try_for_each(|(revision, digest)| {
            execute(self.connection(), "keep what a revision holds", sql, (revision.0, digest.as_bytes())).map(drop)
        })
    }

    /// Keeps which packages the manifests in a snapshot name.
    pub fn keep_manifests(&self, snapshot: SnapshotId, manifests: &[NamedManifest]) -> Result<(), StoreError> {
        let sql = "INSERT INTO snapshot_manifests (snapshot, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        execute(self.connection(), "keep the manifests of a snapshot", sql, (snapshot.0, canonical(&manifests)?))
            .map(drop)
    }
}

/// A revision whose contents were not told by their own paths yet, and their digest.
pub type ToldContent = (RevisionId, Digest);

/// A revision in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionId(i64);

impl Reader {
    /// The statement of every listing but those of release lines about what it is, sorted by key. `roles` are those of the kinds of sources.
    pub fn statements(&self, roles: &SourceRoles) -> Result<Vec<Statement>, StoreError> {
        Ok(self.stated_signals(roles)?.into_iter().map(|(statement, _)| statement).collect())
    }

    /// Every listing's entity with its edges, sorted by listing.
    pub fn identified(&self) -> Result<Vec<Identified>, StoreError> {
        let sql = "SELECT l.source, l.name, e.name, m.edges FROM entity_members m
                   JOIN entities e ON e.id = m.entity JOIN listings l ON l.id = m.listing ORDER BY l.source, l.name";
        rows(self.connection(), "read the entities", sql, (), identified)
    }

    /// The listings of the entity that a listing is of, itself among them, sorted; empty where the pass has not seen it.
    pub fn same_entity(&self, listing: &ListingKey) -> Result<Vec<Identified>, StoreError> {
        let sql = "SELECT o.source, o.name, e.name, m.edges FROM listings l
                   JOIN entity_members s ON s.listing = l.id
                   JOIN entity_members m ON m.entity = s.entity
                   JOIN entities e ON e.id = m.entity
                   JOIN listings o ON o.id = m.listing
                   WHERE l.source = ?1 AND l.name = ?2 ORDER BY o.source, o.name";
        rows(self.connection(), "read an entity", sql, (&listing.source, &listing.name), identified)
    }

    /// The ids of before, and which were ever given.
    pub fn known_entities(&self) -> Result<KnownEntities, StoreError> {
        const WHAT: &str = "read the ids of entities";
        let sql = "SELECT l.source, l.name, e.name FROM entity_members m
                   JOIN entities e ON e.id = m.entity JOIN listings l ON l.id = m.listing";
        let entities = rows(self.connection(), WHAT, sql, (), |row| {
            Ok((ListingKey { source: row.cell(0)?, name: row.cell(1)? }, row.cell::<String>(2)?))
        })?;
        // Also ids that no listing has any more: a new entity must not take over the past of an old one.
        let taken = rows(self.connection(), WHAT, "SELECT name FROM entities", (), |row| row.cell(0))?;
        Ok(KnownEntities { entities: entities.into_iter().collect(), taken: taken.into_iter().collect() })
    }

    /// The last observation of each subject by the pass.
    pub fn anchors(&self) -> Result<IdentityAnchors, StoreError> {
        let all = rows(self.connection(), "read the anchors", "SELECT name, body FROM identity_anchors", (), |row| {
            Ok((row.cell(0)?, row.json::<IdentityAnchor>(1, "anchor")?))
        })?;
        Ok(all.into_iter().collect())
    }

    /// The current snapshots of repositories that a package of this store names and whose manifests were not read yet.
    pub fn unread_repositories(&self) -> Result<Vec<SnapshotId>, StoreError> {
        // A manifest confirms what a package says of its repository; where none names it there is nothing to confirm.
        let sql = "SELECT DISTINCT n.id FROM listing_references r
                   JOIN listings l ON l.id = r.listing
                   JOIN identities i ON i.name = r.source || ':' || r.name
                   JOIN snapshots n ON n.id = i.snapshot
                   WHERE r.source IN ('github', 'git') AND l.source IN ('npm', 'pypi')
                     AND n.state <> 'not_assessable'
                     AND NOT EXISTS (SELECT 1 FROM snapshot_manifests m WHERE m.snapshot = n.id)
                   ORDER BY n.id";
        rows(self.connection(), "look for unread repositories", sql, (), |row| row.cell(0).map(SnapshotId))
    }

    /// The packages that the manifests in a snapshot name, sorted.
    pub fn read_manifests(&self, snapshot: SnapshotId) -> Result<Vec<NamedManifest>, StoreError> {
        let sql = "SELECT f.body FROM snapshots n JOIN json_documents f ON f.id = n.files WHERE n.id = ?1";
        let files = rows(self.connection(), "read the files of a snapshot", sql, (snapshot.0,), |row| {
            row.packed::<Vec<FileEntry>>(0, "files of a snapshot")
        })?;
        let mut named = BTreeSet::new();
        for file in files.into_iter().flatten().filter(|file| is_manifest(&file.path)) {
            // A manifest whose bytes were pruned names nothing: it is a hint and no evidence.
            let bytes = read_blob(self.connection(), &file.digest)?;
            named.extend(bytes.and_then(|bytes| named_by(&file.path, &bytes)));
        }
        Ok(named.into_iter().collect())
    }

    /// The packages that the manifests of every repository name now, by repository.
    pub fn manifests(&self) -> Result<BTreeMap<String, Vec<NamedManifest>>, StoreError> {
        let sql = "SELECT i.name, m.body FROM snapshot_manifests m JOIN identities i ON i.snapshot = m.snapshot";
        let all = rows(self.connection(), "read the manifests", sql, (), |row| {
            Ok((row.cell(0)?, row.json::<Vec<NamedManifest>>(1, "manifests")?))
        })?;
        Ok(all.into_iter().collect())
    }

    /// The folders of skills in every repository, by repository.
    pub fn skill_folders(&self) -> Result<BTreeMap<String, BTreeSet<String>>, StoreError> {
        let sql = "SELECT i.name, k.path FROM identities i
                   JOIN scan_results r ON r.scan = i.scan JOIN capabilities k ON k.id = r.capability
                   WHERE k.kind = 'skill' AND (i.name GLOB 'github:*' OR i.name GLOB 'git:*')";
        let all = rows(self.connection(), "read where skills lie", sql, (), |row| {
            Ok((row.cell::<String>(0)?, row.cell::<String>(1)?))
        })?;
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (repository, folder) in all {
            folders.entry(repository).or_default().insert(folder);
        }
        Ok(folders)
    }

    /// The revisions that count now and whose contents were not told by their own paths yet, with the digest to keep. The
    /// digest is of each file's path inside the capability and its bytes: it is the same wherever the capability lies.
    pub fn untold_contents(&self) -> Result<Vec<ToldContent>, StoreError> {
        let sql = "SELECT r.id, k.path, p.body FROM identities i
                   JOIN scan_results r ON r.scan = i.scan JOIN capabilities k ON k.id = r.capability
                   JOIN json_documents p ON p.id = r.pins
                   WHERE k.kind <> 'package' AND NOT EXISTS (SELECT 1 FROM scan_result_contents c WHERE c.scan_result = r.id)";
        rows(self.connection(), "read what capabilities hold", sql, (), |row| {
            let (path, pins): (String, Pins) = (row.cell(1)?, row.packed(2, "pins")?);
            // Paths from the capability's own folder: a copy elsewhere has the same digest.
            let inside =
                |file: &str| file.strip_prefix(&path).map_or(file, |rest| rest.trim_start_matches('/')).to_owned();
            let files: BTreeSet<(String, Digest)> =
                pins.files.iter().map(|(file, digest)| (inside(file), *digest)).collect();
            Ok((RevisionId(row.cell(0)?), Digest::of_json(&files)))
        })
    }

    /// The contents of capabilities that a listing held which is gone, with every listing that holds them: by listing.
    pub fn contents_of_gone(&self) -> Result<Contents, StoreError> {
        // With more holders than that it is a template, and would join listings with nothing else in common.
        let sql = "WITH held AS (
                       SELECT DISTINCT c.digest AS content, e.listing AS listing FROM identities i
                       JOIN scan_results r ON r.scan = i.scan JOIN scan_result_contents c ON c.scan_result = r.id
                       JOIN listing_identities e ON e.identity = i.id),
                   told AS (
                       SELECT h.content AS content FROM held h JOIN listings l ON l.id = h.listing
                       GROUP BY h.content HAVING max(l.state = 'gone') = 1 AND count(*) BETWEEN 2 AND ?1)
                   SELECT l.source, l.name, h.content FROM told t
                   JOIN held h ON h.content = t.content JOIN listings l ON l.id = h.listing";
        let all = rows(self.connection(), "read what is listed elsewhere", sql, (MAX_HOLDERS,), |row| {
            Ok((ListingKey { source: row.cell(0)?, name: row.cell(1)? }, row.digest(2)?))
        })?;
        let mut contents = Contents::new();
        for (listing, content) in all {
            contents.entry(listing).or_default().insert(content);
        }
        Ok(contents)
    }
}

pub(crate) fn identified(row: &rusqlite::Row<'_>) -> Result<Identified, StoreError> {
    Ok(Identified {
        listing: ListingKey { source: row.cell(0)?, name: row.cell(1)? },
        entity: row.cell(2)?,
        edges: row.packed::<Vec<IdentityEdge>>(3, "edges")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, at, day, key, list, listing, mark, scan_of};
    use crate::{ListingState, Store};
    use capdex_corpus::identity::Reason;
    use capdex_model::listing::Locator;

    fn put(store: &Store, name: &str, entity: &str) {
        let edges = vec![IdentityEdge { reason: Reason::IsArtefact, to: format!("npm:{name}"), note: String::new() }];
        let of = Identified { listing: key(name), entity: entity.into(), edges };
        store.write(move |writer| writer.put_entity(&of, day(1))).expect("stored");
    }

    #[test]
    fn an_entity_has_its_listings_and_its_id_is_taken_for_ever() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b", "c"] {
            list(&store, &listing(name, "1"), 1);
        }
        put(&store, "a", "npm:a");
        put(&store, "b", "npm:a");
        put(&store, "c", "npm:c");
        let reader = store.reader().expect("opens");
        let same: Vec<_> = reader.same_entity(&key("b")).expect("reads").into_iter().map(|of| of.listing).collect();
        assert_eq!(same, [key("a"), key("b")]);
        let entities = reader.corpus(&SourceRoles::default()).expect("reads");
        let entities: Vec<_> = entities.members().iter().map(|member| member.entity.clone()).collect();
        assert_eq!(entities, ["npm:a", "npm:a", "npm:c"]);
        put(&store, "c", "npm:a");
        let known = reader.known_entities().expect("reads");
        assert_eq!(known.entities.len(), 3);
        assert_eq!(known.taken.len(), 2);
        assert_eq!(reader.identified().expect("reads").len(), 3);
    }

    #[test]
    fn an_anchor_takes_the_place_of_the_one_before() {
        let folder = Folder::new();
        let store = folder.store();
        let anchor = |is_active| IdentityAnchor {
            repository: Some("github:a/b".into()),
            number: Some(7),
            owners: vec!["ann".into()],
            created: None,
            is_active,
            since: at(1),
        };
        for is_active in [true, false] {
            store.write(move |writer| writer.keep_anchor("github:a/b", &anchor(is_active))).expect("kept");
        }
        let kept = store.reader().expect("opens").anchors().expect("reads");
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [("github:a/b".to_owned(), anchor(false))]);
    }

    #[test]
    fn what_a_listing_held_that_is_gone_is_found_where_it_is_now() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b"] {
            scan_of(&store, name, "1", 1);
            list(&store, &listing(name, "1"), 1);
        }
        mark(&store, &key("a"), ListingState::Gone, None, 2);
        let tell = || {
            let told = store.reader().expect("opens").untold_contents().expect("reads");
            let count = told.len();
            store.write(move |writer| writer.keep_contents(&told)).expect("kept");
            count
        };
        assert_eq!(tell(), 0, "the fixtures' only capability is the rest of a package, which says nothing");
        assert_eq!(store.reader().expect("opens").contents_of_gone().expect("reads"), Contents::new());
        folder.sql("UPDATE capabilities SET kind = 'skill'");
        assert_eq!(tell(), 2);
        assert_eq!(tell(), 0);
        let contents = store.reader().expect("opens").contents_of_gone().expect("reads");
        assert_eq!(contents.into_keys().collect::<Vec<_>>(), [key("a"), key("b")]);
    }

    #[test]
    fn manifests_are_read_once_for_each_snapshot_that_a_package_names() {
        let folder = Folder::new();
        let store = folder.store();
        let mut package = listing("a", "1");
        package.references = vec![ListingKey::new("github", "ann/a")];
        list(&store, &package, 1);
        let locator = Locator::GitArchive { repository: "github:ann/a".into(), commit: "0".into(), url: String::new() };
        let text = br#"{"name": "a"}"#;
        let snapshot = crate::fixtures::repository_snapshot(&store, locator, "package.json", text);
        let reader = store.reader().expect("opens");
        assert_eq!(reader.unread_repositories().expect("reads"), [snapshot]);
        let named = reader.read_manifests(snapshot).expect("reads");
        assert_eq!(named.len(), 1);
        store.write(move |writer| writer.keep_manifests(snapshot, &named)).expect("kept");
        assert_eq!(reader.unread_repositories().expect("reads"), []);
        assert_eq!(reader.manifests().expect("reads").into_keys().collect::<Vec<_>>(), ["github:ann/a"]);
    }
}
