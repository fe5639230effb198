//! What stands now, as units of the judge: what was never taken apart, and what waits for an answer.

use capdex_judge::unit::{JudgeUnit, KINDS, UNIT_FORM};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Place;
use capdex_model::ids::CapabilityId;

use super::{READ, UnitId};
use crate::sql::{Cells, rows};
use crate::{Reader, SnapshotId, StoreError};

/// A capability that was scanned and not yet taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprepared {
    pub(crate) revision: i64,
    /// Its id.
    pub id: CapabilityId,
    /// Its locator's identity.
    pub identity: String,
    /// Its snapshot, by which its bytes can be read.
    pub snapshot: SnapshotId,
}

/// A unit of servers that stand now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingUnit {
    /// Its number.
    pub id: UnitId,
    /// Its digest.
    pub digest: Digest,
    /// True where no model was ever asked about it.
    pub is_new: bool,
}

/// A part of a server as it stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgePartRow {
    /// The unit, with its number; none for a tool that is too long for any.
    pub unit: Option<(UnitId, JudgeUnit)>,
    /// The place of each of its tools.
    pub places: Vec<Place>,
}

/// The kinds as a statement takes them: three, of which some may be missing.
fn words(kinds: &[Kind]) -> [Option<&'static str>; 3] {
    let mut words = KINDS.into_iter().map(|kind| kinds.contains(&kind).then(|| kind.as_str()));
    std::array::from_fn(|_| words.next().flatten())
}

impl Reader {
    /// The capabilities of some kinds that stand now and were never taken apart, by identity.
    pub fn unprepared(&self, kinds: &[Kind]) -> Result<Vec<Unprepared>, StoreError> {
        let sql = "SELECT r.id, k.digest, i.name, i.snapshot
                   FROM identities i
                   JOIN scan_results r ON r.scan = i.scan
                   JOIN capabilities k ON k.id = r.capability
                   WHERE k.kind IN (?1, ?3, ?4) AND i.snapshot IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM judge_parts p WHERE p.scan_result = r.id AND p.form = ?2)
                   ORDER BY i.name, k.digest";
        let [one, two, three] = words(kinds);
        rows(self.connection(), READ, sql, (one, UNIT_FORM, two, three), |row| {
            Ok(Unprepared {
                revision: row.cell(0)?,
                id: CapabilityId(row.digest(1)?),
                identity: row.cell(2)?,
                snapshot: SnapshotId(row.cell(3)?),
            })
        })
    }

    /// The units of what stands now of some kinds, in the order in which they are asked about: never asked about, then in the most
    /// directories, then by identity.
    pub fn standing_units(&self, kinds: &[Kind]) -> Result<Vec<StandingUnit>, StoreError> {
        let sql = "SELECT u.id, u.digest, NOT EXISTS (SELECT 1 FROM judge_calls c WHERE c.unit = u.id) AS new,
                          max((SELECT count(*) FROM listing_identities e WHERE e.identity = i.id AND e.named = 1)) AS listed
                   FROM identities i
                   JOIN scan_results r ON r.scan = i.scan
                   JOIN capabilities k ON k.id = r.capability AND k.kind IN (?2, ?3, ?4)
                   JOIN judge_parts p ON p.scan_result = r.id AND p.form = ?1
                   JOIN judge_units u ON u.id = p.unit
                   GROUP BY u.id
                   ORDER BY new DESC, listed DESC, min(i.name), u.digest";
        let [one, two, three] = words(kinds);
        rows(self.connection(), READ, sql, (UNIT_FORM, one, two, three), |row| {
            Ok(StandingUnit { id: UnitId(row.cell(0)?), digest: row.digest(1)?, is_new: row.cell(2)? })
        })
    }

    /// The parts of a capability as it stands now, in their order; none where it was never taken apart.
    pub fn judge_parts(&self, capability: &CapabilityId) -> Result<Vec<JudgePartRow>, StoreError> {
        let sql = "SELECT u.id, d.body, g.body
                   FROM capabilities k
                   JOIN identities i ON i.id = k.identity
                   JOIN scan_results r ON r.scan = i.scan AND r.capability = k.id
                   JOIN judge_parts p ON p.scan_result = r.id AND p.form = ?2
                   JOIN json_documents g ON g.id = p.places
                   LEFT JOIN judge_units u ON u.id = p.unit
                   LEFT JOIN json_documents d ON d.id = u.document
                   WHERE k.digest = ?1 ORDER BY p.part";
        rows(self.connection(), READ, sql, (capability.0.as_bytes(), UNIT_FORM), |row| {
            let unit = match row.cell::<Option<i64>>(0)? {
                Some(id) => Some((UnitId(id), row.packed(1, "unit of the judge")?)),
                None => None,
            };
            Ok(JudgePartRow { unit, places: row.packed(2, "places of tools")? })
        })
    }
}
