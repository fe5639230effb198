//! The table `score_breakdowns`: how scores were computed, once for all scores that were computed alike.
//!
//! Most capabilities give a rubric the same few things to add up. A breakdown for each score would be most of the bytes of
//! a dataset.

use capdex_model::score::{Score, ScorePart, Term};

use crate::export::cell::Cell;
use crate::export::field::{Field as _, Nested, NestedCell};
use crate::export::table_row::table_row;

table_row! {
    /// how scores were computed, once for all scores whose terms and parts are the same
    table score_breakdowns: ranked;
    pub struct BreakdownRow read as ReadBreakdownRow {
        /// its number, from 1, in the order in which the table scores names them first
        key breakdown: u64,
        /// the arithmetic; the points add up to the value
        public terms: NestedCell<Vec<Term>>,
        /// sub-scores, layers or checks on their own scales
        public parts: NestedCell<Vec<ScorePart>>,
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
    Ok([Nested(&score.terms).into_cell()?, Nested(&score.parts).into_cell()?])
}
