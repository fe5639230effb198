//! Jobs that end their workers: split to single keys, and a single key that goes on doing so is told as a gap.

use capdex_model::digest::Digest;
use capdex_spread::job::SCAN;
use capdex_spread::result::Failure;
use capdex_spread::{BlobStore, Job, ResultPack, ResultRow, names};
use tracing::warn;

use super::plan::Plan;

/// What became of a job that was given up.
pub(super) enum Verdict {
    /// It is now these jobs.
    Split(Vec<Digest>),
    /// Its one key has a result, which says that there is none.
    Failed,
    /// It is not there any more.
    Gone,
}

/// Splits a job, or where it has one key alone lays down that nothing is known of it.
///
/// # Errors
/// A store that fails.
pub(super) fn judge(store: &dyn BlobStore, plan: &Plan, digest: &Digest) -> anyhow::Result<Verdict> {
    let Some(job) = store.get(&names::job(SCAN, digest))? else { return Ok(Verdict::Gone) };
    let job = Job::read(&job, digest)?;
    if let [key] = job.keys.as_slice() {
        warn!(subject = key.subject, "each process that scanned it alone was ended: it is recorded as unknown");
        let failed = ResultPack::write(&job, &[ResultRow::Failed(Failure::Limit)])?;
        // First writer wins: where a worker was quicker after all, its result counts.
        store.create(&names::out(SCAN, digest), &failed)?;
        return Ok(Verdict::Failed);
    }
    warn!(job = digest.hex(), keys = job.keys.len(), "a job ended its processes and is split to single keys");
    let mut parts = Vec::with_capacity(job.keys.len());
    for part in job.split() {
        let digest = part.digest();
        store.create(&names::job(SCAN, &digest), &part.to_bytes())?;
        parts.push(digest);
    }
    store.create(&names::split(&plan.id, digest), &serde_json::to_vec(&parts)?)?;
    Ok(Verdict::Split(parts))
}
