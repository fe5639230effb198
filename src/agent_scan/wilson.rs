//! Wilson's interval of a share that was seen in some trials.

use serde::{Deserialize, Serialize};

/// The square of the normal quantile for 95 %.
const Z2: f64 = 3.8416;

/// The interval that holds the true share in 95 % of runs, in thousandths rounded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The lower end, 0 to 1.
    pub low: f64,
    /// The upper end, 0 to 1.
    pub high: f64,
}

impl Interval {
    /// The interval for `seen` of `trials`; none without a trial.
    pub fn of(seen: u32, trials: u32) -> Option<Self> {
        if trials == 0 {
            return None;
        }
        let (n, share) = (f64::from(trials), f64::from(seen) / f64::from(trials));
        let centre = share + Z2 / (2.0 * n);
        let reach = (Z2 * (share * (1.0 - share) / n + Z2 / (4.0 * n * n))).sqrt();
        let end = |value: f64| ((value / (1.0 + Z2 / n)).clamp(0.0, 1.0) * 1000.0).round() / 1000.0;
        Some(Self { low: end(centre - reach), high: end(centre + reach) })
    }

    /// True where no share lies in both.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        self.high < other.low || other.high < self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_those_of_the_formula() {
        for (trials, high) in [(5, 0.434), (10, 0.278), (20, 0.161), (60, 0.06)] {
            assert_eq!(Interval::of(0, trials), Some(Interval { low: 0.0, high }));
        }
        assert_eq!(Interval::of(5, 10), Some(Interval { low: 0.237, high: 0.763 }));
        assert_eq!(Interval::of(5, 5), Some(Interval { low: 0.566, high: 1.0 }));
        assert_eq!(Interval::of(0, 0), None);
    }

    #[test]
    fn intervals_that_touch_are_not_apart() {
        let of = |low, high| Interval { low, high };
        assert!(of(0.0, 0.2).is_apart_from(&of(0.3, 0.4)) && of(0.3, 0.4).is_apart_from(&of(0.0, 0.2)));
        assert!(!of(0.0, 0.3).is_apart_from(&of(0.3, 0.4)));
    }
}
