//! The table `entities`: of which entity each listing is, and why.

use capdex_corpus::identity::{IdentityEdge, Reason};
use capdex_db::Reader;
use capdex_model::ids::ListingKey;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// of which entity one listing is
    table entities: stored(rows);
    pub(super) struct EntityRow {
        /// source and name there
        key listing: ListingKey,
        /// the thing that it is a listing of: an id that stays from night to night
        public entity: String,
        /// why it is one thing with what: `{reason, to, note}`; without a note where the operator decided
        public reasons: Nested<Vec<IdentityEdge>>,
        /// what it has to do with besides, which joins nothing: claims that nobody confirms, repositories that it is a
        /// part of, what many share, and who publishes it
        public relations: Nested<Vec<IdentityEdge>>,
        /// the operator's own words, where the operator decided: `{reason, to, note}`
        private operator_notes: Nested<Vec<IdentityEdge>>,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, EntityRow>) -> anyhow::Result<()> {
    reader.each_identified(|of| {
        let is_decided = |edge: &IdentityEdge| matches!(edge.reason, Reason::OperatorJoined | Reason::OperatorParted);
        let (mut edges, mut notes) = (of.edges, Vec::new());
        for edge in edges.iter_mut().filter(|edge| is_decided(edge)) {
            // The operator's words are private: the public edge loses its note.
            notes.push(edge.clone());
            edge.note.clear();
        }
        // What joins and what only relates are different claims, and stand in columns of their own.
        let (joins, relates): (Vec<_>, Vec<_>) = edges.into_iter().partition(|edge| edge.reason.joins());
        emit(EntityRow {
            listing: of.listing,
            entity: of.entity,
            reasons: Nested(joins),
            relations: Nested(relates),
            operator_notes: Nested(notes),
        })
    })
}
