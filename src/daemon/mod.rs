//! The daemon: runs schedules at their times, one after another, in this process.
//!
//! The lease is the store's own lock. It is held from the moment a due time is begun in the store until it is answered
//! there, and the system frees it when its holder dies. So two daemons never run one due time twice, and none has to guess
//! by a clock whether the other is alive. A child process for each run would have to hand that lock over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use capdex_core::time::Timestamp;
use capdex_db::{DueOutcome, DueRun, Store, StoreError};
use tracing::{debug, error, info};

use crate::cli::{Global, Tape};
use crate::clock::{self, Stopwatch};
use crate::config::{Schedule, Timing};
use crate::jobs::run as jobs;

pub mod cron;
pub mod plan;
pub mod signals;

use plan::{Known, Next};

/// A schedule with when it runs.
pub struct Scheduled {
    /// Where it was read.
    pub file: PathBuf,
    /// The schedule.
    pub schedule: Schedule,
    /// When it runs.
    pub timing: Timing,
}

/// What the daemon tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A due time was begun.
    Begun(&'a DueRun),
    /// A due time was answered, after so long.
    Answered(&'a str, Timestamp, DueOutcome, Duration),
    /// A run was stopped because the daemon is to end; whoever is started next goes on with it.
    Left(&'a str, Timestamp),
    /// A run could do nothing; why.
    Error(&'a str, String),
}

/// The daemon's longest sleep: a clock that is set forward is noticed after this.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// The wait for another process that holds the store.
const LOCKED_SLEEP: Duration = Duration::from_secs(1);
/// How often a due time is begun whose process dies; one that brings the daemon down is not begun for ever.
const MOST_TRIES: u32 = 3;
/// How often a run looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Runs schedules until somebody asks to stop.
///
/// # Errors
/// What the store says; a store that another process holds is waited for.
pub fn run(
    global: &Global,
    scheduled: &[Scheduled],
    halt: &signals::Halt,
    tell: &mut dyn FnMut(&Event<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    while !halt.stop.is_asked() {
        let store = match Store::open(&global.db) {
            Ok(store) => store,
            Err(StoreError::Locked { .. }) => {
                debug!("another process holds the store");
                halt.wait(LOCKED_SLEEP);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        match choose(&store, scheduled, clock::now(), tell)? {
            Choice::Run(one, due, missed) => run_one(global, store, one, (due, missed), halt, tell)?,
            Choice::Wait(until) => {
                drop(store);
                sleep_until(until, halt);
            }
        }
    }
    Ok(())
}

enum Choice<'a> {
    Run(&'a Scheduled, Timestamp, u64),
    Wait(Option<Timestamp>),
}

/// The schedule that is due longest, else when to look again. Notes what was missed and is not made up for.
fn choose<'a>(
    store: &Store,
    scheduled: &'a [Scheduled],
    now: Timestamp,
    tell: &mut dyn FnMut(&Event<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Choice<'a>> {
    let (mut due_first, mut wake): (Option<(Timestamp, u64, &Scheduled)>, Option<Timestamp>) = (None, None);
    for one in scheduled {
        let (name, cron) = (one.schedule.name.clone(), one.timing.cron.as_str().to_owned());
        let since = store.write(move |writer| writer.enter_schedule(&name, &cron, now))?;
        let name = one.schedule.name.as_str();
        let known = Known { since, last: store.reader()?.last_due(name)? };
        match plan::next(name, &one.timing, &known, now) {
            Next::Run { due, missed } if due_first.is_none_or(|(first, ..)| due < first) => {
                due_first = Some((due, missed, one));
            }
            Next::Run { .. } => (),
            Next::Note { due, missed } => {
                let schedule = name.to_owned();
                store.write(move |writer| {
                    writer.begin_due(&schedule, due, missed, now)?;
                    writer.answer_due(&schedule, due, DueOutcome::Missed, now)
                })?;
                tell(&Event::Answered(name, due, DueOutcome::Missed, Duration::ZERO))?;
                wake = Some(now);
            }
            Next::Wait(until) => wake = wake.into_iter().chain(until).min(),
        }
    }
    Ok(due_first.map_or(Choice::Wait(wake), |(due, missed, one)| Choice::Run(one, due, missed)))
}

/// Sleeps until a due time, in pieces: clocks are set, and machines sleep.
fn sleep_until(until: Option<Timestamp>, halt: &signals::Halt) {
    while !halt.stop.is_asked() {
        let left = until.map_or(i64::MAX, |until| until.unix_seconds() - clock::now().unix_seconds());
        let Ok(left) = u64::try_from(left) else { return };
        if left == 0 {
            return;
        }
        // The clock counts whole seconds: a little more than what is left never ends a second too early.
        halt.wait(Duration::from_secs(left).min(LONGEST_SLEEP).max(LOOK));
    }
}

/// Begins a due time, runs it and answers it, all under the one lock that `store` holds.
fn run_one(
    global: &Global,
    store: Store,
    one: &Scheduled,
    (due, missed): (Timestamp, u64),
    halt: &signals::Halt,
    tell: &mut dyn FnMut(&Event<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (name, now) = (one.schedule.name.clone(), clock::now());
    let begun = store.write(move |writer| writer.begin_due(&name, due, missed, now))?;
    let Some(begun) = begun else { return Ok(()) };
    tell(&Event::Begun(&begun))?;
    let (name, watch) = (one.schedule.name.as_str(), Stopwatch::start());
    let is_hopeless = begun.tries > MOST_TRIES;
    let outcome = if is_hopeless {
        let why = format!("its process died {MOST_TRIES} times; see the system's log, then `capdex nightly` by hand");
        tell(&Event::Error(name, why))?;
        Some(DueOutcome::Failed)
    } else {
        match catch_unwind(AssertUnwindSafe(|| work(global, store.clone(), one, halt))) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => {
                error!(schedule = name, error = format!("{error:#}"), "the run failed");
                tell(&Event::Error(name, format!("{error:#}")))?;
                Some(DueOutcome::Failed)
            }
            Err(_) => Some(DueOutcome::Failed),
        }
    };
    let (schedule, at) = (name.to_owned(), clock::now());
    let Some(outcome) = outcome else {
        store.write(move |writer| writer.leave_due(&schedule, due))?;
        return tell(&Event::Left(name, due));
    };
    store.write(move |writer| writer.answer_due(&schedule, due, outcome, at))?;
    tell(&Event::Answered(name, due, outcome, watch.elapsed()))
}

/// The run itself; no outcome where the daemon is to end before the run did.
fn work(global: &Global, store: Store, one: &Scheduled, halt: &signals::Halt) -> anyhow::Result<Option<DueOutcome>> {
    let context = jobs::open_in(store, global, &one.schedule, &Tape::default())?;
    let (is_over, budget, watch) = (AtomicBool::new(false), one.timing.budget, Stopwatch::start());
    let report = thread::scope(|scope| {
        let stop = &context.stop;
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                if halt.stop.is_asked() || budget.is_some_and(|budget| watch.elapsed() >= budget) {
                    stop.ask();
                    break;
                }
                thread::sleep(LOOK);
            }
        });
        let _over = SetWhenDropped(&is_over);
        jobs::whole(&context, &one.schedule.name, jobs::Last::Export(one.timing.out.clone()))
    })?;
    info!(schedule = one.schedule.name, "ran");
    Ok(match () {
        () if report.interrupted && halt.stop.is_asked() => None,
        () if report.interrupted => Some(DueOutcome::OverBudget),
        () if report.is_incomplete() => Some(DueOutcome::Incomplete),
        () => Some(DueOutcome::Done),
    })
}

/// Sets a flag at the end, also at that of a panic: a scope waits for its threads.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
