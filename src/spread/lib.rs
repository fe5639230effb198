//! `capdex-spread`: work as plans of jobs, the packs that carry what goes into a job and what comes out of it, and their names.
//!
//! Everything here is a pure function: of keys the jobs, of a job its digest, of bundles the pack that a worker reads. What is done
//! depends on the job alone, so that whoever does it gives the same bytes. Sources: `README.md` beside this file.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod blobs;
pub mod input;
pub mod job;
pub mod key;
pub mod names;
pub mod packed;
pub mod plan;
pub mod result;
pub mod task;

pub use blobs::{BlobError, BlobStore};
pub use job::{Job, JobLimits, Versions};
pub use key::Key;
pub use packed::PackError;
pub use plan::{Cutter, JobSize, PlanHead};
pub use result::{ResultPack, ResultRow};
pub use task::Task;

#[cfg(test)]
mod tests;
