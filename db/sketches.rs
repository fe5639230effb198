//! Sketches: what stands for each content when capabilities are compared, made once and kept by the content's digest.
//!
//! `capdex_corpus::clone` and `capdex_corpus::campaign` make and compare them.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::campaign::Traits;
use capdex_corpus::clone::Sketch;
use capdex_model::bundle::BundleFile;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;
use capdex_model::snapshot::FileEntry;

use crate::blobs::read_blob;
use crate::packed::pack;
use crate::snapshot_pruning::why_missing;
use crate::sql::{Cells, canonical, execute, first, rows};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// The sketch and the traits of one content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketched {
    /// The digest over the capability's files.
    pub content: Digest,
    /// Its sketch; none for a kind that is not compared.
    pub sketch: Option<Sketch>,
    /// The requests in its documents.
    pub traits: Traits,
}

impl Writer<'_> {
    /// Keeps what was made of a content under a version, in the place of what an earlier version made.
    pub fn put_sketch(&self, sketched: &Sketched, version: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO sketches (content, version, sketch, traits) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (content) DO UPDATE
                   SET version = excluded.version, sketch = excluded.sketch, traits = excluded.traits";
        let sketch = sketched.sketch.as_ref().map(Sketch::to_bytes);
        let params = (sketched.content.as_bytes(), version, sketch, pack(canonical(&sketched.traits)?)?);
        execute(self.connection(), "keep a sketch", sql, params).map(drop)
    }
}

impl Reader {
    /// A capability and its snapshot for every content that stands now and has no sketch of this version, by snapshot.
    pub fn unsketched(&self, version: i64) -> Result<Vec<(SnapshotId, Capability)>, StoreError> {
        let sql = "SELECT n.id, d.body
                   FROM identities i
                   JOIN snapshots n ON n.id = i.snapshot
                   JOIN scan_results r ON r.scan = i.scan
                   JOIN json_documents d ON d.id = r.description
                   LEFT JOIN sketches s ON s.content = r.content
                   WHERE s.id IS NULL OR s.version <> ?1
                   ORDER BY n.id, r.content";
        let mut seen = BTreeSet::new();
        let mut found = rows(self.connection(), "look for contents without a sketch", sql, (version,), |row| {
            Ok((SnapshotId(row.cell(0)?), row.packed::<Capability>(1, "capability")?))
        })?;
        // Copies in other packages have the same content, which is sketched once.
        found.retain(|(_, capability)| seen.insert(capability.content));
        Ok(found)
    }

    /// The sketches of the contents that stand now, by content.
    pub fn sketches(&self) -> Result<BTreeMap<Digest, Sketch>, StoreError> {
        let sql = "SELECT s.content, s.sketch FROM sketches s
                   WHERE s.sketch IS NOT NULL AND s.content IN
                         (SELECT r.content FROM identities i JOIN scan_results r ON r.scan = i.scan)";
        let found = rows(self.connection(), "read the sketches", sql, (), |row| {
            let bytes: Vec<u8> = row.cell(1)?;
            let sketch = Sketch::from_bytes(&bytes);
            let detail = || StoreError::Corrupt { what: "sketch", detail: format!("{} bytes", bytes.len()) };
            Ok((row.digest(0)?, sketch.ok_or_else(detail)?))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The requests in the documents of the contents that stand now, by content.
    pub fn traits(&self) -> Result<BTreeMap<Digest, Traits>, StoreError> {
        let sql = "SELECT s.content, s.traits FROM sketches s
                   WHERE s.content IN (SELECT r.content FROM identities i JOIN scan_results r ON r.scan = i.scan)";
        let found = rows(self.connection(), "read what documents ask for", sql, (), |row| {
            Ok((row.digest(0)?, row.packed(1, "traits")?))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The files of one capability in a snapshot, by path. [`StoreError::Unknown`] for a snapshot that is not stored.
    pub fn capability_files(
        &self,
        snapshot: SnapshotId,
        capability: &Capability,
    ) -> Result<BTreeMap<String, BundleFile>, StoreError> {
        let sql = "SELECT f.body FROM snapshots n JOIN json_documents f ON f.id = n.files WHERE n.id = ?1";
        let entries: Option<Vec<FileEntry>> =
            first(self.connection(), "read the files of a snapshot", sql, (snapshot.0,), |row| {
                row.packed(0, "files of a snapshot")
            })?;
        let entries = entries.ok_or_else(|| StoreError::Unknown { what: "snapshot", key: snapshot.0.to_string() })?;
        let mut files = BTreeMap::new();
        for entry in entries {
            if capability.files.binary_search(&entry.path).is_err() {
                continue;
            }
            // A missing blob must not pass for a missing file: half a capability would look like a changed one.
            let Some(bytes) = read_blob(self.connection(), &entry.digest)? else {
                return Err(why_missing(self.connection(), snapshot, &entry.digest)?);
            };
            files.insert(entry.path, BundleFile { bytes: bytes.into(), digest: entry.digest });
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, list, listing, scan_of};
    use capdex_corpus::clone::Files;

    #[test]
    fn each_content_is_sketched_once_for_each_version() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b"] {
            list(&store, &listing(name, "1"), 1);
            scan_of(&store, name, "1", 1);
        }
        let waiting = |version| store.reader().expect("opens").unsketched(version).expect("reads");
        let first = waiting(1);
        assert!(!first.is_empty());
        for (_, capability) in first {
            let text = "one two three four";
            let files = Files::from([("SKILL.md", (Digest::of(text.as_bytes()), Some(text)))]);
            let sketched = Sketched {
                content: capability.content,
                sketch: Some(Sketch::of(&files)),
                traits: Traits::of(&files, |text| text.into()),
            };
            let kept = sketched.clone();
            store.write(move |writer| writer.put_sketch(&sketched, 1)).expect("kept");
            let reader = store.reader().expect("opens");
            assert_eq!(reader.sketches().expect("reads").get(&kept.content), kept.sketch.as_ref());
            assert_eq!(reader.traits().expect("reads").get(&kept.content), Some(&kept.traits));
        }
        assert!(waiting(1).is_empty());
        assert!(!waiting(2).is_empty());
    }
}
