//! The daemon: runs schedules at their times, one after another, in this process.
//!
//! The lease is the store's own lock. It is held from the moment a due time is begun in the store until it is answered
//! there. The system frees it when its holder dies. So two daemons never run one due time twice, and none has to guess by a
//! clock whether the other is alive. A child process for each run would have to hand that lock over.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{DueOutcome, DueRun, Store, StoreError};
use capdex_model::time::{AsOf, Timestamp};
use tracing::{debug, error, info, warn};

use crate::appeals::tend::{Tended, tend};
use crate::clock;
use crate::config::{Schedule, Timing};
use crate::exit::usage;
use crate::jobs::alerts;
use crate::jobs::run as jobs;
use crate::options::{Global, RecordingArgs};
use crate::shutdown::Shutdown;

pub mod plan;

use plan::{MOST_TRIES, ScheduleHistory, ScheduleStep};

/// A schedule with when it runs.
pub struct Scheduled {
    /// The file that it was read from.
    pub file: PathBuf,
    /// The schedule.
    pub schedule: Schedule,
    /// When it runs.
    pub timing: Timing,
}

/// The events that the daemon tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaemonEvent<'a> {
    /// A due time was begun.
    Begun(&'a DueRun),
    /// A due time was answered, after so long.
    Answered(&'a str, Timestamp, DueOutcome, Duration),
    /// A run was stopped because the daemon is to end; whoever is started next goes on with it.
    Left(&'a str, Timestamp),
    /// A run could do nothing, or was given up; why.
    Error(&'a str, String),
    /// Something happened to appeals by itself; the work it took, without the telling of notifiers.
    Tended(Tended, Duration),
    /// The clock was set back: the latest due time that lay ahead and is forgotten.
    ClockSetBack(&'a str, Timestamp),
}

/// The daemon's longest sleep: a clock that is set forward is noticed after this.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// The seconds between two looks at the clocks of appeals.
const APPEALS_EVERY_S: i64 = 60;
/// The wait for another process that holds the store.
const LOCKED_SLEEP: Duration = Duration::from_secs(1);
/// The time between two looks of a run whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Runs schedules until somebody asks to stop. With `is_strict` any gap makes a run incomplete.
///
/// # Errors
/// Errors of the store; one that another process holds is waited for.
pub fn run(
    global: &Global,
    scheduled: &[Scheduled],
    is_strict: bool,
    shutdown: &Shutdown,
    tell: &mut dyn FnMut(&DaemonEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Since when it is there without having slept: what comes due while a run is under way is met late and not missed.
    let (mut entered, mut attended) = (BTreeSet::new(), None);
    while !shutdown.stop.is_asked() {
        // Opened for each turn, because holding it between runs would lock everybody else out.
        let store = match Store::open(&global.db, &capdex_rules::INDEX) {
            Ok(store) => store,
            Err(StoreError::Locked { .. }) => {
                debug!("another process holds the store");
                // Waiting for the lock is attendance: what comes due meanwhile was met.
                attended.get_or_insert_with(clock::now);
                shutdown.wait(LOCKED_SLEEP);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        refuse_double(&store, scheduled, &mut entered)?;
        let now = clock::now();
        match choose(&store, scheduled, (now, attended), tell)? {
            Choice::Run(one, due, missed) => {
                attended.get_or_insert(now);
                run_one((global, is_strict), store, one, (due, missed), shutdown, tell)?;
            }
            Choice::Wait(until) => {
                tend_appeals(&store, scheduled, now, shutdown, tell)?;
                // Given back before the sleep, so that commands by hand can write in between.
                drop(store);
                // It sleeps, and may be suspended with its machine: what comes due then may be missed.
                attended = None;
                // Appeals have clocks of their own, however far away the next due time is.
                let look = Timestamp::from_unix_seconds(now.unix_seconds() + APPEALS_EVERY_S);
                sleep_until(until.map_or(look, |until| until.min(look)), shutdown);
            }
        }
    }
    Ok(())
}

/// Does what is due about appeals, by the clocks of the first schedule, and tells its notifiers what is new. An error is told and
/// ends nothing: nights must run.
fn tend_appeals(
    store: &Store,
    scheduled: &[Scheduled],
    now: Timestamp,
    shutdown: &Shutdown,
    tell: &mut dyn FnMut(&DaemonEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(one) = scheduled.first() else { return Ok(()) };
    let (watch, at) = (Stopwatch::start(), AsOf(now));
    let tended = match one.schedule.appeals.settings().and_then(|settings| tend(store, &settings, at)) {
        Ok(tended) => tended,
        Err(error) => return tell(&DaemonEvent::Error(&one.schedule.name, format!("appeals: {error:#}"))),
    };
    // Most looks find nothing to do, and a line a minute would hide the others.
    if tended.events == 0 && tended.alerts == 0 {
        return Ok(());
    }
    tell(&DaemonEvent::Tended(tended, watch.elapsed()))?;
    if tended.alerts == 0 {
        return Ok(());
    }
    // The night would tell it a day late.
    match one.schedule.alerts().and_then(|settings| alerts::run(store, &settings, at, &shutdown.stop)) {
        Ok(_) => Ok(()),
        Err(error) => tell(&DaemonEvent::Error(&one.schedule.name, format!("alerts of appeals: {error:#}"))),
    }
}

/// Refuses to go on where another daemon has entered a schedule of the same name at other times since this one did. Each
/// would begin the other's times anew, and neither would ever come to run.
fn refuse_double(store: &Store, scheduled: &[Scheduled], entered: &mut BTreeSet<String>) -> anyhow::Result<()> {
    let table: BTreeMap<String, String> = store.reader()?.timetable()?.into_iter().collect();
    for one in scheduled {
        let (name, cron) = (&one.schedule.name, one.timing.cron.as_str());
        // The first time round this daemon's own expression is not in the table yet.
        let is_new = entered.insert(name.clone());
        match table.get(name) {
            Some(other) if !is_new && other != cron => {
                let file = one.file.display();
                return Err(usage(format!(
                    "{file}: daemon.cron: {name:?} is due at {cron:?} here and at {other:?} in another daemon on this store; \
                     give one of the two another name"
                )));
            }
            _ => (),
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
    (now, attended): (Timestamp, Option<Timestamp>),
    tell: &mut dyn FnMut(&DaemonEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Choice<'a>> {
    let (mut due_first, mut wake): (Option<(Timestamp, u64, &Scheduled)>, Option<Timestamp>) = (None, None);
    for one in scheduled {
        let (name, cron) = (one.schedule.name.clone(), one.timing.cron.as_str().to_owned());
        // Entered at every look: another daemon may have changed the expression since.
        let since = store.write(move |writer| writer.enter_schedule(&name, &cron, now))?;
        let name = one.schedule.name.as_str();
        let known = ScheduleHistory { since, last: store.reader()?.last_due(name)?, attended };
        let known = forget_ahead(store, name, known, now, tell)?;
        match plan::next(name, &one.timing, &known, now) {
            // The one that has waited longest, so that a frequent schedule cannot starve a rare one.
            ScheduleStep::Run { due, missed } if due_first.is_none_or(|(first, ..)| due < first) => {
                due_first = Some((due, missed, one));
            }
            ScheduleStep::Run { .. } => (),
            ScheduleStep::Note { due, missed } => {
                let schedule = name.to_owned();
                // Begun and answered in one transaction: a note is never left open.
                store.write(move |writer| {
                    writer.begin_due(&schedule, due, missed, now)?;
                    writer.answer_due(&schedule, due, DueOutcome::Missed, now)
                })?;
                tell(&DaemonEvent::Answered(name, due, DueOutcome::Missed, Duration::ZERO))?;
                // Looked at again at once, because a later time of the same schedule may be due.
                wake = Some(now);
            }
            ScheduleStep::GiveUp { due } => {
                let schedule = name.to_owned();
                store.write(move |writer| writer.answer_due(&schedule, due, DueOutcome::Failed, now))?;
                let why =
                    format!("its process died {MOST_TRIES} times; see the system's log, then `capdex nightly` by hand");
                tell(&DaemonEvent::Error(name, why))?;
                tell(&DaemonEvent::Answered(name, due, DueOutcome::Failed, Duration::ZERO))?;
                wake = Some(now);
            }
            // The earliest of all schedules.
            ScheduleStep::Wait(until) => wake = wake.into_iter().chain(until).min(),
        }
    }
    Ok(due_first.map_or(Choice::Wait(wake), |(due, missed, one)| Choice::Run(one, due, missed)))
}

/// The knowledge of a schedule without what lies ahead. After the clock was set back nothing would be due until it has
/// caught up. An answer in a time that has not come is none.
fn forget_ahead(
    store: &Store,
    name: &str,
    known: ScheduleHistory,
    now: Timestamp,
    tell: &mut dyn FnMut(&DaemonEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<ScheduleHistory> {
    let ahead = known.last.as_ref().map(|run| run.due).into_iter().chain([known.since]);
    if !ahead.into_iter().any(|instant| plan::lies_ahead(instant, now)) {
        return Ok(known);
    }
    let schedule = name.to_owned();
    let latest = store.write(move |writer| writer.forget_after(&schedule, now))?;
    warn!(schedule = name, "the clock was set back");
    tell(&DaemonEvent::ClockSetBack(name, latest.unwrap_or(known.since)))?;
    let last = store.reader()?.last_due(name)?;
    // Not later than now, or the schedule would wait for the wrong clock.
    Ok(ScheduleHistory { since: known.since.min(now), last, ..known })
}

/// Sleeps until an instant, in pieces: clocks are set, and machines sleep.
fn sleep_until(until: Timestamp, shutdown: &Shutdown) {
    while !shutdown.stop.is_asked() {
        let left = until.unix_seconds() - clock::now().unix_seconds();
        let Ok(left) = u64::try_from(left) else { return };
        if left == 0 {
            return;
        }
        // The clock counts whole seconds: a little more than what is left never ends a second too early.
        shutdown.wait(Duration::from_secs(left).min(LONGEST_SLEEP).max(LOOK));
    }
}

/// Begins a due time, runs it and answers it, all under the one lock that `store` holds.
fn run_one(
    global: (&Global, bool),
    store: Store,
    one: &Scheduled,
    (due, missed): (Timestamp, u64),
    shutdown: &Shutdown,
    tell: &mut dyn FnMut(&DaemonEvent<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (name, now) = (one.schedule.name.clone(), clock::now());
    let begun = store.write(move |writer| writer.begin_due(&name, due, missed, now))?;
    // It or a later one was answered already; nothing is left to be run.
    let Some(begun) = begun else { return Ok(()) };
    tell(&DaemonEvent::Begun(&begun))?;
    let (name, watch) = (one.schedule.name.as_str(), Stopwatch::start());
    // A panic must not end the daemon: the other schedules still have to run.
    let (outcome, why) = outcome_of(catch_unwind(AssertUnwindSafe(|| work(global, store.clone(), one, shutdown))));
    if let Some(why) = why {
        error!(schedule = name, error = why, "the run failed");
        tell(&DaemonEvent::Error(name, why))?;
    }
    let (schedule, at) = (name.to_owned(), clock::now());
    let Some(outcome) = outcome else {
        // Left and not answered: the next daemon goes on with the same due time.
        store.write(move |writer| writer.leave_due(&schedule, due))?;
        return tell(&DaemonEvent::Left(name, due));
    };
    store.write(move |writer| writer.answer_due(&schedule, due, outcome, at))?;
    tell(&DaemonEvent::Answered(name, due, outcome, watch.elapsed()))
}

/// The outcome of a run, with the reason where it failed; a panic is a failure that says so.
fn outcome_of(
    ended: Result<anyhow::Result<Option<DueOutcome>>, Box<dyn Any + Send>>,
) -> (Option<DueOutcome>, Option<String>) {
    match ended {
        Ok(Ok(outcome)) => (outcome, None),
        Ok(Err(error)) => (Some(DueOutcome::Failed), Some(format!("{error:#}"))),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            (Some(DueOutcome::Failed), Some(format!("a fault of the program ended it: {said}")))
        }
    }
}

/// The run itself; no outcome where the daemon is to end before the run did.
fn work(
    (global, is_strict): (&Global, bool),
    store: Store,
    one: &Scheduled,
    shutdown: &Shutdown,
) -> anyhow::Result<Option<DueOutcome>> {
    // The store goes into the run, which holds the lock until it is over.
    let mut context = jobs::open_in(store, global, &one.schedule, &RecordingArgs::default())?;
    context.gaps.is_strict = is_strict;
    let (is_over, budget, watch) = (AtomicBool::new(false), one.timing.budget, Stopwatch::start());
    let report = thread::scope(|scope| {
        let context = &context;
        let (watch, is_over) = (&watch, &is_over);
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                if shutdown.stop.is_asked() {
                    context.ask_to_stop();
                    break;
                }
                // Requests end with the budget; what was fetched is still judged, exported and told.
                if budget.is_some_and(|budget| watch.elapsed() >= budget) {
                    context.requests.ask();
                }
                thread::sleep(LOOK);
            }
        });
        // Set in every case, or the scope would wait for its watcher for ever.
        let _over = SetWhenDropped(is_over);
        jobs::whole(context, &one.schedule.name, jobs::Last::Export(one.timing.out.clone()))
    })?;
    info!(schedule = one.schedule.name, "ran");
    if report.is_incomplete() {
        warn!(schedule = one.schedule.name, why = report.shortfalls.join("; "), "the run is incomplete");
    }
    Ok(match () {
        // Whoever else was asked to stop than by a signal, it was this daemon.
        () if report.interrupted => None,
        () if report.over_budget => Some(DueOutcome::OverBudget),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DaemonSection;

    /// A schedule that lists nothing, due at times of its own.
    fn scheduled(name: &str, cron: &str) -> Scheduled {
        let section = DaemonSection {
            cron: cron.to_owned(),
            overlap: crate::config::OverlapPolicy::Skip,
            budget_minutes: None,
            jitter_seconds: 0,
            recover: None,
            out: None,
        };
        let schedule = Schedule { name: name.to_owned(), ..Schedule::default() };
        Scheduled { file: "s.toml".into(), schedule, timing: section.timing().expect("times") }
    }

    fn at(text: &str) -> Timestamp {
        format!("2026-11-{text}:00Z").parse().expect("an instant")
    }

    /// What is chosen at an instant: the due time to run, else none; with what was told.
    fn chosen(store: &Store, scheduled: &[Scheduled], now: Timestamp) -> (Option<Timestamp>, Vec<String>) {
        let mut told = Vec::new();
        let mut tell = |event: &DaemonEvent<'_>| {
            told.push(format!("{event:?}"));
            Ok(())
        };
        let due = match choose(store, scheduled, (now, None), &mut tell).expect("chosen") {
            Choice::Run(_, due, _) => Some(due),
            Choice::Wait(_) => None,
        };
        (due, told)
    }

    fn run_at(store: &Store, name: &'static str, due: Timestamp) {
        let run = move |writer: &capdex_db::Writer<'_>| {
            writer.begin_due(name, due, 0, due)?;
            writer.answer_due(name, due, DueOutcome::Done, due)
        };
        store.write(run).expect("written");
    }

    #[test]
    fn a_clock_that_was_set_back_is_told_and_holds_nothing_up() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(&folder.path().join("capdex.db"), &capdex_rules::INDEX).expect("opens");
        let hourly = [scheduled("n", "0 * * * *")];
        assert_eq!(chosen(&store, &hourly, at("20T00:30")), (None, Vec::new()));
        run_at(&store, "n", at("20T01:00"));
        // The clock ran ahead by days, and was mended.
        run_at(&store, "n", at("28T05:00"));
        let (due, told) = chosen(&store, &hourly, at("20T02:10"));
        assert_eq!(due, Some(at("20T02:00")), "it does not wait until the clock has caught up");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("ClockSetBack"), "{told:?}");
        run_at(&store, "n", at("20T02:00"));
        assert_eq!(chosen(&store, &hourly, at("20T02:20")), (None, Vec::new()), "it is told once");
        assert_eq!(chosen(&store, &hourly, at("20T01:59")), (None, Vec::new()), "a step of a time server is no step");
    }

    #[test]
    fn two_daemons_with_one_name_and_unlike_times_do_not_go_on() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(&folder.path().join("capdex.db"), &capdex_rules::INDEX).expect("opens");
        let (ours, theirs) = ([scheduled("n", "0 * * * *")], [scheduled("n", "30 * * * *")]);
        let (mut first, mut second) = (BTreeSet::new(), BTreeSet::new());
        let look = |scheduled: &[Scheduled], entered: &mut BTreeSet<String>| {
            refuse_double(&store, scheduled, entered).map(|()| chosen(&store, scheduled, at("20T00:10"))).map(drop)
        };
        for _ in 0..2 {
            look(&ours, &mut first).expect("alone");
        }
        look(&theirs, &mut second).expect("a new expression is an operator's right");
        let error = look(&ours, &mut first).expect_err("refused").to_string();
        for part in ["s.toml: daemon.cron", "0 * * * *", "30 * * * *", "another name"] {
            assert!(error.contains(part), "{error}");
        }
        look(&theirs, &mut second).expect("the other one goes on");
    }

    #[test]
    fn a_panic_is_a_failure_that_says_what_happened() {
        for panic in [|| std::panic::panic_any("a bad index"), || std::panic::panic_any("a bad index".to_owned())] {
            let ended: Result<anyhow::Result<Option<DueOutcome>>, _> = catch_unwind(panic);
            let (outcome, why) = outcome_of(ended);
            assert_eq!(outcome, Some(DueOutcome::Failed));
            assert!(why.is_some_and(|why| why.contains("a bad index")));
        }
        assert_eq!(outcome_of(Ok(Ok(None))), (None, None));
        assert_eq!(outcome_of(Ok(Err(anyhow::anyhow!("no")))), (Some(DueOutcome::Failed), Some("no".into())));
    }
}
