//! `decide`: an operator's decision, written also while a run holds the store.
//!
//! A run keeps the store's lock for hours, and people who look at alerts work in these hours. What they decide is a few rows
//! that no step of a run reads and writes back: each decision is one transaction of its own, between two of the run's.
//! Everything else takes the lock (`store.rs`).

use std::fs;
use std::path::Path;
use std::time::Duration;

use capdex_judge::unit::{JudgePart, JudgeUnit};
use capdex_model::abuse::AbuseList;
use capdex_model::abuse_report::{AbuseReport, ReportDecision};
use capdex_model::alert::ack::Ack;
use capdex_model::appeal::{Appeal, AppealEvent};
use capdex_model::digest::Digest;
use capdex_model::rule::RuleIndex;
use capdex_model::ruling::Ruling;
use capdex_model::snapshot::Gap;
use capdex_model::time::AsOf;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use serde_json::Value;

use crate::agent_runs::KeptAgentTrial;
use crate::connection::{StoreFileContent, inspect, open_to_write};
use crate::judge::{JudgeAnswer, JudgeCall, JudgeUse, UnitId, Unprepared};
use crate::migrate::{self, SCHEMA_VERSION, SchemaState};
use crate::sql::failed;
use crate::{Store, StoreError, Writer};

/// The length of one try to begin: between two a caller can be told that it waits.
const TRY: Duration = Duration::from_secs(1);

/// The decisions that may be written beside a run, inside one transaction.
pub struct Decisions<'a>(Writer<'a>);

impl Decisions<'_> {
    /// Adds an acknowledgement to the history; its number there.
    pub fn acknowledge(&self, ack: &Ack) -> Result<u64, StoreError> {
        self.0.acknowledge(ack)
    }

    /// Adds rulings to the history; the number of the last one there, 0 without any.
    pub fn rule(&self, rulings: &[Ruling]) -> Result<u64, StoreError> {
        rulings.iter().try_fold(0, |_, ruling| self.0.rule(ruling))
    }

    /// Adds an appeal; see [`Writer::file_appeal`].
    pub fn file_appeal(&self, appeal: &Appeal, contact: Option<&str>) -> Result<bool, StoreError> {
        self.0.file_appeal(appeal, contact)
    }

    /// Adds events to their appeals; see [`Writer::add_appeal_event`].
    pub fn add_appeal_events(&self, events: &[AppealEvent]) -> Result<(), StoreError> {
        events.iter().try_for_each(|event| self.0.add_appeal_event(event))
    }

    /// Adds a report of abuse; see [`Writer::submit_report`].
    pub fn submit_report(&self, report: &AbuseReport, at: AsOf) -> Result<bool, StoreError> {
        self.0.submit_report(report, at)
    }

    /// Decides about a report of abuse; see [`Writer::decide_report`].
    pub fn decide_report(&self, name: &str, decision: &ReportDecision) -> Result<(), StoreError> {
        self.0.decide_report(name, decision)
    }

    /// Takes a list of abuse; see [`Writer::import_abuse_list`].
    pub fn import_abuse_list(&self, list: &AbuseList, digest: &Digest, at: AsOf) -> Result<Option<u64>, StoreError> {
        self.0.import_abuse_list(list, digest, at)
    }

    /// Keeps the parts of what a scan found; see [`Writer::put_judge_parts`].
    pub fn put_judge_parts(&self, server: &Unprepared, parts: &[JudgePart]) -> Result<(), StoreError> {
        self.0.put_judge_parts(server, parts)
    }

    /// Keeps units that are no server's; see [`Writer::put_judge_units`].
    pub fn put_judge_units(&self, units: &[JudgeUnit]) -> Result<Vec<UnitId>, StoreError> {
        self.0.put_judge_units(units)
    }

    /// Keeps that a request goes out; see [`Writer::begin_judge_call`].
    pub fn begin_judge_call(&self, call: &JudgeCall) -> Result<i64, StoreError> {
        self.0.begin_judge_call(call)
    }

    /// Keeps what came of a request; see [`Writer::end_judge_call`].
    pub fn end_judge_call(&self, call: i64, answer: &JudgeAnswer) -> Result<(), StoreError> {
        self.0.end_judge_call(call, answer)
    }

    /// Keeps whose answers count; see [`Writer::set_judge_use`].
    pub fn set_judge_use(&self, judge: &JudgeUse) -> Result<(), StoreError> {
        self.0.set_judge_use(judge)
    }

    /// Adds a run of Agent Scan; see [`Writer::keep_agent_run`].
    pub fn keep_agent_run(
        &self,
        run: (&str, AsOf),
        report: &Value,
        trials: &[KeptAgentTrial],
    ) -> Result<bool, StoreError> {
        self.0.keep_agent_run(run, report, trials)
    }

    /// Says whether a run may be exported; see [`Writer::publish_agent_run`].
    pub fn publish_agent_run(&self, name: &str, is_published: bool, at: AsOf) -> Result<bool, StoreError> {
        self.0.publish_agent_run(name, is_published, at)
    }

    /// Takes every missing listing of a source as gone, for the reason of `gap`, and closes the gap of `stage` that asked for
    /// it; how many listings there were.
    pub fn accept_removals(&self, source: &str, stage: &str, gap: &Gap, at: AsOf) -> Result<u64, StoreError> {
        self.0.resolve_gaps(stage, source, at)?;
        self.0.drop_missing(source, gap, at)
    }
}

/// Writes one decision into the store at `path`. While a run writes, it is written between two of the run's transactions;
/// `waits` is called once where that takes longer than a second. Killed at any moment, it is written whole or not at all.
///
/// Fails with [`StoreError::Locked`] where the store stayed busy for `patience` (in whole seconds, one at least), and as
/// [`Store::open`] does otherwise.
pub fn decide<T: Send + 'static>(
    path: &Path,
    rules: &'static RuleIndex,
    patience: Duration,
    waits: &mut dyn FnMut(),
    work: impl FnOnce(&Decisions<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match Store::open(path, rules) {
        // Nobody writes: as every other command.
        Ok(store) => store.write(move |writer| work(&Decisions(writer.again()))),
        Err(StoreError::Locked { .. }) => beside(path, patience, waits, work),
        Err(error) => Err(error),
    }
}

/// Writes beside whoever holds the lock.
fn beside<T>(
    path: &Path,
    patience: Duration,
    waits: &mut dyn FnMut(),
    work: impl FnOnce(&Decisions<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let locked = || StoreError::Locked { path: path.clone() };
    // Whoever holds the lock has only begun to make the store.
    if inspect(&path)? == StoreFileContent::Nothing {
        return Err(locked());
    }
    let opened = identity(&path);
    let conn = open_to_write(&path)?;
    conn.busy_timeout(TRY).map_err(failed(&conn, "open the store"))?;
    for round in 0..patience.as_secs().max(1) {
        if round == 1 {
            waits();
        }
        let Some(transaction) = begin(&conn)? else { continue };
        // Only now, when nobody else can change it: a restore may have put another file there, a newer program migrated it.
        if identity(&path) != opened {
            return Err(locked());
        }
        match migrate::schema_state(&conn)? {
            SchemaState::Store(SCHEMA_VERSION) => {}
            SchemaState::Store(found) if found > SCHEMA_VERSION => {
                return Err(StoreError::TooNew { path, found, known: SCHEMA_VERSION });
            }
            // The lock's holder migrates it, or is about to.
            SchemaState::Store(_) | SchemaState::Empty => return Err(locked()),
            SchemaState::Foreign => return Err(StoreError::NotAStore { path }),
        }
        let result = work(&Decisions(Writer::new(&transaction)))?;
        transaction.commit().map_err(failed(&conn, "commit a write"))?;
        return Ok(result);
    }
    Err(locked())
}

/// Begins a transaction that writes; none where somebody else's lasted for the whole try.
fn begin(conn: &Connection) -> Result<Option<Transaction<'_>>, StoreError> {
    match Transaction::new_unchecked(conn, TransactionBehavior::Immediate) {
        Ok(transaction) => Ok(Some(transaction)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(None),
        Err(source) => Err(StoreError::Sql { what: "begin a write", source }),
    }
}

/// What tells a file from another of its name; nothing where the system does not say.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::fixtures::{Folder, day, digest, gap, rules};

    fn ack(reason: &str) -> Ack {
        Ack {
            number: 0,
            about: "npm-a".into(),
            rule: "drift/same_version".into(),
            content: digest("a"),
            alert: "drift:a".into(),
            reason: reason.into(),
            at: day(1),
            expires: None,
        }
    }

    fn decided(folder: &Folder, reason: &str, seconds: u64) -> (Result<u64, StoreError>, usize) {
        let (given, mut waited) = (ack(reason), 0);
        let patience = Duration::from_secs(seconds);
        let done = decide(&folder.path(), rules(), patience, &mut || waited += 1, move |to| to.acknowledge(&given));
        (done, waited)
    }

    fn reasons(folder: &Folder) -> Vec<String> {
        let reader = crate::Reader::open(&folder.path(), rules()).expect("opens");
        reader.acks().expect("reads").into_iter().map(|ack| ack.reason).collect()
    }

    #[test]
    fn a_decision_is_written_beside_a_run_and_alone() {
        let folder = Folder::new();
        let store = folder.store();
        assert!(matches!(decided(&folder, "beside", 1), (Ok(1), 0)));
        store.write(|writer| writer.record_gap("fetch", "npm:a", &gap("a"), day(1))).expect("the run goes on");
        drop(store);
        assert!(matches!(decided(&folder, "alone", 1), (Ok(2), 0)));
        assert_eq!(reasons(&folder), ["beside", "alone"]);
    }

    #[test]
    fn a_decision_waits_for_its_turn_and_says_so_and_gives_up_at_its_limit() {
        let folder = Folder::new();
        let store = folder.store();
        let ((begun, is_begun), (end, ends)) = (channel(), channel::<()>());
        let writing = std::thread::spawn(move || {
            store.write(move |_| {
                begun.send(()).map_err(|_| StoreError::CutShort)?;
                // Held until the test says so, as a long step of a run would.
                ends.recv().map_err(|_| StoreError::CutShort)
            })
        });
        is_begun.recv().expect("it has begun");
        let (refused, waited) = decided(&folder, "too early", 2);
        assert!(matches!(refused, Err(StoreError::Locked { .. })), "{refused:?}");
        assert_eq!(waited, 1, "it is said once");
        end.send(()).expect("it waits");
        writing.join().expect("no panic").expect("written");
        assert!(decided(&folder, "in time", 5).0.is_ok());
        assert_eq!(reasons(&folder), ["in time"]);
    }

    #[test]
    fn a_decision_that_errs_leaves_nothing() {
        let folder = Folder::new();
        let _store = folder.store();
        let given = ack("no");
        let patience = Duration::from_secs(1);
        let result: Result<(), _> = decide(&folder.path(), rules(), patience, &mut || (), move |to| {
            to.acknowledge(&given)?;
            Err(StoreError::Abandoned("changed my mind".into()))
        });
        assert!(matches!(result, Err(StoreError::Abandoned(_))));
        assert_eq!(reasons(&folder), Vec::<String>::new());
    }
}
