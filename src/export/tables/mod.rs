//! The tables of the dataset: their columns, once, and where their rows come from.
//!
//! The data dictionary in the manual is written from here; nothing else may name a column.

use capdex_db::{Reader, Visibility};
use serde_json::Value;

use super::cell::{Cell, Row};

mod alerts;
pub mod answers;
pub mod breakdowns;
mod campaigns;
pub mod capabilities;
mod changes;
mod collisions;
pub mod coverage;
mod drift;
mod entities;
pub mod facts;
mod families;
pub mod findings;
mod gaps;
mod identity_events;
mod leads;
mod listings;
pub mod packages;
pub mod scores;
mod sources;

/// What a column holds.
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
    /// What it holds.
    pub kind: ColumnType,
    /// What it means, for the data dictionary.
    pub about: &'static str,
    /// Whether it is in every dataset or only in one that somebody keeps for himself.
    pub visibility: Visibility,
}

/// One table.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name, which is also that of its files.
    pub name: &'static str,
    /// What a row is, for the data dictionary.
    pub about: &'static str,
    /// Its columns, private ones included.
    pub columns: &'static [Column],
    /// Where its rows come from.
    pub rows: Rows,
}

/// Where rows come from.
#[derive(Clone, Copy)]
pub enum Rows {
    /// From the capabilities in their ranked order, several tables at once.
    Ranked,
    /// From what was counted on the way over the capabilities.
    Counted,
    /// From the store, sorted, one after the other.
    Stored(fn(&Reader, Emit<'_>) -> anyhow::Result<()>),
}

/// What is done with each row of the store, a value for each column.
pub type Emit<'a> = &'a mut dyn FnMut(Vec<Value>) -> anyhow::Result<()>;

const fn column(name: &'static str, kind: ColumnType, about: &'static str) -> Column {
    Column { name, kind, about, visibility: Visibility::Public }
}

/// A column that only a dataset made with `--private` has.
const fn private(name: &'static str, kind: ColumnType, about: &'static str) -> Column {
    Column { visibility: Visibility::Private, ..column(name, kind, about) }
}

use ColumnType::{Integer, Json, Number, Text};

/// Every table, in the order of the manual.
pub const TABLES: &[Table] = &[
    capabilities::TABLE,
    packages::TABLE,
    scores::TABLE,
    breakdowns::TABLE,
    findings::TABLE,
    facts::TABLE,
    answers::TABLE,
    changes::TABLE,
    coverage::TABLE,
    sources::TABLE,
    listings::TABLE,
    gaps::TABLE,
    drift::TABLE,
    families::TABLE,
    campaigns::TABLE,
    leads::TABLE,
    alerts::TABLE,
    entities::TABLE,
    identity_events::TABLE,
    collisions::TABLE,
];

/// A table as one dataset has it: with all its columns, or with the public ones.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The table's name.
    pub name: &'static str,
    /// The columns that are there.
    pub columns: Vec<Column>,
    /// Their places among all columns; none where all are there.
    places: Option<Vec<usize>>,
}

impl Layout {
    /// A table with or without its private columns.
    pub fn of(table: &Table, with_private: bool) -> Self {
        let is_there = |column: &Column| with_private || column.visibility == Visibility::Public;
        let places: Vec<usize> =
            table.columns.iter().enumerate().filter(|(_, column)| is_there(column)).map(|(place, _)| place).collect();
        let columns = table.columns.iter().filter(|column| is_there(column)).copied().collect();
        Self { name: table.name, columns, places: (places.len() < table.columns.len()).then_some(places) }
    }

    /// The table of a name.
    pub fn named(name: &str, with_private: bool) -> Option<Self> {
        TABLES.iter().find(|table| table.name == name).map(|table| Self::of(table, with_private))
    }

    /// What is there of a row with all columns.
    pub fn keep(&self, row: Row) -> Row {
        match &self.places {
            None => row,
            Some(places) => places.iter().filter_map(|place| row.get(*place).cloned()).collect(),
        }
    }

    /// The place of a column.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|each| each.name == column)
    }
}

/// Where a table stands in [`TABLES`].
pub fn number(name: &str) -> usize {
    TABLES.iter().position(|table| table.name == name).unwrap_or(TABLES.len())
}

/// Values as the cells of a table's columns.
pub fn row_of(columns: &[Column], values: Vec<Value>) -> Row {
    columns.iter().zip(values).map(|(column, value)| Cell::of(column.kind, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_column_is_only_where_it_is_asked_for() {
        let private = TABLES.iter().filter(|table| {
            let public = Layout::of(table, false);
            let whole = Layout::of(table, true);
            assert_eq!(whole.columns.len(), table.columns.len(), "{}", table.name);
            let numbers: Row = (0..table.columns.len()).map(|place| Cell::count(place as u64)).collect();
            for (column, cell) in public.columns.iter().zip(public.keep(numbers)) {
                let place = table.columns.iter().position(|each| each.name == column.name).expect("one of them");
                assert_eq!(cell, Cell::count(place as u64), "{}.{}", table.name, column.name);
            }
            public.columns.len() < whole.columns.len()
        });
        assert!(private.count() > 0, "the test looks at something");
    }

    #[test]
    fn no_two_columns_of_a_table_have_one_name() {
        for table in TABLES {
            let names: std::collections::BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
