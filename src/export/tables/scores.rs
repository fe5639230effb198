//! The table `scores`: every rubric's score of every capability, with what it was computed from.

use capdex_model::score::Score;

use super::{Column, Integer, Json, Number, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};

pub(super) const TABLE: Table =
    Table { name: "scores", about: "one rubric's score of one capability", columns: COLUMNS, rows: Rows::Ranked };

const COLUMNS: &[Column] = &[
    column("slug", Text, "the capability"),
    column("capability", Text, "its id"),
    column("content_sha256", Text, "SHA-256 (hex) over the capability's files"),
    column("facts_sha256", Text, "the facts that were scored: key into the table facts"),
    column("ruleset_sha256", Text, "SHA-256 (hex) over the rule set that found them"),
    column("as_of", Text, "the instant that ages were measured against"),
    column("rubric", Text, "the rubric's id"),
    column("version", Text, "the version of our reading of it"),
    column("text_sha256", Text, "SHA-256 (hex) over the rubric's numbers and page"),
    column("value", Number, "on the rubric's own scale; null where it has none"),
    column("grade", Text, "as the rubric names it, or n/a"),
    column("coverage", Number, "share of what the rubric asks that could be answered"),
    column("caps", Json, "hard constraints that took hold"),
    column("reason", Text, "why there is no value"),
    column("breakdown", Integer, "how it was computed: key into the table breakdowns"),
];

/// How many columns say of what a score is; those after them say what it is.
pub const SUBJECT: usize = 6;

/// How many columns say what a score is, without its breakdown.
pub const CELLS: usize = 8;

/// The cells of a score that a recomputation must give again, beside those of its breakdown.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn cells(score: &Score) -> anyhow::Result<[Cell; CELLS]> {
    Ok([
        Cell::text(&score.rubric.id),
        Cell::text(&score.rubric.version),
        Cell::text(score.rubric.text.hex()),
        score.value.map_or(Cell::Null, |value| Cell::Number(value.as_f64())),
        Cell::text(&score.grade),
        Cell::share(score.coverage),
        Cell::json(&score.caps)?,
        Cell::text(&score.reason),
    ])
}

/// The row of one score of a subject with the number of its breakdown, in the order of the columns.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn row(subject: &[Cell; SUBJECT], score: &Score, breakdown: u64) -> anyhow::Result<Row> {
    Ok(subject.iter().cloned().chain(cells(score)?).chain([Cell::count(breakdown)]).collect())
}
