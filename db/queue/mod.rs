//! The job queue: work between stages, each piece once.
//!
//! A job may run twice (its lease can run out); its effect is recorded once. The worker records it in the same write that
//! completes the job, and only one completion succeeds.
//!
//! Whatever makes a job ready tells `job_hosts` from when on its host is due. Whatever ends one tells it nothing: the next
//! claim that meets the host looks (`claim.rs`).

mod claim;

use std::collections::BTreeMap;

use capdex_model::time::Timestamp;
use rusqlite::Row;
use serde_json::Value;

pub use claim::ClaimRequest;

use crate::sql::{Cells, execute, first, rows};
use crate::{Reader, StoreError, Writer};

/// Tells the rotation from when on a host is due, and adds the host where it is new.
const HOST_IS_DUE: &str = "INSERT INTO job_hosts (kind, host, due) VALUES (?1, ?2, ?3)
    ON CONFLICT (kind, host) DO UPDATE SET due = excluded.due WHERE excluded.due < due";

/// A job in this store. Never given to another job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub i64);

/// A piece of work that a worker holds until its lease runs out.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// By which it is completed.
    pub id: JobId,
    /// Which stage does it.
    pub kind: String,
    /// The subject of the work: no two unfinished jobs of a kind share it.
    pub dedupe: String,
    /// The input of the worker.
    pub payload: Value,
    /// The number of times that it was claimed, this time included.
    pub attempts: u32,
    /// Whom it asks, if anybody.
    pub host: Option<String>,
}

impl Writer<'_> {
    /// Adds a job that may run from `run_at` on and asks `host`, if anybody. False, and nothing is changed, while an
    /// unfinished job of that kind and `dedupe` exists. A buried one is finished: it makes way.
    pub fn enqueue(
        &self,
        kind: &str,
        dedupe: &str,
        payload: &Value,
        host: Option<&str>,
        run_at: Timestamp,
    ) -> Result<bool, StoreError> {
        const WHAT: &str = "enqueue a job";
        let conn = self.connection();
        // (kind, dedupe) is unique: a buried job would keep its work from ever being tried again.
        let make_way = "DELETE FROM jobs WHERE kind = ?1 AND dedupe = ?2 AND state = 'buried'";
        execute(conn, WHAT, make_way, (kind, dedupe))?;
        let sql = "INSERT INTO jobs (kind, dedupe, payload, host, state, run_at, attempts)
                   VALUES (?1, ?2, ?3, ?4, 'ready', ?5, 0) ON CONFLICT DO NOTHING";
        let run_at = run_at.unix_seconds();
        let added = execute(conn, WHAT, sql, (kind, dedupe, payload.to_string(), host, run_at))?;
        if added == 1 {
            execute(conn, WHAT, HOST_IS_DUE, (kind, host.unwrap_or_default(), run_at))?;
        }
        Ok(added == 1)
    }

    /// Removes a job that is done. [`StoreError::NotHeld`] where it is not leased any more: then another worker has
    /// finished it, and the write that asks must not be committed.
    pub fn complete(&self, job: JobId) -> Result<(), StoreError> {
        // The row that goes proves who finished: a second completion finds none.
        let sql = "DELETE FROM jobs WHERE id = ?1 AND state = 'leased'";
        held(job, execute(self.connection(), "complete a job", sql, (job.0,))?)
    }

    /// Gives a leased job back, to run again from `run_at` on. `error` is kept for people.
    pub fn retry(&self, job: JobId, error: &str, run_at: Timestamp) -> Result<(), StoreError> {
        const WHAT: &str = "put a job back";
        let sql = "UPDATE jobs SET state = 'ready', leased_until = NULL, error = ?2, run_at = ?3
                   WHERE id = ?1 AND state = 'leased' RETURNING kind, ifnull(host, '')";
        let (conn, run_at) = (self.connection(), run_at.unix_seconds());
        let asks =
            first(conn, WHAT, sql, (job.0, error, run_at), |row| Ok((row.cell::<String>(0)?, row.cell::<String>(1)?)))?;
        let (kind, host) = asks.ok_or(StoreError::NotHeld(job.0))?;
        execute(conn, WHAT, HOST_IS_DUE, (kind, host, run_at)).map(drop)
    }

    /// Gives a leased job up. It stays to be seen until the same work is enqueued again.
    pub fn bury(&self, job: JobId, error: &str) -> Result<(), StoreError> {
        let sql = "UPDATE jobs SET state = 'buried', leased_until = NULL, error = ?2
                   WHERE id = ?1 AND state = 'leased'";
        held(job, execute(self.connection(), "bury a job", sql, (job.0, error))?)
    }

    /// Makes every leased job ready: whoever held one is dead, since the caller has the store's lock.
    pub(crate) fn free_leases(&self) -> Result<(), StoreError> {
        const WHAT: &str = "free the jobs of a dead process";
        // A host whose jobs were all leased rests until the first lease runs out; it is due at once now.
        let due = "INSERT INTO job_hosts (kind, host, due)
                   SELECT kind, ifnull(host, ''), min(run_at) FROM jobs WHERE state = 'leased'
                   GROUP BY kind, ifnull(host, '')
                   ON CONFLICT (kind, host) DO UPDATE SET due = excluded.due WHERE excluded.due < due";
        execute(self.connection(), WHAT, due, ())?;
        let sql = "UPDATE jobs SET state = 'ready', leased_until = NULL WHERE state = 'leased'";
        execute(self.connection(), WHAT, sql, ()).map(drop)
    }
}

fn held(job: JobId, changed: usize) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(StoreError::NotHeld(job.0)) }
}

impl Reader {
    /// The number of jobs by (kind, state), where the state is `ready`, `leased` or `buried`. Completed jobs are not kept.
    pub fn queue_counts(&self) -> Result<BTreeMap<(String, String), u64>, StoreError> {
        let sql = "SELECT kind, state, count(*) FROM jobs GROUP BY kind, state";
        let counts = rows(self.connection(), "count the jobs", sql, (), |row| {
            Ok(((row.cell(0)?, row.cell(1)?), row.count(2)?))
        })?;
        Ok(counts.into_iter().collect())
    }

    /// The buried jobs of every kind with their last error, sorted by (kind, dedupe).
    pub fn buried_jobs(&self) -> Result<Vec<(Job, String)>, StoreError> {
        let sql = "SELECT ifnull(error, ''), id, kind, dedupe, payload, attempts, host FROM jobs
                   WHERE state = 'buried' ORDER BY kind, dedupe";
        rows(self.connection(), "read the buried jobs", sql, (), |row| Ok((job(row)?, row.cell(0)?)))
    }
}

/// A job from the columns after the first: id, kind, dedupe, payload, attempts, host.
fn job(row: &Row<'_>) -> Result<Job, StoreError> {
    Ok(Job {
        id: JobId(row.cell(1)?),
        kind: row.cell(2)?,
        dedupe: row.cell(3)?,
        payload: row.json(4, "payload of a job")?,
        attempts: row.cell(5)?,
        host: row.cell(6)?,
    })
}

#[cfg(test)]
mod tests;
