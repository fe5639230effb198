//! Workers without a queue: of all jobs of all plans each takes those of its own place, as an indexed job of a cluster does.

use std::collections::BTreeSet;
use std::time::Duration;

use capdex_dataset::stopwatch::Stopwatch;
use capdex_model::digest::Digest;
use capdex_spread::job::SCAN;
use capdex_spread::plan::is_mine;
use capdex_spread::{BlobStore, PlanHead, names};
use tracing::{error, info, warn};

use super::worker::{WorkOutcome, Worker};
use crate::shutdown::Shutdown;

/// Between two looks at plans in which nothing was to be done.
const BETWEEN: Duration = Duration::from_millis(500);
/// For so long a store may fail at everything before the worker gives up.
const STORE_PATIENCE: Duration = Duration::from_secs(300);

/// The place of a worker among others.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its own number, from 0.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkReport {
    /// Jobs whose result it put.
    pub done: u64,
    /// Times that a job ended its process.
    pub died: u64,
    /// Jobs that no worker tries again, and those for another version.
    pub left: u64,
    /// Jobs with two results.
    pub differing: u64,
    /// True where somebody asked it to stop.
    pub interrupted: bool,
}

impl WorkReport {
    /// Counts what became of a job; false where the worker has to end.
    pub fn add(&mut self, job: &Digest, outcome: &WorkOutcome) -> bool {
        match outcome {
            WorkOutcome::Done => self.done += 1,
            WorkOutcome::WasDone | WorkOutcome::Gone => {}
            WorkOutcome::Died(_) => self.died += 1,
            WorkOutcome::GivenUp => self.left += 1,
            WorkOutcome::OtherVersion(versions) => {
                self.left += 1;
                let (engine, rules) = (&versions.engine, versions.rules);
                warn!(job = job.hex(), engine, %rules, "left to a worker of another version");
            }
            WorkOutcome::Differs(name) => {
                self.differing += 1;
                error!(job = job.hex(), "one job gave two results; both lie below {name}");
                return false;
            }
        }
        true
    }
}

/// Works until no plan has anything for this place, and has not had for so long.
///
/// # Errors
/// A store that keeps failing.
pub fn run(worker: &mut Worker, place: Place, linger: Duration, shutdown: &Shutdown) -> anyhow::Result<WorkReport> {
    let mut report = WorkReport::default();
    let (mut idle, mut failing) = (Stopwatch::start(), None);
    let mut known = Known::default();
    loop {
        match pass(worker, place, &mut report, &mut known, shutdown) {
            Ok(Pass::Idle) if idle.elapsed() >= linger => return Ok(report),
            Ok(Pass::Idle) => failing = None,
            Ok(Pass::Busy) => (idle, failing) = (Stopwatch::start(), None),
            Ok(Pass::Over) => return Ok(report),
            Err(error) => {
                if failing.get_or_insert_with(Stopwatch::start).elapsed() > STORE_PATIENCE {
                    return Err(error);
                }
                warn!("tried again: {error:#}");
            }
        }
        shutdown.wait(BETWEEN);
        if shutdown.stop.is_asked() {
            report.interrupted = true;
            return Ok(report);
        }
    }
}

/// What a worker knows from its looks of before.
#[derive(Default)]
struct Known {
    /// The plans that it has told of: it looks twice a second.
    plans: BTreeSet<Digest>,
    /// The jobs that it left. What it left once it leaves for good: another look would only count it again.
    left: BTreeSet<Digest>,
}

/// What one look at all plans came to.
enum Pass {
    /// There was nothing to do.
    Idle,
    /// Something was done.
    Busy,
    /// The worker has to end.
    Over,
}

fn pass(
    worker: &mut Worker,
    place: Place,
    report: &mut WorkReport,
    known: &mut Known,
    shutdown: &Shutdown,
) -> anyhow::Result<Pass> {
    let mut pass = Pass::Idle;
    for plan in plans(worker.store())? {
        let jobs = jobs(worker.store(), &plan)?;
        if known.plans.insert(plan.id()) {
            info!(plan = plan.id().hex(), jobs = jobs.len(), epoch = plan.epoch, "plan");
        }
        // One list and not a question for each job.
        let there = |folder: &str| anyhow::Ok(worker.store().list(folder)?.into_iter().collect::<BTreeSet<String>>());
        let (done, audited) = (there(&names::outs(SCAN))?, there(&names::audits(SCAN))?);
        for (at, job) in jobs.iter().enumerate() {
            for audit in [false, true].into_iter().take(1 + usize::from(plan.is_audited(job))) {
                let is_done = if audit {
                    audited.contains(&names::audit(SCAN, job))
                } else {
                    done.contains(&names::out(SCAN, job))
                };
                if is_done || known.left.contains(job) || !is_mine(at, place.index, place.of, audit) {
                    continue;
                }
                if shutdown.stop.is_asked() {
                    report.interrupted = true;
                    return Ok(Pass::Over);
                }
                let outcome = worker.work(job, audit)?;
                if !report.add(job, &outcome) {
                    return Ok(Pass::Over);
                }
                match outcome {
                    WorkOutcome::GivenUp | WorkOutcome::OtherVersion(_) => drop(known.left.insert(*job)),
                    WorkOutcome::Gone | WorkOutcome::WasDone => {}
                    _ => pass = Pass::Busy,
                }
            }
        }
    }
    Ok(pass)
}

/// The plans of a store, in the order of their names.
fn plans(store: &dyn BlobStore) -> anyhow::Result<Vec<PlanHead>> {
    let mut plans = Vec::new();
    for (name, plan) in
        store.list(names::PLANS)?.into_iter().filter_map(|name| Some((names::plan_of_head(&name)?, name)))
    {
        // Gone since the list was made: the plan is over.
        let Some(head) = store.get(&plan)? else { continue };
        let head = PlanHead::read(&head, &name)?;
        if head.stage == SCAN {
            plans.push(head);
        }
    }
    Ok(plans)
}

/// The jobs of a plan: those that were split stand at the end, by their parts.
fn jobs(store: &dyn BlobStore, plan: &PlanHead) -> anyhow::Result<Vec<Digest>> {
    let mut jobs = plan.jobs.clone();
    for split in store.list(&names::splits(&plan.id()))? {
        let Some(parts) = store.get(&split)? else { continue };
        jobs.extend(serde_json::from_slice::<Vec<Digest>>(&parts)?);
    }
    Ok(jobs)
}

/// How far each plan is, in one line each.
///
/// # Errors
/// A store that fails.
pub fn states(store: &dyn BlobStore) -> anyhow::Result<Vec<String>> {
    let digests_in = |folder: &str| {
        let names = store.list(folder)?;
        anyhow::Ok(names.iter().filter_map(|name| names::digest_of(name)).collect::<BTreeSet<Digest>>())
    };
    let plans = plans(store)?;
    let (mut states, done) = (Vec::new(), digests_in(&names::outs(SCAN))?);
    for plan in plans {
        let split = digests_in(&names::splits(&plan.id()))?;
        let jobs = jobs(store, &plan)?;
        let missing: Vec<&Digest> = jobs.iter().filter(|job| !done.contains(job) && !split.contains(job)).collect();
        let mut dead = 0;
        for job in &missing {
            dead += usize::from(!store.list(&names::dead(SCAN, job))?.is_empty());
        }
        states.push(format!(
            "{} of epoch {}: {} jobs, {} split, {} done, {} missing, of which {dead} ended a process",
            plan.id().hex().get(..12).unwrap_or_default(),
            plan.epoch,
            plan.jobs.len(),
            split.len(),
            jobs.len() - missing.len() - split.len(),
            missing.len(),
        ));
    }
    Ok(states)
}
