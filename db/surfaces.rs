//! Surfaces: the list that a scan made of what a model reads of a capability's servers.
//!
//! Scans of before version 19 of the schema made none: that is told apart from an empty list.

use capdex_model::ids::CapabilityId;
use capdex_model::surface::SurfaceInventory;
use rusqlite::Connection;

use crate::packed::unpack;
use crate::sql::{Cells, execute, first};
use crate::{Reader, StoreError, json_documents};

/// A list of surfaces as it is stored, so that another thread can read it.
#[derive(Clone, Debug)]
pub(crate) struct PackedSurfaces(pub(crate) Vec<u8>);

impl PackedSurfaces {
    /// The list. [`StoreError::Corrupt`] where it is damaged.
    pub(crate) fn unpack(&self) -> Result<SurfaceInventory, StoreError> {
        unpack(&self.0, "surfaces")
    }
}

/// Stores what a scan listed for one of its results.
pub(crate) fn put_surfaces(conn: &Connection, result: i64, surfaces: &SurfaceInventory) -> Result<(), StoreError> {
    let sql = "INSERT INTO scan_surfaces (scan_result, document) VALUES (?1, ?2)";
    execute(conn, "store surfaces", sql, (result, json_documents::put(conn, surfaces)?)).map(drop)
}

impl Reader {
    /// The surfaces of a capability in the scan that counts; none where that scan listed none, or where the capability is not
    /// there now.
    pub fn surfaces(&self, capability: &CapabilityId) -> Result<Option<SurfaceInventory>, StoreError> {
        let sql = "SELECT d.body FROM capabilities k
                   JOIN identities i ON i.id = k.identity
                   JOIN scan_results r ON r.scan = i.scan AND r.capability = k.id
                   JOIN scan_surfaces s ON s.scan_result = r.id
                   JOIN json_documents d ON d.id = s.document
                   WHERE k.digest = ?1";
        first(self.connection(), "read surfaces", sql, (capability.0.as_bytes(),), |row| row.packed(0, "surfaces"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, capability_id, claims_digest, record, scan, scan_of, scanned, snapshot};
    use capdex_model::surface::{SurfaceRecord, SurfaceRecordKind};

    #[test]
    fn what_a_scan_listed_is_read_by_id_and_by_place() {
        let folder = Folder::new();
        let store = folder.store();
        let records = (1..=40).map(|line| SurfaceRecord {
            kind: SurfaceRecordKind::Tool,
            name: format!("t{line}\u{202e}"),
            file: "a.md".into(),
            line,
            description: true,
            schema: false,
            complete: line != 7,
        });
        let surfaces = SurfaceInventory::of(records.collect());
        let id = record(&store, "a", &snapshot("a", "1", &[("a.md", "1")]), 1);
        let one = crate::Scanned { surfaces: surfaces.clone(), ..scanned("a", "", "1", "a") };
        scan(&store, id, "rules", &claims_digest("a", "1"), &[one], 1);
        let reader = store.reader().expect("opens");
        let place = reader.current_places().expect("reads").remove(0);
        let packed = reader.packed_capability(&place).expect("reads");
        assert_eq!(packed.surfaces().expect("unpacks"), Some(surfaces.clone()));
        assert_eq!(reader.surfaces(&capability_id("npm:a", "")).expect("reads"), Some(surfaces));
        assert_eq!(reader.surfaces(&capability_id("npm:b", "")).expect("reads"), None);
    }

    #[test]
    fn a_scan_of_before_listed_nothing_and_is_not_read_as_one_without_surfaces() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        let surfaces = || {
            let reader = store.reader().expect("opens");
            let place = reader.current_places().expect("reads").remove(0);
            let at_place = reader.packed_capability(&place).expect("reads").surfaces().expect("unpacks");
            assert_eq!(at_place, reader.surfaces(&capability_id("npm:a", "")).expect("reads"));
            at_place
        };
        assert_eq!(surfaces(), Some(SurfaceInventory::default()));
        folder.sql("DELETE FROM scan_surfaces");
        assert_eq!(surfaces(), None);
    }
}
