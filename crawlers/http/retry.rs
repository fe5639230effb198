//! When to try again: the one retry policy. Only what reads is ever sent, so that trying again is always safe.
//!
//! Dates that servers send are compared with their own `Date` header, so that no clock of ours is needed. Sources: RFC
//! 9110, sections 5.6.7 (dates) and 10.2.3 (`Retry-After`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use capdex_model::time::Timestamp;

/// The wait where a server says "later" and not when.
pub(crate) const WAIT_WHEN_NONE_IS_GIVEN: Duration = Duration::from_secs(60);

/// Growing waits with jitter. The jitter comes from a seed, so that a run can be repeated.
pub(crate) struct Backoff {
    base: Duration,
    max: Duration,
    state: AtomicU64,
}

impl Backoff {
    /// Waits start at `base` and never exceed `max`.
    pub(crate) fn new(base: Duration, max: Duration, seed: u64) -> Self {
        Self { base, max, state: AtomicU64::new(seed) }
    }

    /// The wait after try number `tries` (from 1): between half and all of `base · 2^(tries-1)`.
    pub(crate) fn after(&self, tries: u32) -> Duration {
        // A shift by 32 or more would wrap round to a short wait.
        let whole = self.base.saturating_mul(1_u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX));
        let whole = whole.min(self.max);
        // In whole numbers, so that one seed gives the same waits on every machine.
        let thousandths = u32::try_from(self.next() % 501).unwrap_or_default();
        whole / 2 + whole / 1_000 * thousandths
    }

    /// The next number of the generator SplitMix64 (Steele, Lea and Flood 2014).
    fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The wait that a `Retry-After` header asks for: seconds, or a date measured against the `Date` header of the same
/// answer. None for anything else, also for a date without a `Date` to measure it by; zero for a date that has passed.
pub(crate) fn retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a u64 holds are a wait without end.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let later = http_date(value)?;
    let now = http_date(date?)?;
    let seconds = later.unix_seconds().saturating_sub(now.unix_seconds());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// Reads a date in any of the three forms of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT` and the two older ones. None for a
/// date before 1970, and for a weekday that is not the date's own.
pub(super) fn http_date(text: &str) -> Option<Timestamp> {
    let since_epoch = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_secs()).ok().map(Timestamp::from_unix_seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Option<&str> = Some("Sun, 06 Nov 1994 08:49:37 GMT");

    #[test]
    fn seconds_and_dates_are_read() {
        assert_eq!(retry_after("120", None), Some(Duration::from_secs(120)));
        assert_eq!(retry_after(" 0 ", None), Some(Duration::ZERO));
        assert_eq!(retry_after("99999999999999999999999", None), Some(Duration::from_secs(u64::MAX)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", NOW), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", NOW), Some(Duration::ZERO));
    }

    #[test]
    fn the_three_forms_of_a_date_are_one_instant() {
        let instant = Some(Timestamp::from_unix_seconds(784_111_777));
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", " Sun Nov  6 08:49:37 1994 "] {
            assert_eq!(http_date(text), instant, "{text}");
        }
        // Two digits of a year are those of 1970 to 2069.
        assert_eq!(http_date("Thursday, 01-Jan-70 00:00:00 GMT"), Some(Timestamp::from_unix_seconds(0)));
        assert_eq!(http_date("Tuesday, 31-Dec-69 00:00:00 GMT"), "2069-12-31T00:00:00Z".parse().ok());
        assert_eq!(retry_after("Sunday, 06-Nov-94 08:50:37 GMT", NOW), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Sun Nov  6 08:50:37 1994", NOW), Some(Duration::from_secs(60)));
    }

    #[test]
    fn what_is_neither_is_not_guessed() {
        for value in [
            "",
            "-1",
            "1.5",
            "soon",
            "Sun, 06 Nov 1994 08:50:37 CET",
            "Sun, 31 Feb 1994 08:50:37 GMT",
            "Mon, 06 Nov 1994 08:50:37 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Sun, 06 Nov 10000 08:50:37 GMT",
        ] {
            assert_eq!(retry_after(value, NOW), None, "{value}");
        }
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", None), None);
    }

    #[test]
    fn waits_grow_within_bounds_and_repeat_with_the_seed() {
        let (base, max) = (Duration::from_millis(500), Duration::from_secs(2));
        let waits = |seed| {
            let backoff = Backoff::new(base, max, seed);
            (1..=40).map(|tries| backoff.after(tries)).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
        for (tries, wait) in (1_u32..).zip(waits(1)) {
            let whole = if tries >= 3 { max } else { base * 2_u32.pow(tries - 1) };
            assert!(wait >= whole / 2, "{tries}: {wait:?}");
            assert!(wait <= whole, "{tries}: {wait:?}");
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_panic(value in "\\PC{0,40}", date in "\\PC{0,40}") {
            let _ = retry_after(&value, Some(&date));
        }

        #[test]
        fn any_date_shape_is_read_without_panic(day in 0_u32..100, year in 0_u32..100_000, hour in 0_u32..100) {
            let text = format!("Mon, {day:02} Jan {year} {hour:02}:00:00 GMT");
            let _ = retry_after(&text, Some(&text));
        }
    }
}
