//! The table `entities`: of which entity each listing is, and why.

use capdex_corpus::identity::{Edge, Reason};
use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Json, Rows, Table, Text, column, private};

pub(super) const TABLE: Table =
    Table { name: "entities", about: "of which entity one listing is", columns: COLUMNS, rows: Rows::Stored(rows) };

const COLUMNS: &[Column] = &[
    column("listing", Text, "source and name there"),
    column("entity", Text, "the thing that it is a listing of: an id that stays from night to night"),
    column(
        "reasons",
        Json,
        "why it is one thing with what: `{reason, to, note}`; without a note where the operator decided",
    ),
    column(
        "relations",
        Json,
        "what it has to do with besides, which joins nothing: claims that nobody confirms, repositories that it is a part \
         of, what many share, and who publishes it",
    ),
    private("operator_notes", Json, "the operator's own words, where the operator decided: `{reason, to, note}`"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_identified(|of| {
        let is_decided = |edge: &Edge| matches!(edge.reason, Reason::OperatorJoined | Reason::OperatorParted);
        let (mut edges, mut notes) = (of.edges, Vec::new());
        for edge in edges.iter_mut().filter(|edge| is_decided(edge)) {
            notes.push(edge.clone());
            edge.note.clear();
        }
        let (joins, relates): (Vec<_>, Vec<_>) = edges.into_iter().partition(|edge| edge.reason.joins());
        emit(vec![json!(of.listing), json!(of.entity), json!(joins), json!(relates), json!(notes)])
    })
}
