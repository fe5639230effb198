//! The table `collisions`: names that unlike entities share.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Integer, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "collisions",
    about: "one name that unlike entities share, or a name of many",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("key", Text, "stable over nights"),
    column("of", Text, "what has the name: tool, listing or toolset"),
    column("class", Text, "shadow, look_alike, widening, brand, clone; without weight: derived, shared, generic"),
    column("severity", Text, "info where it weighs nothing"),
    column("name", Text, "the name, folded: lower case, words joined by underscores; untrusted"),
    column("entity", Text, "the entity that came later, or that shares the name; null for a name of many"),
    column("holder", Text, "the capability or listing of it that has the name"),
    column("target", Text, "the established entity; null where there is none"),
    column("parties", Integer, "how many have the name, entities of one vendor counted once"),
    column("reasons", Json, "why it is a finding"),
    column("first_seen", Text, "as_of of the night that found it first"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    for (collision, at) in reader.collisions()? {
        emit(vec![
            json!(collision.key),
            json!(collision.of),
            json!(collision.class.as_str()),
            json!(collision.severity),
            json!(collision.name),
            json!(collision.entity),
            json!(collision.holder),
            json!(collision.target),
            json!(collision.parties),
            json!(collision.reasons),
            json!(at),
        ])?;
    }
    Ok(())
}
