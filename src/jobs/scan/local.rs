//! The queue inside the process: one job after the other, on the pool of the run.

use capdex_db::SnapshotId;
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_spread::{Cutter, JobSize};
use tracing::debug;

use super::record::{SnapshotResult, record};
use crate::jobs::{JobContext, StageReport};
use crate::progress::StageProgress;
use crate::work::rows;

/// Snapshots of a job for each thread. All rows of a job are held until it is recorded, which bounds memory and what a kill costs.
const KEYS_A_THREAD: usize = 16;

pub(super) fn run(
    context: &JobContext,
    ruleset: Digest,
    snapshots: &[SnapshotId],
    report: &mut StageReport,
    progress: &StageProgress,
) -> anyhow::Result<()> {
    // Where the cuts fall changes no row, so that here they may depend on the machine.
    let keys = KEYS_A_THREAD * context.pool.current_num_threads();
    let mut cutter = Cutter::new(JobSize { keys, ..JobSize::default() });
    let mut reader = context.store.reader()?;
    for snapshot in snapshots {
        // Between jobs only: what is recorded is whole, and a kill costs one job.
        if context.stop.is_asked() {
            return Ok(());
        }
        let bundle = super::bundle(&reader, *snapshot)?;
        let bytes = bundle.size();
        if let Some(job) = cutter.push((*snapshot, bundle), bytes) {
            work(context, ruleset, &job, report, progress)?;
            // Anew, as one that is kept for long keeps pages of the log.
            reader = context.store.reader()?;
        }
    }
    cutter.finish().map_or(Ok(()), |job| work(context, ruleset, &job, report, progress))
}

fn work(
    context: &JobContext,
    ruleset: Digest,
    job: &[(SnapshotId, Bundle)],
    report: &mut StageReport,
    progress: &StageProgress,
) -> anyhow::Result<()> {
    let rows = rows::scan(&context.pool, &job.iter().map(|(_, bundle)| bundle).collect::<Vec<_>>());
    let mut found = Vec::with_capacity(job.len());
    for ((snapshot, bundle), row) in job.iter().zip(rows) {
        report.done += 1;
        report.bytes += bundle.size();
        progress.advance(1);
        progress.show(report.bytes, &bundle.identity);
        debug!(snapshot = snapshot.0, capabilities = row.rows.len(), "scanned");
        let (subject, claims) = (bundle.identity.clone(), Digest::of_json(&bundle.claims));
        found.push(SnapshotResult { snapshot: *snapshot, subject, claims, row });
    }
    record(context, ruleset, found)
}
