//! `Points`: what rubrics add up, as integer hundredths, so that sums are exact on every machine.
//!
//! Must not know any rubric's scale.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Hundredths of a point. Prints without trailing zeros: `7`, `7.5`, `7.25`. Serialises as a JSON number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(i64);

impl Points {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Takes whole points.
    pub const fn whole(points: i64) -> Self {
        Self(points * 100)
    }

    /// Takes hundredths of a point.
    pub const fn hundredths(hundredths: i64) -> Self {
        Self(hundredths)
    }

    /// Hundredths of a point.
    pub const fn as_hundredths(self) -> i64 {
        self.0
    }

    /// Rounds a finite number of points to hundredths, half to even on the exact binary value, as `format!("{:.2}")`
    /// and Python's `round(x, 2)` do. Not-a-number gives zero.
    pub fn round_from(points: f64) -> Self {
        let text = format!("{points:.2}");
        Self(text.replacen('.', "", 1).parse().unwrap_or(0))
    }

    /// The value as a floating-point number, for formulas that a method publishes in such numbers.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Cuts to the range `low..=high`.
    pub fn clamp_to(self, low: Self, high: Self) -> Self {
        Self(self.0.clamp(low.0, high.0))
    }

    /// A share of the value: `self * numerator / denominator`, rounded half away from zero to hundredths.
    pub const fn share(self, numerator: i64, denominator: i64) -> Self {
        let product = self.0 * numerator;
        let half = denominator / 2;
        Self(if product >= 0 { (product + half) / denominator } else { (product - half) / denominator })
    }
}

impl Add for Points {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Points {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Points {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        match rest {
            0 => write!(f, "{sign}{whole}"),
            rest if rest % 10 == 0 => write!(f, "{sign}{whole}.{}", rest / 10),
            rest => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 { serializer.serialize_i64(self.0 / 100) } else { serializer.serialize_f64(self.as_f64()) }
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Ok(Self::round_from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_trailing_zeros() {
        let shown: Vec<String> =
            [0, 5, 50, 700, 750, 725, -5, -725].map(|h| Points::hundredths(h).to_string()).to_vec();
        assert_eq!(shown, ["0", "0.05", "0.5", "7", "7.5", "7.25", "-0.05", "-7.25"]);
    }

    #[test]
    fn json_round_trips_every_hundredth() {
        for hundredths in -10_000..=10_000 {
            let points = Points::hundredths(hundredths);
            let text = serde_json::to_string(&points).expect("serialises");
            assert_eq!(text, points.to_string());
            assert_eq!(serde_json::from_str::<Points>(&text).expect("parses"), points);
        }
    }

    #[test]
    fn rounding_follows_the_binary_value() {
        assert_eq!(Points::round_from(0.125), Points::hundredths(12));
        assert_eq!(Points::round_from(-0.375), Points::hundredths(-38));
        assert_eq!(Points::round_from(f64::NAN), Points::ZERO);
    }
}
