//! The doctor: what stands in the way of a good night, and what to do about it.
//!
//! Each check looks at one thing, changes nothing, and never shows the value of a key.

use std::path::Path;

use serde::Serialize;

use crate::config::Schedule;
use crate::options::Global;

mod certificates;
mod clock;
mod disk;
mod judge;
mod keys;
mod reach;
mod store;

/// The health of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// In order.
    Ok,
    /// It works, and something is missing or near its end.
    Warn,
    /// A night would fail or lack something.
    Fail,
}

impl Health {
    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// The finding of one check about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HealthFinding {
    /// The check, a stable word.
    pub check: &'static str,
    /// The subject: a file, a source, a variable.
    pub subject: String,
    /// Its health.
    pub health: Health,
    /// The finding in words.
    pub found: String,
    /// The advice; empty where there is nothing to do.
    pub advice: String,
}

impl HealthFinding {
    fn new(
        check: &'static str,
        subject: impl Into<String>,
        (health, found): (Health, impl Into<String>),
        advice: impl Into<String>,
    ) -> Self {
        Self { check, subject: subject.into(), health, found: found.into(), advice: advice.into() }
    }
}

/// The subject of an examination.
pub struct DoctorContext<'a> {
    /// The options of every command.
    pub global: &'a Global,
    /// The schedules, each with where it was read.
    pub schedules: &'a [(String, Schedule)],
    /// True where the network may be asked.
    pub is_online: bool,
    /// True where every page of the store is read.
    pub is_deep: bool,
}

impl DoctorContext<'_> {
    fn store(&self) -> &Path {
        &self.global.db
    }
}

/// A check: what it finds, in an order that stays.
type HealthCheck = fn(&DoctorContext<'_>) -> Vec<HealthFinding>;

/// Every check, in the order in which they are told.
pub const CHECKS: &[HealthCheck] =
    &[store::check, disk::check, clock::check, keys::check, certificates::check, reach::check, judge::check];

/// Everything that all checks find.
pub fn examine(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    CHECKS.iter().flat_map(|check| check(patient)).collect()
}
