//! The clock: later than what the store has seen. Ages, budgets and certificates hang on it.

use capdex_core::time::Timestamp;
use capdex_db::Reader;

use super::{Finding, Health, Patient};
use crate::clock;

/// The program is younger than this: 2026-01-01. A machine without a battery begins in 1970.
const YOUNGEST: Timestamp = Timestamp::from_unix_seconds(1_767_225_600);
/// A step back of so many seconds is what time servers do.
const TOLERATED_S: i64 = 60;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let now = clock::now();
    let last = Reader::open(patient.store()).ok().and_then(|reader| reader.runs(1).ok()?.into_iter().next());
    vec![judge(now, last.map(|run| run.finished.unwrap_or(run.started)))]
}

fn judge(now: Timestamp, last_run: Option<Timestamp>) -> Finding {
    let advice = "set the clock, and let a time server keep it";
    let say = |health, found: String, advice: &str| Finding::new("clock", "this machine", (health, found), advice);
    if now < YOUNGEST {
        return say(Health::Fail, format!("{now} is before this program was made"), advice);
    }
    match last_run {
        Some(last) if last.unix_seconds() > now.unix_seconds() + TOLERATED_S => {
            say(Health::Fail, format!("{now}, but the last run was at {last}: one of the two is wrong"), advice)
        }
        _ => say(Health::Ok, now.to_string(), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_the_program_or_the_last_run_is_wrong() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let health = |now, last: Option<&str>| judge(at(now), last.map(at)).health;
        assert_eq!(health("1970-01-01T00:00:10Z", None), Health::Fail);
        assert_eq!(health("2026-11-22T00:00:00Z", None), Health::Ok);
        assert_eq!(health("2026-11-22T00:00:00Z", Some("2026-11-22T00:01:00Z")), Health::Ok);
        assert_eq!(health("2026-11-22T00:00:00Z", Some("2026-11-22T00:01:01Z")), Health::Fail);
    }
}
