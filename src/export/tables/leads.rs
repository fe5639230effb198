//! The table `leads`: look-alikes that the last night found.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Integer, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "leads",
    about: "a name that is almost the name of something established: a lead, never a verdict",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("space", Text, "what both are the names of: name, publisher, tool or host"),
    column("name", Text, "the newcomer's name; untrusted"),
    column("target", Text, "the name that it may be taken for"),
    column("kind", Text, "in what way one is almost the other"),
    column("distance", Integer, "edits between the two; swaps of neighbours count one"),
    column("severity", Text, "info, low, medium, high or critical; by the name alone low at most"),
    column("rank", Integer, "order within one severity, 0 to 1000, highest first"),
    column("reasons", Json, "what is known: the likeness, what speaks for intent, what tells it apart"),
    column("signals", Json, "what speaks for intent beside the name, as words"),
    column("listing", Text, "the newcomer's source and name there"),
    column("target_listing", Text, "the target's source and name there; null where only a list knows it"),
    column("popularity", Integer, "the newcomer's users, as its source counts them"),
    column("target_popularity", Integer, "the target's users"),
    column("owners", Json, "who proves to answer for the newcomer"),
    column("target_owners", Json, "who proves to answer for the target"),
    column("first_seen", Text, "as_of of the night that found it first"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    for (lead, first_seen) in reader.leads()? {
        emit(vec![
            json!(lead.space),
            json!(lead.name),
            json!(lead.target),
            json!(lead.kind),
            json!(lead.distance),
            json!(lead.severity),
            json!(lead.rank),
            json!(lead.reasons),
            json!(lead.signals),
            json!(lead.listing),
            json!(lead.target_listing),
            json!(lead.popularity),
            json!(lead.target_popularity),
            json!(lead.owners),
            json!(lead.target_owners),
            json!(first_seen),
        ])?;
    }
    Ok(())
}
