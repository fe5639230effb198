//! Workers of a queue: each takes the next task, and says that it is done once the result lies in the store.

use std::time::Duration;

use capdex_dataset::stopwatch::Stopwatch;
use capdex_engines::{Delivery, TaskQueue};
use tracing::warn;

use super::by_index::WorkReport;
use super::worker::{WorkOutcome, Worker};
use crate::shutdown::Shutdown;

/// A task that ended a process comes again after so long.
const AFTER_DEATH: Duration = Duration::from_secs(1);
/// One that the store failed at.
const AFTER_ERROR: Duration = Duration::from_secs(5);
/// One that another version has to do.
const FOR_OTHERS: Duration = Duration::from_secs(15);

/// Works until somebody asks it to stop, or for so long nothing came.
///
/// # Errors
/// An address that is none.
pub fn run(
    worker: &mut Worker,
    url: &str,
    linger: Option<Duration>,
    shutdown: &Shutdown,
) -> anyhow::Result<WorkReport> {
    let mut queue = TaskQueue::open(url)?;
    let mut report = WorkReport::default();
    let mut idle = Stopwatch::start();
    while !shutdown.stop.is_asked() {
        if linger.is_some_and(|linger| idle.elapsed() >= linger) {
            return Ok(report);
        }
        let delivery = match queue.take() {
            Ok(Some(delivery)) => delivery,
            Ok(None) => continue,
            // Lost or not there yet: it comes back, maybe empty, and is filled again by whoever hands out.
            Err(error) => {
                warn!("{error}");
                shutdown.wait(AFTER_DEATH);
                continue;
            }
        };
        if !do_task(worker, &queue, &delivery, &mut report) {
            return Ok(report);
        }
        idle = Stopwatch::start();
    }
    report.interrupted = true;
    Ok(report)
}

/// Does one task; false where the worker has to end.
fn do_task(worker: &mut Worker, queue: &TaskQueue, delivery: &Delivery, report: &mut WorkReport) -> bool {
    let Some(task) = delivery.task else {
        warn!("a message that is no task is left out");
        hear(queue.end(delivery));
        return true;
    };
    let outcome = match worker.work(&task.job, task.audit) {
        Ok(outcome) => outcome,
        Err(error) => {
            warn!(job = task.job.hex(), "tried again: {error:#}");
            hear(queue.later(delivery, AFTER_ERROR));
            return true;
        }
    };
    let goes_on = report.add(&task.job, &outcome);
    hear(match outcome {
        WorkOutcome::Done | WorkOutcome::WasDone | WorkOutcome::Gone => queue.done(delivery),
        WorkOutcome::Died(_) => queue.later(delivery, AFTER_DEATH),
        WorkOutcome::OtherVersion(_) => queue.later(delivery, FOR_OTHERS),
        WorkOutcome::GivenUp | WorkOutcome::Differs(_) => queue.end(delivery),
    });
    goes_on
}

/// What a queue did not hear costs a second delivery, and nothing else.
fn hear(told: Result<(), capdex_engines::EngineError>) {
    if let Err(error) = told {
        warn!("{error}");
    }
}
