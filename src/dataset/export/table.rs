//! `Table` and its columns, and the `Layout` that one dataset has of them.
//!
//! The tables themselves are declared in [`tables`](super::tables).

use std::fmt;

use capdex_db::Reader;
use capdex_model::time::AsOf;

use super::cell::{Cell, Row};
use super::shape::Shape;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A number with at most three decimals.
    Number,
    /// Text.
    Text,
    /// Yes or no: `true` and `false` in CSV, 1 and 0 in SQLite.
    Boolean,
    /// An instant, to the second: its RFC 3339 text in CSV, JSON lines and SQLite.
    Timestamp,
    /// Lists and structs of one form; JSON text in CSV and SQLite.
    Nested(&'static Shape),
    /// JSON of no one form; text in CSV, SQLite and Parquet.
    Json,
}

/// As the data dictionary says it.
impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Timestamp => "timestamp",
            Self::Nested(shape) => return write!(f, "{shape}"),
            Self::Json => "json",
        })
    }
}

/// The name of the column by which rows of several nights can be told apart. Every table has it.
pub(super) const AS_OF: &str = "as_of";

/// That column, where a table has none of its own.
const STAMP: Column = Column {
    name: AS_OF,
    kind: ColumnType::Timestamp,
    about: "the instant of the first dataset that had these rows: this one, or an earlier one from which the table was taken over",
    role: ColumnRole::Public,
    is_nullable: false,
};

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
    /// True where a row may lack a value.
    pub is_nullable: bool,
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

impl Table {
    /// Its key: no two rows have the same values in all of these columns.
    pub fn key(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| column.role == ColumnRole::Key)
    }

    /// True where its column of this name alone is the key.
    pub fn has_key(&self, name: &str) -> bool {
        self.key().map(|column| column.name).eq([name])
    }
}

/// The origin of rows.
#[derive(Clone, Copy)]
pub enum RowOrigin {
    /// From the capabilities in their ranked order, several tables at once.
    Ranked,
    /// From the capabilities, against the dataset before: another each night.
    Compared,
    /// From what was counted on the way over the capabilities.
    Counted,
    /// From the capabilities, each night into a file of its own; those of the nights before come from the dataset before.
    Nightly,
    /// From the store, sorted, one after the other.
    Stored(StoredRows),
    /// The same of what passes keep and nobody else writes: while none of them runs it stays.
    Passed(StoredRows),
    /// The same where the maker of the dataset asks for transcripts of the judge; empty elsewhere.
    Transcripts(StoredRows),
}

/// The function that reads the rows of one table from the store.
pub type StoredRows = fn(&Reader, Emit<'_>) -> anyhow::Result<()>;

/// The receiver of the rows of one table: typed in the table's file, cells where tables are written.
pub type Emit<'a, R = Row> = &'a mut dyn FnMut(R) -> anyhow::Result<()>;

/// A table as one dataset has it: with all its columns, or with the public ones, and with the column `as_of`.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The table's name.
    pub name: &'static str,
    /// The name of its files without the ending: the table's, or with a night behind it.
    pub file: String,
    /// The night whose rows lie there; none where a table has one file.
    pub night: Option<AsOf>,
    /// The columns that are there.
    pub columns: Vec<Column>,
    /// Their places among all columns; none where all are there.
    places: Option<Vec<usize>>,
    /// The number of columns of the table.
    all: usize,
    /// True where each row is given the instant of the dataset: the table has no such column of its own.
    is_stamped: bool,
}

impl Layout {
    /// A table with or without its private columns.
    pub fn of(table: &Table, with_private: bool) -> Self {
        let is_there = |column: &Column| column.is_in(with_private);
        let places: Vec<usize> =
            table.columns.iter().enumerate().filter(|(_, column)| is_there(column)).map(|(place, _)| place).collect();
        let is_stamped = table.columns.iter().all(|column| column.name != AS_OF);
        let columns = table.columns.iter().filter(|column| is_there(column)).chain(is_stamped.then_some(&STAMP));
        Self {
            name: table.name,
            file: table.name.to_owned(),
            night: None,
            columns: columns.copied().collect(),
            // Nothing to pick where all are there, which is the usual case for every table but one.
            places: (places.len() < table.columns.len()).then_some(places),
            all: table.columns.len(),
            is_stamped,
        }
    }

    /// A table as the dataset of an instant has it: one that has a file for each night, as the file of this one.
    pub fn of_dataset(table: &Table, with_private: bool, as_of: AsOf) -> Self {
        let layout = Self::of(table, with_private);
        if matches!(table.rows, RowOrigin::Nightly) { layout.of_night(as_of) } else { layout }
    }

    /// The table as the file of one night has it.
    #[must_use]
    pub fn of_night(mut self, night: AsOf) -> Self {
        self.night = Some(night);
        // Without the signs that a file system or a shell may take for something.
        let night: String = night.to_string().chars().filter(|sign| !matches!(sign, '-' | ':')).collect();
        self.file = format!("{}-{night}", self.name);
        self
    }

    /// The cells that the dataset of an instant has of a row with all columns.
    pub fn keep(&self, row: Row, as_of: AsOf) -> Row {
        let mut kept = match &self.places {
            None => row,
            Some(places) => places.iter().filter_map(|place| row.get(*place).cloned()).collect(),
        };
        if self.is_stamped {
            kept.push(Cell::Timestamp(as_of.0));
        }
        kept
    }

    /// A row with all columns of the table out of what is there: null where the dataset lacks the column.
    pub fn restore(&self, mut row: Row) -> Row {
        if self.is_stamped {
            row.pop();
        }
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

    /// The cells of a row that are not its instant: what tells its table from another night's.
    pub fn unstamped<'a>(&self, row: &'a Row) -> &'a [Cell] {
        let end = row.len().saturating_sub(usize::from(self.is_stamped));
        row.get(..end).unwrap_or_default()
    }

    /// The instant that a row names; none where the table has a column for instants of its own.
    pub fn instant(&self, row: &Row) -> Option<Option<AsOf>> {
        self.is_stamped.then(|| row.last().and_then(Cell::as_timestamp).map(AsOf))
    }
}
