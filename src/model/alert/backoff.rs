//! The time for which a notifier that failed is left alone: twice as long after each failure, with jitter.
//!
//! The jitter follows from a seed and not from a clock or a source of chance, so that a run can be repeated.

use std::time::Duration;

use crate::digest::Digest;

/// The longest wait: a notifier that was away for a week is asked again within this time.
const MAX: Duration = Duration::from_secs(6 * 3600);

/// The wait after so many failures in a row (from 1): between half and all of `base · 2^(failures-1)`, at most six hours.
pub fn wait(base: Duration, failures: u32, seed: u64, name: &str) -> Duration {
    // A shift by 32 or more is no factor; from there on the longest wait holds anyway.
    let factor = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    let whole = base.saturating_mul(factor).min(MAX);
    // The notifier's name is part of the seed, so that notifiers that failed together do not come back together.
    let chance = Digest::of_fields([&seed.to_le_bytes()[..], name.as_bytes(), &failures.to_le_bytes()[..]]);
    let [first, second, ..] = chance.as_bytes();
    // 131,070 is twice the greatest number of two bytes: the jitter is half of the wait at most.
    whole / 2 + whole.mul_f64(f64::from(u16::from_le_bytes([*first, *second])) / 131_070.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_within_bounds_and_repeat_with_the_seed() {
        let base = Duration::from_secs(2);
        for failures in 1..80 {
            let whole = base.saturating_mul(1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX)).min(MAX);
            let waited = wait(base, failures, 7, "ops");
            assert!(waited >= whole / 2, "{failures}: {waited:?}");
            assert!(waited <= whole, "{failures}: {waited:?}");
            assert_eq!(waited, wait(base, failures, 7, "ops"));
        }
        assert_ne!(wait(base, 3, 7, "ops"), wait(base, 3, 8, "ops"));
        assert_ne!(wait(base, 3, 7, "ops"), wait(base, 3, 7, "mail"));
    }
}
