//! The exit codes of `docs/cli.md`, one constant each, and the errors that decide between them.
//!
//! Commands play no part here.

use capdex_dataset::Refused;
use std::process::ExitCode;

/// The ending of a command that ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// Done, and a `--fail-on` threshold was met or `verify` found a difference.
    Threshold,
    /// Done but incomplete: something could not be fetched, parsed or evaluated.
    Incomplete,
    /// Interrupted; all finished work is kept.
    Interrupted,
}

impl Exit {
    /// The exit of a finished command. A met threshold speaks before incompleteness.
    pub const fn of(threshold_met: bool, incomplete: bool) -> Self {
        match (threshold_met, incomplete) {
            // A build that has to fail must not read as merely incomplete.
            (true, _) => Self::Threshold,
            (false, true) => Self::Incomplete,
            (false, false) => Self::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Threshold => 1,
            Exit::Incomplete => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Wrong usage or configuration: exit code 2. The text is one line that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// The same about a place in a file.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct PlacedUsageError {
    /// One line that names the place and says what to do.
    pub text: String,
    /// The place with a caret below it, in lines; empty where there is none.
    pub excerpt: String,
}

/// The place in a file that an error shows; empty for most errors.
pub fn excerpt_of(error: &anyhow::Error) -> &str {
    let placed = error.chain().find_map(|cause| cause.downcast_ref::<PlacedUsageError>());
    placed.map_or("", |placed| &placed.excerpt)
}

/// Shorthand for an error of wrong usage.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// True for an error of wrong usage or configuration.
pub fn is_wrong_usage(error: &anyhow::Error) -> bool {
    // Anywhere in the chain, because context may have been added on the way up.
    error.chain().any(|cause| cause.is::<UsageError>() || cause.is::<PlacedUsageError>() || cause.is::<Refused>())
}

/// The exit code of an error: 2 for wrong usage or configuration, 4 where nothing could be done.
pub fn code_of(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if is_wrong_usage(error) { 2 } else { 4 })
}
