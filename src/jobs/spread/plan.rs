//! `Plan`: the jobs of one run of the stage, in order, with the snapshots that each is about.

use std::collections::BTreeMap;

use capdex_db::SnapshotId;
use capdex_model::digest::Digest;
use capdex_spread::{PlanHead, Task};

/// A job that was handed out. Its keys lie in the store of work, so that a plan of millions stays small.
#[derive(Clone, Debug)]
pub(super) struct PlannedJob {
    /// Its digest.
    pub digest: Digest,
    /// The pack of its inputs.
    pub pack: Digest,
    /// The bytes of its inputs.
    pub bytes: u64,
    /// The snapshots of its keys, in their order.
    pub snapshots: Vec<SnapshotId>,
}

/// A plan that was handed out.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its head, as it lies in the store.
    pub head: PlanHead,
    /// Its digest.
    pub id: Digest,
    /// Its jobs, in order.
    pub jobs: Vec<PlannedJob>,
    /// The parts of jobs that were split, one for each key.
    pub parts: BTreeMap<Digest, Vec<Digest>>,
}

impl Plan {
    /// A plan none of whose jobs is split.
    pub(super) fn new(head: PlanHead, jobs: Vec<PlannedJob>) -> Self {
        Self { id: head.id(), head, jobs, parts: BTreeMap::new() }
    }

    /// Everything that is handed out: jobs from one on, parts instead of what was split, and all audits.
    pub(super) fn tasks(&self, from: usize) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (at, job) in self.jobs.iter().enumerate() {
            let task = |job: &Digest, audit| Task { plan: self.id, job: *job, audit };
            let parts = self.parts.get(&job.digest);
            if at >= from {
                match parts {
                    Some(parts) => tasks.extend(parts.iter().map(|part| task(part, false))),
                    None => tasks.push(task(&job.digest, false)),
                }
            }
            if parts.is_none() && self.head.is_audited(&job.digest) {
                tasks.push(task(&job.digest, true));
            }
        }
        tasks
    }
}
