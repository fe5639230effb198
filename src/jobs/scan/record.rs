//! Recording what scans found: one transaction a job, in the order of its keys.

use capdex_db::SnapshotId;
use capdex_model::digest::Digest;

use super::STAGE;
use crate::jobs::JobContext;
use crate::work::rows::ScanRow;

/// What was found in one snapshot.
pub struct SnapshotResult {
    /// The snapshot.
    pub snapshot: SnapshotId,
    /// Its identity.
    pub subject: String,
    /// Claims belong to the key of a scan: the same bytes under other claims are judged anew.
    pub claims: Digest,
    /// What was found.
    pub row: ScanRow,
}

/// Stores a job in one transaction: pages that many snapshots touch are written once.
///
/// # Errors
/// Errors of the store.
pub fn record(context: &JobContext, ruleset: Digest, found: Vec<SnapshotResult>) -> anyhow::Result<()> {
    let at = context.as_of;
    context.store.write(move |writer| {
        for one in &found {
            // A scan replaces all gaps of the one before, so that a rule that learned to read a file closes its gap.
            writer.resolve_gaps(STAGE, &one.subject, at)?;
            for gap in &one.row.gaps {
                writer.record_gap(STAGE, &one.subject, gap, at)?;
            }
            writer.record_scan(one.snapshot, &ruleset, &one.claims, &one.row.rows, at)?;
        }
        Ok(())
    })?;
    Ok(())
}
