//! The tables of the dataset, each with its columns and the origin of its rows.
//!
//! Columns are declared in the struct of each table ([`table_row!`](super::table_row)), and nowhere else.

use capdex_db::Reader;

use super::cell::{Cell, Row};
use super::table_row::TableRow as _;

mod alerts;
pub mod answers;
pub mod breakdowns;
mod campaigns;
pub mod capabilities;
pub mod changes;
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
    pub rows: Rows,
}

/// The origin of rows.
#[derive(Clone, Copy)]
pub enum Rows {
    /// From the capabilities in their ranked order, several tables at once.
    Ranked,
    /// From what was counted on the way over the capabilities.
    Counted,
    /// From the store, sorted, one after the other.
    Stored(fn(&Reader, Emit<'_>) -> anyhow::Result<()>),
}

/// The receiver of the rows of one table: typed in the table's file, cells where tables are written.
pub type Emit<'a, R = Row> = &'a mut dyn FnMut(R) -> anyhow::Result<()>;

/// Every table, in the order of the manual.
pub const TABLES: &[Table] = &[
    capabilities::CapabilityRow::TABLE,
    packages::PackageRow::TABLE,
    scores::ScoreRow::TABLE,
    breakdowns::BreakdownRow::TABLE,
    findings::FindingRow::TABLE,
    facts::FactsRow::TABLE,
    answers::AnswerRow::TABLE,
    changes::ChangeRow::TABLE,
    coverage::CoverageRow::TABLE,
    sources::SourceRow::TABLE,
    listings::ListingRow::TABLE,
    gaps::GapRow::TABLE,
    drift::DriftRow::TABLE,
    families::FamilyRow::TABLE,
    campaigns::CampaignRow::TABLE,
    leads::LeadRow::TABLE,
    alerts::AlertRow::TABLE,
    entities::EntityRow::TABLE,
    identity_events::IdentityEventRow::TABLE,
    collisions::CollisionRow::TABLE,
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
    /// The number of columns of the table.
    all: usize,
}

impl Layout {
    /// A table with or without its private columns.
    pub fn of(table: &Table, with_private: bool) -> Self {
        let is_there = |column: &Column| with_private || column.role != ColumnRole::Private;
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

    /// The table of a name.
    pub fn named(name: &str, with_private: bool) -> Option<Self> {
        TABLES.iter().find(|table| table.name == name).map(|table| Self::of(table, with_private))
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
            let kept = public.keep(numbers.clone());
            for (column, cell) in public.columns.iter().zip(&kept) {
                let place = table.columns.iter().position(|each| each.name == column.name).expect("one of them");
                assert_eq!(*cell, Cell::count(place as u64), "{}.{}", table.name, column.name);
            }
            for ((column, cell), number) in table.columns.iter().zip(public.restore(kept)).zip(numbers) {
                let expected = if column.role == ColumnRole::Private { Cell::Null } else { number };
                assert_eq!(cell, expected, "{}.{}", table.name, column.name);
            }
            public.columns.len() < whole.columns.len()
        });
        assert!(private.count() > 0, "the test looks at something");
    }

    #[test]
    fn the_number_of_a_table_is_its_place() {
        assert_eq!(capabilities::CapabilityRow::NUMBER, 0);
        assert_eq!(TABLES[changes::ChangeRow::NUMBER].name, "changes");
        assert_eq!(collisions::CollisionRow::NUMBER + 1, TABLES.len());
    }

    #[test]
    fn a_meaning_is_one_line_without_blanks_around_it() {
        for (name, about) in TABLES.iter().flat_map(|table| {
            let columns = table.columns.iter().map(|column| (column.name, column.about));
            columns.chain([(table.name, table.about)])
        }) {
            assert!(!about.is_empty() && about == about.trim() && !about.contains("  "), "{name}: {about:?}");
            assert!(!about.contains('\n'), "{name}: {about:?}");
        }
    }

    #[test]
    fn no_two_columns_of_a_table_have_one_name() {
        for table in TABLES {
            let names: std::collections::BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
