//! Taking results in: job after job in the order of the plan, whatever the order in which workers end them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context as _, bail};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_model::digest::Digest;
use capdex_spread::job::SCAN;
use capdex_spread::{Job, ResultPack, ResultRow, Task, names};
use tracing::{info, warn};

use super::plan::Plan;
use super::queue::Queue;
use super::settings::SpreadSettings;
use super::{clear, epoch, poison};
use crate::jobs::scan::record::{SnapshotResult, record};
use crate::jobs::{JobContext, StageReport, scan};
use crate::progress::StageProgress;
use crate::work::rows::ScanRow;
use crate::work::worker::{MAX_DEATHS, WorkOutcome, Worker, put_aside};

/// Between two looks for a result, at first and at most.
const LOOK: Duration = Duration::from_millis(20);
/// See [`LOOK`].
const SLOW_LOOK: Duration = Duration::from_millis(500);
/// Between two looks at everything else: jobs that end workers, and the queue.
const SWEEP: Duration = Duration::from_secs(2);
/// Between two lists of all results where the queue is not empty. A bucket lists a thousand names a request.
const LIST: Duration = Duration::from_secs(20);

/// A run of the stage whose work is under way.
pub(super) struct Merge<'a> {
    context: &'a JobContext,
    settings: &'a SpreadSettings,
    /// What no worker does the coordinator does as one, in a process of its own too.
    own: Worker,
    queue: Box<dyn Queue>,
    ruleset: Digest,
    epoch: u64,
    plan: Plan,
    /// How often everything that was missing was handed out.
    round: u64,
    swept: Option<Stopwatch>,
    listed: Option<Stopwatch>,
    /// Jobs and parts that were given up.
    dead: BTreeSet<Digest>,
    missing: usize,
    /// The job that the coordinator did itself last, and whether nobody else did any since.
    own_job: Option<Digest>,
    is_alone: bool,
}

impl<'a> Merge<'a> {
    pub(super) fn new(
        context: &'a JobContext,
        settings: &'a SpreadSettings,
        own: Worker,
        queue: Box<dyn Queue>,
        (ruleset, epoch): (Digest, u64),
        plan: Plan,
    ) -> Self {
        let missing = plan.jobs.len();
        let dead = BTreeSet::new();
        let (round, swept, listed, own_job, is_alone) = (0, None, None, None, false);
        Self {
            context,
            settings,
            own,
            queue,
            ruleset,
            epoch,
            plan,
            round,
            swept,
            listed,
            dead,
            missing,
            own_job,
            is_alone,
        }
    }

    /// Records every job, and clears the store of work. Ends early where somebody asked to stop; workers go on then.
    pub(super) fn run(mut self, report: &mut StageReport, progress: &StageProgress) -> anyhow::Result<()> {
        for at in 0..self.plan.jobs.len() {
            progress.show(report.bytes, &self.told(at));
            let Some((job, rows)) = self.wait(at, progress, report)? else { return Ok(()) };
            // Before anything is written: another may have taken over, whose results are the same but whose night is its own.
            epoch::check(self.own.store(), self.epoch)?;
            let found = self.results(at, &job, &rows)?;
            report.failed += rows.iter().filter(|row| matches!(row, ResultRow::Failed(_))).count() as u64;
            report.done += found.len() as u64;
            report.bytes += self.plan.jobs.get(at).map_or(0, |job| job.bytes);
            progress.advance(found.len() as u64);
            record(self.context, self.ruleset, found)?;
        }
        if self.audits(progress, report)? {
            clear::clear(self.own.store(), &self.plan, self.settings.keeps)?;
        }
        info!(jobs = self.plan.jobs.len(), split = self.plan.parts.len(), dead = self.dead.len(), "taken in");
        Ok(())
    }

    /// The state of the plan, for people.
    fn told(&self, at: usize) -> String {
        let (jobs, missing, dead) = (self.plan.jobs.len(), self.missing, self.dead.len());
        format!("{at} of {jobs} jobs, {missing} missing, {dead} dead")
    }

    /// Waits for one job; none where somebody asked to stop.
    fn wait(
        &mut self,
        at: usize,
        progress: &StageProgress,
        report: &StageReport,
    ) -> anyhow::Result<Option<(Job, Vec<ResultRow>)>> {
        let Some(digest) = self.plan.jobs.get(at).map(|job| job.digest) else { bail!("there is no job {at}") };
        let job = self.own.store().get(&names::job(SCAN, &digest))?;
        let job = job.with_context(|| {
            format!("the job {} is gone from the store of work {}; run again", digest.hex(), self.settings.store)
        })?;
        let job = Job::read(&job, &digest)?;
        // Rows of its parts, once it was split.
        let mut rows = Vec::new();
        let (mut waited, mut pause) = (Stopwatch::start(), LOOK);
        loop {
            if self.context.stop.is_asked() {
                return Ok(None);
            }
            if let Some(whole) = self.result(&job)? {
                self.is_alone &= self.own_job == Some(digest);
                return Ok(Some((job, whole)));
            }
            let before = rows.len();
            let parts = self.plan.parts.get(&digest).cloned().unwrap_or_default();
            if !parts.is_empty() && self.collect(&job, &parts, &mut rows)? {
                self.is_alone &= parts.last().copied() == self.own_job;
                return Ok(Some((job, rows)));
            }
            // What is waited for now: the job, or the first of its parts that is missing.
            let next = parts.get(rows.len()).copied().unwrap_or(digest);
            if rows.len() > before {
                self.is_alone &= parts.get(rows.len() - 1).copied() == self.own_job;
                (waited, pause) = (Stopwatch::start(), LOOK);
            }
            if self.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
                self.sweep(at, &next)?;
                progress.show(report.bytes, &self.told(at));
            }
            // Where nobody else did anything since the last one, nobody is waited for again.
            if self.settings.patience.is_some_and(|patience| self.is_alone || waited.elapsed() >= patience) {
                self.do_itself(&next)?;
                continue;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(SLOW_LOOK);
        }
    }

    /// The rows of a job, where its result is there and whole. A damaged one is put aside, and the job is missing again.
    fn result(&self, job: &Job) -> anyhow::Result<Option<Vec<ResultRow>>> {
        let (digest, store) = (job.digest(), self.own.store());
        let name = names::out(SCAN, &digest);
        let Some(bytes) = store.get(&name)? else { return Ok(None) };
        match ResultPack::read(&bytes, job) {
            Ok(result) => Ok(Some(result.rows)),
            Err(error) => {
                warn!(name, "a result was damaged and is put aside: {error}");
                put_aside(store, &name, &bytes, &digest)?;
                Ok(None)
            }
        }
    }

    /// Adds the rows of the next parts that are there; true where they are all.
    fn collect(&self, job: &Job, parts: &[Digest], rows: &mut Vec<ResultRow>) -> anyhow::Result<bool> {
        for part in job.split().skip(rows.len()) {
            match self.result(&part)? {
                Some(row) => rows.extend(row),
                None => return Ok(false),
            }
        }
        Ok(rows.len() == parts.len())
    }

    /// Looks at everything that is not a result.
    fn sweep(&mut self, at: usize, next: &Digest) -> anyhow::Result<()> {
        self.swept = Some(Stopwatch::start());
        let store = self.own.store();
        let differing = store.list(&names::differing(SCAN))?;
        let own: BTreeSet<Digest> = self.digests().collect();
        if let Some(name) = differing.iter().find(|name| names::job_of(name).is_some_and(|job| own.contains(&job))) {
            bail!(
                "one job gave two results, which one program must never do: compare {name} with its neighbour in the store of work {}, and delete both to go on",
                self.settings.store
            );
        }
        let mut deaths: BTreeMap<Digest, usize> = BTreeMap::new();
        for digest in store.list(&names::all_dead(SCAN))?.iter().filter_map(|name| names::job_of(name)) {
            *deaths.entry(digest).or_default() += 1;
        }
        let is_many = |(digest, deaths): (Digest, usize)| (deaths >= MAX_DEATHS).then_some(digest);
        let mut given_up: BTreeSet<Digest> = deaths.into_iter().filter_map(is_many).collect();
        if self.own.is_given_up(next)? {
            given_up.insert(*next);
        }
        for digest in given_up {
            if own.contains(&digest) && !self.dead.contains(&digest) {
                self.give_up(&digest)?;
            }
        }
        self.hand_out(at)
    }

    /// Every job and part.
    fn digests(&self) -> impl Iterator<Item = Digest> {
        self.plan.jobs.iter().map(|job| job.digest).chain(self.plan.parts.values().flatten().copied())
    }

    /// Splits a job that nobody can do, or tells that nothing is known of its one key.
    fn give_up(&mut self, digest: &Digest) -> anyhow::Result<()> {
        let store = self.own.store();
        if store.has(&names::out(SCAN, digest))? {
            return Ok(());
        }
        match poison::judge(store, &self.plan, digest)? {
            poison::Verdict::Split(parts) => {
                let tasks: Vec<Task> =
                    parts.iter().map(|job| Task { plan: self.plan.id, job: *job, audit: false }).collect();
                self.plan.parts.insert(*digest, parts);
                self.tell(&tasks);
            }
            poison::Verdict::Failed | poison::Verdict::Gone => {}
        }
        self.dead.insert(*digest);
        Ok(())
    }

    /// Hands out all that is missing where the queue holds nothing more: at first, after it lost its disk, and where what it
    /// held came to nothing.
    fn hand_out(&mut self, at: usize) -> anyhow::Result<()> {
        let waiting = match self.queue.waiting() {
            Ok(waiting) => waiting,
            // Workers go on with what they have, and the queue is asked again soon.
            Err(error) => {
                warn!("the queue does not answer: {error:#}");
                return Ok(());
            }
        };
        if waiting != Some(0) && self.listed.is_some_and(|listed| listed.elapsed() < LIST) {
            return Ok(());
        }
        self.listed = Some(Stopwatch::start());
        let there = |folder: &str| anyhow::Ok(self.own.store().list(folder)?.into_iter().collect::<BTreeSet<String>>());
        let (done, audited) = (there(&names::outs(SCAN))?, there(&names::audits(SCAN))?);
        let is_missing = |task: &Task| match task.audit {
            true => !audited.contains(&names::audit(SCAN, &task.job)),
            false => !done.contains(&names::out(SCAN, &task.job)),
        };
        let tasks: Vec<Task> = self.plan.tasks(at).into_iter().filter(is_missing).collect();
        self.missing = tasks.iter().filter(|task| !task.audit).count();
        if waiting == Some(0) && !tasks.is_empty() {
            info!(tasks = tasks.len(), round = self.round, "handed out to the queue");
            self.tell(&tasks);
        }
        Ok(())
    }

    fn tell(&mut self, tasks: &[Task]) {
        self.round += 1;
        if let Err(error) = self.queue.publish(tasks, self.round) {
            warn!("the queue takes no jobs: {error:#}");
        }
    }

    /// Does a job that no worker did in time.
    fn do_itself(&mut self, digest: &Digest) -> anyhow::Result<()> {
        info!(job = digest.hex(), "no worker did it in time: done here");
        (self.own_job, self.is_alone) = (Some(*digest), true);
        match self.own.work(digest, false)? {
            WorkOutcome::GivenUp => self.give_up(digest),
            WorkOutcome::Gone => {
                bail!("the pack of a job is gone from the store of work {}; run again", self.settings.store)
            }
            // The next sweep tells of it.
            WorkOutcome::Differs(_) => {
                self.swept = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Waits for the jobs that are done twice; false where somebody asked to stop.
    fn audits(&mut self, progress: &StageProgress, report: &StageReport) -> anyhow::Result<bool> {
        let is_whole = |job: &Digest| !self.plan.parts.contains_key(job) && !self.dead.contains(job);
        let audited =
            self.plan.jobs.iter().map(|job| job.digest).filter(|job| self.plan.head.is_audited(job) && is_whole(job));
        let jobs = self.plan.jobs.len();
        for digest in audited.collect::<Vec<_>>() {
            let waited = Stopwatch::start();
            while !self.own.store().has(&names::audit(SCAN, &digest))? {
                if self.context.stop.is_asked() {
                    return Ok(false);
                }
                if self.settings.patience.is_some_and(|patience| self.is_alone || waited.elapsed() >= patience) {
                    if matches!(self.own.work(&digest, true)?, WorkOutcome::GivenUp | WorkOutcome::Gone) {
                        warn!(job = digest.hex(), "it could not be done a second time");
                        break;
                    }
                    continue;
                }
                if self.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
                    self.sweep(jobs, &digest)?;
                    progress.show(report.bytes, "audits");
                }
                std::thread::sleep(LOOK);
            }
        }
        // Once more: the last audit may have differed.
        let Some(last) = self.plan.jobs.last().map(|job| job.digest) else { return Ok(true) };
        self.sweep(jobs, &last)?;
        Ok(true)
    }

    /// The rows of a job with the snapshots that they are about.
    fn results(&self, at: usize, job: &Job, rows: &[ResultRow]) -> anyhow::Result<Vec<SnapshotResult>> {
        let snapshots = self.plan.jobs.get(at).map(|job| job.snapshots.as_slice()).unwrap_or_default();
        let reader = self.context.store.reader()?;
        let mut found = Vec::with_capacity(snapshots.len());
        for ((snapshot, key), row) in snapshots.iter().zip(&job.keys).zip(rows) {
            let row = match row {
                ResultRow::Found(text) => ScanRow::of_text(text)
                    .with_context(|| format!("the result of the job {} cannot be read", job.digest().hex()))?,
                ResultRow::Failed(_) => ScanRow::unread(key.subject.clone(), scan::outline(&reader, *snapshot)?.claims),
            };
            found.push(SnapshotResult { snapshot: *snapshot, subject: key.subject.clone(), claims: key.claims, row });
        }
        Ok(found)
    }
}
