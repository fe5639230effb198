//! The clock: later than what the store has seen. Ages, budgets and certificates hang on it.

use capdex_db::Reader;
use capdex_model::time::Timestamp;

use super::{DoctorContext, Health, HealthFinding};
use crate::clock;

/// The program is younger than this: 2026-01-01. A machine without a battery begins in 1970.
const YOUNGEST: Timestamp = Timestamp::from_unix_seconds(1_767_225_600);
/// A step back of so many seconds is what time servers do.
const TOLERATED_S: i64 = 60;

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    let now = clock::now();
    // No store, no last run: only the year can be judged then.
    let last = Reader::open(patient.store(), &capdex_rules::INDEX)
        .ok()
        .and_then(|reader| reader.runs(1).ok()?.into_iter().next());
    vec![judge(now, last.map(|run| run.finished.unwrap_or(run.started)))]
}

fn judge(now: Timestamp, last_run: Option<Timestamp>) -> HealthFinding {
    let advice = "set the clock, and let a time server keep it";
    let say =
        |health, found: String, advice: &str| HealthFinding::new("clock", "this machine", (health, found), advice);
    if now < YOUNGEST {
        return say(Health::Fail, format!("{now} is before this program was made"), advice);
    }
    // Ahead of the clock by more than a correction: either then or now it was wrong.
    match last_run {
        Some(last) if last.unix_seconds() > now.unix_seconds() + TOLERATED_S => {
            say(Health::Fail, format!("{now}, but the last run was at {last}: one of the two is wrong"), advice)
        }
        _ => say(Health::Ok, now.to_string(), ""),
    }
}

/// Compares this machine's clock with the servers that answered, by the one that it differs from least, because one server may
/// be wrong by itself. Nothing where none told the time.
pub(super) fn against(servers: &[(String, i64)]) -> Option<HealthFinding> {
    let (server, behind_s) = servers.iter().min_by_key(|(_, behind_s)| behind_s.saturating_abs())?;
    let (subject, told) = ("against servers", servers.len());
    let differs_s = behind_s.saturating_abs();
    if differs_s <= TOLERATED_S {
        let found = format!("{differs_s} s from {server}, of {told} asked");
        return Some(HealthFinding::new("clock", subject, (Health::Ok, found), ""));
    }
    let way = if *behind_s > 0 { "behind" } else { "ahead of" };
    let found = format!("{differs_s} s {way} {server}, which it differs from least, of {told} asked");
    let advice = "set the clock, and let a time server keep it: ages, due times and certificates hang on it";
    Some(HealthFinding::new("clock", subject, (Health::Warn, found), advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_that_agrees_is_enough_and_a_minute_is_tolerated() {
        let health = |seconds: &[i64]| {
            let servers: Vec<(String, i64)> = seconds.iter().map(|behind_s| ("npm".to_owned(), *behind_s)).collect();
            against(&servers).map(|finding| finding.health)
        };
        assert_eq!(health(&[]), None);
        assert_eq!(health(&[60]), Some(Health::Ok));
        assert_eq!(health(&[-60]), Some(Health::Ok));
        assert_eq!(health(&[61]), Some(Health::Warn));
        assert_eq!(health(&[-61]), Some(Health::Warn));
        assert_eq!(health(&[9_000, 3]), Some(Health::Ok));
        assert_eq!(health(&[i64::MIN, 9_000]), Some(Health::Warn));
    }

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
