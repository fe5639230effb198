//! Identities: what stays of a locator over versions, and which snapshot, listing and scan stand for it now.
//!
//! All three follow from the history by a total order, whichever of the concurrent workers of one run wrote first:
//! - the snapshot: of the latest run, then the latest as-of instant, then one that could be assessed, then the
//!   greatest artifact and tree;
//! - the listing: one whose latest version names the identity, then an active one, then the smallest key;
//! - the scan: of that snapshot, under that listing's claims before others, then the one recorded last.

use rusqlite::Connection;

use capdex_model::ids::{CapabilityId, ListingKey};

use crate::sql::{Cells, each, execute, first, id_of, insert, rows};
use crate::{Reader, StoreError};

/// The id of an identity, which is made if it is new.
pub(crate) fn put_identity(conn: &Connection, name: &str) -> Result<i64, StoreError> {
    let known = "SELECT id FROM identities WHERE name = ?1";
    if let Some(id) = id_of(conn, "look up an identity", known, (name,))? {
        return Ok(id);
    }
    insert(conn, "store an identity", "INSERT INTO identities (name) VALUES (?1)", (name,))
}

/// Notes that the latest version of a listing names an identity.
pub(crate) fn name_identity(conn: &Connection, identity: i64, listing: i64) -> Result<(), StoreError> {
    // Without the condition a walk would write thousands of rows that stay as they are.
    let sql = "INSERT INTO listing_identities (identity, listing, named) VALUES (?1, ?2, 1)
               ON CONFLICT DO UPDATE SET named = 1 WHERE named = 0";
    execute(conn, "link a listing to an identity", sql, (identity, listing)).map(drop)
}

/// Notes that a listing's latest version names nothing, until [`name_identity`] says otherwise.
pub(crate) fn unname_identities(conn: &Connection, listing: i64) -> Result<(), StoreError> {
    // The row stays: for an identity that was named once the listing is gone, not unknown.
    let sql = "UPDATE listing_identities SET named = 0 WHERE listing = ?1";
    execute(conn, "unlink a listing", sql, (listing,)).map(drop)
}

/// Appends that a snapshot was found to be the newest of its identity, in the run that began last.
pub(crate) fn succeed(conn: &Connection, identity: i64, snapshot: i64, at: i64) -> Result<(), StoreError> {
    // The run goes with it, because two runs may have one as-of instant.
    let sql = "INSERT INTO succession (identity, snapshot, run, at)
               VALUES (?1, ?2, (SELECT ifnull(max(id), 0) FROM runs), ?3) ON CONFLICT DO NOTHING";
    execute(conn, "append to the succession", sql, (identity, snapshot, at)).map(drop)
}

/// The snapshot of an artifact that could be assessed, has its bytes and came last, if there is one.
pub(crate) fn assessed_snapshot(conn: &Connection, identity: i64, artifact: &str) -> Result<Option<i64>, StoreError> {
    // A snapshot that was pruned cannot become the newest again without its bytes being fetched.
    let sql = "SELECT s.snapshot FROM succession s JOIN snapshots n ON n.id = s.snapshot
               WHERE s.identity = ?1 AND n.artifact = ?2 AND n.state <> 'not_assessable'
                 AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = n.id)
               ORDER BY s.run DESC, s.at DESC, n.tree DESC, n.id DESC LIMIT 1";
    id_of(conn, "look up a snapshot", sql, (identity, artifact))
}

/// Derives anew what stands for every identity that a listing ever named.
pub(crate) fn settle_listing(conn: &Connection, listing: i64) -> Result<(), StoreError> {
    let sql = "SELECT identity FROM listing_identities WHERE listing = ?1";
    let identities = rows(conn, "read the identities of a listing", sql, (listing,), |row| row.cell(0))?;
    identities.into_iter().try_for_each(|identity| settle(conn, identity))
}

/// Derives anew what stands for an identity.
pub(crate) fn settle(conn: &Connection, identity: i64) -> Result<(), StoreError> {
    const WHAT: &str = "settle an identity";
    // Derived whole from the history each time and never adjusted: who wrote last makes no difference.
    let snapshot_and_listing = "UPDATE identities SET
        snapshot = (SELECT s.snapshot FROM succession s JOIN snapshots n ON n.id = s.snapshot
                    WHERE s.identity = ?1
                    ORDER BY s.run DESC, s.at DESC, n.state <> 'not_assessable' DESC,
                             n.artifact DESC, n.tree DESC, n.id DESC LIMIT 1),
        listing = (SELECT l.id FROM listing_identities i JOIN listings l ON l.id = i.listing
                   WHERE i.identity = ?1
                   ORDER BY i.named DESC, l.state = 'active' DESC, l.source, l.name LIMIT 1)
        WHERE id = ?1";
    execute(conn, WHAT, snapshot_and_listing, (identity,))?;
    // A statement of its own: it reads the snapshot and the listing that the first one sets.
    let scan = "UPDATE identities SET
        scan = (SELECT c.id FROM scans c WHERE c.snapshot = identities.snapshot
                ORDER BY c.claims = (SELECT claims FROM listings WHERE id = identities.listing) DESC,
                         c.turn DESC LIMIT 1)
        WHERE id = ?1";
    execute(conn, WHAT, scan, (identity,)).map(drop)
}

/// An identity and the listing that speaks for it, where there is one.
type SpokenFor = (String, Option<ListingKey>);

fn spoken_for(row: &rusqlite::Row<'_>) -> Result<SpokenFor, StoreError> {
    let (source, name): (Option<String>, Option<String>) = (row.cell(1)?, row.cell(2)?);
    Ok((row.cell(0)?, source.zip(name).map(|(source, name)| ListingKey { source, name })))
}

impl Reader {
    /// The identity that a capability is part of, with the listing that speaks for it; none for a capability that no scan met.
    pub fn origin_of(&self, capability: &CapabilityId) -> Result<Option<SpokenFor>, StoreError> {
        let sql = "SELECT i.name, l.source, l.name FROM capabilities k
                   JOIN identities i ON i.id = k.identity LEFT JOIN listings l ON l.id = i.listing WHERE k.digest = ?1";
        first(self.connection(), "look up whose a capability is", sql, (capability.0.as_bytes(),), spoken_for)
    }

    /// Calls `visit` with every identity and the listing that speaks for it.
    pub fn each_identity<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(String, Option<ListingKey>) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT i.name, l.source, l.name FROM identities i LEFT JOIN listings l ON l.id = i.listing";
        each(self.connection(), "read the identities", sql, (), spoken_for, |(name, listing)| visit(name, listing))
    }
}
