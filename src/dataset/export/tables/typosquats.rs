//! The table `typosquats`: typosquat candidates that the last night found.

use capdex_corpus::typosquat::judge::TyposquatSignal;
use capdex_corpus::typosquat::{Space, TyposquatKind};
use capdex_db::Reader;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// a name that is almost the name of something established: a lead, never a verdict
    table typosquats: stored(rows);
    pub(super) struct TyposquatRow {
        /// what both are the names of: name, skill, publisher, tool or host
        key space: Space,
        /// the newcomer's name; untrusted
        key name: String,
        /// the name that it may be taken for
        key target: String,
        /// in what way one is almost the other
        public kind: TyposquatKind,
        /// edits between the two; swaps of neighbours count one
        public distance: u64,
        /// info, low, medium, high or critical; by the name alone low at most
        public severity: Severity,
        /// order within one severity, 0 to 1000, highest first
        public rank: u32,
        /// what is known: the likeness, what speaks for intent, what tells it apart
        public reasons: Nested<Vec<String>>,
        /// what speaks for intent beside the name, as words
        public signals: Nested<Vec<TyposquatSignal>>,
        /// the newcomer's source and name there
        key listing: Option<String>,
        /// the target's source and name there; null where only a list knows it
        public target_listing: Option<String>,
        /// the newcomer's users, as its source counts them
        public popularity: Option<u64>,
        /// the target's users
        public target_popularity: Option<u64>,
        /// who proves to answer for the newcomer
        public owners: Nested<Vec<String>>,
        /// who proves to answer for the target
        public target_owners: Nested<Vec<String>>,
        /// as_of of the night that found it first
        public first_seen: AsOf,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, TyposquatRow>) -> anyhow::Result<()> {
    for (candidate, first_seen) in reader.typosquats()? {
        emit(TyposquatRow {
            space: candidate.space,
            name: candidate.name,
            target: candidate.target,
            kind: candidate.kind,
            distance: candidate.distance,
            severity: candidate.severity,
            rank: candidate.rank,
            reasons: Nested(candidate.reasons),
            signals: Nested(candidate.signals),
            listing: candidate.listing,
            target_listing: candidate.target_listing,
            popularity: candidate.popularity,
            target_popularity: candidate.target_popularity,
            owners: Nested(candidate.owners),
            target_owners: Nested(candidate.target_owners),
            first_seen,
        })?;
    }
    Ok(())
}
