//! What one observation did not see any more, and waits to be missed a second time.
//!
//! When it counts is decided by the drift pass.

use capdex_model::ids::CapabilityId;
use capdex_model::time::{AsOf, Timestamp};
use rusqlite::Connection;

use crate::sql::{Cells, execute, id_of, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// Something that one observation did not see any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The capability.
    pub capability: CapabilityId,
    /// Its tool; empty for the capability itself.
    pub tool: String,
    /// The last snapshot that had it.
    pub before: SnapshotId,
    /// When a whole observation did not see it first.
    pub seen: Option<AsOf>,
    /// The current snapshot of its package; none where there is none.
    pub current: Option<SnapshotId>,
    /// True where that one could be looked at whole.
    pub is_whole: bool,
    /// When its listing was asked for last by itself.
    pub visited: Option<AsOf>,
}

impl Writer<'_> {
    /// Notes that a tool, or with an empty name the capability itself, was not seen any more. An earlier note stays. A
    /// capability that was never stored, found by a newer program in old bytes, is passed over.
    pub fn note_removal(
        &self,
        capability: &CapabilityId,
        tool: &str,
        before: SnapshotId,
        seen: Option<AsOf>,
    ) -> Result<(), StoreError> {
        // The first note stands: a later observation must not begin the count anew.
        let sql = "INSERT INTO removals (capability, tool, before, seen)
                   SELECT id, ?2, ?3, ?4 FROM capabilities WHERE digest = ?1 ON CONFLICT DO NOTHING";
        let params = (capability.0.as_bytes(), tool, before.0, seen.map(seconds));
        execute(self.connection(), "note a removal", sql, params).map(drop)
    }

    /// Notes when a whole observation did not see it first.
    pub fn removal_seen(&self, removal: &Removal, at: AsOf) -> Result<(), StoreError> {
        let sql = "UPDATE removals SET seen = ?3 WHERE capability = ?1 AND tool = ?2";
        let id = capability_row(self.connection(), &removal.capability)?;
        execute(self.connection(), "note a removal", sql, (id, &removal.tool, seconds(at))).map(drop)
    }

    /// Forgets a removal: it counts now, or what was removed is there again.
    pub fn settle_removal(&self, removal: &Removal) -> Result<(), StoreError> {
        let sql = "DELETE FROM removals WHERE capability = ?1 AND tool = ?2";
        let id = capability_row(self.connection(), &removal.capability)?;
        execute(self.connection(), "settle a removal", sql, (id, &removal.tool)).map(drop)
    }
}

fn capability_row(conn: &Connection, capability: &CapabilityId) -> Result<i64, StoreError> {
    let sql = "SELECT id FROM capabilities WHERE digest = ?1";
    id_of(conn, "look up a capability", sql, (capability.0.as_bytes(),))?
        .ok_or_else(|| StoreError::Unknown { what: "capability", key: capability.to_string() })
}

impl Reader {
    /// Everything that waits to be missed a second time, sorted by (capability, tool).
    pub fn removals(&self) -> Result<Vec<Removal>, StoreError> {
        let sql = "SELECT k.digest, r.tool, r.before, r.seen, i.snapshot, n.state = 'analysed', l.visited
                   FROM removals r
                   CROSS JOIN capabilities k ON k.id = r.capability
                   JOIN identities i ON i.id = k.identity
                   LEFT JOIN snapshots n ON n.id = i.snapshot
                   LEFT JOIN listings l ON l.id = i.listing
                   ORDER BY k.digest, r.tool";
        rows(self.connection(), "read the removals", sql, (), |row| {
            let instant = |column| -> Result<Option<AsOf>, StoreError> {
                let at: Option<i64> = row.cell(column)?;
                Ok(at.map(|at| AsOf(Timestamp::from_unix_seconds(at))))
            };
            Ok(Removal {
                capability: CapabilityId(row.digest(0)?),
                tool: row.cell(1)?,
                before: SnapshotId(row.cell(2)?),
                seen: instant(3)?,
                current: row.cell::<Option<i64>>(4)?.map(SnapshotId),
                // Without a current snapshot nothing was looked at, so nothing is shown to be gone.
                is_whole: row.cell::<Option<bool>>(5)?.unwrap_or(false),
                visited: instant(6)?,
            })
        })
    }

    /// The tools of a capability that wait to be missed a second time; an empty name stands for the capability as a whole.
    pub fn removals_of(&self, capability: &CapabilityId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT r.tool FROM capabilities k JOIN removals r ON r.capability = k.id WHERE k.digest = ?1";
        rows(self.connection(), "read the removals of a capability", sql, (capability.0.as_bytes(),), |row| row.cell(0))
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, capability_id, day, key, list, listing, scan_of};
    use crate::sql::statement_steps;

    #[test]
    fn what_waits_is_found_without_looking_at_everything() {
        let folder = Folder::new();
        let store = folder.store();
        let cost = |names: std::ops::Range<u32>| {
            for name in names.map(|number| format!("n{number}")) {
                list(&store, &listing(&name, "1"), 1);
                scan_of(&store, &name, "1", 1);
            }
            let reader = store.reader().expect("opens");
            statement_steps::take();
            assert_eq!(reader.removals().expect("reads"), []);
            assert!(reader.removals_of(&capability_id("npm:n0", "")).expect("reads").is_empty());
            statement_steps::take()
        };
        let of_two = cost(0..2);
        assert!(of_two > 0);
        assert_eq!(cost(2..40), of_two);
    }

    #[test]
    fn a_removal_waits_until_it_is_settled() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        let id = scan_of(&store, "a", "1", 1);
        let capability = capability_id("npm:a", "");
        let state = || store.reader().expect("opens").watched_state().expect("reads");
        let quiet = state();
        store.write(move |writer| writer.note_removal(&capability, "go", id, None)).expect("noted");
        store.write(move |writer| writer.note_removal(&capability, "go", id, Some(day(9)))).expect("noted");
        let visited = key("a");
        store.write(move |writer| writer.record_visit(&visited, day(2), day(3), 0)).expect("visited");
        assert_ne!(state(), quiet, "a visit may settle what waits");
        let never = capability_id("npm:never", "");
        store.write(move |writer| writer.note_removal(&never, "go", id, None)).expect("passed over");
        let reader = store.reader().expect("opens");
        assert_eq!(reader.removals().expect("reads").len(), 1);
        let removal = reader.removals().expect("reads").remove(0);
        assert_eq!(removal.tool.as_str(), "go");
        assert_eq!(reader.removals_of(&capability).expect("reads"), ["go"]);
        assert_eq!(removal.seen, None);
        assert_eq!(removal.visited, Some(day(2)));
        assert!(reader.current_pins(&capability).expect("reads").is_some());
        let seen = removal.clone();
        store.write(move |writer| writer.removal_seen(&seen, day(2))).expect("noted");
        assert_eq!(reader.removals().expect("reads")[0].seen, Some(day(2)));
        store.write(move |writer| writer.settle_removal(&removal)).expect("settled");
        assert_eq!(reader.removals().expect("reads"), []);
    }
}
