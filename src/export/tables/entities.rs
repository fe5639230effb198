//! The table `entities`: of which entity each listing is, and why.

use serde_json::json;

use super::{Column, Contents, Json, Row, Table, Text, column};

pub(super) const TABLE: Table =
    Table { name: "entities", about: "of which entity one listing is", columns: COLUMNS, rows };

const COLUMNS: &[Column] = &[
    column("listing", Text, "source and name there"),
    column("entity", Text, "the thing that it is a listing of: an id that stays from night to night"),
    column(
        "reasons",
        Json,
        "why it is one thing with what: `{reason, to, note}`; `note` holds the operator's own words, where the operator decided",
    ),
    column(
        "relations",
        Json,
        "what it has to do with besides, which joins nothing: claims that nobody confirms, repositories that it is a part \
         of, what many share, and who publishes it",
    ),
];

fn rows(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    let rows = contents.reader.identified()?.into_iter().map(|of| {
        let (joins, relates): (Vec<_>, Vec<_>) = of.edges.into_iter().partition(|edge| edge.reason.joins());
        vec![json!(of.listing), json!(of.entity), json!(joins), json!(relates)]
    });
    Ok(rows.collect())
}
