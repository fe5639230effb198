//! The table `score_breakdowns`: how scores were computed, once for all scores that were computed alike.
//!
//! Most capabilities give a rubric the same few things to add up. A breakdown for each score would be most of the bytes of
//! a dataset.

use capdex_model::score::Score;

use crate::export::cell::Cell;
use crate::export::field::{AsJson, Field as _, JsonText};
use crate::export::table_row::table_row;

table_row! {
    /// how scores were computed, once for all scores whose terms and parts are the same
    table score_breakdowns: ranked;
    pub struct BreakdownRow<'a> read as ReadBreakdownRow {
        /// its number, from 1, in the order in which the table scores names them first
        key breakdown: u64,
        /// the arithmetic; the points add up to the value
        public terms: JsonText<&'a str>,
        /// sub-scores, layers or checks on their own scales
        public parts: JsonText<&'a str>,
    }
}

impl ReadBreakdownRow {
    /// The columns that a recomputation must give again.
    pub const fn computed(&self) -> [&Cell; 2] {
        [&self.terms, &self.parts]
    }
}

/// The cells of [`ReadBreakdownRow::computed`] for a score that was computed again.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn computed_cells(score: &Score) -> anyhow::Result<[Cell; 2]> {
    Ok([AsJson(&score.terms).into_cell()?, AsJson(&score.parts).into_cell()?])
}
