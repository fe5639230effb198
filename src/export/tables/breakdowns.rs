//! The table `breakdowns`: how scores were computed, once for all scores that were computed alike.
//!
//! Most capabilities give a rubric the same few things to add up, so that a breakdown for each score would be most of the bytes
//! of a dataset.

use capdex_model::score::Score;

use super::{Column, Integer, Json, Rows, Table, column};
use crate::export::cell::{Cell, Row};

pub(super) const TABLE: Table = Table {
    name: "breakdowns",
    about: "how scores were computed, once for all scores whose terms and parts are the same",
    columns: COLUMNS,
    rows: Rows::Ranked,
};

const COLUMNS: &[Column] = &[
    column("breakdown", Integer, "its number, from 1, in the order in which the table scores names them first"),
    column("terms", Json, "the arithmetic; the points add up to the value"),
    column("parts", Json, "sub-scores, layers or checks on their own scales"),
];

/// The cells of a score's breakdown.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn cells(score: &Score) -> anyhow::Result<[Cell; 2]> {
    Ok([Cell::json(&score.terms)?, Cell::json(&score.parts)?])
}

/// The row of a breakdown, in the order of the columns. Both texts are JSON.
pub fn row(number: u64, terms: &str, parts: &str) -> Row {
    vec![Cell::count(number), Cell::text(terms).into_json(), Cell::text(parts).into_json()]
}
