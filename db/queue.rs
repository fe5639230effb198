//! The job queue: work between stages, each piece once.
//!
//! A job may run twice (its lease can run out); its effect is recorded once. The worker records it in the same write that
//! completes the job, and only one completion succeeds.

use std::collections::BTreeMap;

use capdex_model::time::Timestamp;
use serde_json::Value;

use crate::sql::{Cells, execute, rows};
use crate::{Reader, StoreError, Writer};

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
        let added = execute(conn, WHAT, sql, (kind, dedupe, payload.to_string(), host, run_at.unix_seconds()))?;
        Ok(added == 1)
    }

    /// Leases up to `limit` jobs of a kind that may run at `now`, for `lease_s` seconds. They are ordered by (when they may
    /// run, age in the queue). Jobs whose lease has run out are among them; those that ask a host in `except` are not.
    pub fn claim(
        &self,
        kind: &str,
        limit: usize,
        now: Timestamp,
        lease_s: i64,
        except: &[String],
    ) -> Result<Vec<Job>, StoreError> {
        // The index `jobs_in_order` gives the order, so that a claim costs no more in a long queue.
        let sql = "UPDATE jobs SET state = 'leased', leased_until = ?4, attempts = attempts + 1
                   WHERE id IN (SELECT id FROM jobs
                                WHERE kind = ?1 AND state <> 'buried' AND run_at <= ?2
                                      AND (state = 'ready' OR leased_until <= ?2)
                                      AND (host IS NULL OR host NOT IN (SELECT value FROM json_each(?5)))
                                ORDER BY run_at, id LIMIT ?3)
                   RETURNING run_at, id, kind, dedupe, payload, attempts, host";
        let now = now.unix_seconds();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        // One JSON parameter for any number of hosts, so that the statement stays one and is prepared once.
        let except = Value::from(except).to_string();
        let params = (kind, now, limit, now.saturating_add(lease_s), except);
        let mut claimed = rows(self.connection(), "claim jobs", sql, params, |row| {
            let job = Job {
                id: JobId(row.cell(1)?),
                kind: row.cell(2)?,
                dedupe: row.cell(3)?,
                payload: row.json(4, "payload of a job")?,
                attempts: row.cell(5)?,
                host: row.cell(6)?,
            };
            Ok((row.cell::<i64>(0)?, job))
        })?;
        // RETURNING promises no order.
        claimed.sort_by_key(|(run_at, job)| (*run_at, job.id));
        Ok(claimed.into_iter().map(|(_, job)| job).collect())
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
        let sql = "UPDATE jobs SET state = 'ready', leased_until = NULL, error = ?2, run_at = ?3
                   WHERE id = ?1 AND state = 'leased'";
        held(job, execute(self.connection(), "put a job back", sql, (job.0, error, run_at.unix_seconds()))?)
    }

    /// Gives a leased job up. It stays to be seen until the same work is enqueued again.
    pub fn bury(&self, job: JobId, error: &str) -> Result<(), StoreError> {
        let sql = "UPDATE jobs SET state = 'buried', leased_until = NULL, error = ?2
                   WHERE id = ?1 AND state = 'leased'";
        held(job, execute(self.connection(), "bury a job", sql, (job.0, error))?)
    }

    /// Makes every leased job ready: whoever held one is dead, since the caller has the store's lock.
    pub(crate) fn free_leases(&self) -> Result<(), StoreError> {
        let sql = "UPDATE jobs SET state = 'ready', leased_until = NULL WHERE state = 'leased'";
        execute(self.connection(), "free the jobs of a dead process", sql, ()).map(drop)
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
        let sql = "SELECT id, kind, dedupe, payload, attempts, ifnull(error, ''), host FROM jobs
                   WHERE state = 'buried' ORDER BY kind, dedupe";
        rows(self.connection(), "read the buried jobs", sql, (), |row| {
            let job = Job {
                id: JobId(row.cell(0)?),
                kind: row.cell(1)?,
                dedupe: row.cell(2)?,
                payload: row.json(3, "payload of a job")?,
                attempts: row.cell(4)?,
                host: row.cell(6)?,
            };
            Ok((job, row.cell(5)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::fixtures::{Folder, at, day, gap};
    use serde_json::json;

    fn enqueue(store: &Store, dedupe: &str, run_at: i64) -> bool {
        let dedupe = dedupe.to_owned();
        store
            .write(move |writer| writer.enqueue("fetch", &dedupe, &json!({"of": dedupe}), None, at(run_at)))
            .expect("written")
    }

    fn claim(store: &Store, limit: usize, now: i64) -> Vec<Job> {
        store.write(move |writer| writer.claim("fetch", limit, at(now), 60, &[])).expect("written")
    }

    fn names(jobs: &[Job]) -> Vec<&str> {
        jobs.iter().map(|job| job.dedupe.as_str()).collect()
    }

    #[test]
    fn unfinished_work_is_enqueued_once() {
        let folder = Folder::new();
        let store = folder.store();
        assert!(enqueue(&store, "a", 0));
        assert!(!enqueue(&store, "a", 5), "it waits");
        let job = claim(&store, 1, 0).remove(0);
        assert_eq!(job.payload.clone(), json!({"of": "a"}));
        assert_eq!(job.attempts, 1);
        assert!(!enqueue(&store, "a", 5), "it is held");
        store.write(move |writer| writer.complete(job.id)).expect("completed");
        assert!(enqueue(&store, "a", 5), "it is done, and may come again");
        store.write(|writer| writer.enqueue("scan", "a", &json!(1), None, at(0))).expect("another kind is other work");
    }

    #[test]
    fn jobs_come_in_the_order_in_which_they_may_run() {
        let folder = Folder::new();
        let store = folder.store();
        for (name, run_at) in [("late", 30), ("first", 10), ("second", 10), ("future", 99)] {
            enqueue(&store, name, run_at);
        }
        assert_eq!(names(&claim(&store, 2, 50)), ["first", "second"]);
        assert_eq!(names(&claim(&store, 9, 50)), ["late"]);
        assert_eq!(claim(&store, 9, 50), []);
    }

    #[test]
    fn jobs_of_busy_hosts_wait_and_hold_nobody_up() {
        let folder = Folder::new();
        let store = folder.store();
        for (name, host) in [("a1", Some("a:80")), ("a2", Some("a:80")), ("b1", Some("b:80")), ("inline", None)] {
            store.write(move |writer| writer.enqueue("fetch", name, &json!(1), host, at(0))).expect("written");
        }
        let claim = |except: &[&str]| {
            let except: Vec<String> = except.iter().map(|host| (*host).to_owned()).collect();
            store.write(move |writer| writer.claim("fetch", 9, at(0), 60, &except)).expect("written")
        };
        let jobs = claim(&["a:80"]);
        assert_eq!(names(&jobs), ["b1", "inline"]);
        assert_eq!(jobs.first().and_then(|job| job.host.as_deref()), Some("b:80"));
        assert_eq!(names(&claim(&[])), ["a1", "a2"]);
    }

    #[test]
    fn a_job_that_is_put_back_waits_its_turn_and_counts_its_attempts() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        enqueue(&store, "b", 1);
        let first = claim(&store, 1, 1).remove(0);
        store.write(move |writer| writer.retry(first.id, "no answer", at(2))).expect("put back");
        let again = claim(&store, 9, 2);
        assert_eq!(names(&again), ["b", "a"]);
        assert_eq!(again.iter().map(|job| job.attempts).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_lease_that_runs_out_frees_the_job_and_not_before() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        assert_eq!(names(&claim(&store, 1, 100)), ["a"]);
        assert_eq!(claim(&store, 1, 159), []);
        assert_eq!(names(&claim(&store, 1, 160)), ["a"]);
    }

    #[test]
    fn a_job_that_two_workers_hold_takes_effect_once() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        let slow = claim(&store, 1, 0).remove(0);
        let quick = claim(&store, 1, 60).remove(0);
        assert_eq!(slow.id, quick.id);
        let work = |job: JobId, subject: &'static str| {
            store.write(move |writer| {
                writer.record_gap("fetch", subject, &gap("x"), day(1))?;
                writer.complete(job)
            })
        };
        work(quick.id, "quick").expect("the first completion counts");
        assert!(matches!(work(slow.id, "slow"), Err(StoreError::NotHeld(_))));
        let gaps = store.reader().expect("opens").gaps(false).expect("reads");
        assert_eq!(gaps.iter().map(|gap| gap.subject.as_str()).collect::<Vec<_>>(), ["quick"]);
        enqueue(&store, "a", 0);
        let next = claim(&store, 1, 0).remove(0);
        assert_ne!(next.id, slow.id, "an id is never used again");
        assert!(matches!(work(slow.id, "slow"), Err(StoreError::NotHeld(_))));
    }

    #[test]
    fn only_a_leased_job_can_be_finished_or_put_back() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        let job = claim(&store, 1, 0).remove(0).id;
        store.write(move |writer| writer.retry(job, "x", at(0))).expect("put back");
        for result in [
            store.write(move |writer| writer.complete(job)),
            store.write(move |writer| writer.retry(job, "x", at(0))),
            store.write(move |writer| writer.bury(job, "x")),
        ] {
            assert!(matches!(result, Err(StoreError::NotHeld(_))));
        }
    }

    #[test]
    fn a_buried_job_rests_until_the_same_work_comes_again() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        let job = claim(&store, 1, 0).remove(0).id;
        store.write(move |writer| writer.bury(job, "refused for good")).expect("buried");
        assert_eq!(claim(&store, 1, 1_000), []);
        let reader = store.reader().expect("opens");
        let key = ("fetch".to_owned(), "buried".to_owned());
        assert_eq!(reader.queue_counts().expect("counts"), BTreeMap::from([(key, 1)]));
        let buried = reader.buried_jobs().expect("reads");
        assert_eq!(buried.iter().map(|(_, error)| error.as_str()).collect::<Vec<_>>(), ["refused for good"]);
        assert!(enqueue(&store, "a", 0));
        assert_eq!(claim(&store, 1, 0).remove(0).attempts, 1);
    }

    #[test]
    fn opening_frees_what_a_dead_process_held() {
        let folder = Folder::new();
        let store = folder.store();
        enqueue(&store, "a", 0);
        assert_eq!(claim(&store, 1, 0).len(), 1);
        drop(store);
        let store = folder.store();
        assert_eq!(claim(&store, 1, 0).remove(0).attempts, 2, "long before its lease runs out");
    }

    #[test]
    fn a_claim_walks_the_index_and_sorts_nothing() {
        let folder = Folder::new();
        let plan = folder.store().write(|writer| {
            let sql =
                "EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE kind = 'fetch' AND state <> 'buried' AND run_at <= 5
                       AND (state = 'ready' OR leased_until <= 5) ORDER BY run_at, id LIMIT 10";
            rows(writer.connection(), "explain", sql, (), |row| row.cell::<String>(3))
        });
        let plan = plan.expect("explained").join("; ");
        assert!(plan.contains("jobs_in_order"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
