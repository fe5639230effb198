//! The table `identity_events`: what became of who stands behind a name.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "identity_events",
    about: "what became of who stands behind one name",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("key", Text, "stable over nights"),
    column(
        "kind",
        Text,
        "repository_renamed, repository_transferred, repository_recreated, listing_resurrected, package_reregistered or \
         returned_elsewhere",
    ),
    column("subject", Text, "the listing, or the name in a registry of versions; untrusted"),
    column("entity", Text, "the entity that it is of"),
    column("before", Text, "what was there before; untrusted"),
    column("after", Text, "what is there now; untrusted"),
    column("severity", Text, "info, low, medium or high; info raised no alert"),
    column("details", Json, "the particulars"),
    column("as_of", Text, "the night that found it"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_identity_event(|event| {
        emit(vec![
            json!(event.key),
            json!(event.kind.as_str()),
            json!(event.subject),
            json!(event.entity),
            json!(event.before),
            json!(event.after),
            json!(event.severity),
            json!(event.details),
            json!(event.at),
        ])
    })
}
