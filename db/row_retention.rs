//! Rows that may go by their age alone: scores of days long past, and the ledgers of what was run and asked.
//!
//! No row that a dataset is made of is among them. The caller decides how old is too old.

use capdex_model::time::AsOf;

use crate::sql::{Cells, first, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// A table from which rows go by their age.
#[derive(Clone, Copy, Debug)]
pub struct Ledger {
    /// The table.
    pub table: &'static str,
    count: &'static str,
    delete: &'static str,
}

/// The amount that goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// Rows.
    pub rows: u64,
    /// Their bytes, without what the table and its indexes need for themselves.
    pub bytes: u64,
}

/// Which rows of a table go: `?1` is the instant before which they go.
macro_rules! ledger {
    ($table:literal, $bytes:literal, $goes:literal) => {
        Ledger {
            table: $table,
            count: concat!("SELECT count(*), ifnull(sum(", $bytes, "), 0) FROM ", $table, " WHERE ", $goes),
            // By a subquery, since SQLite is usually built without a limit for deletions.
            // `RETURNING`, because a row can be measured only as it goes.
            delete: concat!(
                "DELETE FROM ",
                $table,
                " WHERE id IN (SELECT id FROM ",
                $table,
                " WHERE ",
                $goes,
                " LIMIT ?2) RETURNING ",
                $bytes
            ),
        }
    };
}

/// Every such table. The last of each kind stays: the last run says as of when the store stands. The last walk of a source
/// says what the next one costs, the last due time of a schedule what was answered.
pub const LEDGERS: [Ledger; 5] = [
    ledger!(
        "scores",
        "length(body)",
        "day IS NOT NULL AND day < ?1 / 86400 AND day IS NOT (SELECT as_of / 86400 FROM runs ORDER BY id DESC LIMIT 1)
         AND ifnull(until, 0) <= ifnull((SELECT as_of / 86400 FROM runs ORDER BY id DESC LIMIT 1), 0)"
    ),
    ledger!(
        "runs",
        "length(plan) + length(ifnull(summary, ''))",
        "as_of < ?1 AND status IS NOT NULL AND id <> (SELECT max(id) FROM runs)"
    ),
    ledger!("walks", "length(report)", "at < ?1 AND id NOT IN (SELECT max(id) FROM walks GROUP BY source)"),
    ledger!(
        "due_runs",
        "length(schedule)",
        "due < ?1 AND outcome IS NOT NULL
         AND due <> (SELECT max(d.due) FROM due_runs d WHERE d.schedule = due_runs.schedule)"
    ),
    ledger!("jobs", "length(payload)", "run_at < ?1 AND state = 'buried'"),
];

impl Reader {
    /// The rows that would go from a table.
    pub fn prunable_rows(&self, ledger: &Ledger, before: AsOf) -> Result<Gone, StoreError> {
        let counted = first(self.connection(), "count what may go", ledger.count, (seconds(before),), |row| {
            Ok(Gone { rows: row.count(0)?, bytes: row.count(1)? })
        })?;
        Ok(counted.unwrap_or_default())
    }
}

impl Writer<'_> {
    /// Deletes rows of a table that are older than an instant, `most` at once; what went. Nothing once all are gone.
    pub fn prune_rows(&self, ledger: &Ledger, before: AsOf, most: u32) -> Result<Gone, StoreError> {
        // In bounded steps, so that a long deletion does not hold up other writers.
        let bytes = rows(self.connection(), "prune rows", ledger.delete, (seconds(before), most), |row| row.count(0))?;
        // The one ledger of which rows are told apart by their ids there; others go every night.
        if ledger.table == "scores" && !bytes.is_empty() {
            self.forget_dataset()?;
        }
        Ok(Gone { rows: bytes.len() as u64, bytes: bytes.iter().sum() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, at, day, facts, list, listing, scan_of, score};
    use crate::{ClaimRequest, DueOutcome, RunStatus, WalkOutcome};
    use serde_json::json;

    #[test]
    fn what_is_old_goes_and_the_last_of_each_kind_stays() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        for night in 1..=6 {
            store
                .write(move |writer| {
                    let (now, end) = (day(night).0, day(night).0);
                    let run = writer.start_run("n", day(night), now, &json!({}))?;
                    writer.finish_run(run, RunStatus::Done, end, &json!({}))?;
                    writer.record_walk("npm", WalkOutcome::Complete, &json!({}), day(night))?;
                    writer.begin_due("n", now, 0, now)?;
                    writer.answer_due("n", now, DueOutcome::Done, end)?;
                    writer.record_scores(&facts("a").digest(), Some(day(night).day()), &[score("x", "1", 1)])
                })
                .expect("written");
        }
        store
            .write(|writer| {
                writer.record_scores(&facts("a").digest(), None, &[score("y", "1", 1)])?;
                writer.enqueue("fetch", "npm:a", &json!({}), None, at(0))?;
                let job = writer
                    .claim(&ClaimRequest {
                        kind: "fetch",
                        limit: 1,
                        per_host: 1,
                        now: at(1),
                        lease_s: 60,
                        except: &[],
                    })?
                    .remove(0);
                writer.bury(job.id, "cannot be read")?;
                writer.enqueue("fetch", "npm:b", &json!({}), None, at(0)).map(drop)
            })
            .expect("written");
        let counts = |before| {
            let reader = store.reader().expect("opens");
            LEDGERS.map(|ledger| reader.prunable_rows(&ledger, day(before)).expect("counts").rows)
        };
        assert_eq!(counts(4), [3, 3, 3, 3, 1]);
        assert_eq!(counts(90), [5, 5, 5, 5, 1], "the last of each stays, however old");
        for ledger in LEDGERS {
            let planned = store.reader().expect("opens").prunable_rows(&ledger, day(4)).expect("counts");
            let mut gone = Gone::default();
            loop {
                let step = store.write(move |writer| writer.prune_rows(&ledger, day(4), 2)).expect("pruned");
                assert!(step.rows <= 2, "bounded");
                if step.rows == 0 {
                    break;
                }
                gone = Gone { rows: gone.rows + step.rows, bytes: gone.bytes + step.bytes };
            }
            assert_eq!(gone, planned, "{}", ledger.table);
        }
        assert_eq!(counts(4), [0; 5]);
        let reader = store.reader().expect("opens");
        assert_eq!(reader.runs(9).expect("reads").len(), 3);
        assert_eq!(reader.totals().expect("counts").scores, 4, "three days and the one that depends on none");
        assert_eq!(reader.queue_counts().expect("counts").len(), 1, "what waits to be fetched stays");
    }
}
