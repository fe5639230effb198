//! Rows of one table on their way to the formats.

use super::cell::Row;
use super::tables::TablePlace;

/// Rows of one table.
pub(super) struct Batch {
    /// The place of the table in [`TABLES`](super::tables::TABLES).
    pub(super) table: usize,
    pub(super) rows: Vec<Row>,
}

impl Batch {
    /// The cells of rows.
    pub(super) fn of<R: TablePlace>(rows: impl IntoIterator<Item = R>) -> anyhow::Result<Self> {
        let rows = rows.into_iter().map(R::into_cells).collect::<anyhow::Result<_>>()?;
        Ok(Self { table: R::NUMBER, rows })
    }
}
