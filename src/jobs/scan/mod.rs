//! The scan stage: decomposes and evaluates every snapshot that this rule set has not seen.
//!
//! What waits is cut into jobs, always in the same way. They are done here, or by workers where the schedule names a store of
//! work. Must not send a request to a source: a rule change scans again from stored blobs; an unchanged snapshot is never touched.

mod local;
pub mod record;

use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Reader, SnapshotId, SnapshotOutline, StoreError};
use capdex_model::bundle::Bundle;
use capdex_model::takedown;

use super::{JobContext, StageReport, spread};
use crate::progress::StageProgress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "scan";

/// Scans what is missing.
///
/// # Errors
/// Errors of the store, and of the store of work.
pub fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    // Scans are kept under the digest of the rules; another digest makes every snapshot unscanned.
    let ruleset = capdex_rules::INDEX.digest();
    let snapshots = context.store.reader()?.unscanned(&ruleset)?;
    let mut report = StageReport { items: u64::try_from(snapshots.len()).unwrap_or(0), ..StageReport::default() };
    let progress = StageProgress::stage("scan", Some(report.items), context.quiet);
    match &context.spread {
        Some(settings) if !snapshots.is_empty() => {
            spread::run(context, settings, ruleset, &snapshots, &mut report, &progress)?;
        }
        _ => local::run(context, ruleset, &snapshots, &mut report, &progress)?,
    }
    progress.finish();
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// A snapshot with its bytes, as it is scanned.
///
/// # Errors
/// Errors of the store.
pub fn bundle(reader: &Reader, snapshot: SnapshotId) -> Result<Bundle, StoreError> {
    let mut bundle = reader.bundle(snapshot)?;
    // What nobody is to have, or can get any more, is not as if all of it were known.
    bundle.gaps.extend(takedown::gap_of(&bundle.claims));
    Ok(bundle)
}

/// The same without its bytes.
///
/// # Errors
/// Errors of the store.
pub fn outline(reader: &Reader, snapshot: SnapshotId) -> Result<SnapshotOutline, StoreError> {
    let mut outline = reader.outline(snapshot)?;
    outline.gaps.extend(takedown::gap_of(&outline.claims));
    Ok(outline)
}
