//! `TrialId`: the name of a trial, in words and in files.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of a trial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialId {
    /// The test.
    pub test: String,
    /// The number among those of its kind, from 1.
    pub number: u32,
    /// True for the harmless twin.
    pub is_twin: bool,
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_twin { "twin" } else { "attack" };
        write!(f, "{}/{kind}-{}", self.test, self.number)
    }
}

impl FromStr for TrialId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (test, kind) = text.rsplit_once('/')?;
            let (kind, number) = kind.split_once('-')?;
            let is_twin = match kind {
                "attack" => false,
                "twin" => true,
                _ => return None,
            };
            Some(Self { test: test.to_owned(), number: number.parse().ok()?, is_twin })
        };
        // Written back it must be the same, or two names would mean one trial.
        read().filter(|id| id.to_string() == text).ok_or_else(|| format!("{text:?} is the name of no trial"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written_and_nothing_else_is() {
        for (number, is_twin) in [(1, false), (12, true)] {
            let id = TrialId { test: "return-record".to_owned(), number, is_twin };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for text in ["", "a", "a/attack", "a/attack-", "a/attack-01", "a/attack-+1", "a/none-1", "attack-1"] {
            assert!(text.parse::<TrialId>().is_err(), "{text}");
        }
    }
}
