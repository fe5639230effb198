//! The table `collisions`: names that unlike entities share.

use capdex_corpus::collision::CollisionClass;
use capdex_db::Reader;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one name that unlike entities share, or a name of many
    table collisions: stored(rows);
    pub(super) struct CollisionRow {
        /// stable over nights
        key collision: String,
        /// what has the name: tool, listing or toolset
        public of: String,
        /// shadow, look_alike, widening, brand, clone; without weight: derived, shared, generic
        public class: CollisionClass,
        /// info where it weighs nothing
        public severity: Severity,
        /// the name, folded: lower case, words joined by underscores; untrusted
        public name: String,
        /// the entity that came later, or that shares the name; null for a name of many
        public entity: Option<String>,
        /// the capability or listing of it that has the name
        public holder: Option<String>,
        /// the established entity; null where there is none
        public target: Option<String>,
        /// how many have the name, entities of one vendor counted once
        public parties: u64,
        /// why it is a finding
        public reasons: Nested<Vec<String>>,
        /// as_of of the night that found it first
        public first_seen: AsOf,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, CollisionRow>) -> anyhow::Result<()> {
    for (collision, first_seen) in reader.collisions()? {
        emit(CollisionRow {
            collision: collision.key,
            of: collision.of,
            class: collision.class,
            severity: collision.severity,
            name: collision.name,
            entity: collision.entity,
            holder: collision.holder,
            target: collision.target,
            parties: collision.parties,
            reasons: Nested(collision.reasons),
            first_seen,
        })?;
    }
    Ok(())
}
