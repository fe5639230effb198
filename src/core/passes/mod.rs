//! Passes: they compare capabilities over time or across the corpus and raise alerts.
//!
//! Must not know how revisions are stored.

pub mod drift;
