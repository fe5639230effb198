//! capdex-db keeps everything: one SQLite file, one writing thread, many readers.
//!
//! SQL text lives here and nowhere else. It must not fetch, scan, score or read a clock: every instant is passed in.
//! History is append-only: listings, snapshots, revisions, facts and scores are added and never overwritten. Old bytes,
//! old days and old ledgers, which nobody needs any more, go by retention alone (`pruned.rs`, `prune.rs`).
//! Sources: `docs/ARCHITECTURE.md` (laws 5 to 7).

#![warn(missing_docs)]

mod abuse;
mod acks;
mod alerts;
mod backup;
mod blobs;
mod breakdowns;
mod capabilities;
mod claims;
mod collisions;
mod compared;
mod connection;
mod corpus;
mod daemon;
pub mod dataset;
mod documents;
mod drift;
mod entities;
mod error;
mod facts;
mod families;
mod gaps;
mod identities;
mod identity_events;
mod leads;
mod listings;
mod lock;
mod messages;
mod migrate;
mod packed;
mod pages;
mod prune;
mod pruned;
mod queue;
mod reader;
mod rehashed;
mod revisions;
mod runs;
mod scores;
mod shrink;
mod sightings;
mod sinks;
mod sketches;
mod snapshot_id;
mod snapshots;
mod sources;
mod sql;
mod store;
mod totals;
mod visited;
mod visits;
mod walks;
mod writer;

#[cfg(test)]
mod crash;
#[cfg(test)]
mod fixtures;

pub use abuse::ImportedList;
pub use backup::restore;
pub use blobs::MAX_BLOB_BYTES;
pub use breakdowns::{BreakdownId, BreakdownTexts, StoredBreakdown};
pub use capabilities::{CapabilityRevision, CurrentCapability, CurrentName, CurrentPlace, FormerCapability};
pub use collisions::Offered;
pub use compared::{ListingPair, Removal, SnapshotPair, SnapshotSeen};
pub use daemon::{DueOutcome, DueRun};
pub use drift::DriftEvent;
pub use entities::{RevisionId, ToldContent};
pub use error::StoreError;
pub use facts::{ExceptionTexts, FactsId, PackedFacts};
pub use families::{CampaignRow, FamilyMember};
pub use gaps::LedgerGap;
pub use listings::{ListingState, StoredListing, Upserted};
pub use lock::is_locked;
pub use messages::{Queued, Telling};
pub use migrate::SCHEMA_VERSION;
pub use pages::NamingListing;
pub use prune::{Gone, LEDGERS, Ledger};
pub use pruned::Prunable;
pub use queue::{Job, JobId};
pub use reader::{Reader, View};
pub use rehashed::Rehashable;
pub use revisions::Scanned;
pub use runs::{RunId, RunRow, RunStatus};
pub use scores::{PackedScore, RubricIds, StoredScore};
pub use shrink::Pages;
pub use sinks::SinkState;
pub use sketches::Sketched;
pub use snapshot_id::SnapshotId;
pub use sources::{SourceState, WalkMode};
pub use store::Store;
pub use totals::Totals;
pub use visited::SourceCounts;
pub use visits::Visits;
pub use walks::{WalkOutcome, WalkRow};
pub use writer::Writer;
