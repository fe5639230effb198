//! Snapshots whose bytes may go, and the blobs that are theirs alone.
//!
//! A snapshot loses its bytes and nothing else: digests, pins, facts and events of drift stay. It is marked before the first
//! blob goes, so that wherever this dies no snapshot lacks a blob without saying so. The caller decides how old is too old.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::listing::Listing;
use capdex_model::snapshot::FileEntry;
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::drift_pairs::MAX_PAIRS;
use crate::sql::{Cells, each, execute, first, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer, packed};

/// Snapshots whose bytes may go, and what goes with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prunable {
    /// Those that are not marked yet.
    pub snapshots: Vec<SnapshotId>,
    /// True where some are among them that were marked before and not swept to the end.
    pub has_unswept: bool,
    /// The blobs that no other snapshot holds, sorted.
    pub blobs: Vec<Digest>,
    /// The bytes of those blobs as they are stored.
    pub stored_bytes: u64,
}

impl Prunable {
    /// True where there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.snapshots.is_empty() && !self.has_unswept
    }
}

/// One row of the succession.
struct Turn {
    identity: i64,
    snapshot: i64,
    turn: i64,
    at: i64,
    is_assessed: bool,
    is_scanned: bool,
    is_current: bool,
    is_pruned: bool,
}

impl Writer<'_> {
    /// Marks snapshots as pruned. From then on their artifacts count as not stored.
    pub fn mark_pruned(&self, snapshots: &[SnapshotId], at: AsOf) -> Result<(), StoreError> {
        let sql = "INSERT INTO pruned_snapshots (snapshot, swept, at) VALUES (?1, 0, ?2) ON CONFLICT DO NOTHING";
        let mark = |id: &SnapshotId| execute(self.connection(), "mark a snapshot", sql, (id.0, seconds(at))).map(drop);
        snapshots.iter().try_for_each(mark)
    }

    /// Deletes blobs; how many were there. They must be those of [`Reader::prunable`], whose snapshots are marked.
    pub fn drop_blobs(&self, blobs: &[Digest]) -> Result<u64, StoreError> {
        // A blob may be gone already: a sweep that died is begun again.
        let sql = "DELETE FROM blobs WHERE digest = ?1";
        blobs.iter().try_fold(0, |dropped, digest| {
            let gone = execute(self.connection(), "drop a blob", sql, (digest.as_bytes(),))?;
            Ok(dropped + u64::try_from(gone).unwrap_or(0))
        })
    }

    /// Notes that of all marked snapshots no blob is left that was theirs alone.
    pub fn all_swept(&self) -> Result<(), StoreError> {
        let sql = "UPDATE pruned_snapshots SET swept = 1 WHERE swept = 0";
        execute(self.connection(), "note what was swept", sql, ()).map(drop)
    }
}

/// Forgets that a snapshot was pruned: its bytes are here again.
pub(crate) fn is_whole_again(conn: &Connection, snapshot: i64) -> Result<(), StoreError> {
    let sql = "DELETE FROM pruned_snapshots WHERE snapshot = ?1";
    execute(conn, "note that bytes are here again", sql, (snapshot,)).map(drop)
}

/// Why a blob of a snapshot is not stored: it was pruned, else the store is damaged.
pub(crate) fn why_missing(conn: &Connection, snapshot: SnapshotId, digest: &Digest) -> Result<StoreError, StoreError> {
    let sql = "SELECT p.at, i.name, n.version FROM pruned_snapshots p
               JOIN snapshots n ON n.id = p.snapshot JOIN identities i ON i.id = n.identity WHERE p.snapshot = ?1";
    let pruned = first(conn, "look up what was pruned", sql, (snapshot.0,), |row| {
        let (name, version): (String, Option<String>) = (row.cell(1)?, row.cell(2)?);
        let what = version.map_or_else(|| name.clone(), |version| format!("{name} {version}"));
        Ok(StoreError::Pruned { what, at: row.as_of(0)? })
    })?;
    let detail = || format!("its blob {digest} is not stored");
    Ok(pruned.unwrap_or_else(|| StoreError::Corrupt { what: "snapshot", detail: detail() }))
}

impl Reader {
    /// Snapshots, `most` about, that were followed by another one before an instant and that nothing needs. They are neither
    /// current nor the newest that could be assessed nor in a pair that is still to be compared. No listing names their
    /// artifact now. With those that were marked before and not swept.
    pub fn prunable(&self, before: AsOf, most: usize) -> Result<Prunable, StoreError> {
        let snapshots = self.followed(seconds(before), most)?;
        // Marked by a run that died before their blobs were dropped.
        let unswept = rows(
            self.connection(),
            "look for marked snapshots",
            "SELECT snapshot FROM pruned_snapshots WHERE swept = 0",
            (),
            |row| row.cell::<i64>(0),
        )?;
        let goes: BTreeSet<i64> = snapshots.iter().chain(&unswept).copied().collect();
        let blobs = self.only_theirs(&goes)?;
        let mut stored_bytes = 0;
        let mut there = Vec::with_capacity(blobs.len());
        for digest in blobs {
            let sql = "SELECT length(body) FROM blobs WHERE digest = ?1";
            // Not stored where an earlier sweep died half-way.
            if let Some(bytes) =
                first(self.connection(), "measure a blob", sql, (digest.as_bytes(),), |row| row.count(0))?
            {
                stored_bytes += bytes;
                there.push(digest);
            }
        }
        let snapshots = snapshots.into_iter().map(SnapshotId).collect();
        Ok(Prunable { snapshots, has_unswept: !unswept.is_empty(), blobs: there, stored_bytes })
    }

    /// The snapshots, not yet marked, that were followed before an instant and are not needed.
    fn followed(&self, before: i64, most: usize) -> Result<Vec<i64>, StoreError> {
        let mut found = Vec::new();
        for of_one in self.turns()?.chunk_by(|a, b| a.identity == b.identity) {
            let needed = self.needed(of_one)?;
            let (mut seen, mut followed_at) = (BTreeSet::new(), None);
            let mut candidates = Vec::new();
            for turn in of_one {
                // Turns come newest first: the last time that a snapshot was the newest tells when it was followed.
                let is_newest_turn = seen.insert(turn.snapshot);
                let is_old = followed_at.is_some_and(|at| at < before);
                if is_newest_turn && is_old && turn.is_assessed && !turn.is_pruned && !needed.contains(&turn.snapshot) {
                    candidates.push(turn.snapshot);
                }
                followed_at = Some(turn.at);
            }
            if !candidates.is_empty() {
                found.extend(self.unnamed(of_one, &candidates)?);
            }
            // Between identities only, since what is needed is known of a whole identity.
            if found.len() >= most {
                break;
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The candidates of one identity whose artifact no listing names now, or of whose artifact a newer snapshot is there.
    /// The bytes of what is named would be fetched again the next night.
    fn unnamed(&self, of_one: &[Turn], candidates: &[i64]) -> Result<Vec<i64>, StoreError> {
        let Some(first) = of_one.first() else { return Ok(Vec::new()) };
        let named = self.named_now(first.identity)?;
        let (mut met, mut seen, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for turn in of_one.iter().filter(|turn| turn.is_assessed && !turn.is_pruned) {
            if !seen.insert(turn.snapshot) {
                continue;
            }
            let artifact = self.artifact(turn.snapshot)?;
            // Of an artifact that was fetched twice the newer bytes are enough.
            if candidates.contains(&turn.snapshot) && (!named.contains(&artifact) || met.contains(&artifact)) {
                found.push(turn.snapshot);
            }
            met.insert(artifact);
        }
        Ok(found)
    }

    /// The succession of every identity that had several snapshots, newest first: the order is that of `identities.rs`.
    fn turns(&self) -> Result<Vec<Turn>, StoreError> {
        let sql = "WITH several AS (SELECT identity FROM succession GROUP BY identity
                                    HAVING count(DISTINCT snapshot) > 1)
                   SELECT s.identity, s.snapshot, s.id, s.at, n.state <> 'not_assessable',
                          EXISTS (SELECT 1 FROM scans c WHERE c.snapshot = s.snapshot), i.snapshot IS s.snapshot,
                          EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = s.snapshot)
                   FROM several v
                   JOIN succession s ON s.identity = v.identity
                   JOIN identities i ON i.id = s.identity
                   JOIN snapshots n ON n.id = s.snapshot
                   ORDER BY s.identity, s.run DESC, s.at DESC, n.state <> 'not_assessable' DESC,
                            n.artifact DESC, n.tree DESC, n.id DESC";
        rows(self.connection(), "read the succession", sql, (), |row| {
            Ok(Turn {
                identity: row.cell(0)?,
                snapshot: row.cell(1)?,
                turn: row.cell(2)?,
                at: row.cell(3)?,
                is_assessed: row.cell(4)?,
                is_scanned: row.cell(5)?,
                is_current: row.cell(6)?,
                is_pruned: row.cell(7)?,
            })
        })
    }

    /// The snapshots of one identity that stand, or that a comparison will read. The next one is compared with the newest that
    /// could be assessed; pairs not compared yet wait as [`Reader::uncompared_snapshots`] gives them.
    fn needed(&self, of_one: &[Turn]) -> Result<BTreeSet<i64>, StoreError> {
        let mut needed: BTreeSet<i64> =
            of_one.iter().filter(|turn| turn.is_current).map(|turn| turn.snapshot).collect();
        // The current one may not be assessable; the next is then compared with the last that was.
        needed.extend(of_one.iter().find(|turn| turn.is_assessed).map(|turn| turn.snapshot));
        let compared: Vec<&Turn> =
            of_one.iter().filter(|turn| turn.is_assessed && (turn.is_scanned || turn.is_current)).collect();
        let turns: Vec<&Turn> =
            compared.chunk_by(|a, b| a.snapshot == b.snapshot).filter_map(|turns| turns.first().copied()).collect();
        needed.extend(turns.first().map(|turn| turn.snapshot));
        // One more than are compared at once: a current snapshot that is not scanned yet is no pair to whoever compares.
        for two in turns.windows(2).take(MAX_PAIRS + 1) {
            let [after, before] = two else { continue };
            if self.is_compared(before.snapshot, after.snapshot, before.turn)? {
                break;
            }
            needed.extend([before.snapshot, after.snapshot]);
        }
        Ok(needed)
    }

    /// The artifacts of an identity that listings name now.
    fn named_now(&self, identity: i64) -> Result<BTreeSet<String>, StoreError> {
        let sql = "SELECT d.body FROM listing_identities e
                   JOIN listings l ON l.id = e.listing JOIN json_documents d ON d.id = l.body
                   WHERE e.identity = ?1 AND e.named = 1";
        let listings = rows(self.connection(), "read who names a package", sql, (identity,), |row| {
            row.packed::<Listing>(0, "listing")
        })?;
        Ok(listings.iter().flat_map(|listing| &listing.locators).map(|locator| locator.artifact()).collect())
    }

    fn artifact(&self, snapshot: i64) -> Result<String, StoreError> {
        let sql = "SELECT artifact FROM snapshots WHERE id = ?1";
        let found = first(self.connection(), "look up a snapshot", sql, (snapshot,), |row| row.cell(0))?;
        found.ok_or_else(|| StoreError::Unknown { what: "snapshot", key: snapshot.to_string() })
    }

    /// The blobs of these snapshots that no snapshot with bytes holds beside them, sorted.
    fn only_theirs(&self, goes: &BTreeSet<i64>) -> Result<Vec<Digest>, StoreError> {
        if goes.is_empty() {
            return Ok(Vec::new());
        }
        let mut digests = Vec::new();
        for id in goes {
            digests.extend(self.files_of(SnapshotId(*id))?.into_iter().map(|file| file.digest));
        }
        digests.sort_unstable();
        digests.dedup();
        // Files stand in packed documents, so that SQL cannot join them: each snapshot is read once.
        let mut held = vec![false; digests.len()];
        let sql = "SELECT n.id, f.body FROM snapshots n JOIN json_documents f ON f.id = n.files
                   WHERE n.state <> 'not_assessable'
                     AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = n.id)";
        let decode = |row: &rusqlite::Row<'_>| Ok((row.cell::<i64>(0)?, row.cell::<Vec<u8>>(1)?));
        each(self.connection(), "read what snapshots hold", sql, (), decode, |(id, body)| {
            if goes.contains(&id) {
                return Ok(());
            }
            let files: Vec<FileEntry> = packed::unpack(&body, "files of a snapshot")?;
            for file in files {
                if let Some(held) = digests.binary_search(&file.digest).ok().and_then(|at| held.get_mut(at)) {
                    *held = true;
                }
            }
            Ok::<(), StoreError>(())
        })?;
        Ok(digests.into_iter().zip(held).filter_map(|(digest, held)| (!held).then_some(digest)).collect())
    }
}

#[cfg(test)]
mod tests;
