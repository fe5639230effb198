//! `table_row!`: one struct is one table of the dataset, with the columns, types, meanings, visibility and key.
//!
//! Schema, cells, data dictionary and Croissant follow from the struct. A row is a struct literal, so that a value that is
//! missing, of another type or of no column does not compile.

use super::cell::{Cell, Row};
use super::tables::{Layout, TABLES, Table};

/// A row of one table, before it becomes cells.
pub trait TableRow {
    /// The table.
    const TABLE: Table;
    /// The table's place in [`TABLES`]. A table that is not listed there does not compile.
    const NUMBER: usize = number(Self::TABLE.name);

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

const fn number(name: &str) -> usize {
    // A loop, since iterators cannot be used at compile time.
    let mut at = 0;
    while at < TABLES.len() {
        if is_same(TABLES[at].name, name) {
            return at;
        }
        at += 1;
    }
    // At compile time: a table that no format writes cannot be declared.
    panic!("the table is missing in TABLES")
}

/// Compares texts at compile time, where `==` does not.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Declares a table.
///
/// - The doc comments of the struct and of its fields are the meanings in the data dictionary, word by word.
/// - `table NAME: ORIGIN;` names the table. `ORIGIN` is `ranked`, `counted`, or `stored(FUNCTION)` with the function that
///   reads the rows from the store.
/// - Before a field stands its [`ColumnRole`](super::tables::ColumnRole): `key`, `public` or `private`.
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
            const TABLE: $crate::export::tables::Table = $crate::export::tables::Table {
                name: stringify!($table),
                about: concat!($($about),+).trim_ascii(),
                columns: &[$($crate::export::tables::Column {
                    name: stringify!($field),
                    kind: <$type as $crate::export::field::Field>::KIND,
                    about: concat!($($meaning),+).trim_ascii(),
                    role: $crate::export::table_row::table_row!(@role $role),
                }),+],
                rows: $crate::export::table_row::table_row!(@rows $Row $origin $($rows)?),
            };

            fn into_cells(self) -> anyhow::Result<$crate::export::cell::Row> {
                Ok(vec![$($crate::export::field::Field::into_cell(self.$field)?),+])
            }
        }

        $crate::export::table_row::table_row!(@read $vis $table $Row [$($Read)?] $($field)+);
    };
    (@role key) => { $crate::export::tables::ColumnRole::Key };
    (@role public) => { $crate::export::tables::ColumnRole::Public };
    (@role private) => { $crate::export::tables::ColumnRole::Private };
    (@rows $Row:ident ranked) => { $crate::export::tables::Rows::Ranked };
    (@rows $Row:ident counted) => { $crate::export::tables::Rows::Counted };
    (@rows $Row:ident stored $rows:ident) => {
        $crate::export::tables::Rows::Stored(|reader, emit| {
            $rows(reader, &mut |row: $Row| emit($crate::export::table_row::TableRow::into_cells(row)?))
        })
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
            const TABLE: $crate::export::tables::Table = <$Row as $crate::export::table_row::TableRow>::TABLE;

            fn read(layout: &$crate::export::tables::Layout, row: $crate::export::cell::Row) -> Self {
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
