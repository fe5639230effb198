//! The table of drift: one change of one capability between two nights.
//!
//! Must not judge a change.

use capdex_corpus::drift::{Change, DriftClass, DriftKind, Effect, VersionChange};
use capdex_db::Reader;
use capdex_model::alert::ScoreChange;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one change of one capability between two nights
    table drift: stored(rows);
    pub struct DriftRow read as ReadDriftRow {
        /// stays from night to night
        key drift_event: String,
        /// the capability
        public slug: String,
        /// its id
        public capability: CapabilityId,
        /// new, changed, changed_same_version, gone, or listing where its source says something else of its owners
        public kind: DriftKind,
        /// d0 (volatile) to d6 (identity), or same_version: other bytes under one version
        public class: DriftClass,
        /// info, low, medium, high or critical
        public severity: Severity,
        /// what the change did, the gravest first: kind, severity, subject, detail; untrusted
        public effects: Nested<Vec<Effect>>,
        /// whether the version moved: yes, no or unversioned
        public moved: VersionChange,
        /// content before (hex)
        public from_sha256: Option<Digest>,
        /// content after (hex)
        public to_sha256: Option<Digest>,
        /// version before
        public from_version: Option<String>,
        /// version after
        public to_version: Option<String>,
        /// files, tool parts and declarations that changed
        public changes: Nested<Vec<Change>>,
        /// what became of each rubric's score, both sides under the rules of that night
        public scores: Nested<Vec<ScoreChange>>,
        /// lines that changed, secrets masked; untrusted
        public diff: Nested<Vec<String>>,
        /// the night that saw it
        public found: AsOf,
    }
}

/// The rows, sorted by (night, key).
fn rows(reader: &Reader, emit: Emit<'_, DriftRow>) -> anyhow::Result<()> {
    reader.each_drift_event(|event| {
        emit(DriftRow {
            drift_event: event.key,
            slug: event.slug,
            capability: event.capability,
            kind: event.kind,
            class: event.class,
            severity: event.severity,
            effects: Nested(event.effects),
            moved: event.moved,
            from_sha256: event.from,
            to_sha256: event.to,
            from_version: event.from_version,
            to_version: event.to_version,
            changes: Nested(event.changes),
            scores: Nested(event.scores),
            diff: Nested(event.diff),
            found: event.at,
        })
    })
}
