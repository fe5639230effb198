//! `table_row!`: one struct is one table of the dataset, with the columns, types, meanings, visibility and key.
//!
//! Schema, cells, data dictionary and Croissant follow from the struct. A row is a struct literal, so that a value that is
//! missing, of another type or of no column does not compile.

use super::cell::{Cell, Row};
use super::table::{Layout, Table};

/// A row of one table, before it becomes cells.
pub trait TableRow {
    /// The table.
    const TABLE: Table;

    /// A cell for each column, private ones included.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    fn into_cells(self) -> anyhow::Result<Row>;
}

/// A row as a format read it: a cell for each column, null for a column that the dataset lacks.
pub trait ReadRow {
    /// The table.
    const TABLE: Table;

    /// Gives the cells of a row their names.
    fn read(layout: &Layout, row: Row) -> Self;

    /// The cells in the order of the columns.
    fn cells(&self) -> Vec<&Cell>;
}

/// Declares a table.
///
/// - The doc comments of the struct and of its fields are the meanings in the data dictionary, word by word.
/// - `table NAME: ORIGIN;` names the table. `ORIGIN` is `ranked`, `counted`, `nightly`, or `stored(FUNCTION)` or
///   `transcripts(FUNCTION)` with the function that reads the rows from the store.
/// - Before a field stands its [`ColumnRole`](super::table::ColumnRole): `key`, `public` or `private`.
/// - The field's type is a [`Field`](super::field::Field), which decides the type of the column.
/// - `read as NAME` makes a second struct, a [`ReadRow`], for what `verify` and `--since` read back.
macro_rules! table_row {
    (
        $(#[doc = $about:literal])+
        table $table:ident: $origin:ident $(($rows:ident))?;
        $vis:vis struct $Row:ident $(<$life:lifetime>)? $(read as $Read:ident)? {
            $($(#[doc = $meaning:literal])+ $role:ident $field:ident: $type:ty,)+
        }
    ) => {
        #[doc = concat!("A row of the table `", stringify!($table), "`.")]
        $vis struct $Row $(<$life>)? {
            $($(#[doc = $meaning])+ $vis $field: $type,)+
        }

        impl $(<$life>)? $crate::export::table_row::TableRow for $Row $(<$life>)? {
            const TABLE: $crate::export::table::Table = $crate::export::table::Table {
                name: stringify!($table),
                about: concat!($($about),+).trim_ascii(),
                columns: &[$($crate::export::table::Column {
                    name: stringify!($field),
                    kind: <$type as $crate::export::field::Field>::KIND,
                    about: concat!($($meaning),+).trim_ascii(),
                    role: $crate::export::table_row::table_row!(@role $role),
                    is_nullable: <$type as $crate::export::field::Field>::IS_NULLABLE,
                }),+],
                rows: $crate::export::table_row::table_row!(@rows $Row $origin $($rows)?),
            };

            fn into_cells(self) -> anyhow::Result<$crate::export::cell::Row> {
                // With room for the instant that most tables are given.
                let mut cells = Vec::with_capacity(Self::TABLE.columns.len() + 1);
                $(cells.push($crate::export::field::Field::into_cell(self.$field)?);)+
                Ok(cells)
            }
        }

        $crate::export::table_row::table_row!(@read $vis $table $Row [$($Read)?] $($field)+);
    };
    (@role key) => { $crate::export::table::ColumnRole::Key };
    (@role public) => { $crate::export::table::ColumnRole::Public };
    (@role private) => { $crate::export::table::ColumnRole::Private };
    (@rows $Row:ident ranked) => { $crate::export::table::RowOrigin::Ranked };
    (@rows $Row:ident compared) => { $crate::export::table::RowOrigin::Compared };
    (@rows $Row:ident nightly) => { $crate::export::table::RowOrigin::Nightly };
    (@rows $Row:ident counted) => { $crate::export::table::RowOrigin::Counted };
    (@rows $Row:ident stored $rows:ident) => {
        $crate::export::table::RowOrigin::Stored($crate::export::table_row::table_row!(@read_rows $Row $rows))
    };
    (@rows $Row:ident passed $rows:ident) => {
        $crate::export::table::RowOrigin::Passed($crate::export::table_row::table_row!(@read_rows $Row $rows))
    };
    (@rows $Row:ident transcripts $rows:ident) => {
        $crate::export::table::RowOrigin::Transcripts($crate::export::table_row::table_row!(@read_rows $Row $rows))
    };
    (@read_rows $Row:ident $rows:ident) => {
        |reader, emit| $rows(reader, &mut |row: $Row| emit($crate::export::table_row::TableRow::into_cells(row)?))
    };
    (@read $vis:vis $table:ident $Row:ident [] $($field:ident)+) => {};
    (@read $vis:vis $table:ident $Row:ident [$Read:ident] $($field:ident)+) => {
        #[doc = concat!("A row of the table `", stringify!($table), "` as it was read.")]
        $vis struct $Read {
            $(
                #[doc = concat!("The column `", stringify!($field), "`.")]
                $vis $field: $crate::export::cell::Cell,
            )+
        }

        impl $crate::export::table_row::ReadRow for $Read {
            const TABLE: $crate::export::table::Table = <$Row as $crate::export::table_row::TableRow>::TABLE;

            fn read(layout: &$crate::export::table::Layout, row: $crate::export::cell::Row) -> Self {
                let mut cells = layout.restore(row).into_iter();
                Self { $($field: cells.next().unwrap_or($crate::export::cell::Cell::Null)),+ }
            }

            fn cells(&self) -> Vec<&$crate::export::cell::Cell> {
                vec![$(&self.$field),+]
            }
        }
    };
}
pub(crate) use table_row;
