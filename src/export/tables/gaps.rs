//! The table `gaps`: what could not be looked at.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "gaps",
    about: "something that could not be looked at, and why",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("stage", Text, "list, fetch or scan"),
    column("listing", Text, "what was being looked at"),
    column("subject", Text, "what could not be looked at; untrusted"),
    column("reason", Text, "a closed word, such as digest_mismatch"),
    column("detail", Text, "the particulars; untrusted"),
    column("first_seen", Text, "as_of of the night that met it first"),
    column("resolved", Text, "as_of of the night that found it gone; null while open"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_gap(false, |ledger| {
        emit(vec![
            json!(ledger.stage),
            json!(ledger.subject),
            json!(ledger.gap.subject),
            json!(ledger.gap.reason.as_str()),
            json!(ledger.gap.detail),
            json!(ledger.first_seen),
            json!(ledger.resolved),
        ])
    })
}
