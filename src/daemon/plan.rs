//! The choice of what is to be run now: a pure function of the timetable, what was answered before, and the time.
//!
//! Neither a clock nor the store is read here.

use capdex_db::DueRun;
use capdex_model::digest::Digest;
use capdex_model::time::Timestamp;

use crate::config::{OverlapPolicy, Timing};

/// The lateness in seconds up to which a due time is met and not missed: the daemon looks twice in this time.
const GRACE_S: i64 = 60;
/// The number of beginnings of a due time whose process dies; one that brings the daemon down is not begun for ever.
pub const MOST_TRIES: u32 = 3;
/// Missed due times that are counted; who needs more of them knows enough.
const MOST_COUNTED: usize = 10_000;

/// The knowledge of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleHistory {
    /// Since when its expression holds.
    pub since: Timestamp,
    /// The newest due time that was begun or answered.
    pub last: Option<DueRun>,
    /// Since when this daemon is there without a pause but that of a run, its own or another daemon's; none where it slept.
    pub attended: Option<Timestamp>,
}

/// The next step for a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleStep {
    /// This due time is to be run, and stands for so many before it.
    Run {
        /// The due time.
        due: Timestamp,
        /// Due times before it that nobody answered.
        missed: u64,
    },
    /// This due time was missed and is only noted.
    Note {
        /// The due time.
        due: Timestamp,
        /// Due times before it that nobody answered.
        missed: u64,
    },
    /// This due time was begun so often, each time to the death of its process, that it is given up.
    GiveUp {
        /// The due time.
        due: Timestamp,
    },
    /// Nothing until then; none where no time comes any more.
    Wait(Option<Timestamp>),
}

/// Decides the next step for a schedule.
pub fn next(name: &str, timing: &Timing, known: &ScheduleHistory, now: Timestamp) -> ScheduleStep {
    // A run without an outcome was begun by a process that is no longer there.
    let open = known.last.as_ref().filter(|run| run.outcome.is_none());
    let after = answered_until(timing, known, now);
    let is_ready = |due: &Timestamp| start(name, timing, *due) <= now;
    // The latest due time that is ready stands for all before it.
    let ready = timing.cron.until(now).take_while(|due| *due > after).find(is_ready);
    match (ready, open) {
        (Some(due), _) => {
            let missed = timing.cron.until(due).skip(1).take_while(|due| *due > after).take(MOST_COUNTED).count();
            // An open run is one more that nobody finished.
            let missed = u64::try_from(missed).unwrap_or(u64::MAX) + u64::from(open.is_some());
            let is_late = now.unix_seconds() - start(name, timing, due).unix_seconds() > GRACE_S;
            // It came due while the run before was going, which the overlap allows to be made up for.
            let is_queued = known.last.as_ref().and_then(|run| run.finished).is_some_and(|finished| due <= finished);
            // The daemon was there and had its hands full: nobody missed anything.
            let was_met = known.attended.is_some_and(|attended| attended <= start(name, timing, due));
            if is_late && !is_queued && !was_met && !timing.recovers {
                ScheduleStep::Note { due, missed }
            } else {
                ScheduleStep::Run { due, missed }
            }
        }
        // A due time that kills its process three times would keep every other one from running.
        (None, Some(run)) if run.tries >= MOST_TRIES => ScheduleStep::GiveUp { due: run.due },
        // It was begun, and its process was stopped or died: it is gone on with.
        (None, Some(run)) => ScheduleStep::Run { due: run.due, missed: run.missed },
        (None, None) => ScheduleStep::Wait(upcoming(name, timing, after.max(now), after)),
    }
}

/// Up to when every due time is dealt with.
fn answered_until(timing: &Timing, known: &ScheduleHistory, now: Timestamp) -> Timestamp {
    let Some(last) = &known.last else { return known.since };
    let through_its_run = match timing.overlap {
        // An end that lies ahead is that of a clock which was set back since.
        OverlapPolicy::Skip => last.finished.filter(|end| last.outcome.is_some() && !lies_ahead(*end, now)),
        OverlapPolicy::Queue => None,
    };
    last.due.max(known.since).max(through_its_run.unwrap_or(last.due))
}

/// True where an instant in the past lies ahead by more than what time servers do: the clock was set back since.
pub fn lies_ahead(instant: Timestamp, now: Timestamp) -> bool {
    instant.unix_seconds() > now.unix_seconds().saturating_add(GRACE_S)
}

/// The next start after `now`: of a due time that has come and waits for its turn, else of the next one.
fn upcoming(name: &str, timing: &Timing, now: Timestamp, after: Timestamp) -> Option<Timestamp> {
    // A due time that has come may still wait for its jitter.
    let waiting = timing.cron.until(now).take_while(|due| *due > after).map(|due| start(name, timing, due)).min();
    let coming = timing.cron.after(now).map(|due| start(name, timing, due));
    waiting.into_iter().chain(coming).min()
}

/// When a due time is begun: the same for the same name and time, so that a daemon that is started again waits as long.
pub fn start(name: &str, timing: &Timing, due: Timestamp) -> Timestamp {
    // From name and time alone: machines with one schedule spread out, and each waits the same after a restart.
    let digest = Digest::of_fields([name.as_bytes(), due.to_string().as_bytes()]);
    let number = digest.as_bytes().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    // One more than the bound, because the bound itself is allowed.
    let wait = number % (u64::from(timing.jitter_s) + 1);
    Timestamp::from_unix_seconds(due.unix_seconds() + i64::try_from(wait).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Cron;
    use capdex_db::DueOutcome;

    fn at(text: &str) -> Timestamp {
        format!("2026-11-22T{text}Z").parse().expect("an instant")
    }

    fn timing(overlap: OverlapPolicy, recovers: bool) -> Timing {
        let cron = Cron::parse("0 * * * *").expect("an expression");
        Timing { cron, overlap, budget: None, jitter_s: 0, recovers, out: "out".into() }
    }

    fn run(due: &str, finished: Option<&str>) -> Option<DueRun> {
        let outcome = finished.map(|_| DueOutcome::Done);
        let (schedule, due, started, finished) = ("n".to_owned(), at(due), at(due), finished.map(at));
        Some(DueRun { schedule, due, missed: 0, tries: 1, started, finished, outcome })
    }

    fn next_of(timing: &Timing, last: Option<DueRun>, now: &str) -> ScheduleStep {
        next("n", timing, &ScheduleHistory { since: at("00:30:00"), last, attended: None }, at(now))
    }

    #[test]
    fn a_time_that_came_during_another_schedules_run_was_not_missed() {
        let (timing, last) = (timing(OverlapPolicy::Skip, false), run("01:00:00", Some("01:10:00")));
        let met = |attended: &str| {
            let known = ScheduleHistory { since: at("00:30:00"), last: last.clone(), attended: Some(at(attended)) };
            next("n", &timing, &known, at("02:40:00"))
        };
        assert_eq!(met("01:59:00"), ScheduleStep::Run { due: at("02:00:00"), missed: 0 });
        assert_eq!(
            met("02:00:01"),
            ScheduleStep::Note { due: at("02:00:00"), missed: 0 },
            "it came before anybody was there"
        );
    }

    #[test]
    fn what_killed_its_process_three_times_is_given_up_and_the_next_is_run() {
        let died = |tries| DueRun { tries, ..run("01:00:00", None).expect("a run") };
        let timing = timing(OverlapPolicy::Skip, true);
        assert_eq!(next_of(&timing, Some(died(2)), "01:30:00"), ScheduleStep::Run { due: at("01:00:00"), missed: 0 });
        assert_eq!(next_of(&timing, Some(died(3)), "01:30:00"), ScheduleStep::GiveUp { due: at("01:00:00") });
        assert_eq!(next_of(&timing, Some(died(3)), "02:00:00"), ScheduleStep::Run { due: at("02:00:00"), missed: 1 });
    }

    #[test]
    fn an_end_that_lies_ahead_holds_nothing_up() {
        let last = run("01:00:00", Some("09:00:00"));
        assert_eq!(
            next_of(&timing(OverlapPolicy::Skip, true), last, "02:00:00"),
            ScheduleStep::Run { due: at("02:00:00"), missed: 0 }
        );
        assert!(lies_ahead(at("02:01:01"), at("02:00:00")));
        assert!(!lies_ahead(at("02:01:00"), at("02:00:00")));
    }

    #[test]
    fn a_new_schedule_waits_for_its_first_due_time() {
        let timing = timing(OverlapPolicy::Skip, true);
        assert_eq!(next_of(&timing, None, "00:59:59"), ScheduleStep::Wait(Some(at("01:00:00"))));
        assert_eq!(next_of(&timing, None, "01:00:00"), ScheduleStep::Run { due: at("01:00:00"), missed: 0 });
        assert_eq!(
            next_of(&timing, run("01:00:00", Some("01:10:00")), "01:10:00"),
            ScheduleStep::Wait(Some(at("02:00:00")))
        );
    }

    #[test]
    fn missed_times_are_made_up_for_once_or_noted() {
        let last = || run("01:00:00", Some("01:10:00"));
        let missed = next_of(&timing(OverlapPolicy::Skip, true), last(), "05:30:00");
        assert_eq!(missed, ScheduleStep::Run { due: at("05:00:00"), missed: 3 });
        let noted = next_of(&timing(OverlapPolicy::Skip, false), last(), "05:30:00");
        assert_eq!(noted, ScheduleStep::Note { due: at("05:00:00"), missed: 3 });
        let in_time = next_of(&timing(OverlapPolicy::Skip, false), last(), "02:00:59");
        assert_eq!(in_time, ScheduleStep::Run { due: at("02:00:00"), missed: 0 });
    }

    #[test]
    fn what_was_begun_and_not_ended_is_gone_on_with_until_the_next_comes() {
        let timing = timing(OverlapPolicy::Skip, false);
        assert_eq!(
            next_of(&timing, run("01:00:00", None), "01:40:00"),
            ScheduleStep::Run { due: at("01:00:00"), missed: 0 }
        );
        assert_eq!(
            next_of(&timing, run("01:00:00", None), "02:00:10"),
            ScheduleStep::Run { due: at("02:00:00"), missed: 1 }
        );
    }

    #[test]
    fn what_comes_during_a_run_is_left_out_or_run_once_after_it() {
        let long = || run("01:00:00", Some("03:20:00"));
        assert_eq!(
            next_of(&timing(OverlapPolicy::Skip, true), long(), "03:20:00"),
            ScheduleStep::Wait(Some(at("04:00:00")))
        );
        let queued = next_of(&timing(OverlapPolicy::Queue, true), long(), "03:20:00");
        assert_eq!(queued, ScheduleStep::Run { due: at("03:00:00"), missed: 1 });
    }

    #[test]
    fn starts_are_spread_and_stay_where_they_are() {
        let timing = Timing { jitter_s: 600, ..timing(OverlapPolicy::Skip, true) };
        let waits: Vec<i64> = (1..20)
            .map(|hour| at(&format!("{hour:02}:00:00")))
            .map(|due| start("n", &timing, due).unix_seconds() - due.unix_seconds())
            .collect();
        assert!(waits.iter().all(|wait| (0..=600).contains(wait)));
        assert!(waits.windows(2).any(|two| two[0] != two[1]));
        let (due, begin) = (at("01:00:00"), start("n", &timing, at("01:00:00")));
        assert_ne!(start("other", &timing, due), begin);
        let known = ScheduleHistory { since: at("00:30:00"), last: None, attended: None };
        let before = Timestamp::from_unix_seconds(begin.unix_seconds() - 1);
        assert_eq!(next("n", &timing, &known, before), ScheduleStep::Wait(Some(begin)));
        assert_eq!(next("n", &timing, &known, begin), ScheduleStep::Run { due, missed: 0 });
    }

    #[test]
    fn a_year_of_missed_seconds_is_counted_to_a_bound() {
        let timing =
            Timing { cron: Cron::parse("* * * * * *").expect("an expression"), ..timing(OverlapPolicy::Skip, true) };
        let known =
            ScheduleHistory { since: "2025-11-22T00:00:00Z".parse().expect("an instant"), last: None, attended: None };
        let due = at("00:00:00");
        assert_eq!(next("n", &timing, &known, due), ScheduleStep::Run { due, missed: 10_000 });
    }
}
