//! Rows of one table on their way to the formats.

use super::cell::Row;
use super::tables::TablePlace;

/// Rows in one piece of a table that is counted.
const PIECE: usize = 512;

/// Rows of one table.
pub(super) struct Batch {
    /// The place of the table in [`TABLES`](super::tables::TABLES).
    pub(super) table: usize,
    pub(super) rows: Vec<Row>,
}

impl Batch {
    /// Hands on the cells of rows, some at a time: all of a table at once would be the most that an export holds. Each row is made
    /// when its turn comes, of what need not be kept for the others.
    pub(super) fn each<R: TablePlace, T>(
        from: impl IntoIterator<Item = T>,
        row: impl Fn(T) -> anyhow::Result<Row>,
        hand_on: &mut dyn FnMut(Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut rows = Vec::new();
        for of in from {
            rows.push(row(of)?);
            if rows.len() == PIECE {
                hand_on(Self { table: R::NUMBER, rows: std::mem::take(&mut rows) })?;
            }
        }
        hand_on(Self { table: R::NUMBER, rows })
    }
}
