//! Kept runs of Agent Scan, only ever added to: the report of the day on which each was kept, and its transcripts.
//!
//! What transcripts come to is not known here: reports are JSON, and a transcript is a text with its digest.

use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use rusqlite::Connection;
use serde_json::Value;

use crate::sql::{Cells, execute, first, id_of, insert, rows, seconds};
use crate::{Reader, StoreError, Writer, json_documents};

const KEEP: &str = "keep a run of an agent";
const READ: &str = "read the runs of agents";

/// A run that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptAgentRun {
    /// Its name.
    pub name: String,
    /// When it was kept.
    pub at: AsOf,
    /// Its report as it was then.
    pub report: Value,
    /// True where it may be exported.
    pub is_published: bool,
}

/// A transcript of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAgentTrial {
    /// The trial.
    pub trial: String,
    /// The lines.
    pub transcript: String,
}

impl Writer<'_> {
    /// Adds a run with its transcripts; false where one of its name is known, and then nothing is changed.
    pub fn keep_agent_run(
        &self,
        (name, at): (&str, AsOf),
        report: &Value,
        trials: &[KeptAgentTrial],
    ) -> Result<bool, StoreError> {
        let conn = self.connection();
        if row_of(conn, name)?.is_some() {
            return Ok(false);
        }
        let sql = "INSERT INTO agent_runs (name, at, report) VALUES (?1, ?2, ?3)";
        let run = insert(conn, KEEP, sql, (name, seconds(at), json_documents::put(conn, report)?))?;
        let sql = "INSERT INTO agent_trials (run, trial, digest, transcript) VALUES (?1, ?2, ?3, ?4)";
        for KeptAgentTrial { trial, transcript } in trials {
            let digest = Digest::of(transcript.as_bytes());
            let document = json_documents::put(conn, transcript)?;
            execute(conn, KEEP, sql, (run, trial, digest.as_bytes(), document))?;
        }
        Ok(true)
    }

    /// Says whether a run may be exported from now on; false where that is as it was.
    ///
    /// [`StoreError::Unknown`] where there is no such run.
    pub fn publish_agent_run(&self, name: &str, is_published: bool, at: AsOf) -> Result<bool, StoreError> {
        let conn = self.connection();
        let unknown = || StoreError::Unknown { what: "run of an agent", key: name.to_owned() };
        let run = row_of(conn, name)?.ok_or_else(unknown)?;
        let sql = "SELECT is_published FROM agent_publications WHERE run = ?1 ORDER BY id DESC LIMIT 1";
        if first(conn, READ, sql, (run,), |row| row.cell(0))?.unwrap_or(false) == is_published {
            return Ok(false);
        }
        let sql = "INSERT INTO agent_publications (run, at, is_published) VALUES (?1, ?2, ?3)";
        execute(conn, KEEP, sql, (run, seconds(at), is_published)).map(|_| true)
    }
}

fn row_of(conn: &Connection, name: &str) -> Result<Option<i64>, StoreError> {
    id_of(conn, READ, "SELECT id FROM agent_runs WHERE name = ?1", (name,))
}

impl Reader {
    /// The runs that were kept, in the order in which they were.
    pub fn agent_runs(&self) -> Result<Vec<KeptAgentRun>, StoreError> {
        let sql = "SELECT r.name, r.at, d.body,
                          ifnull((SELECT p.is_published FROM agent_publications p WHERE p.run = r.id ORDER BY p.id DESC LIMIT 1), 0)
                   FROM agent_runs r JOIN json_documents d ON d.id = r.report ORDER BY r.id";
        rows(self.connection(), READ, sql, (), |row| {
            Ok(KeptAgentRun {
                name: row.cell(0)?,
                at: row.as_of(1)?,
                report: row.packed(2, "report of an agent's run")?,
                is_published: row.cell(3)?,
            })
        })
    }

    /// The transcripts of a run, in the order of their names; none for a run that is not there.
    ///
    /// [`StoreError::Corrupt`] where one has other bytes than it had when it was kept.
    pub fn agent_trials(&self, run: &str) -> Result<Vec<KeptAgentTrial>, StoreError> {
        let sql = "SELECT t.trial, t.digest, d.body
                   FROM agent_runs r JOIN agent_trials t ON t.run = r.id
                   JOIN json_documents d ON d.id = t.transcript
                   WHERE r.name = ?1 ORDER BY t.trial";
        rows(self.connection(), READ, sql, (run,), |row| {
            let (trial, digest): (String, Digest) = (row.cell(0)?, row.digest(1)?);
            let transcript: String = row.packed(2, "transcript")?;
            if Digest::of(transcript.as_bytes()) != digest {
                let detail = format!("{trial} of {run} has another digest than it should");
                return Err(StoreError::Corrupt { what: "transcript", detail });
            }
            Ok(KeptAgentTrial { trial, transcript })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixtures::{Folder, day};

    fn trials() -> Vec<KeptAgentTrial> {
        let one = |trial: &str, transcript: &str| KeptAgentTrial { trial: trial.into(), transcript: transcript.into() };
        vec![one("a/attack-1", "{}\n"), one("a/twin-1", &"{\"n\":1}\n".repeat(100))]
    }

    #[test]
    fn a_run_is_kept_once_with_its_transcripts_and_published_by_the_last_word() {
        let folder = Folder::new();
        let store = folder.store();
        let keep = |name: &'static str, night| {
            let (report, trials) = (json!({"of": name}), trials());
            store.write(move |writer| writer.keep_agent_run((name, day(night)), &report, &trials)).expect("kept")
        };
        assert_eq!((keep("one", 1), keep("one", 2), keep("two", 3)), (true, false, true));
        let publish = |name: &'static str, is| store.write(move |writer| writer.publish_agent_run(name, is, day(4)));
        assert!(matches!(publish("none", true), Err(StoreError::Unknown { .. })));
        let reader = store.reader().expect("opens");
        let published = || reader.agent_runs().expect("reads").iter().map(|run| run.is_published).collect::<Vec<_>>();
        assert_eq!(published(), [false, false], "nothing is published by being kept");
        for (is, changed) in [(false, false), (true, true), (true, false), (false, true), (true, true)] {
            assert_eq!(publish("two", is).expect("said"), changed);
            assert_eq!(published(), [false, is]);
        }
        let runs = reader.agent_runs().expect("reads");
        assert_eq!((runs[0].at, &runs[0].report), (day(1), &json!({"of": "one"})));
        assert_eq!(reader.agent_trials("one").expect("reads"), trials());
        assert_eq!(reader.agent_trials("none").expect("reads"), []);
    }

    #[test]
    fn a_transcript_that_somebody_altered_is_found() {
        let folder = Folder::new();
        let trials = trials();
        folder.store().write(move |writer| writer.keep_agent_run(("one", day(1)), &json!({}), &trials)).expect("kept");
        let conn = Connection::open(folder.path()).expect("opens");
        conn.execute(
            "UPDATE json_documents SET body = CAST('\"{ }\\n\"' AS BLOB) WHERE CAST(body AS TEXT) = '\"{}\\n\"'",
            (),
        )
        .expect("altered");
        let read = folder.store().reader().expect("opens").agent_trials("one");
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
    }
}
