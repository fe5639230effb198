//! `Cutter` makes jobs of keys as they come; `PlanHead` lists them.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};

/// The schema of a plan as it is written.
const SCHEMA: &str = "capdex.plan/1";
/// Audits are a share of so many jobs.
pub const AUDITED_OF: u32 = 10_000;

/// How much one job holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSize {
    /// Keys at most.
    pub keys: usize,
    /// Bytes at most; an input of more goes by itself.
    pub bytes: u64,
}

impl Default for JobSize {
    fn default() -> Self {
        // Bytes bound the memory of whoever works on it, keys what is lost with a process that is killed.
        Self { keys: 256, bytes: 64 << 20 }
    }
}

/// Cuts items that come in canonical order into jobs. Where a cut falls depends on the items since the cut before, and so a
/// plan that goes on after some jobs has the jobs that were left.
#[derive(Debug)]
pub struct Cutter<T> {
    size: JobSize,
    held: Vec<T>,
    bytes: u64,
}

impl<T> Cutter<T> {
    /// Cuts jobs of that size.
    pub const fn new(size: JobSize) -> Self {
        Self { size, held: Vec::new(), bytes: 0 }
    }

    /// Takes an item of so many bytes; gives the job before it where that has no room for it.
    pub fn push(&mut self, item: T, bytes: u64) -> Option<Vec<T>> {
        let is_full = self.held.len() >= self.size.keys || self.bytes.saturating_add(bytes) > self.size.bytes;
        let job = if is_full { self.finish() } else { None };
        self.bytes = self.bytes.saturating_add(bytes);
        self.held.push(item);
        job
    }

    /// What is left; none where that is nothing.
    pub fn finish(&mut self) -> Option<Vec<T>> {
        self.bytes = 0;
        let job = std::mem::take(&mut self.held);
        (!job.is_empty()).then_some(job)
    }
}

/// What there is to do, in order: small, and the first thing that a worker reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanHead {
    schema: String,
    /// The stage.
    pub stage: String,
    /// The epoch of the coordinator that made it.
    pub epoch: u64,
    /// Of ten thousand jobs so many are done twice, by two workers, and compared.
    pub audited: u32,
    /// The digests of the jobs, in order.
    pub jobs: Vec<Digest>,
}

/// A text that is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no plan of this version: {0}")]
pub struct NoPlan(String);

impl PlanHead {
    /// A plan of some jobs.
    pub fn new(stage: &str, epoch: u64, audited: u32, jobs: Vec<Digest>) -> Self {
        Self { schema: SCHEMA.to_owned(), stage: stage.to_owned(), epoch, audited: audited.min(AUDITED_OF), jobs }
    }

    /// The digest of its list of jobs, which names it.
    pub fn id(&self) -> Digest {
        Digest::of_fields(self.jobs.iter().map(|job| job.as_bytes().as_slice()))
    }

    /// True for a job that is done twice. It depends on the digest alone, so that everybody knows.
    pub fn is_audited(&self, job: &Digest) -> bool {
        let [a, b, c, d, ..] = *job.as_bytes();
        u32::from_be_bytes([a, b, c, d]) % AUDITED_OF < self.audited
    }

    /// As JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Self::to_bytes`] wrote. `id` is the one that it has to have.
    ///
    /// # Errors
    /// Anything else.
    pub fn read(bytes: &[u8], id: &Digest) -> Result<Self, NoPlan> {
        let head: Self = serde_json::from_slice(bytes).map_err(|error| NoPlan(error.to_string()))?;
        if head.schema != SCHEMA {
            return Err(NoPlan("another schema".to_owned()));
        }
        if head.id() != *id {
            return Err(NoPlan("it has another digest than its name says".to_owned()));
        }
        Ok(head)
    }
}

/// The worker of so many that has the job at some place, and the one that does it again where it is audited.
pub const fn is_mine(place: usize, index: usize, of: usize, is_audit: bool) -> bool {
    // The neighbour audits: with several workers never the one that did it first.
    of > 0 && (place + is_audit as usize) % of == index
}
