//! The operator's rulings, a history that is only added to, and what his schedule says as the last run found it.
//!
//! What they come to is decided by `capdex_rubrics::operator`.

use capdex_model::ruling::{OperatorPolicy, Ruling, newest};

use crate::sql::{Cells, canonical, execute, insert, rows};
use crate::{Reader, StoreError, Writer};

const VOTE: &str = "vote";
const RULING: &str = "ruling";

impl Writer<'_> {
    /// Adds a ruling to the history; its number there.
    pub fn rule(&self, ruling: &Ruling) -> Result<u64, StoreError> {
        let sql = "INSERT INTO rulings (body) VALUES (?1)";
        let id = insert(self.connection(), "keep a ruling", sql, (canonical(ruling)?,))?;
        Ok(id.unsigned_abs())
    }

    /// Puts what the operator's schedule says in the place of what it said before.
    pub fn set_scheduled_policy(&self, policy: &OperatorPolicy) -> Result<(), StoreError> {
        const WHAT: &str = "keep the operator's policy";
        // Replaced whole: what the operator took out of the schedule must end with the next run.
        execute(self.connection(), WHAT, "DELETE FROM scheduled_policy", ())?;
        let sql = "INSERT INTO scheduled_policy (kind, body) VALUES (?1, ?2)";
        for vote in &policy.votes {
            execute(self.connection(), WHAT, sql, (VOTE, vote))?;
        }
        for ruling in &policy.rulings {
            execute(self.connection(), WHAT, sql, (RULING, canonical(ruling)?))?;
        }
        Ok(())
    }
}

impl Reader {
    /// Every ruling that a command gave, with its number, in the order in which they were given.
    pub fn rulings(&self) -> Result<Vec<(u64, Ruling)>, StoreError> {
        let sql = "SELECT id, body FROM rulings ORDER BY id";
        rows(self.connection(), "read the rulings", sql, (), |row| Ok((row.count(0)?, row.json(1, "ruling")?)))
    }

    /// The operator's policy: the votes of the schedule, and of all rulings those that count.
    pub fn operator_policy(&self) -> Result<OperatorPolicy, StoreError> {
        const WHAT: &str = "read the operator's policy";
        let votes = "SELECT body FROM scheduled_policy WHERE kind = ?1 ORDER BY id";
        let votes = rows(self.connection(), WHAT, votes, (VOTE,), |row| row.cell(0))?;
        let scheduled = "SELECT body FROM scheduled_policy WHERE kind = ?1 ORDER BY id";
        let scheduled: Vec<Ruling> = rows(self.connection(), WHAT, scheduled, (RULING,), |row| row.json(0, "ruling"))?;
        // Commands after the schedule: of the same instant they count.
        let given = self.rulings()?.into_iter().map(|(_, ruling)| ruling);
        Ok(OperatorPolicy { votes, rulings: newest(scheduled.into_iter().chain(given)) })
    }
}

#[cfg(test)]
mod tests {
    use capdex_model::ruling::RulingStatus;

    use super::*;
    use crate::fixtures::{Folder, day, digest};

    fn ruling(subject: &str, status: RulingStatus, night: i64) -> Ruling {
        Ruling {
            subject: subject.parse().expect("a subject"),
            scope: "verdict".parse().expect("a scope"),
            content: Some(digest("a")),
            status,
            author: "ops".into(),
            reason: "ours".into(),
            at: day(night),
            expires: Some(day(90).0),
        }
    }

    #[test]
    fn the_history_stays_and_the_schedule_is_that_of_the_last_run() {
        let folder = Folder::new();
        let store = folder.store();
        let accepted = ruling("npm:a", RulingStatus::Accepted, 1);
        let withdrawn = ruling("npm:a", RulingStatus::Withdrawn, 2);
        for (number, given) in (1..).zip([accepted.clone(), withdrawn.clone()]) {
            assert_eq!(store.write(move |writer| writer.rule(&given)).expect("kept"), number);
        }
        let scheduled = ruling("npm:b", RulingStatus::Blocked, 1);
        for votes in [vec!["saferskills".to_owned()], Vec::new()] {
            let policy = OperatorPolicy { votes: votes.clone(), rulings: vec![scheduled.clone()] };
            store.write(move |writer| writer.set_scheduled_policy(&policy)).expect("kept");
            let reader = store.reader().expect("opens");
            assert_eq!(reader.rulings().expect("reads"), [(1, accepted.clone()), (2, withdrawn.clone())]);
            let policy = reader.operator_policy().expect("reads");
            assert_eq!((policy.votes, policy.rulings), (votes, vec![withdrawn.clone(), scheduled.clone()]));
        }
    }
}
