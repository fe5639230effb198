//! `Points`: the numbers that rubrics add up, as integer hundredths, so that sums are exact on every machine.
//!
//! The scale is each rubric's own.

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
        // Beyond the fast way's range the text gives the same rounding.
        Self(rounded(points, 2).unwrap_or_else(|| {
            let text = format!("{points:.2}");
            text.replacen('.', "", 1).parse().unwrap_or(0)
        }))
    }

    /// Adds the number as it is shown. Notes hold dozens of them: no formatting is set up for each.
    pub fn push_to(self, said: &mut String) {
        if self.0 < 0 {
            said.push('-');
        }
        let (whole, rest) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        push_number(said, whole);
        if rest > 0 {
            said.push('.');
            push_number(said, rest / 10);
        }
        // `7.5` and not `7.50`: a trailing zero is left out.
        if rest % 10 > 0 {
            push_number(said, rest % 10);
        }
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
        // An integer division cuts towards zero, so that the half is taken off below it.
        let half = denominator / 2;
        Self(if product >= 0 { (product + half) / denominator } else { (product - half) / denominator })
    }
}

/// A number as so many units of its last decimal, half to even on its exact binary value. None where it is not finite
/// or not of a size that points have. Exact, and without the text that `format!` would make.
pub fn rounded(value: f64, decimals: u32) -> Option<i64> {
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    const NEAR: f64 = 1e-3;
    let magnitude = value.abs();
    let scale = scale(decimals)?;
    // Beyond these bounds the shift below has no room, and the caller goes by the text.
    if !(1e-9..1e9).contains(&magnitude) {
        return (magnitude == 0.0).then_some(0);
    }
    // The product is off by far less than that: away from the middle between two units it lies on the right side.
    let units = magnitude * scale as f64;
    let whole = units as i64;
    let above = units - whole as f64;
    if (above - 0.5).abs() > NEAR {
        let units = whole + i64::from(above > 0.5);
        return Some(if value < 0.0 { -units } else { units });
    }
    let bits = magnitude.to_bits();
    // The value is `mantissa` shifted right by so many bits: at least 23 below 1e9, at most 82 from 1e-9 on.
    let mantissa = (bits & ((1 << BITS) - 1)) | (1 << BITS);
    let shift = u32::try_from(1023 + u64::from(BITS) - (bits >> BITS)).ok()?;
    let scaled = u128::from(mantissa) * u128::from(scale);
    let (whole, rest) = (scaled >> shift, scaled & ((1 << shift) - 1));
    // Near the middle the bits decide: a product of floats may lie on either side of a tie.
    let half = 1_u128 << (shift - 1);
    let up = rest > half || (rest == half && whole % 2 == 1);
    let units = i64::try_from(whole).ok()? + i64::from(up);
    Some(if value < 0.0 { -units } else { units })
}

/// The number of units of its last decimal that make one, for so few decimals as points have.
pub const fn scale(decimals: u32) -> Option<u64> {
    match decimals {
        0 => Some(1),
        1 => Some(10),
        2 => Some(100),
        3 => Some(1000),
        _ => None,
    }
}

/// Adds a number in decimal digits.
pub fn push_number(said: &mut String, number: u64) {
    if number >= 10 {
        push_number(said, number / 10);
    }
    said.push(char::from(b"0123456789".get((number % 10) as usize).copied().unwrap_or(b'0')));
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
        let mut shown = String::with_capacity(8);
        self.push_to(&mut shown);
        f.write_str(&shown)
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whole points are written as integers, so that `7` does not become `7.0` in the dataset.
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
    fn numbers_are_rounded_as_their_text_is() {
        let by_text = |value: f64, decimals: usize| -> i64 {
            format!("{value:.decimals$}").replacen('.', "", 1).parse().expect("a number")
        };
        // Eighths and sixteenths are exact ties; the others come close from either side.
        let ties = (-4_000..4_000).flat_map(|count| [f64::from(count) / 8.0, f64::from(count) / 16.0]);
        let close = (-4_000..4_000).flat_map(|count| [f64::from(count) / 1000.0, f64::from(count) * 0.005]);
        let odd = [0.0, -0.0, 1e-9, 1e-12, 2.675, 1.005, 123_456_789.125, 3e9, 4.35, 0.15, 0.25, 0.35];
        for value in ties.chain(close).chain(odd).flat_map(|value| [value, value.next_up(), value.next_down()]) {
            for decimals in [1, 2] {
                if let Some(units) = rounded(value, decimals) {
                    assert_eq!(units, by_text(value, decimals as usize), "{value:?} to {decimals}");
                }
            }
            assert!(rounded(value, 2).is_some() || value.abs() < 1e-9 || value.abs() > 1e9, "{value:?}");
        }
        assert_eq!(rounded(f64::NAN, 2), None);
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
