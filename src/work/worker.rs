//! `Worker`: does one job of a store of work at a time, and keeps nothing but the pack that it read last.

use anyhow::Context as _;
use capdex_model::digest::Digest;
use capdex_spread::job::SCAN;
use capdex_spread::{BlobStore, Job, JobLimits, ResultPack, Versions, names};
use serde::Serialize;
use tracing::{info, warn};

use super::child::{Answer, ChildOptions};
use super::process::{Death, WorkProcess};
use super::{limits, versions};
use crate::clock;

/// Processes that a job may end before it is left to the coordinator, who splits it.
pub const MAX_DEATHS: usize = 2;
/// Beginnings of a job without a result, after which it is left alone: whoever began it did not even live to say so.
pub const MAX_TRIES: usize = 5;

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkOutcome {
    /// Its result lies in the store.
    Done,
    /// Its result lay there already.
    WasDone,
    /// The plan is over: the job or its pack is not there any more.
    Gone,
    /// It needs another version of the program or of the rules.
    OtherVersion(Versions),
    /// It ended its process; it may be tried again.
    Died(Death),
    /// It ended so many that no worker tries it again.
    GivenUp,
    /// It gave another result than before. Both lie below this name.
    Differs(String),
}

/// How a worker works.
#[derive(Clone, Debug, Default)]
pub struct WorkerOptions {
    /// The threads of a computing process; none given: one for each core.
    pub threads: Option<u16>,
    /// A command that computing processes are started by, such as a sandbox; empty for none.
    pub under: Vec<String>,
}

/// A worker.
pub struct Worker {
    store: Box<dyn BlobStore>,
    options: WorkerOptions,
    name: String,
    versions: Versions,
    process: Option<(WorkProcess, JobLimits)>,
    pack: Option<(Digest, Vec<u8>)>,
}

/// The beginning of a job or the end of its process, for people.
#[derive(Serialize)]
struct Trace<'a> {
    worker: &'a str,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl Worker {
    /// A worker over a store.
    pub fn new(store: Box<dyn BlobStore>, options: WorkerOptions) -> Self {
        let machine = std::env::var("HOSTNAME").unwrap_or_else(|_| "worker".to_owned());
        let name = format!("{machine}-{}", std::process::id());
        Self { store, options, name, versions: versions(), process: None, pack: None }
    }

    /// Its store.
    pub fn store(&self) -> &dyn BlobStore {
        self.store.as_ref()
    }

    /// Does a job, unless that is done. An `audit` is done although it is, and compared.
    ///
    /// # Errors
    /// A store that fails, and a pack that is not what the job names.
    pub fn work(&mut self, digest: &Digest, audit: bool) -> anyhow::Result<WorkOutcome> {
        let (out, again) = (names::out(SCAN, digest), names::audit(SCAN, digest));
        let (place, other) = if audit { (&again, &out) } else { (&out, &again) };
        if self.store.has(place)? {
            return Ok(WorkOutcome::WasDone);
        }
        let Some(job) = self.store.get(&names::job(SCAN, digest))? else { return Ok(WorkOutcome::Gone) };
        let job = Job::read(&job, digest)?;
        if job.stage != SCAN || job.versions != self.versions {
            return Ok(WorkOutcome::OtherVersion(job.versions));
        }
        if self.is_given_up(digest)? {
            return Ok(WorkOutcome::GivenUp);
        }
        if !self.read_pack(&job.pack)? {
            return Ok(WorkOutcome::Gone);
        }
        if audit {
            // Another process, so that nothing of the first is left in it.
            self.process = None;
        } else {
            self.note(&names::tries(SCAN, digest), None)?;
        }
        let result = match self.compute(&job, digest)? {
            Ok(Answer::Result(result)) => result,
            Ok(Answer::Refused(why)) => anyhow::bail!("the job {} was refused: {why}", digest.hex()),
            Err(death) => {
                warn!(job = digest.hex(), worker = self.name, "{death}");
                self.note(&names::dead(SCAN, digest), Some(&death.0))?;
                return Ok(WorkOutcome::Died(death));
            }
        };
        let ours = ResultPack::read(&result, &job).context("the computing process wrote no result")?;
        let mut is_new = self.store.create(place, &result)?;
        if !is_new && self.put_aside_damaged(place, &job)? {
            is_new = self.store.create(place, &result)?;
        }
        // Whoever comes second sees the other, whichever of the two that is.
        for before in [place, other].into_iter().filter(|name| *name != place || !is_new) {
            if let Some(name) = self.compare(before, &job, &result, &ours)? {
                return Ok(WorkOutcome::Differs(name));
            }
        }
        info!(job = digest.hex(), keys = job.keys.len(), audit, "done");
        Ok(if is_new { WorkOutcome::Done } else { WorkOutcome::WasDone })
    }

    /// True for a job that no worker tries again.
    ///
    /// # Errors
    /// A store that fails.
    pub fn is_given_up(&self, digest: &Digest) -> anyhow::Result<bool> {
        let is_many = |folder: &str, most: usize| anyhow::Ok(self.store.list(folder)?.len() >= most);
        Ok(is_many(&names::dead(SCAN, digest), MAX_DEATHS)? || is_many(&names::tries(SCAN, digest), MAX_TRIES)?)
    }

    /// Lays a trace into a folder under the first number that is free.
    fn note(&self, folder: &str, why: Option<&str>) -> anyhow::Result<()> {
        let trace = Trace { worker: &self.name, at: clock::now().to_string(), why };
        let bytes = serde_json::to_vec(&trace)?;
        let mut number = self.store.list(folder)?.len();
        // Others may note at the same time; numbers do not end before they do.
        while !self.store.create(&format!("{folder}{number}"), &bytes)? {
            number += 1;
        }
        Ok(())
    }

    fn read_pack(&mut self, digest: &Digest) -> anyhow::Result<bool> {
        if self.pack.as_ref().is_none_or(|(held, _)| held != digest) {
            // Before the next is read: two of them are twice the memory.
            self.pack = None;
            self.pack = self.store.get(&names::pack(digest))?.map(|pack| (*digest, pack));
        }
        Ok(self.pack.is_some())
    }

    fn compute(&mut self, job: &Job, digest: &Digest) -> anyhow::Result<Result<Answer, Death>> {
        let Some((_, pack)) = &self.pack else { anyhow::bail!("there is no pack") };
        let (mut process, limits) = match self.process.take().filter(|(_, limits)| *limits == job.limits) {
            Some(kept) => kept,
            None => {
                let WorkerOptions { threads, under } = self.options.clone();
                let options = ChildOptions { memory_mb: job.limits.memory_mb, threads, under };
                (WorkProcess::start(&options)?, job.limits)
            }
        };
        let answer = process.work(job, digest, pack);
        // What the next job may have is not to be taken up by this one.
        let is_small = process.memory_mb().is_none_or(|used| used < limits.memory_mb / 2);
        self.process = (answer.is_ok() && is_small).then_some((process, limits));
        Ok(answer)
    }

    /// Moves a result away that cannot be read; true where it was so.
    fn put_aside_damaged(&self, place: &str, job: &Job) -> anyhow::Result<bool> {
        let Some(there) = self.store.get(place)? else { return Ok(true) };
        let Err(error) = ResultPack::read(&there, job) else { return Ok(false) };
        put_aside(self.store(), place, &there, &job.digest())?;
        warn!(name = place, "a result was damaged and is put aside: {error}");
        Ok(true)
    }

    /// Compares with a result of before; the name below which both lie where they differ.
    fn compare(&self, name: &str, job: &Job, bytes: &[u8], ours: &ResultPack) -> anyhow::Result<Option<String>> {
        let Some(there) = self.store.get(name)? else { return Ok(None) };
        let Ok(before) = ResultPack::read(&there, job) else { return Ok(None) };
        // A row that failed by a limit says nothing of the input.
        if before.digest == ours.digest || before.has_failures() {
            return Ok(None);
        }
        let digest = job.digest();
        let place = |which: &str| names::nondeterminism(SCAN, &digest, &ours.digest, which);
        self.store.create(&place("first"), &there)?;
        self.store.create(&place("second"), bytes)?;
        Ok(Some(place("")))
    }
}

/// Moves an object that cannot be read out of the way, so that its name is free.
///
/// # Errors
/// A store that fails.
pub fn put_aside(store: &dyn BlobStore, name: &str, bytes: &[u8], job: &Digest) -> anyhow::Result<()> {
    store.create(&names::quarantine(SCAN, job, &Digest::of(bytes)), bytes)?;
    Ok(store.delete(name)?)
}

impl WorkProcess {
    /// The memory that it uses, in MiB; none where the system does not tell.
    fn memory_mb(&self) -> Option<u64> {
        limits::memory_mb(self.id())
    }
}
