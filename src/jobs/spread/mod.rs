//! The coordinator: hands the scans of a night out to workers, and takes results in, in the order of the plan.
//!
//! Nothing of it is needed to know what is missing: a coordinator that is killed makes the same plan again and finds what was done.

mod clear;
mod epoch;
mod merge;
mod plan;
mod poison;
mod publish;
mod queue;
pub mod settings;

use capdex_db::SnapshotId;
use capdex_model::digest::Digest;
use tracing::info;

use self::settings::SpreadSettings;
use super::{JobContext, StageReport};
use crate::progress::StageProgress;
use crate::work::open_store;
use crate::work::worker::{Worker, WorkerOptions};

/// Has some snapshots scanned by workers, and records what they found.
///
/// # Errors
/// Errors of the store and of the store of work; a job with two results; another coordinator that took over.
pub fn run(
    context: &JobContext,
    settings: &SpreadSettings,
    ruleset: Digest,
    snapshots: &[SnapshotId],
    report: &mut StageReport,
    progress: &StageProgress,
) -> anyhow::Result<()> {
    let store = open_store(&settings.store)?;
    let queue = queue::open(settings)?;
    let epoch = epoch::take(store.as_ref())?;
    let Some(plan) = publish::publish(context, settings, store.as_ref(), epoch, snapshots)? else { return Ok(()) };
    info!(plan = plan.id.hex(), jobs = plan.jobs.len(), epoch, "handed out");
    let threads = u16::try_from(context.pool.current_num_threads()).ok();
    // What no worker does the coordinator does as one, in a process of its own too.
    let own = Worker::new(store, WorkerOptions { threads, under: settings.under.clone() });
    merge::Merge::new(context, settings, own, queue, (ruleset, epoch), plan).run(report, progress)
}
