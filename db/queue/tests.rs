//! What holds of the queue: each piece of work once, in its order, and at one cost.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::claim::{ClaimRequest, LAST_TURN, LEASE_EXPIRED, LEASE_READY, NEXT_DUE, NEXT_HOSTS, WAKE};
use super::{Job, JobId};
use crate::fixtures::{Folder, at, day, gap};
use crate::sql::{Cells, execute, rows, statement_steps};
use crate::{Store, StoreError};

fn enqueue(store: &Store, dedupe: &str, run_at: i64) -> bool {
    let dedupe = dedupe.to_owned();
    store
        .write(move |writer| writer.enqueue("fetch", &dedupe, &json!({"of": dedupe}), None, at(run_at)))
        .expect("written")
}

fn claim(store: &Store, limit: usize, now: i64) -> Vec<Job> {
    claim_of(store, limit, limit, now, &[])
}

fn claim_of(store: &Store, limit: usize, per_host: usize, now: i64, except: &[&str]) -> Vec<Job> {
    let except: Vec<String> = except.iter().map(|host| (*host).to_owned()).collect();
    store
        .write(move |writer| {
            let request = ClaimRequest { kind: "fetch", limit, per_host, now: at(now), lease_s: 60, except: &except };
            writer.claim(&request)
        })
        .expect("claimed")
}

/// Enqueues jobs that may run from the beginning on, each with the host that it asks.
fn enqueue_all(store: &Store, jobs: &[(&str, Option<&str>)]) {
    let jobs: Vec<(String, Option<String>)> =
        jobs.iter().map(|(name, host)| ((*name).to_owned(), host.map(str::to_owned))).collect();
    store
        .write(move |writer| {
            jobs.iter()
                .try_for_each(|(name, host)| writer.enqueue("fetch", name, &json!(1), host.as_deref(), at(0)).map(drop))
        })
        .expect("written");
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
    enqueue_all(&store, &[("a1", Some("a:80")), ("a2", Some("a:80")), ("b1", Some("b:80")), ("inline", None)]);
    let jobs = claim_of(&store, 9, 9, 0, &["a:80"]);
    assert_eq!(names(&jobs), ["b1", "inline"]);
    assert_eq!(jobs.first().and_then(|job| job.host.as_deref()), Some("b:80"));
    assert_eq!(names(&claim_of(&store, 9, 9, 0, &[])), ["a1", "a2"]);
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
fn hosts_take_turns_and_each_gives_its_oldest_jobs() {
    let folder = Folder::new();
    let store = folder.store();
    // Host after host, as a directory lists them: by age alone, the last host would wait for all others.
    let of = |host: &'static str, names: [&'static str; 5]| names.map(|name| (name, Some(host)));
    let jobs = [
        of("a:80", ["a1", "a2", "a3", "a4", "a5"]),
        of("b:80", ["b1", "b2", "b3", "b4", "b5"]),
        of("c:80", ["c1", "c2", "c3", "c4", "c5"]),
    ];
    enqueue_all(&store, jobs.as_flattened());
    assert_eq!(names(&claim_of(&store, 4, 2, 0, &[])), ["a1", "a2", "b1", "b2"]);
    assert_eq!(names(&claim_of(&store, 4, 2, 0, &[])), ["a3", "a4", "c1", "c2"]);
    assert_eq!(names(&claim_of(&store, 2, 2, 0, &["b:80"])), ["c3", "c4"], "who is left out is passed over");
    assert_eq!(names(&claim_of(&store, 2, 2, 0, &[])), ["b3", "b4"], "and keeps its turn");
    assert_eq!(names(&claim_of(&store, 9, 2, 0, &[])), ["a5", "b5", "c5"]);
}

#[test]
fn a_host_gives_no_more_than_its_share_and_jobs_that_ask_nobody_give_all() {
    let folder = Folder::new();
    let store = folder.store();
    enqueue_all(&store, &[("a1", Some("a:80")), ("a2", Some("a:80")), ("x", None), ("y", None), ("z", None)]);
    assert_eq!(names(&claim_of(&store, 9, 1, 0, &[])), ["a1", "x", "y", "z"]);
}

#[test]
fn a_host_whose_jobs_are_all_held_or_put_off_comes_back_when_the_first_of_them_is_due() {
    let folder = Folder::new();
    let store = folder.store();
    enqueue_all(&store, &[("a1", Some("a:80")), ("a2", Some("a:80"))]);
    let jobs = claim(&store, 9, 0);
    let first = jobs[0].id;
    store.write(move |writer| writer.retry(first, "no answer", at(30))).expect("put back");
    assert_eq!(claim(&store, 9, 29), []);
    assert_eq!(names(&claim(&store, 9, 30)), ["a1"]);
    assert_eq!(names(&claim(&store, 9, 60)), ["a2"], "whose lease ran out");
    assert_eq!(claim(&store, 9, 89), []);
    assert_eq!(names(&claim(&store, 9, 90)), ["a1"], "whose second lease ran out");
}

#[test]
fn a_host_that_has_nothing_left_is_forgotten_and_met_again() {
    let folder = Folder::new();
    let store = folder.store();
    let hosts = || {
        let sql = "SELECT host FROM job_hosts";
        store.write(move |writer| rows(writer.connection(), "read", sql, (), |row| row.cell::<String>(0)))
    };
    enqueue_all(&store, &[("a1", Some("a:80"))]);
    let job = claim(&store, 1, 0).remove(0).id;
    store.write(move |writer| writer.complete(job)).expect("completed");
    assert_eq!(claim(&store, 1, 60), [], "its lease would have run out by now");
    assert_eq!(hosts().expect("read"), Vec::<String>::new());
    enqueue_all(&store, &[("a1", Some("a:80"))]);
    assert_eq!(names(&claim(&store, 1, 0)), ["a1"]);
}

#[test]
fn jobs_of_a_store_of_before_are_claimed() {
    let folder = Folder::new();
    let store = folder.store();
    enqueue_all(&store, &[("a1", Some("a:80")), ("inline", None)]);
    drop(store);
    folder.sql(
        "DROP TABLE job_hosts; DROP INDEX jobs_ready; DROP INDEX jobs_leased;
         CREATE INDEX jobs_in_order ON jobs (kind, run_at, id) WHERE state <> 'buried'; PRAGMA user_version = 20",
    );
    assert_eq!(names(&claim(&folder.store(), 9, 0)), ["a1", "inline"]);
}

#[test]
fn hosts_without_jobs_in_front_do_not_make_a_claim_short() {
    let folder = Folder::new();
    let store = folder.store();
    enqueue_all(&store, &[("a1", Some("a:80")), ("b1", Some("b:80")), ("c1", Some("c:80")), ("c2", Some("c:80"))]);
    change(&store, "DELETE FROM jobs WHERE host IN ('a:80', 'b:80')");
    assert_eq!(names(&claim(&store, 2, 0)), ["c1", "c2"]);
}

/// Runs a statement in the store, as another part of this package would.
fn change(store: &Store, sql: &'static str) {
    store.write(move |writer| execute(writer.connection(), "change the store", sql, ()).map(drop)).expect("written");
}

proptest! {
    // Each case opens a store of its own.
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever happens to jobs, a claim without bounds takes exactly those that may run, oldest first: the rotation of
    /// hosts hides none.
    #[test]
    fn a_claim_without_bounds_takes_all_that_may_run(
        steps in prop::collection::vec((0_u8..10, 0_usize..12, 0_i64..40), 1..60)
    ) {
        let folder = Folder::new();
        let mut store = folder.store();
        let (mut now, mut held) = (0, Vec::new());
        for (step, which, wait) in steps {
            now += wait % 7;
            match step {
                0..=3 => {
                    let host = [Some("a:80"), Some("b:80"), Some("c:80"), None][which % 4];
                    let name = which.to_string();
                    store
                        .write(move |writer| writer.enqueue("fetch", &name, &json!(1), host, at(now + wait - 20)))
                        .expect("written");
                }
                4 | 5 => {
                    let claimed = claim_of(&store, which, 1 + which % 3, now, &["b:80"]);
                    held.extend(claimed.into_iter().map(|job| job.id));
                }
                // Opening takes longer than all other steps, so that it is the rarest.
                9 if which == 0 => {
                    drop(store);
                    store = folder.store();
                }
                _ => {
                    let Some(job) = held.pop() else { continue };
                    // One that was freed meanwhile is refused, which is not what this test is about.
                    drop(store.write(move |writer| match step {
                        6 => writer.complete(job),
                        7 => writer.bury(job, "no answer"),
                        _ => writer.retry(job, "no answer", at(now + wait)),
                    }));
                }
            }
        }
        let sql = "SELECT dedupe FROM jobs WHERE run_at <= ?1 AND (state = 'ready' OR leased_until <= ?1)
                   ORDER BY run_at, id";
        let expected = store
            .write(move |writer| rows(writer.connection(), "read", sql, (now,), |row| row.cell::<String>(0)))
            .expect("read");
        let claimed = claim(&store, usize::MAX, now);
        prop_assert_eq!(names(&claimed), expected);
    }
}

/// How SQLite runs a statement, one step a line.
fn plan(conn: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepared");
    let count = statement.parameter_count();
    let steps = statement.query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get(3)).expect("explained");
    steps.collect::<Result<_, _>>().expect("read")
}

#[test]
fn a_claim_searches_by_host_and_neither_walks_nor_sorts_the_waiting_jobs() {
    let folder = Folder::new();
    let plans = folder.store().write(|writer| {
        let statements = [WAKE, LAST_TURN, NEXT_HOSTS, LEASE_EXPIRED, LEASE_READY, NEXT_DUE];
        Ok::<_, StoreError>(statements.map(|sql| plan(writer.connection(), sql).join("; ")))
    });
    let plans = plans.expect("explained");
    for plan in &plans {
        assert!(!plan.contains("SCAN job"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
    let [wake, last_turn, next_hosts, expired, ready, next_due] = plans;
    let in_turn = "job_hosts_in_turn (kind=?";
    for (plan, index) in [
        (&wake, "job_hosts_at_rest (kind=? AND due<?)"),
        (&wake, in_turn),
        (&last_turn, in_turn),
        (&next_hosts, in_turn),
        (&expired, "jobs_leased (kind=? AND host=? AND leased_until<?)"),
        (&ready, "jobs_ready (kind=? AND host=? AND run_at<?)"),
        (&next_due, "jobs_ready (kind=? AND host=?)"),
        (&next_due, "jobs_leased (kind=? AND host=?)"),
    ] {
        assert!(plan.contains(index), "{index}: {plan}");
    }
}

#[test]
fn a_claim_costs_the_same_whatever_waits_behind_it() {
    let steps_of = |waiting: usize| {
        let folder = Folder::new();
        let store = folder.store();
        let names: Vec<String> = (0..waiting).map(|number| number.to_string()).collect();
        let jobs: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some("a:80"))).collect();
        enqueue_all(&store, &jobs);
        // The first claim wakes the host and prepares the statements.
        claim_of(&store, 8, 8, 0, &[]);
        let steps = |except: &'static [&'static str], taken: usize| {
            let except: Vec<String> = except.iter().map(|host| (*host).to_owned()).collect();
            let counted = store.write(move |writer| {
                statement_steps::take();
                let request =
                    ClaimRequest { kind: "fetch", limit: 8, per_host: 8, now: at(0), lease_s: 60, except: &except };
                assert_eq!(writer.claim(&request)?.len(), taken);
                Ok::<_, StoreError>(statement_steps::take())
            });
            counted.expect("counted")
        };
        (steps(&[], 8), steps(&["a:80"], 0))
    };
    let (few, many) = (steps_of(50), steps_of(5_000));
    assert!(few.0 > few.1 && few.1 > 0, "steps are counted: {few:?}");
    assert_eq!(few, many);
}
