//! The table `gaps`: what could not be looked at.

use capdex_db::Reader;
use capdex_model::snapshot::GapReason;
use capdex_model::time::AsOf;

use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// something that could not be looked at, and why
    table gaps: stored(rows);
    pub(super) struct GapRow {
        /// list, fetch or scan
        key stage: String,
        /// what was being looked at
        key listing: String,
        /// what could not be looked at; untrusted
        key subject: String,
        /// a closed word, such as digest_mismatch
        key reason: GapReason,
        /// the particulars; untrusted
        key detail: String,
        /// as_of of the night that met it first
        public first_seen: AsOf,
        /// as_of of the night that found it gone; null while open
        public resolved: Option<AsOf>,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, GapRow>) -> anyhow::Result<()> {
    reader.each_gap(false, |ledger| {
        emit(GapRow {
            stage: ledger.stage,
            listing: ledger.subject,
            subject: ledger.gap.subject,
            reason: ledger.gap.reason,
            detail: ledger.gap.detail,
            first_seen: ledger.first_seen,
            resolved: ledger.resolved,
        })
    })
}
