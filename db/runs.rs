//! Runs: which commands were started, what they meant to do, and how they ended.
//!
//! Run ids and clock values stay in here: nothing exported holds one.

use capdex_model::time::{AsOf, Timestamp};
use serde_json::Value;

use crate::sql::{Cells, execute, insert, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// A run in this store. Later runs have greater ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunStatus {
    /// Everything was done.
    Done,
    /// Something could not be fetched, parsed or evaluated; the summary says what.
    Incomplete,
    /// Nothing could be done.
    Failed,
    /// It was stopped, or its process died. All finished work is kept.
    Interrupted,
}

impl RunStatus {
    const ALL: [Self; 4] = [Self::Done, Self::Incomplete, Self::Failed, Self::Interrupted];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    fn of_word(word: &str) -> Result<Self, StoreError> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == word)
            .ok_or_else(|| StoreError::Corrupt { what: "run", detail: format!("{word} is no status") })
    }
}

/// One run, as the ledger has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// Which command, as typed.
    pub command: String,
    /// The instant that ages were measured against.
    pub as_of: AsOf,
    /// When it began, by the clock.
    pub started: Timestamp,
    /// When it ended, by the clock; none while it runs and where its process died.
    pub finished: Option<Timestamp>,
    /// Its end; none while it runs.
    pub status: Option<RunStatus>,
    /// The plan that it began with.
    pub plan: Value,
    /// Counts and coverage of what it did; null while it runs and where its process died.
    pub summary: Value,
}

impl Writer<'_> {
    /// Enters a run in the ledger. Until the next one begins, all snapshots that are recorded belong to it.
    pub fn start_run(&self, command: &str, as_of: AsOf, started: Timestamp, plan: &Value) -> Result<RunId, StoreError> {
        let sql = "INSERT INTO runs (command, as_of, started, plan) VALUES (?1, ?2, ?3, ?4)";
        let params = (command, seconds(as_of), started.unix_seconds(), plan.to_string());
        insert(self.connection(), "enter a run", sql, params).map(RunId)
    }

    /// Enters how a run ended. [`StoreError::Unknown`] for a run that is not in the ledger or has ended before.
    pub fn finish_run(
        &self,
        run: RunId,
        status: RunStatus,
        finished: Timestamp,
        summary: &Value,
    ) -> Result<(), StoreError> {
        // A run that a later process marked as interrupted stays so.
        let sql = "UPDATE runs SET status = ?2, finished = ?3, summary = ?4 WHERE id = ?1 AND status IS NULL";
        let params = (run.0, status.as_str(), finished.unix_seconds(), summary.to_string());
        match execute(self.connection(), "close a run", sql, params)? {
            1 => Ok(()),
            _ => Err(StoreError::Unknown { what: "open run", key: run.0.to_string() }),
        }
    }

    /// Marks every open run as interrupted: its process is dead, since the caller has the store's lock.
    pub(crate) fn interrupt_runs(&self) -> Result<(), StoreError> {
        // `finished` stays null: nobody knows when the process died.
        let sql = "UPDATE runs SET status = 'interrupted' WHERE status IS NULL";
        execute(self.connection(), "close the runs of a dead process", sql, ()).map(drop)
    }
}

impl Reader {
    /// When a night ended well last, by the clock; none where none ever did.
    pub fn last_success(&self) -> Result<Option<Timestamp>, StoreError> {
        // To hash again is no night: nothing is listed or scanned.
        let sql = "SELECT max(finished) FROM runs WHERE status = 'done' AND command <> 'drift --rehash'";
        let found = rows(self.connection(), "read the last night", sql, (), |row| row.cell::<Option<i64>>(0))?;
        Ok(found.into_iter().flatten().next().map(Timestamp::from_unix_seconds))
    }

    /// The last `limit` runs, newest first.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRow>, StoreError> {
        let sql = "SELECT id, command, as_of, started, finished, status, plan, summary FROM runs
                   ORDER BY id DESC LIMIT ?1";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        rows(self.connection(), "read the runs", sql, (limit,), |row| {
            let status: Option<String> = row.cell(5)?;
            Ok(RunRow {
                id: RunId(row.cell(0)?),
                command: row.cell(1)?,
                as_of: row.as_of(2)?,
                started: row.timestamp(3)?,
                finished: row.cell::<Option<i64>>(4)?.map(Timestamp::from_unix_seconds),
                status: status.as_deref().map(RunStatus::of_word).transpose()?,
                plan: row.json(6, "plan of a run")?,
                summary: row.json_if_any(7, "summary of a run")?.unwrap_or(Value::Null),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, at, day};
    use serde_json::json;

    #[test]
    fn a_run_is_entered_and_closed_once() {
        let folder = Folder::new();
        let store = folder.store();
        let run =
            store.write(|writer| writer.start_run("nightly", day(1), at(5), &json!({"sources": 2}))).expect("begun");
        let finish = |status| store.write(move |writer| writer.finish_run(run, status, at(9), &json!({"listed": 3})));
        for status in [RunStatus::Incomplete, RunStatus::Done] {
            match (finish(status), status) {
                (Ok(()), RunStatus::Incomplete) => (),
                (Err(StoreError::Unknown { .. }), RunStatus::Done) => (),
                (other, _) => panic!("an open run is closed once, not {}", other.is_ok()),
            }
        }
        let expected = RunRow {
            id: run,
            command: "nightly".into(),
            as_of: day(1),
            started: at(5),
            finished: Some(at(9)),
            status: Some(RunStatus::Incomplete),
            plan: json!({"sources": 2}),
            summary: json!({"listed": 3}),
        };
        assert_eq!(store.reader().expect("opens").runs(10).expect("reads"), [expected]);
    }

    #[test]
    fn a_run_whose_process_died_is_interrupted_at_the_next_opening() {
        let folder = Folder::new();
        let store = folder.store();
        store.write(|writer| writer.start_run("nightly", day(1), at(5), &json!({}))).expect("begun");
        assert_eq!(store.reader().expect("opens").runs(1).expect("reads").remove(0).status, None);
        drop(store);
        let store = folder.store();
        store.write(|writer| writer.start_run("score", day(2), at(50), &json!({}))).expect("begun");
        let runs = store.reader().expect("opens").runs(10).expect("reads");
        let ends: Vec<_> = runs.iter().map(|run| (run.command.as_str(), run.status, run.finished)).collect();
        assert_eq!(ends, [("score", None, None), ("nightly", Some(RunStatus::Interrupted), None)]);
    }

    #[test]
    fn every_status_has_its_word() {
        for status in RunStatus::ALL {
            assert_eq!(RunStatus::of_word(status.as_str()).expect("a status"), status);
        }
        assert!(RunStatus::of_word("paused").is_err());
    }
}
