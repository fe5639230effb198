//! The table `identity_events`: what became of who stands behind a name.

use capdex_corpus::identity::EventKind;
use capdex_db::Reader;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// what became of who stands behind one name
    table identity_events: stored(rows);
    pub(super) struct IdentityEventRow {
        /// stable over nights
        key identity_event: String,
        /// repository_renamed, repository_transferred, repository_recreated, listing_resurrected, package_reregistered
        /// or returned_elsewhere
        public kind: EventKind,
        /// the listing, or the name in a registry of versions; untrusted
        public subject: String,
        /// the entity that it is of
        public entity: String,
        /// what was there before; untrusted
        public before: String,
        /// what is there now; untrusted
        public after: String,
        /// info, low, medium or high; info raised no alert
        public severity: Severity,
        /// the particulars
        public details: Nested<Vec<String>>,
        /// the night that found it
        public found: AsOf,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, IdentityEventRow>) -> anyhow::Result<()> {
    reader.each_identity_event(|event| {
        emit(IdentityEventRow {
            identity_event: event.key,
            kind: event.kind,
            subject: event.subject,
            entity: event.entity,
            before: event.before,
            after: event.after,
            severity: event.severity,
            details: Nested(event.details),
            found: event.at,
        })
    })
}
