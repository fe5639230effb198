//! When a listing that is asked for by name is worth asking for again: one that keeps changing soon, one that never does
//! seldom.
//!
//! Pure: instants and the seed of the jitter are passed in. The scheme is that of the Software Heritage scheduler
//! (visits that found something move two steps towards "soon", others one step towards "seldom").

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::time::{AsOf, Timestamp};

const DAY_S: i64 = 86_400;
/// The step beyond which nothing gets rarer.
const MAX_UNCHANGED_STREAK: i64 = 8;
/// A night is due a little before a whole day has passed, because nights do not begin at the same second.
const SLACK_S: i64 = 2 * 3_600;

/// The time and state that a visit leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisit {
    /// From when on the listing is due again.
    pub due: AsOf,
    /// The calm of the listing: 0 for one that changes, more for every visit that found nothing.
    pub unchanged_streak: i64,
}

/// After a visit at `at` that found something or not, of a listing that was so calm before.
pub fn after(key: &ListingKey, calm: i64, was_eventful: bool, at: AsOf) -> Revisit {
    let calm = if was_eventful { calm - 2 } else { calm + 1 }.clamp(0, MAX_UNCHANGED_STREAK);
    let interval_s = days(calm) * DAY_S;
    // A tenth either way, by the name, so that what was first seen in one night does not fall due in one night.
    let tenth = interval_s / 10;
    // None for calm below two: nightly visits must stay nightly.
    let jitter = if calm < 2 { 0 } else { i64::from(byte_of(key)) * tenth * 2 / 255 - tenth };
    let due = at.0.unix_seconds() + interval_s + jitter - SLACK_S;
    Revisit { due: AsOf(Timestamp::from_unix_seconds(due)), unchanged_streak: calm }
}

/// The days to wait: 1 below two calm visits, 2 below five, then 4, 8, 16, at most 32.
const fn days(calm: i64) -> i64 {
    match calm {
        ..2 => 1,
        2..5 => 2,
        5 => 4,
        6 => 8,
        7 => 16,
        _ => 32,
    }
}

fn byte_of(key: &ListingKey) -> u8 {
    Digest::of(key.to_string().as_bytes()).as_bytes().first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(day: i64) -> AsOf {
        AsOf(Timestamp::from_unix_seconds(day * DAY_S))
    }

    #[test]
    fn what_never_changes_is_asked_for_less_and_less() {
        let key = ListingKey::new("npm", "a");
        let (mut calm, mut now, mut visits) = (0, at(0), 0);
        while now < at(365) {
            let next = after(&key, calm, false, now);
            assert!(next.unchanged_streak >= calm);
            assert!(next.due > now);
            (calm, now, visits) = (next.unchanged_streak, next.due, visits + 1);
        }
        assert!((15..30).contains(&visits), "{visits} visits in a year");
    }

    #[test]
    fn what_changes_is_asked_for_every_night() {
        let key = ListingKey::new("npm", "a");
        let after_change = after(&key, 2, true, at(1));
        assert_eq!(after_change.unchanged_streak, 0);
        assert!(after_change.due <= at(2));
        assert_eq!(
            after(&key, MAX_UNCHANGED_STREAK, true, at(1)).unchanged_streak,
            MAX_UNCHANGED_STREAK - 2,
            "one change is not yet a habit"
        );
    }

    proptest! {
        #[test]
        fn a_visit_is_never_due_at_once_and_never_forgotten(name in "\\PC{1,20}", calm in -9_i64..99, eventful: bool) {
            let next = after(&ListingKey::new("npm", name), calm, eventful, at(100));
            prop_assert!(next.due > at(100) && next.due <= at(136) && (0..=MAX_UNCHANGED_STREAK).contains(&next.unchanged_streak));
        }
    }
}
