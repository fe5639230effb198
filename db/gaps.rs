//! The ledger of gaps: what could not be looked at, in which stage, since when, and when it could again.
//!
//! The gap itself says why.

use capdex_model::snapshot::Gap;
use capdex_model::time::{AsOf, Timestamp};

use rusqlite::Row;

use crate::sql::{Cells, canonical, each, execute, seconds};
use crate::{Reader, StoreError, Writer};

/// One entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerGap {
    /// Which stage met it, such as `fetch`.
    pub stage: String,
    /// The subject of the stage, such as a listing key. Untrusted text.
    pub subject: String,
    /// The thing that could not be looked at, and why.
    pub gap: Gap,
    /// When it was first met.
    pub first_seen: AsOf,
    /// When it was there after all; none while it is open.
    pub resolved: Option<AsOf>,
}

impl Writer<'_> {
    /// Enters a gap, once for each (stage, subject, gap). One that was resolved is opened again.
    pub fn record_gap(&self, stage: &str, subject: &str, gap: &Gap, at: AsOf) -> Result<(), StoreError> {
        // Without the condition, every night would write every row that stays as it is.
        let sql = "INSERT INTO gaps (stage, subject, gap, first_seen) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET resolved = NULL WHERE resolved IS NOT NULL";
        let params = (stage, subject, canonical(gap)?, seconds(at));
        execute(self.connection(), "enter a gap", sql, params).map(drop)
    }

    /// Closes the open gaps of a (stage, subject): what was a gap is there now.
    pub fn resolve_gaps(&self, stage: &str, subject: &str, at: AsOf) -> Result<(), StoreError> {
        // Closed and not deleted: the ledger tells from when to when something could not be seen.
        let sql = "UPDATE gaps SET resolved = ?3 WHERE stage = ?1 AND subject = ?2 AND resolved IS NULL";
        execute(self.connection(), "resolve gaps", sql, (stage, subject, seconds(at))).map(drop)
    }
}

impl Reader {
    /// The ledger, or only what is open, sorted by (stage, subject, gap).
    pub fn gaps(&self, open_only: bool) -> Result<Vec<LedgerGap>, StoreError> {
        let mut gaps = Vec::new();
        self.each_gap(open_only, |gap| {
            gaps.push(gap);
            Ok::<(), StoreError>(())
        })?;
        Ok(gaps)
    }

    /// The same one by one, for who does not need them all at once. An error of `visit` ends it.
    pub fn each_gap<E: From<StoreError>>(
        &self,
        open_only: bool,
        mut visit: impl FnMut(LedgerGap) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT stage, subject, gap, first_seen, resolved FROM gaps WHERE NOT ?1 OR resolved IS NULL
                   ORDER BY stage, subject";
        // Those of one subject are sorted by the order of the type, which is not that of its text.
        let mut same: Vec<LedgerGap> = Vec::new();
        let mut hand_on = |same: &mut Vec<LedgerGap>| {
            same.sort_by(|a, b| a.gap.cmp(&b.gap));
            same.drain(..).try_for_each(&mut visit)
        };
        each(self.connection(), "read the gaps", sql, (open_only,), ledger_gap, |gap| {
            if same.first().is_some_and(|first| (&first.stage, &first.subject) != (&gap.stage, &gap.subject)) {
                hand_on(&mut same)?;
            }
            same.push(gap);
            Ok::<(), E>(())
        })?;
        hand_on(&mut same)
    }
}

fn ledger_gap(row: &Row<'_>) -> Result<LedgerGap, StoreError> {
    let resolved: Option<i64> = row.cell(4)?;
    Ok(LedgerGap {
        stage: row.cell(0)?,
        subject: row.cell(1)?,
        gap: row.json(2, "gap")?,
        first_seen: row.as_of(3)?,
        resolved: resolved.map(|at| AsOf(Timestamp::from_unix_seconds(at))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, gap};

    #[test]
    fn a_gap_is_entered_once_resolved_and_opened_again() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        let record = |night| {
            store.write(move |writer| writer.record_gap("fetch", "npm:a", &gap("a.js"), day(night))).expect("entered");
        };
        let entry = |resolved| LedgerGap {
            stage: "fetch".into(),
            subject: "npm:a".into(),
            gap: gap("a.js"),
            first_seen: day(1),
            resolved,
        };
        record(1);
        record(2);
        assert_eq!(reader.gaps(true).expect("reads"), [entry(None)]);
        store.write(|writer| writer.resolve_gaps("fetch", "npm:a", day(3))).expect("resolved");
        assert_eq!(reader.gaps(true).expect("reads"), []);
        assert_eq!(reader.gaps(false).expect("reads"), [entry(Some(day(3)))]);
        record(4);
        assert_eq!(reader.gaps(true).expect("reads"), [entry(None)]);
    }

    #[test]
    fn resolving_touches_only_its_stage_and_subject() {
        let folder = Folder::new();
        let store = folder.store();
        store
            .write(|writer| {
                for (stage, subject) in [("scan", "npm:a"), ("fetch", "npm:b"), ("fetch", "npm:a")] {
                    writer.record_gap(stage, subject, &gap("z"), day(1))?;
                    writer.record_gap(stage, subject, &gap("a"), day(1))?;
                }
                writer.resolve_gaps("fetch", "npm:a", day(2))
            })
            .expect("written");
        let open = store.reader().expect("opens").gaps(true).expect("reads");
        let open: Vec<_> =
            open.iter().map(|gap| (gap.stage.as_str(), gap.subject.as_str(), gap.gap.subject.as_str())).collect();
        let expected =
            [("fetch", "npm:b", "a"), ("fetch", "npm:b", "z"), ("scan", "npm:a", "a"), ("scan", "npm:a", "z")];
        assert_eq!(open, expected);
    }
}
