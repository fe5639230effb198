//! The state of each notifier: what waits for it, how often it failed in a row, and until when it is left alone.
//!
//! Notifiers back off by it: a notifier that is down must not be asked once for each message.

use capdex_model::time::Timestamp;

use crate::sql::{Cells, execute, first, rows};
use crate::{Reader, StoreError, Writer};

/// A notifier as the store knows it. One that never failed and was never told anything is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifierState {
    /// Its name in the schedule.
    pub name: String,
    /// Messages that wait.
    pub queued: u64,
    /// Messages that it has taken.
    pub sent: u64,
    /// Failures in a row.
    pub failures: u32,
    /// Not to be tried before, by the clock.
    pub next_try: Timestamp,
    /// The last error; none where there was none. Untrusted text.
    pub error: Option<String>,
}

impl Writer<'_> {
    /// Notes that a notifier failed once more, and until when it is left alone.
    pub fn notifier_failed(&self, name: &str, error: &str, next_try: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO notifiers (name, failures, next_try, error) VALUES (?1, 1, ?3, ?2)
                   ON CONFLICT DO UPDATE SET failures = failures + 1, next_try = ?3, error = ?2";
        execute(self.connection(), "note a failing sink", sql, (name, error, next_try.unix_seconds())).map(drop)
    }

    /// Forgets what went wrong at a notifier: it took something.
    pub fn notifier_recovered(&self, name: &str) -> Result<(), StoreError> {
        execute(self.connection(), "note a mended sink", "DELETE FROM notifiers WHERE name = ?1", (name,)).map(drop)
    }
}

impl Reader {
    /// The state of a notifier.
    pub fn notifier_state(&self, name: &str) -> Result<NotifierState, StoreError> {
        let sql = "SELECT failures, next_try, error FROM notifiers WHERE name = ?1";
        let failing = first(self.connection(), "read the state of a sink", sql, (name,), |row| {
            Ok((u32::try_from(row.count(0)?).unwrap_or(u32::MAX), row.timestamp(1)?, row.cell(2)?))
        })?;
        let (queued, sent) = self.message_counts(name)?;
        // No row: it never failed or has mended, and may be told at once.
        let (failures, next_try, error) = failing.unwrap_or((0, Timestamp::from_unix_seconds(0), None));
        Ok(NotifierState { name: name.to_owned(), queued, sent, failures, next_try, error })
    }

    /// Every notifier that was told something or failed, sorted by name.
    pub fn notifier_states(&self) -> Result<Vec<NotifierState>, StoreError> {
        let sql = "SELECT notifier FROM messages UNION SELECT name FROM notifiers ORDER BY 1";
        let names: Vec<String> = rows(self.connection(), "read the sinks", sql, (), |row| row.cell(0))?;
        names.iter().map(|name| self.notifier_state(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, at};

    #[test]
    fn failures_add_up_until_it_is_mended() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        assert_eq!(reader.notifier_states().expect("reads"), []);
        for second in [5, 9] {
            store.write(move |writer| writer.notifier_failed("ops", "status 500", at(second))).expect("noted");
        }
        let failing = NotifierState {
            name: "ops".into(),
            queued: 0,
            sent: 0,
            failures: 2,
            next_try: at(9),
            error: Some("status 500".into()),
        };
        assert_eq!(reader.notifier_states().expect("reads"), [failing]);
        store.write(|writer| writer.notifier_recovered("ops")).expect("noted");
        assert_eq!(reader.notifier_state("ops").expect("reads").failures, 0);
    }
}
