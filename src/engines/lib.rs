//! `capdex-engines`: what others wrote for work on many machines, behind the interfaces of `capdex-spread`: S3 and NATS.
//!
//! The program has it under its feature `spread` only. Nothing here decides what is done; it carries bytes and messages.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod bucket;
mod queue;

pub use bucket::BucketStore;
pub use queue::{Delivery, TaskQueue};

/// An engine that failed, or an address that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);

/// A runtime beside everything else: callers wait for what runs on it.
fn runtime() -> Result<tokio::runtime::Runtime, EngineError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("engine")
        .enable_all()
        .build()
        .map_err(|error| EngineError(format!("no thread for connections: {error}")))
}
