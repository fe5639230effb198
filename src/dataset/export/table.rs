//! `Table` and its columns, and the `Layout` that one dataset has of them.
//!
//! The tables themselves are declared in [`tables`](super::tables).

use capdex_db::Reader;

use super::cell::{Cell, Row};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A number with at most three decimals.
    Number,
    /// Text.
    Text,
    /// A JSON value; text in CSV, SQLite and Parquet.
    Json,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ColumnType,
    /// Its meaning, for the data dictionary.
    pub about: &'static str,
    /// Its part in the row, which decides whether every dataset has it.
    pub role: ColumnRole,
}

impl Column {
    /// True where a dataset has it that was made with or without private columns.
    pub(super) fn is_in(&self, with_private: bool) -> bool {
        with_private || self.role != ColumnRole::Private
    }
}

/// The part of a column in its row. Each column of a table begins with this word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRole {
    /// In every dataset. No two rows have the same values in all key columns.
    Key,
    /// In every dataset.
    Public,
    /// Only in a dataset made with `--private`, which somebody keeps for himself.
    Private,
}

/// One table.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name, which is also that of its files.
    pub name: &'static str,
    /// The meaning of a row, for the data dictionary.
    pub about: &'static str,
    /// Its columns, private ones included.
    pub columns: &'static [Column],
    /// The origin of its rows.
    pub rows: RowOrigin,
}

/// The origin of rows.
#[derive(Clone, Copy)]
pub enum RowOrigin {
    /// From the capabilities in their ranked order, several tables at once.
    Ranked,
    /// From what was counted on the way over the capabilities.
    Counted,
    /// From the store, sorted, one after the other.
    Stored(fn(&Reader, Emit<'_>) -> anyhow::Result<()>),
}

/// The receiver of the rows of one table: typed in the table's file, cells where tables are written.
pub type Emit<'a, R = Row> = &'a mut dyn FnMut(R) -> anyhow::Result<()>;

/// A table as one dataset has it: with all its columns, or with the public ones.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The table's name.
    pub name: &'static str,
    /// The columns that are there.
    pub columns: Vec<Column>,
    /// Their places among all columns; none where all are there.
    places: Option<Vec<usize>>,
    /// The number of columns of the table.
    all: usize,
}

impl Layout {
    /// A table with or without its private columns.
    pub fn of(table: &Table, with_private: bool) -> Self {
        Self::with(table, |column| column.is_in(with_private))
    }

    /// A table with some of its columns.
    pub(super) fn with(table: &Table, is_there: impl Fn(&Column) -> bool) -> Self {
        let places: Vec<usize> =
            table.columns.iter().enumerate().filter(|(_, column)| is_there(column)).map(|(place, _)| place).collect();
        let columns = table.columns.iter().filter(|column| is_there(column)).copied().collect();
        Self {
            name: table.name,
            columns,
            // Nothing to pick where all are there, which is the usual case for every table but one.
            places: (places.len() < table.columns.len()).then_some(places),
            all: table.columns.len(),
        }
    }

    /// The cells that the dataset has of a row with all columns.
    pub fn keep(&self, row: Row) -> Row {
        match &self.places {
            None => row,
            Some(places) => places.iter().filter_map(|place| row.get(*place).cloned()).collect(),
        }
    }

    /// A row with all columns out of what is there: null where the dataset lacks the column.
    pub fn restore(&self, row: Row) -> Row {
        let Some(places) = &self.places else { return row };
        let mut restored = Row::new();
        for (place, cell) in places.iter().zip(row) {
            // The places rise, so each gap before one is filled with nulls.
            restored.resize(*place, Cell::Null);
            restored.push(cell);
        }
        restored.resize(self.all, Cell::Null);
        restored
    }
}
