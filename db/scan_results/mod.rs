//! Revisions: capabilities at one snapshot, with what the rules said of them. One scan gives those of one snapshot.
//!
//! The scan that counts for an identity is chosen in `identities.rs`.

mod slugs;

use capdex_corpus::drift::Pins;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;
use capdex_model::facts::SparseFacts;
use capdex_model::snapshot::Completeness;
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::facts::put_facts;
use crate::identities::settle;
use crate::sql::{Cells, execute, id_of, insert, rows, seconds};
use crate::surfaces::put_surfaces;
use crate::{Reader, SnapshotId, StoreError, Writer, json_documents};

/// The result of scanning one capability.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned {
    /// The capability.
    pub capability: Capability,
    /// The pins of its files and tools.
    pub pins: Pins,
    /// What a model reads of its servers.
    pub surfaces: SurfaceInventory,
    /// The answers of the rules.
    pub facts: SparseFacts,
    /// The extent to which it could be looked at.
    pub completeness: Completeness,
}

impl Writer<'_> {
    /// Records what a rule set gave for a snapshot under the claims of that digest, and makes it what counts. The same
    /// (snapshot, rule set, claims) is recorded once; recorded again, it counts again and stays as it was.
    ///
    /// [`StoreError::Unknown`] for a snapshot that is not stored. No two may be of the same capability.
    pub fn record_scan(
        &self,
        snapshot: SnapshotId,
        ruleset: &Digest,
        claims: &Digest,
        scanned: &[Scanned],
        at: AsOf,
    ) -> Result<(), StoreError> {
        let conn = self.connection();
        let of_snapshot = "SELECT identity FROM snapshots WHERE id = ?1";
        let identity = id_of(conn, "look up a snapshot", of_snapshot, (snapshot.0,))?
            .ok_or_else(|| StoreError::Unknown { what: "snapshot", key: snapshot.0.to_string() })?;
        let sql = "INSERT INTO scans (snapshot, ruleset, claims, turn, at)
                   VALUES (?1, ?2, ?3, (SELECT ifnull(max(turn), 0) + 1 FROM scans), ?4) ON CONFLICT DO NOTHING";
        let params = (snapshot.0, ruleset.as_bytes(), claims.as_bytes(), seconds(at));
        if execute(conn, "record a scan", sql, params)? == 1 {
            // Read at once, before the insertions below move it.
            let scan = conn.last_insert_rowid();
            scanned.iter().try_for_each(|one| append_revision(conn, identity, scan, one, at))?;
        } else {
            // Scanned before under these rules and claims, as after a rollback: the later turn makes it count again.
            let again = "UPDATE scans SET turn = (SELECT max(turn) + 1 FROM scans)
                         WHERE snapshot = ?1 AND ruleset = ?2 AND claims = ?3";
            execute(conn, "record a scan again", again, (snapshot.0, ruleset.as_bytes(), claims.as_bytes()))?;
        }
        settle(conn, identity)
    }
}

fn append_revision(conn: &Connection, identity: i64, scan: i64, scanned: &Scanned, at: AsOf) -> Result<(), StoreError> {
    let sql = "INSERT INTO scan_results (scan, capability, content, description, pins, completeness, facts)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let params = (
        scan,
        put_capability(conn, identity, &scanned.capability, at)?,
        scanned.capability.content.as_bytes(),
        json_documents::put(conn, &scanned.capability)?,
        json_documents::put(conn, &scanned.pins)?,
        json_documents::put(conn, &scanned.completeness)?,
        put_facts(conn, &scanned.facts, at)?,
    );
    let result = insert(conn, "append a revision", sql, params)?;
    put_surfaces(conn, result, &scanned.surfaces)
}

/// The id of what stays of a capability, which is made if it is new.
fn put_capability(conn: &Connection, identity: i64, capability: &Capability, at: AsOf) -> Result<i64, StoreError> {
    let known = "SELECT id FROM capabilities WHERE digest = ?1";
    if let Some(id) = id_of(conn, "look up a capability", known, (capability.id.0.as_bytes(),))? {
        return Ok(id);
    }
    let sql = "INSERT INTO capabilities (digest, identity, kind, path, slug, first_seen)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let slug = slugs::choose(conn, capability, at)?;
    let Capability { id, kind, path, .. } = capability;
    let params = (id.0.as_bytes(), identity, kind.as_str(), path, slug, seconds(at));
    insert(conn, "store a capability", sql, params)
}

impl Reader {
    /// The current snapshot of every identity whose scan is by another rule set or under other claims than its listing's
    /// now, ordered by identity.
    pub fn unscanned(&self, ruleset: &Digest) -> Result<Vec<SnapshotId>, StoreError> {
        // Rules read claims, so that a scan under other claims is as stale as one by other rules.
        let sql = "SELECT i.snapshot FROM identities i
                   JOIN listings l ON l.id = i.listing
                   LEFT JOIN scans c ON c.id = i.scan
                   WHERE i.snapshot IS NOT NULL AND (c.id IS NULL OR c.ruleset <> ?1 OR c.claims <> l.claims)
                   ORDER BY i.name";
        rows(self.connection(), "look for unscanned snapshots", sql, (ruleset.as_bytes(),), |row| {
            row.cell(0).map(SnapshotId)
        })
    }
}

#[cfg(test)]
mod tests;
