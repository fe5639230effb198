//! The table of drift: one change of one capability between two nights.
//!
//! Must not judge a change.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "drift",
    about: "one change of one capability between two nights",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("slug", Text, "the capability"),
    column("capability", Text, "its id"),
    column(
        "kind",
        Text,
        "new, changed, changed_same_version, gone, or listing where its source says something else of its owners",
    ),
    column("class", Text, "d0 (volatile) to d6 (identity), or same_version: other bytes under one version"),
    column("severity", Text, "info, low, medium, high or critical"),
    column("effects", Json, "what the change did, the gravest first: kind, severity, subject, detail; untrusted"),
    column("moved", Text, "whether the version moved: yes, no or unversioned"),
    column("from_sha256", Text, "content before (hex)"),
    column("to_sha256", Text, "content after (hex)"),
    column("from_version", Text, "version before"),
    column("to_version", Text, "version after"),
    column("changes", Json, "files, tool parts and declarations that changed"),
    column("scores", Json, "what became of each rubric's score, both sides under the rules of that night"),
    column("diff", Json, "lines that changed, secrets masked; untrusted"),
    column("as_of", Text, "the night that saw it"),
];

/// The rows, sorted by (night, key).
fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_drift_event(|event| {
        emit(vec![
            json!(event.slug),
            json!(event.capability.to_string()),
            json!(event.kind.as_str()),
            json!(event.class.as_str()),
            json!(event.severity),
            json!(event.effects),
            json!(event.moved.as_str()),
            json!(event.from.map(|digest| digest.hex())),
            json!(event.to.map(|digest| digest.hex())),
            json!(event.from_version),
            json!(event.to_version),
            json!(event.changes),
            json!(event.scores),
            json!(event.diff),
            json!(event.at),
        ])
    })
}
