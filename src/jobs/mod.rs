//! Jobs: the stages of a night, each resumable by itself: list, fetch, scan, score, watch, export.
//!
//! What talks to the network (list, fetch) goes through the queue in the store; what is pure (scan, score, watch) asks
//! the store what is missing. Either way each step is one transaction, so a run may be killed anywhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use capdex_core::time::AsOf;
use capdex_crawlers::SourceSettings;
use capdex_crawlers::http::Http;
use capdex_crawlers::unpack::Limits;
use capdex_db::Store;
use serde::Serialize;

pub mod export;
pub mod fetch;
pub mod list;
pub mod plan;
pub mod run;
pub mod scan;
pub mod score;
pub mod watch;

/// Everything a job may use: the only bag of dependencies.
pub struct Context {
    /// The store.
    pub store: Store,
    /// The client.
    pub http: Http,
    /// Where each source is and what to list there.
    pub sources: BTreeMap<String, SourceSettings>,
    /// The caps of the unpacker.
    pub limits: Limits,
    /// The pool for scanning and scoring.
    pub pool: rayon::ThreadPool,
    /// The instant that all ages are measured against.
    pub as_of: AsOf,
    /// Whether the person at the terminal wants to see nothing.
    pub quiet: bool,
    /// Set when the run is to stop after the steps in hand.
    pub stop: Stop,
}

/// A flag that says "finish what you have in hand, then stop".
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks everybody to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one stage did. Written into the ledger of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageReport {
    /// Items that the stage looked at.
    pub items: u64,
    /// Items that it had something to do for.
    pub done: u64,
    /// Items that failed; each is a gap in the ledger.
    pub failed: u64,
    /// Requests sent.
    pub requests: u64,
    /// Bytes received or read.
    pub bytes: u64,
    /// Wall time.
    pub wall_ms: u64,
}
