//! The daemon's ledger: since when each schedule is known, and which due times were answered, by whomever.
//!
//! A due time has one row, written under the store's lock before its run begins and closed under the same lock when it
//! ends. So an open row met by whoever holds the lock is that of a dead process, and no clock has to say so.

use capdex_model::time::Timestamp;

use crate::sql::{Cells, execute, first, rows};
use crate::{Reader, StoreError, Writer};

/// The answer to a due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueOutcome {
    /// Everything was done.
    Done,
    /// The run ended and left gaps.
    Incomplete,
    /// The run could do nothing, or died too often.
    Failed,
    /// The time for requests was over before all were made; the next run goes on.
    OverBudget,
    /// Nobody was there at the time, and the schedule asks for no recovery.
    Missed,
    /// Its process was stopped or died, and a later due time came before anybody went on with it.
    Overtaken,
}

impl DueOutcome {
    const ALL: [Self; 6] =
        [Self::Done, Self::Incomplete, Self::Failed, Self::OverBudget, Self::Missed, Self::Overtaken];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::OverBudget => "over_budget",
            Self::Missed => "missed",
            Self::Overtaken => "overtaken",
        }
    }

    fn of_word(word: &str) -> Result<Self, StoreError> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
            .ok_or_else(|| StoreError::Corrupt { what: "due run", detail: format!("{word} is no outcome") })
    }
}

/// One due time that was answered or begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueRun {
    /// The schedule.
    pub schedule: String,
    /// When it was due, without the wait that spreads starts.
    pub due: Timestamp,
    /// Due times before it that nobody answered and that it stands for too.
    pub missed: u64,
    /// The number of times that it was begun.
    pub tries: u32,
    /// When it was begun last, by the clock.
    pub started: Timestamp,
    /// When it ended, by the clock.
    pub finished: Option<Timestamp>,
    /// The answer; none while it runs, and where its process was stopped or died.
    pub outcome: Option<DueOutcome>,
}

impl Writer<'_> {
    /// Enters a schedule with its expression; since when it holds. A new expression holds from now on.
    pub fn enter_schedule(&self, name: &str, cron: &str, now: Timestamp) -> Result<Timestamp, StoreError> {
        const WHAT: &str = "enter a schedule";
        let conn = self.connection();
        // `since` moves with the expression alone: due times before it were never promised.
        let sql = "INSERT INTO timetable (name, cron, since) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO UPDATE SET cron = excluded.cron, since = excluded.since
                   WHERE cron <> excluded.cron";
        execute(conn, WHAT, sql, (name, cron, now.unix_seconds()))?;
        let since = first(conn, WHAT, "SELECT since FROM timetable WHERE name = ?1", (name,), |row| row.timestamp(0))?;
        since.ok_or_else(|| StoreError::Unknown { what: "schedule", key: name.to_owned() })
    }

    /// Begins a due time, or begins it once more; the row as it is then. None where it or a later one was answered already. An
    /// earlier one that is still open is overtaken by it.
    pub fn begin_due(
        &self,
        schedule: &str,
        due: Timestamp,
        missed: u64,
        now: Timestamp,
    ) -> Result<Option<DueRun>, StoreError> {
        // Deciding and writing are one statement: an earlier due time is refused once a later one has a row.
        let sql = "INSERT INTO due_runs (schedule, due, missed, tries, started)
                   SELECT ?1, ?2, ?3, 1, ?4
                   WHERE NOT EXISTS (SELECT 1 FROM due_runs WHERE schedule = ?1 AND due > ?2)
                   ON CONFLICT DO UPDATE SET tries = tries + 1, started = excluded.started WHERE outcome IS NULL";
        let missed = i64::try_from(missed).unwrap_or(i64::MAX);
        let params = (schedule, due.unix_seconds(), missed, now.unix_seconds());
        if execute(self.connection(), "begin a due time", sql, params)? == 0 {
            return Ok(None);
        }
        // An open row behind a later one would look like a dead process for ever.
        let overtaken = "UPDATE due_runs SET outcome = 'overtaken', finished = ?3
                         WHERE schedule = ?1 AND due < ?2 AND outcome IS NULL";
        let params = (schedule, due.unix_seconds(), now.unix_seconds());
        execute(self.connection(), "close what was overtaken", overtaken, params)?;
        Ok(last_due(self.connection(), schedule)?.filter(|run| run.due == due))
    }

    /// Forgets the due times of a schedule that lie after an instant, and that it was entered later: the clock was set back.
    /// The latest of them; none where there are none.
    pub fn forget_after(&self, schedule: &str, instant: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        const WHAT: &str = "forget due times to come";
        let (conn, params) = (self.connection(), (schedule, instant.unix_seconds()));
        let latest = "SELECT max(due) FROM due_runs WHERE schedule = ?1 AND due > ?2";
        let latest: Option<i64> = first(conn, WHAT, latest, params, |row| row.cell(0))?.flatten();
        // Rows ahead of the clock would keep the schedule silent until the real time has reached them.
        execute(conn, WHAT, "DELETE FROM due_runs WHERE schedule = ?1 AND due > ?2", params)?;
        // Else the due times between now and then would count as before the schedule.
        execute(conn, WHAT, "UPDATE timetable SET since = ?2 WHERE name = ?1 AND since > ?2", params)?;
        Ok(latest.map(Timestamp::from_unix_seconds))
    }

    /// Leaves a due time on purpose, open: that try was no failure and does not count.
    pub fn leave_due(&self, schedule: &str, due: Timestamp) -> Result<(), StoreError> {
        // Tries bound how often a run may die: stopping it on purpose must not use them up.
        let sql = "UPDATE due_runs SET tries = max(tries - 1, 0) WHERE schedule = ?1 AND due = ?2 AND outcome IS NULL";
        execute(self.connection(), "leave a due time", sql, (schedule, due.unix_seconds())).map(drop)
    }

    /// Answers a due time that was begun. [`StoreError::Unknown`] for one that was not, or is answered.
    pub fn answer_due(
        &self,
        schedule: &str,
        due: Timestamp,
        outcome: DueOutcome,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE due_runs SET outcome = ?3, finished = ?4
                   WHERE schedule = ?1 AND due = ?2 AND outcome IS NULL";
        let params = (schedule, due.unix_seconds(), outcome.as_str(), now.unix_seconds());
        match execute(self.connection(), "answer a due time", sql, params)? {
            1 => Ok(()),
            _ => Err(StoreError::Unknown { what: "open due time", key: format!("{schedule} {due}") }),
        }
    }
}

fn last_due(conn: &rusqlite::Connection, schedule: &str) -> Result<Option<DueRun>, StoreError> {
    let sql = "SELECT schedule, due, missed, tries, started, finished, outcome FROM due_runs
               WHERE schedule = ?1 ORDER BY due DESC LIMIT 1";
    first(conn, "read a due time", sql, (schedule,), |row| {
        let outcome: Option<String> = row.cell(6)?;
        Ok(DueRun {
            schedule: row.cell(0)?,
            due: row.timestamp(1)?,
            missed: row.count(2)?,
            tries: u32::try_from(row.count(3)?).unwrap_or(u32::MAX),
            started: row.timestamp(4)?,
            finished: row.cell::<Option<i64>>(5)?.map(Timestamp::from_unix_seconds),
            outcome: outcome.as_deref().map(DueOutcome::of_word).transpose()?,
        })
    })
}

impl Reader {
    /// The newest due time of a schedule that was begun or answered.
    pub fn last_due(&self, schedule: &str) -> Result<Option<DueRun>, StoreError> {
        last_due(self.connection(), schedule)
    }

    /// Every schedule that a daemon runs or ran, with its expression, sorted by name.
    pub fn timetable(&self) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT name, cron FROM timetable ORDER BY name";
        rows(self.connection(), "read the timetable", sql, (), |row| Ok((row.cell(0)?, row.cell(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, at};

    #[test]
    fn a_due_time_is_answered_once() {
        let folder = Folder::new();
        let store = folder.store();
        let begin = |due, now| store.write(move |writer| writer.begin_due("n", at(due), 3, at(now))).expect("written");
        let answer = |due, outcome| store.write(move |writer| writer.answer_due("n", at(due), outcome, at(99)));
        let first = begin(10, 11).expect("begun");
        assert_eq!(first.due, at(10));
        assert_eq!(first.tries, 1);
        assert_eq!(first.missed, 3);
        assert_eq!(first.outcome, None);
        let again = begin(10, 20).expect("its process died");
        assert_eq!(again.tries, 2);
        assert_eq!(again.started, at(20));
        assert_eq!(again.missed, 3);
        store.write(|writer| writer.leave_due("n", at(10))).expect("left");
        assert_eq!(begin(10, 25).map(|run| run.tries), Some(2), "the try that was left does not count");
        answer(10, DueOutcome::Done).expect("answered");
        assert_eq!(begin(10, 30), None);
        assert!(matches!(answer(10, DueOutcome::Failed), Err(StoreError::Unknown { .. })));
        let kept = store.reader().expect("opens").last_due("n").expect("reads").expect("there");
        assert_eq!(kept.outcome, Some(DueOutcome::Done));
        assert_eq!(kept.finished, Some(at(99)));
        assert_eq!(begin(5, 40), None, "an earlier due time is not begun after a later one");
        begin(20, 21).expect("begun");
        begin(30, 31).expect("begun");
        let sql = "SELECT outcome FROM due_runs WHERE due = 20";
        let overtaken =
            store.write(move |writer| crate::sql::first(writer.connection(), "look", sql, (), |row| row.cell(0)));
        assert_eq!(overtaken.expect("read"), Some("overtaken".to_owned()), "no row stays open behind a later one");
    }

    #[test]
    fn what_lies_ahead_of_a_clock_that_was_set_back_is_forgotten() {
        let folder = Folder::new();
        let store = folder.store();
        let forget = |now| store.write(move |writer| writer.forget_after("n", at(now))).expect("written");
        store.write(|writer| writer.enter_schedule("n", "a", at(50))).expect("entered");
        for due in [10, 100, 200] {
            store.write(move |writer| writer.begin_due("n", at(due), 0, at(due))).expect("written");
        }
        assert_eq!(forget(200), None);
        assert_eq!(forget(20), Some(at(200)));
        assert_eq!(forget(20), None);
        assert_eq!(store.reader().expect("opens").last_due("n").expect("reads").map(|run| run.due), Some(at(10)));
        let since = store.write(|writer| writer.enter_schedule("n", "a", at(30))).expect("entered");
        assert_eq!(since, at(20));
    }

    #[test]
    fn a_schedule_is_known_since_it_had_its_expression() {
        let folder = Folder::new();
        let store = folder.store();
        let enter = |cron: &'static str, now| {
            store.write(move |writer| writer.enter_schedule("n", cron, at(now))).expect("entered")
        };
        assert_eq!(enter("a", 5), at(5));
        assert_eq!(enter("a", 9), at(5));
        assert_eq!(enter("b", 12), at(12));
        assert_eq!(enter("b", 20), at(12));
        let table = store.reader().expect("opens").timetable().expect("reads");
        assert_eq!(table, [("n".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn every_outcome_has_its_word() {
        for outcome in DueOutcome::ALL {
            assert_eq!(DueOutcome::of_word(outcome.as_str()).expect("an outcome"), outcome);
        }
        assert!(DueOutcome::of_word("paused").is_err());
    }
}
