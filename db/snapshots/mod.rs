//! Snapshots: the bytes of artifacts at one time, by content address, and why some could not be assessed.
//!
//! Append-only: a newer snapshot takes the place of an earlier one, and both stay.

use std::collections::BTreeMap;

use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::corpus_signal::CorpusSignal;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing, Locator};
use capdex_model::snapshot::{Completeness, FileEntry, Gap, Snapshot};
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::blobs::{has_blob, read_blob};
use crate::claims;
use crate::identities::{assessed_snapshot, name_identity, put_identity, settle, succeed};
use crate::listings::put_listing;
use crate::snapshot_pruning::{is_whole_again, why_missing};
use crate::sql::{Cells, canonical, first, id_of, insert, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer, json_documents, packed};

impl Writer<'_> {
    /// Records what fetching a listing's locator gave, and makes it the current snapshot of the locator's identity.
    /// The same artifact with the same tree and completeness is recorded once. One that could not be assessed is kept,
    /// but does not take the place of one of the same artifact that could.
    ///
    /// [`StoreError::Unknown`] where a file's blob is not stored; [`StoreError::Refused`] for files in a snapshot that
    /// could not be assessed.
    pub fn record_snapshot(
        &self,
        listing: &ListingKey,
        snapshot: &Snapshot,
        at: AsOf,
    ) -> Result<SnapshotId, StoreError> {
        let conn = self.connection();
        // First, so that no snapshot is ever stored that lacks a blob.
        check_files(conn, snapshot)?;
        let identity = put_identity(conn, &snapshot.locator.identity())?;
        let listing = put_listing(conn, listing, at)?;
        name_identity(conn, identity, listing)?;
        let id = put_snapshot(conn, identity, snapshot, at)?;
        // All its blobs are stored, as was checked.
        is_whole_again(conn, id)?;
        let newest = match &snapshot.completeness {
            // A request that failed must not take away what was read before of the same artifact.
            Completeness::NotAssessable(_) => {
                assessed_snapshot(conn, identity, &snapshot.locator.artifact())?.unwrap_or(id)
            }
            Completeness::Analysed | Completeness::Partial(_) => id,
        };
        succeed(conn, identity, newest, seconds(at))?;
        settle(conn, identity)?;
        Ok(SnapshotId(id))
    }
}

fn check_files(conn: &Connection, snapshot: &Snapshot) -> Result<(), StoreError> {
    if matches!(snapshot.completeness, Completeness::NotAssessable(_)) && !snapshot.files.is_empty() {
        let detail = "one that could not be assessed has no files".to_owned();
        return Err(StoreError::Refused { what: "snapshot", detail });
    }
    for file in &snapshot.files {
        if !has_blob(conn, &file.digest)? {
            return Err(StoreError::Unknown { what: "blob", key: file.digest.to_string() });
        }
    }
    Ok(())
}

fn put_snapshot(conn: &Connection, identity: i64, snapshot: &Snapshot, at: AsOf) -> Result<i64, StoreError> {
    let completeness = json_documents::put(conn, &snapshot.completeness)?;
    let artifact = snapshot.locator.artifact();
    // Completeness is part of the key: the same bytes, read further than before, are another snapshot.
    let known = "SELECT id FROM snapshots WHERE identity = ?1 AND artifact = ?2 AND tree = ?3 AND completeness = ?4";
    let params = (identity, &artifact, snapshot.tree.as_bytes(), completeness);
    if let Some(id) = id_of(conn, "look up a snapshot", known, params)? {
        return Ok(id);
    }
    let sql = "INSERT INTO snapshots
               (identity, artifact, tree, state, completeness, version, locator, files, fetched, at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let params = (
        identity,
        &artifact,
        snapshot.tree.as_bytes(),
        snapshot.completeness.as_str(),
        completeness,
        snapshot.locator.version(),
        canonical(&snapshot.locator)?,
        json_documents::put(conn, &snapshot.files)?,
        snapshot.fetched.unix_seconds(),
        seconds(at),
    );
    insert(conn, "record a snapshot", sql, params)
}

impl Reader {
    /// True where the bytes of an artifact are stored: a snapshot of it could be assessed, at least in part, and was not
    /// pruned.
    pub fn has_artifact(&self, locator: &Locator) -> Result<bool, StoreError> {
        let sql = "SELECT n.id FROM identities i JOIN snapshots n ON n.identity = i.id
                   WHERE i.name = ?1 AND n.artifact = ?2 AND n.state <> 'not_assessable'
                     AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = n.id)";
        let params = (locator.identity(), locator.artifact());
        Ok(id_of(self.connection(), "look up an artifact", sql, params)?.is_some())
    }

    /// The latest snapshot of an identity that could be assessed, at least in part, and was not pruned. `version` is the one that
    /// is asked for; none for any.
    pub fn kept_snapshot(&self, identity: &str, version: Option<&str>) -> Result<Option<SnapshotId>, StoreError> {
        let sql = "SELECT n.id FROM identities i JOIN snapshots n ON n.identity = i.id
                   WHERE i.name = ?1 AND (?2 IS NULL OR n.version = ?2) AND n.state <> 'not_assessable'
                     AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = n.id)
                   ORDER BY n.id DESC LIMIT 1";
        Ok(id_of(self.connection(), "look up a snapshot", sql, (identity, version))?.map(SnapshotId))
    }

    /// What a snapshot consists of, without its bytes: the names and digests of its files, its gaps and the claims of its listing
    /// now, with the reports of imported lists. A listing that was only ever marked claims nothing.
    /// [`StoreError::Unknown`] for a snapshot that is not stored.
    pub fn outline(&self, snapshot: SnapshotId) -> Result<SnapshotOutline, StoreError> {
        const WHAT: &str = "read a snapshot";
        let conn = self.connection();
        let sql = "SELECT i.name, c.body, f.body, l.body, n.locator
                   FROM snapshots n
                   JOIN identities i ON i.id = n.identity
                   JOIN json_documents c ON c.id = n.completeness
                   JOIN json_documents f ON f.id = n.files
                   LEFT JOIN listings k ON k.id = i.listing
                   LEFT JOIN json_documents l ON l.id = k.body
                   WHERE n.id = ?1";
        let found = first(conn, WHAT, sql, (snapshot.0,), |row| {
            let completeness: Completeness = row.packed(1, "completeness")?;
            let files: Vec<FileEntry> = row.packed(2, "files of a snapshot")?;
            let listing: Option<Vec<u8>> = row.cell(3)?;
            let listing: Option<Listing> = listing.map(|body| packed::unpack(&body, "listing")).transpose()?;
            let locator: Locator = row.json(4, "locator")?;
            // A row that carries its own text is about the artifact that it hands out.
            let is_row = matches!(locator, Locator::Inline { .. });
            Ok((row.cell(0)?, completeness, files, listing, is_row))
        })?;
        let (identity, completeness, files, listing, is_row): (String, _, _, _, _) =
            found.ok_or_else(|| StoreError::Unknown { what: "snapshot", key: snapshot.0.to_string() })?;
        // Read now and not when it was fetched: a list that was imported since counts.
        let claims = listing.map_or_else(|| Ok(Claims::default()), |listing| claims::of(conn, listing))?;
        let mut gaps = completeness.gaps().to_vec();
        if is_row && let Some(signals) = claims.repository_signals.corpus_signals.known() {
            gaps.extend(signals.iter().filter_map(CorpusSignal::not_looked_at));
        }
        Ok(SnapshotOutline { identity, files, gaps, claims })
    }

    /// A snapshot with its bytes: its [`outline`](Self::outline), filled in.
    /// [`StoreError::Unknown`] for a snapshot that is not stored, [`StoreError::Pruned`] for one whose bytes are gone.
    pub fn bundle(&self, snapshot: SnapshotId) -> Result<Bundle, StoreError> {
        let conn = self.connection();
        let SnapshotOutline { identity, files: entries, gaps, claims } = self.outline(snapshot)?;
        let mut files = BTreeMap::new();
        for entry in entries {
            // Rules must not judge a package that seems to lack a file.
            let Some(bytes) = read_blob(conn, &entry.digest)? else {
                return Err(why_missing(conn, snapshot, &entry.digest)?);
            };
            files.insert(entry.path, BundleFile { bytes: bytes.into(), digest: entry.digest });
        }
        Ok(Bundle { identity, files, gaps, claims, named: None })
    }
}

/// A snapshot without its bytes.
#[derive(Clone, Debug)]
pub struct SnapshotOutline {
    /// The identity that it is of.
    pub identity: String,
    /// Its files, sorted by path.
    pub files: Vec<FileEntry>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
    /// The claims of its listing now.
    pub claims: Claims,
}

#[cfg(test)]
mod tests;
