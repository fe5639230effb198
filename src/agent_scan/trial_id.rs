//! `TrialId`: the name of a trial, in words and in files.

use std::fmt;

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
