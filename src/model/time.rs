//! `Timestamp` and `AsOf`: instants in UTC with the text form RFC 3339.
//!
//! The current instant is always passed in, so that the same facts and instant give the same result.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Seconds since 1970-01-01T00:00:00Z. Text form `2026-11-21T22:53:35Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Takes whole seconds since the Unix epoch.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Whole seconds since the Unix epoch.
    pub const fn unix_seconds(self) -> i64 {
        self.0
    }

    /// Whole days from `self` to `later`; negative when `later` is earlier.
    pub const fn days_until(self, later: Self) -> i64 {
        // Euclidean: half a day before is day -1, as half a day after is day 0.
        (later.0 - self.0).div_euclid(86_400)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(instant) => write!(f, "{instant}"),
            // A damaged number from a store is printed as it is, rather than as a wrong date.
            Err(_) => write!(f, "unix:{}", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was not an RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an RFC 3339 instant such as 2026-11-21T00:00:00Z")]
pub struct ParseTimestampError {
    text: String,
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    /// Reads an RFC 3339 instant with any offset; fractions of a second are dropped.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>()
            .map(|instant| Self(instant.as_second()))
            .map_err(|_| ParseTimestampError { text: text.to_owned() })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The instant that all ages are measured against. Passed in by the caller, recorded with every result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AsOf(pub Timestamp);

impl AsOf {
    /// The UTC day, as days since the Unix epoch: scores that depend on ages are keyed by it.
    pub const fn day(self) -> i64 {
        // Euclidean, so that a day before 1970 does not share its number with the day after it.
        self.0.unix_seconds().div_euclid(86_400)
    }

    /// The same instant cut to the start of its UTC day. Rubrics measure ages against it, so that a score is a function
    /// of the day.
    pub const fn start_of_day(self) -> Timestamp {
        Timestamp::from_unix_seconds(self.day() * 86_400)
    }
}

impl fmt::Display for AsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for AsOf {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_round_trip() {
        let instant: Timestamp = "2026-11-21T22:53:35.9+01:00".parse().expect("valid");
        assert_eq!(instant.to_string(), "2026-11-21T21:53:35Z");
        assert_eq!(instant.to_string().parse(), Ok(instant));
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn days_round_down() {
        let early: Timestamp = "2026-11-20T23:59:59Z".parse().expect("valid");
        let late: Timestamp = "2026-11-21T00:00:00Z".parse().expect("valid");
        assert_eq!(early.days_until(late), 0);
        assert_eq!(late.days_until(early), -1);
        assert_eq!(AsOf(early).day() + 1, AsOf(late).day());
    }
}
