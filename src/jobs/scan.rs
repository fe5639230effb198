//! The scan stage: decomposes and evaluates every snapshot that this rule set has not seen.
//!
//! Must not send a request. A rule change scans again from stored blobs; an unchanged snapshot is never touched.

use std::collections::BTreeSet;

use capdex_dataset::bulk;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Scanned, SnapshotId};
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::snapshot::Gap;
use capdex_model::takedown;
use tracing::debug;

use super::{JobContext, StageReport};
use crate::analysis;
use crate::progress::StageProgress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "scan";
/// Snapshots that each thread scans before any is recorded, and the bytes after which no other one joins them. Both bound
/// memory and what a kill costs.
const BATCH: usize = 16;
const BATCH_BYTES: u64 = 64 << 20;

/// Scans what is missing.
///
/// # Errors
/// Errors of the store.
pub fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    // Scans are kept under the digest of the rules; another digest makes every snapshot unscanned.
    let ruleset = capdex_rules::INDEX.digest();
    let snapshots = context.store.reader()?.unscanned(&ruleset)?;
    let mut report = StageReport { items: u64::try_from(snapshots.len()).unwrap_or(0), ..StageReport::default() };
    let progress = StageProgress::stage("scan", Some(report.items), context.quiet);
    let mut waiting = snapshots.as_slice();
    // Between batches only: what is recorded is whole, and a kill costs one batch.
    while !waiting.is_empty() && !context.stop.is_asked() {
        let batch = read_batch(context, waiting)?;
        waiting = waiting.get(batch.len()..).unwrap_or_default();
        scan_batch(context, &ruleset, &batch, &mut report, &progress)?;
    }
    progress.finish();
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// The bundles of the first of some snapshots.
fn read_batch(context: &JobContext, snapshots: &[SnapshotId]) -> anyhow::Result<Vec<(SnapshotId, Bundle)>> {
    let reader = context.store.reader()?;
    let mut held = 0;
    let mut batch = Vec::new();
    for snapshot in snapshots.iter().take(BATCH * context.pool.current_num_threads()) {
        // Asked before the next one is read, so that a single large bundle still gets its turn.
        if held >= BATCH_BYTES {
            break;
        }
        let mut bundle = reader.bundle(*snapshot)?;
        // What nobody is to have, or can get any more, is not as if all of it were known.
        bundle.gaps.extend(takedown::gap_of(&bundle.claims));
        held += bundle.size();
        batch.push((*snapshot, bundle));
    }
    Ok(batch)
}

fn scan_batch(
    context: &JobContext,
    ruleset: &Digest,
    batch: &[(SnapshotId, Bundle)],
    report: &mut StageReport,
    progress: &StageProgress,
) -> anyhow::Result<()> {
    let steps = analysis::steps(batch, context.pool.current_num_threads(), |(_, bundle)| bundle);
    let work =
        |step: &[(SnapshotId, Bundle)]| analysis::scan_all(&step.iter().map(|(_, bundle)| bundle).collect::<Vec<_>>());
    // Results come in the order of the batch, which makes the rows the same whatever the threads do.
    let scanned = bulk::mapped(&context.pool, steps, work).into_iter().flatten();
    let mut found = Vec::with_capacity(batch.len());
    for ((snapshot, bundle), scanned) in batch.iter().zip(scanned) {
        report.done += 1;
        report.bytes += bundle.size();
        progress.advance(1);
        progress.show(report.bytes, &bundle.identity);
        debug!(snapshot = snapshot.0, capabilities = scanned.len(), "scanned");
        found.push(SnapshotResult::of(*snapshot, bundle, scanned));
    }
    record(context, *ruleset, found)
}

/// What was found in one snapshot, as it is stored.
struct SnapshotResult {
    snapshot: SnapshotId,
    subject: String,
    /// Claims belong to the key of a scan: the same bytes under other claims are judged anew.
    claims: Digest,
    /// The gaps that the scan met. What was refused on the way in stands in the ledger already.
    gaps: BTreeSet<Gap>,
    rows: Vec<Scanned>,
}

impl SnapshotResult {
    fn of(snapshot: SnapshotId, bundle: &Bundle, scanned: Vec<Scanned>) -> Self {
        let found = scanned.iter().flat_map(|one| one.completeness.gaps()).filter(|gap| !bundle.gaps.contains(gap));
        Self {
            snapshot,
            subject: bundle.identity.clone(),
            claims: Digest::of_json(&bundle.claims),
            gaps: found.cloned().collect(),
            rows: analysis::rows(scanned),
        }
    }
}

/// Stores a batch in one transaction: pages that many snapshots touch are written once.
fn record(context: &JobContext, ruleset: Digest, found: Vec<SnapshotResult>) -> anyhow::Result<()> {
    let at = context.as_of;
    context.store.write(move |writer| {
        for one in &found {
            // A scan replaces all gaps of the one before, so that a rule that learned to read a file closes its gap.
            writer.resolve_gaps(STAGE, &one.subject, at)?;
            for gap in &one.gaps {
                writer.record_gap(STAGE, &one.subject, gap, at)?;
            }
            writer.record_scan(one.snapshot, &ruleset, &one.claims, &one.rows, at)?;
        }
        Ok(())
    })?;
    Ok(())
}
