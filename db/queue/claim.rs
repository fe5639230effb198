//! Claims: hosts take turns, and each gives its oldest jobs.
//!
//! The cost of a claim depends on the hosts that it serves and leaves out, never on the number of waiting jobs: the table
//! `job_hosts` says whose turn it is, and an index says which jobs of a host come first. No statement here may walk the
//! waiting jobs; `tests.rs` reads the query plans.

use capdex_model::time::Timestamp;
use rusqlite::Params;
use serde_json::Value;

use super::{Job, job};
use crate::sql::{Cells, execute, first, rows};
use crate::{StoreError, Writer};

/// Ends the rest of every host that is due. Those that wake together have one turn, and come in the order of their names.
pub(super) const WAKE: &str = "UPDATE job_hosts
    SET turn = (SELECT ifnull(max(turn), 0) + 1 FROM job_hosts WHERE kind = ?1 AND turn IS NOT NULL)
    WHERE kind = ?1 AND turn IS NULL AND due <= ?2";
/// The last turn that is given.
pub(super) const LAST_TURN: &str = "SELECT max(turn) FROM job_hosts WHERE kind = ?1 AND turn IS NOT NULL";
/// The next hosts up to a turn, without those of a list. One JSON parameter for any number of hosts, so that the statement
/// stays one and is prepared once.
pub(super) const NEXT_HOSTS: &str = "SELECT host FROM job_hosts
    WHERE kind = ?1 AND turn IS NOT NULL AND turn <= ?2 AND host NOT IN (SELECT value FROM json_each(?3))
    ORDER BY turn, host LIMIT ?4";
/// Leases the jobs of a host whose lease has run out.
pub(super) const LEASE_EXPIRED: &str = "UPDATE jobs SET leased_until = ?4, attempts = attempts + 1
    WHERE id IN (SELECT id FROM jobs
                 WHERE kind = ?1 AND host IS nullif(?2, '') AND state = 'leased' AND leased_until <= ?3
                 ORDER BY leased_until, id LIMIT ?5)
    RETURNING run_at, id, kind, dedupe, payload, attempts, host";
/// Leases the next jobs of a host that are ready.
pub(super) const LEASE_READY: &str = "UPDATE jobs SET state = 'leased', leased_until = ?4, attempts = attempts + 1
    WHERE id IN (SELECT id FROM jobs
                 WHERE kind = ?1 AND host IS nullif(?2, '') AND state = 'ready' AND run_at <= ?3
                 ORDER BY run_at, id LIMIT ?5)
    RETURNING run_at, id, kind, dedupe, payload, attempts, host";
/// From when on the next job of a host may be claimed: one that is ready, one that is leased.
pub(super) const NEXT_DUE: &str = "SELECT
    (SELECT run_at FROM jobs WHERE kind = ?1 AND host IS nullif(?2, '') AND state = 'ready' ORDER BY run_at LIMIT 1),
    (SELECT leased_until FROM jobs WHERE kind = ?1 AND host IS nullif(?2, '') AND state = 'leased'
     ORDER BY leased_until LIMIT 1)";
/// Gives a host its next turn, or none until it is due.
pub(super) const PLACE: &str = "UPDATE job_hosts SET turn = ?3, due = ?4 WHERE kind = ?1 AND host = ?2";
/// Forgets a host that nothing waits for.
pub(super) const FORGET: &str = "DELETE FROM job_hosts WHERE kind = ?1 AND host = ?2";

const WHAT: &str = "claim jobs";

/// What a worker asks of the queue.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// The kind of job.
    pub kind: &'a str,
    /// The most jobs.
    pub limit: usize,
    /// The most jobs of one host. Jobs that ask nobody have no such bound.
    pub per_host: usize,
    /// Jobs that may run at this instant, and those whose lease has run out by then.
    pub now: Timestamp,
    /// For how long they are leased, in seconds.
    pub lease_s: i64,
    /// Hosts that are left out.
    pub except: &'a [String],
}

impl Writer<'_> {
    /// Leases jobs, ordered by (when they may run, age in the queue). Hosts take turns: those that were served longest ago
    /// come first, and each gives its oldest jobs. Fewer jobs than asked for mean that every host that is due and not left
    /// out has given its share. A host that is left out keeps its turn.
    pub fn claim(&self, request: &ClaimRequest<'_>) -> Result<Vec<Job>, StoreError> {
        let (conn, kind, now) = (self.connection(), request.kind, request.now.unix_seconds());
        execute(conn, WHAT, WAKE, (kind, now))?;
        let last = first(conn, WHAT, LAST_TURN, (kind,), |row| row.cell::<Option<i64>>(0))?.flatten();
        // Hosts served below get turns after this one, so that none is served twice.
        let Some(last) = last else { return Ok(Vec::new()) };
        let except = Value::from(request.except).to_string();
        let (mut claimed, mut turn) = (Vec::new(), last);
        while claimed.len() < request.limit {
            let missing = request.limit - claimed.len();
            let params = (kind, last, &except, limit(missing));
            let hosts: Vec<String> = rows(conn, WHAT, NEXT_HOSTS, params, |row| row.cell(0))?;
            for host in &hosts {
                let missing = request.limit - claimed.len();
                if missing == 0 {
                    break;
                }
                let share = if host.is_empty() { missing } else { missing.min(request.per_host) };
                self.lease(request, host, share, &mut claimed)?;
                turn += 1;
                self.place(kind, host, now, turn)?;
            }
            // Hosts whose jobs were all completed give none, so that several rounds may be needed.
            if hosts.len() < missing {
                break;
            }
        }
        // RETURNING promises no order.
        claimed.sort_by_key(|(run_at, job)| (*run_at, job.id));
        Ok(claimed.into_iter().map(|(_, job)| job).collect())
    }

    /// Leases up to `share` jobs of a host, and adds each with the instant from which it may run.
    fn lease(
        &self,
        request: &ClaimRequest<'_>,
        host: &str,
        share: usize,
        claimed: &mut Vec<(i64, Job)>,
    ) -> Result<(), StoreError> {
        let now = request.now.unix_seconds();
        let until = now.saturating_add(request.lease_s);
        // Those of a dead worker first: they have waited longest.
        let expired = self.leased(LEASE_EXPIRED, (request.kind, host, now, until, limit(share)))?;
        let left = share.saturating_sub(expired.len());
        claimed.extend(expired);
        if left > 0 {
            claimed.extend(self.leased(LEASE_READY, (request.kind, host, now, until, limit(left)))?);
        }
        Ok(())
    }

    fn leased(&self, sql: &'static str, params: impl Params) -> Result<Vec<(i64, Job)>, StoreError> {
        rows(self.connection(), WHAT, sql, params, |row| Ok((row.cell(0)?, job(row)?)))
    }

    /// Puts a host that was served at the end of the rotation, to rest, or out of sight.
    fn place(&self, kind: &str, host: &str, now: i64, turn: i64) -> Result<(), StoreError> {
        let conn = self.connection();
        let due = first(conn, WHAT, NEXT_DUE, (kind, host), |row| {
            Ok([row.cell::<Option<i64>>(0)?, row.cell::<Option<i64>>(1)?])
        })?;
        match due.into_iter().flatten().flatten().min() {
            None => execute(conn, WHAT, FORGET, (kind, host))?,
            Some(due) => execute(conn, WHAT, PLACE, (kind, host, (due <= now).then_some(turn), due))?,
        };
        Ok(())
    }
}

fn limit(jobs: usize) -> i64 {
    i64::try_from(jobs).unwrap_or(i64::MAX)
}
