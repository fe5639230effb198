//! `capdex work`: a worker of a night that runs elsewhere.

use std::time::Duration;

use capdex_dataset::escape;
use capdex_spread::names;

use crate::cli::WorkArgs;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::{self, Out};
use crate::shutdown::Shutdown;
use crate::work::by_index::{self, Place, WorkReport};
use crate::work::child::{self, ChildOptions};
use crate::work::open_store;
use crate::work::worker::{Worker, WorkerOptions};

pub(super) fn run(global: &Global, options: &WorkArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let under: Vec<String> =
        options.under.iter().flat_map(|command| command.split_whitespace()).map(ToOwned::to_owned).collect();
    if options.child {
        return child::run(&ChildOptions { memory_mb: options.memory_mb, threads: global.threads, under });
    }
    if options.index >= options.of {
        return Err(usage(format!("--index {} of {}: numbers begin at 0", options.index, options.of)));
    }
    let store = open_store(options.store.as_deref().unwrap_or_default())?;
    if options.state {
        for state in by_index::states(store.as_ref())? {
            out.line(state)?;
        }
        return Ok(Exit::Done);
    }
    let mut worker = Worker::new(store, WorkerOptions { threads: global.threads, under });
    let shutdown = Shutdown::listen()?;
    let report = match (&options.nats, &options.once) {
        (Some(url), _) => by_queue(&mut worker, url, options.linger.map(Duration::from_secs), &shutdown)?,
        (None, Some(job)) => once(&mut worker, job)?,
        (None, None) => {
            let place = Place { index: options.index, of: options.of };
            by_index::run(&mut worker, place, Duration::from_secs(options.linger.unwrap_or(0)), &shutdown)?
        }
    };
    let jobs = |number| escape::count(number, "job");
    out.line(format_args!(
        "{} done, {} left to others; computing processes ended {}.",
        jobs(report.done),
        jobs(report.left),
        escape::count(report.died, "time")
    ))?;
    if report.differing > 0 {
        output::say(format_args!(
            "capdex: one job gave two results, which one program must never do; both lie below nondeterminism/ in the store"
        ));
    }
    Ok(exit_of(&report))
}

const fn exit_of(report: &WorkReport) -> Exit {
    match report {
        WorkReport { differing: 1.., .. } => Exit::Threshold,
        WorkReport { interrupted: true, .. } => Exit::Interrupted,
        WorkReport { left: 1.., .. } => Exit::Incomplete,
        _ => Exit::Done,
    }
}

/// Does one job, by its digest or the name of its object.
fn once(worker: &mut Worker, job: &str) -> anyhow::Result<WorkReport> {
    let Some(job) = names::digest_of(job) else {
        return Err(usage(format!("{job:?} is no job; a job is named by 64 hex digits, as below job/ in the store")));
    };
    let mut report = WorkReport::default();
    let outcome = worker.work(&job, false)?;
    report.add(&job, &outcome);
    match outcome {
        crate::work::worker::WorkOutcome::Gone => Err(usage(format!("the store has no job {}", job.hex()))),
        crate::work::worker::WorkOutcome::Died(death) => Err(death.into()),
        _ => Ok(report),
    }
}

#[cfg(feature = "spread")]
fn by_queue(
    worker: &mut Worker,
    url: &str,
    linger: Option<Duration>,
    shutdown: &Shutdown,
) -> anyhow::Result<WorkReport> {
    crate::work::by_queue::run(worker, url, linger, shutdown)
}

#[cfg(not(feature = "spread"))]
fn by_queue(_: &mut Worker, _: &str, _: Option<Duration>, _: &Shutdown) -> anyhow::Result<WorkReport> {
    Err(usage(format!("--nats: {}", crate::work::WITHOUT_FEATURE)))
}
