//! Wilson's interval of a share that was seen in some trials.

use capdex_model::rule::measured::Rate;
use serde::{Deserialize, Serialize};

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
        let (low, high) = Rate { hits: seen.into(), of: trials.into() }.interval();
        // From percent to thousandths.
        let end = |percent: f64| (percent * 10.0).round() / 1000.0;
        (trials > 0).then(|| Self { low: end(low), high: end(high) })
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
