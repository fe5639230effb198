//! Reports of abuse that were submitted, and what a person made of each: only ever added to.
//!
//! What was accepted becomes a list of its own (`abuse.rs`), and is a report there as any other.

use capdex_model::abuse_report::{AbuseReport, MODERATED, ReportDecision, ReportState, list};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::sql::{Cells, canonical, execute, first, id_of, rows, seconds};
use crate::{Reader, StoreError, Writer};

const WHAT: &str = "read the reports of abuse";
const KEEP: &str = "keep a report of abuse";

/// A report with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// The report.
    pub report: AbuseReport,
    /// When it was submitted first.
    pub at: AsOf,
    /// What persons made of it, oldest first.
    pub decisions: Vec<ReportDecision>,
}

impl StoredReport {
    /// What became of it.
    pub fn state(&self) -> ReportState {
        self.decisions.last().map_or(ReportState::Submitted, |decision| decision.state)
    }
}

impl Writer<'_> {
    /// Adds a report; false where the same was submitted before.
    pub fn submit_report(&self, report: &AbuseReport, at: AsOf) -> Result<bool, StoreError> {
        let sql = "INSERT OR IGNORE INTO submitted_reports (name, at, body) VALUES (?1, ?2, ?3)";
        let values = (report.id(), seconds(at), canonical(report)?);
        execute(self.connection(), KEEP, sql, values).map(|added| added > 0)
    }

    /// Decides about a report. Where that changes what is accepted, the list of accepted reports is imported anew, so that
    /// exactly those packages are looked at again that it concerns.
    ///
    /// [`StoreError::Refused`] where there is no such report, or it is in that state already.
    pub fn decide_report(&self, name: &str, decision: &ReportDecision) -> Result<(), StoreError> {
        let conn = self.connection();
        let refused = |detail| StoreError::Refused { what: "decision on a report", detail };
        let id = id_of(conn, WHAT, "SELECT id FROM submitted_reports WHERE name = ?1", (name,))?;
        let id = id.ok_or_else(|| refused(format!("there is no report {name}")))?;
        let before = accepted(conn)?;
        let state = all(conn)?.into_iter().find(|stored| stored.report.id() == name).map(|stored| stored.state());
        if state == Some(decision.state) || decision.state == ReportState::Submitted {
            return Err(refused(format!("{name} is {} already", decision.state.as_str())));
        }
        let sql = "INSERT INTO report_decisions (report, at, body) VALUES (?1, ?2, ?3)";
        execute(conn, KEEP, sql, (id, seconds(decision.at), canonical(decision)?))?;
        let now = accepted(conn)?;
        if before == now {
            return Ok(());
        }
        // The version of the list grows with every change of it, as that of every other list.
        let sql = "SELECT coalesce(max(version), 0) FROM abuse_lists WHERE name = ?1";
        let held: u32 = first(conn, WHAT, sql, (MODERATED,), |row| row.cell(0))?.unwrap_or_default();
        let day = decision.at.to_string();
        let day = day.get(..10).unwrap_or(&day);
        let list = list(&now, held.saturating_add(1), day).map_err(|error| refused(error.to_string()))?;
        self.import_abuse_list(&list, &Digest::of_json(&list), decision.at).map(|_| ())
    }
}

fn accepted(conn: &Connection) -> Result<Vec<AbuseReport>, StoreError> {
    let accepted = all(conn)?.into_iter().filter(|stored| stored.state() == ReportState::Accepted);
    Ok(accepted.map(|stored| stored.report).collect())
}

fn all(conn: &Connection) -> Result<Vec<StoredReport>, StoreError> {
    let sql = "SELECT id, body, at FROM submitted_reports ORDER BY id";
    let reports = rows(conn, WHAT, sql, (), |row| Ok((row.cell::<i64>(0)?, row.json(1, "report")?, row.as_of(2)?)))?;
    let sql = "SELECT body FROM report_decisions WHERE report = ?1 ORDER BY id";
    let with_decisions = |(id, report, at)| {
        let decisions = rows(conn, WHAT, sql, (id,), |row| row.json(0, "decision"))?;
        Ok(StoredReport { report, at, decisions })
    };
    reports.into_iter().map(with_decisions).collect()
}

impl Reader {
    /// Every report, in the order in which they were submitted.
    pub fn abuse_reports(&self) -> Result<Vec<StoredReport>, StoreError> {
        all(self.connection())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day};

    fn report(name: &str) -> AbuseReport {
        let text = format!(r#"{{"registry":"npm","name":"{name}","reason":"sends tokens"}}"#);
        AbuseReport::parse_all(&text).expect("a report").remove(0)
    }

    #[test]
    fn only_what_a_person_accepted_becomes_the_report_of_a_list() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["bad", "good", "bad"] {
            let of = report(name);
            store.write(move |writer| writer.submit_report(&of, day(1))).expect("kept");
        }
        let lists = || store.reader().expect("opens").abuse_lists().expect("reads");
        assert!(lists().is_empty(), "a report alone says nothing");
        let decide = |name: &str, state| {
            let name = report(name).id();
            let decision = ReportDecision { state, by: "ann".into(), reason: "seen".into(), at: day(2) };
            store.write(move |writer| writer.decide_report(&name, &decision))
        };
        decide("good", ReportState::Rejected).expect("decided");
        assert!(lists().is_empty());
        decide("bad", ReportState::Accepted).expect("decided");
        let of = |lists: Vec<crate::ImportedList>| {
            lists.into_iter().map(|one| (one.list.list, one.list.version, one.list.entries.len())).collect::<Vec<_>>()
        };
        assert_eq!(of(lists()), [(MODERATED.to_owned(), 1, 1)]);
        assert!(decide("bad", ReportState::Accepted).is_err(), "twice");
        assert!(decide("nobody", ReportState::Accepted).is_err());
        decide("bad", ReportState::Withdrawn).expect("decided");
        assert_eq!(of(lists()), [(MODERATED.to_owned(), 2, 0)]);
        let stored = store.reader().expect("opens").abuse_reports().expect("reads");
        let states: Vec<&str> = stored.iter().map(|one| one.state().as_str()).collect();
        assert_eq!(states, ["withdrawn", "rejected"]);
    }
}
