//! capdex-db keeps everything: one SQLite file, one writing thread, many readers.
//!
//! SQL text lives here and nowhere else. It must not fetch, scan, score or read a clock: every instant is passed in.
//! History is append-only: listings, snapshots, scan results, facts and scores are added and never overwritten. Old bytes,
//! old days and old ledgers, which nobody needs any more, go by retention alone (`snapshot_pruning/`, `row_retention.rs`).
//! Sources: `docs/ARCHITECTURE.md` (laws 5 to 7).

#![warn(missing_docs)]

mod abuse;
mod abuse_reports;
mod acks;
mod agent_runs;
mod alerts;
mod appeals;
mod backup;
mod baselines;
mod blobs;
mod campaign_words;
mod capabilities;
mod claims;
mod collisions;
mod connection;
mod corpus;
mod corpus_signals;
mod daemon;
pub mod dataset;
mod decisions;
mod drift;
mod drift_pairs;
mod entities;
mod entity_signals;
mod error;
mod facts;
mod families;
mod gaps;
mod handed_out;
mod identities;
mod identity_events;
mod json_documents;
mod judge;
mod listings;
mod lock;
mod messages;
mod migrate;
mod notifiers;
mod packed;
mod packed_capabilities;
mod pages;
mod queue;
mod ranked_state;
mod reach;
mod reader;
mod rehashed;
mod release_lines;
mod removals;
mod row_retention;
mod rulings;
mod runs;
mod scan_results;
mod scanned_text;
mod score_breakdowns;
mod scores;
mod shrink;
mod sketches;
mod snapshot_id;
mod snapshot_pruning;
mod snapshots;
mod source_answers;
mod sources;
mod sql;
mod store;
mod streamed_rows;
mod surfaces;
mod tool_comparisons;
mod totals;
mod true_facts;
mod typosquats;
mod unread_releases;
mod visit_schedule;
mod walks;
mod writer;

#[cfg(test)]
mod crash;
#[cfg(test)]
mod fixtures;

pub use abuse::ImportedList;
pub use abuse_reports::StoredReport;
pub use agent_runs::{KeptAgentRun, KeptAgentTrial};
pub use backup::restore;
pub use blobs::MAX_BLOB_BYTES;
pub use capabilities::{CapabilityRevision, CurrentCapability, CurrentName, CurrentPlace, FormerCapability};
pub use collisions::Offered;
pub use daemon::{DueOutcome, DueRun};
pub use decisions::{Decisions, decide};
pub use drift::DriftEvent;
pub use drift_pairs::{DepartedListing, ListingPair, SnapshotPair, SnapshotSeen};
pub use entities::{RevisionId, ToldContent};
pub use error::StoreError;
pub use facts::{ExceptionTexts, FactsId, PackedFacts};
pub use families::{CampaignRow, FamilyMember};
pub use gaps::LedgerGap;
pub use handed_out::{StandingArtifact, StandingCapability};
pub use judge::{
    JudgeAnswer, JudgeCall, JudgePartRow, JudgeSpent, JudgeUse, StandingUnit, StoredJudgement, UnitId, Unprepared,
};
pub use listings::{ListingState, StoredListing, Upserted};
pub use lock::is_locked;
pub use messages::{DeliveryHistoryRow, Queued};
pub use migrate::SCHEMA_VERSION;
pub use notifiers::NotifierState;
pub use packed_capabilities::{ListingOrigin, PackedCapability};
pub use pages::NamingListing;
pub use queue::{ClaimRequest, Job, JobId};
pub use reader::{Reader, View};
pub use rehashed::Rehashable;
pub use removals::Removal;
pub use row_retention::{Gone, LEDGERS, Ledger};
pub use runs::{RunId, RunRow, RunStatus};
pub use scan_results::Scanned;
pub use scanned_text::{scanned_of_text, scanned_text};
pub use score_breakdowns::{BreakdownId, BreakdownTexts, StoredBreakdown};
pub use scores::{PackedScore, RubricIds, ScoredDays, StoredScore};
pub use shrink::Pages;
pub use sketches::Sketched;
pub use snapshot_id::SnapshotId;
pub use snapshot_pruning::Prunable;
pub use snapshots::SnapshotOutline;
pub use sources::{SourceState, WalkMode};
pub use store::Store;
pub use streamed_rows::{Needs, SourceCounts};
pub use tool_comparisons::{ToolComparisons, ToolPair};
pub use totals::Totals;
pub use unread_releases::UnreadRelease;
pub use visit_schedule::Visits;
pub use walks::{WalkOutcome, WalkRow};
pub use writer::Writer;
