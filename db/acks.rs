//! Acknowledgements, a history that is only added to, and the operator's suppressions as the last run found them.
//!
//! Which alerts they keep back is decided by `capdex_model::alert`.

use capdex_model::alert::ack::Ack;
use capdex_model::alert::suppression::Suppression;
use capdex_model::time::Timestamp;

use crate::sql::{Cells, canonical, execute, insert, rows, seconds};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Adds an acknowledgement to the history; its number there.
    pub fn acknowledge(&self, ack: &Ack) -> Result<u64, StoreError> {
        let sql = "INSERT INTO acks (about, rule, content, alert, reason, at, expires)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let expires = ack.expires.map(Timestamp::unix_seconds);
        let params = (&ack.about, &ack.rule, ack.content.as_bytes(), &ack.alert, &ack.reason, seconds(ack.at), expires);
        // The id is the number that people quote; `AUTOINCREMENT` never gives it to another one.
        let id = insert(self.connection(), "acknowledge an alert", sql, params)?;
        Ok(id.unsigned_abs())
    }

    /// Puts the operator's suppressions in the place of those of the run before.
    pub fn set_suppressions(&self, suppressions: &[Suppression]) -> Result<(), StoreError> {
        const WHAT: &str = "keep the suppressions";
        // Replaced whole: a suppression that the operator took out of the schedule must end with the next run.
        execute(self.connection(), WHAT, "DELETE FROM suppressions", ())?;
        for suppression in suppressions {
            let body = canonical(suppression)?;
            execute(self.connection(), WHAT, "INSERT INTO suppressions (body) VALUES (?1)", (body,))?;
        }
        Ok(())
    }
}

impl Reader {
    /// Every acknowledgement, in the order in which they were given.
    pub fn acks(&self) -> Result<Vec<Ack>, StoreError> {
        let sql = "SELECT id, about, rule, content, alert, reason, at, expires FROM acks ORDER BY id";
        rows(self.connection(), "read the acknowledgements", sql, (), |row| {
            Ok(Ack {
                number: row.count(0)?,
                about: row.cell(1)?,
                rule: row.cell(2)?,
                content: row.digest(3)?,
                alert: row.cell(4)?,
                reason: row.cell(5)?,
                at: row.as_of(6)?,
                expires: row.cell::<Option<i64>>(7)?.map(Timestamp::from_unix_seconds),
            })
        })
    }

    /// The operator's suppressions, in their order.
    pub fn suppressions(&self) -> Result<Vec<Suppression>, StoreError> {
        let sql = "SELECT body FROM suppressions ORDER BY id";
        rows(self.connection(), "read the suppressions", sql, (), |row| row.json(0, "suppression"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, digest};

    #[test]
    fn acknowledgements_are_kept_in_their_order() {
        let folder = Folder::new();
        let store = folder.store();
        let ack = |number, expires: Option<i64>| Ack {
            number,
            about: "npm-a".into(),
            rule: "drift/same_version".into(),
            content: digest("a"),
            alert: "drift:a".into(),
            reason: "known".into(),
            at: day(1),
            expires: expires.map(|night| day(night).0),
        };
        let given = [ack(1, None), ack(2, Some(3))];
        for ack in given.clone() {
            let number = ack.number;
            let numbered = store.write(move |writer| writer.acknowledge(&Ack { number: 0, ..ack })).expect("kept");
            assert_eq!(numbered, number);
        }
        assert_eq!(store.reader().expect("opens").acks().expect("reads"), given);
    }

    #[test]
    fn suppressions_are_those_of_the_last_run() {
        let folder = Folder::new();
        let store = folder.store();
        let line = |subject: &str| Suppression {
            subject: Some(subject.into()),
            rule: None,
            content: Some(digest("a")),
            reason: "ours".into(),
            expires: day(9).0,
        };
        for lines in [vec![line("a"), line("b")], vec![line("c")], vec![]] {
            let expected = lines.clone();
            store.write(move |writer| writer.set_suppressions(&lines)).expect("kept");
            assert_eq!(store.reader().expect("opens").suppressions().expect("reads"), expected);
        }
    }
}
