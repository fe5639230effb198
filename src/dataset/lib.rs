//! `capdex-dataset`: the ranked dataset, written and verified, and the views that command line, service and site share.
//!
//! Reads the store and never writes to it. Knows no command, no network and no page.

pub mod agent_runs;
pub mod annotations;
pub mod bulk;
pub mod escape;
pub mod export;
pub mod finding;
pub mod judged;
pub mod note;
pub mod operator;
pub mod output_folder;
pub mod program;
pub mod scan_record;
pub mod signature;
pub mod stopwatch;
pub mod surface_counts;
pub mod variants;
pub mod views;

/// The caller asked for what cannot be done, such as writing over a folder that is not ours.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
