//! A dataset as a plain SQLite file: tables of typed columns written and read back, row by row.
//!
//! Not the store: no migrations, no history. Names of tables and columns come from the program's own list, never
//! from data.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags, ToSql, params_from_iter};

use crate::StoreError;

/// Bytes of a page. Rows are long: with the usual 4096 a quarter of the time goes into writing pages.
const PAGE_BYTES: i64 = 32_768;

/// The type that a column is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlColumnType {
    /// A whole number.
    Integer,
    /// A floating-point number.
    Real,
    /// Text.
    Text,
}

impl SqlColumnType {
    const fn as_sql(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }
}

/// The name of a table with its columns.
pub type Definition = (&'static str, Vec<(&'static str, SqlColumnType)>);

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SqlCell<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text.
    Text(&'a str),
}

impl ToSql for SqlCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// A file that is being written. The same calls give the same bytes.
pub struct DatasetWriter {
    connection: Connection,
    inserts: Vec<String>,
}

const WRITE: &str = "write a dataset table";

impl DatasetWriter {
    /// Makes the file at `path` with all its tables.
    ///
    /// # Errors
    /// `Sql` when the file cannot be written or has such a table already.
    pub fn create(path: &Path, tables: &[Definition]) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Sql { what: WRITE, source };
        let connection = Connection::open(path).map_err(failed)?;
        connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(failed)?;
        // A dataset is written once and renamed into place: no journal has to survive.
        connection.pragma_update(None, "journal_mode", "OFF").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "OFF").map_err(failed)?;
        // Tables are filled in turns: no insertion is to be prepared twice.
        connection.set_prepared_statement_cache_capacity(tables.len());
        // One transaction for the file: a commit for each row would cost most of the time.
        connection.execute_batch("BEGIN").map_err(failed)?;
        let mut inserts = Vec::with_capacity(tables.len());
        for (table, columns) in tables {
            let definitions: Vec<String> =
                columns.iter().map(|(name, kind)| format!("\"{name}\" {}", kind.as_sql())).collect();
            // `STRICT` refuses a value of another type; SQLite would else store it as it is.
            let create = format!("CREATE TABLE \"{table}\" ({}) STRICT", definitions.join(", "));
            connection.execute(&create, []).map_err(failed)?;
            let marks = vec!["?"; columns.len()].join(", ");
            inserts.push(format!("INSERT INTO \"{table}\" VALUES ({marks})"));
        }
        Ok(Self { connection, inserts })
    }

    /// Begins to add rows to the table of a number, as they were given.
    ///
    /// # Errors
    /// `Sql` when there is no such table.
    pub fn rows_of(&self, table: usize) -> Result<Inserting<'_>, StoreError> {
        let unknown = || StoreError::Unknown { what: "dataset table", key: table.to_string() };
        let sql = self.inserts.get(table).ok_or_else(unknown)?;
        let statement = self.connection.prepare_cached(sql);
        statement.map(Inserting).map_err(|source| StoreError::Sql { what: WRITE, source })
    }

    /// Writes what is left and closes the file.
    ///
    /// # Errors
    /// `Sql` when it cannot be written.
    pub fn finish(self) -> Result<(), StoreError> {
        let failed = |source| StoreError::Sql { what: WRITE, source };
        self.connection.execute_batch("COMMIT").map_err(failed)?;
        self.connection.close().map_err(|(_, source)| failed(source))
    }
}

/// Rows on their way into one table.
pub struct Inserting<'a>(CachedStatement<'a>);

impl Inserting<'_> {
    /// Adds a row.
    ///
    /// # Errors
    /// `Sql` when it cannot be written or has values of other types than its columns.
    pub fn add<'c>(&mut self, row: impl Iterator<Item = SqlCell<'c>>) -> Result<(), StoreError> {
        let added = self.0.execute(params_from_iter(row));
        added.map(drop).map_err(|source| StoreError::Sql { what: WRITE, source })
    }
}

/// Hands on every row of a table, in the order in which it was written.
///
/// # Errors
/// `Sql` when the file or the table is not there or is damaged; what `visit` says.
pub fn read<E: From<StoreError>>(
    path: &Path,
    (table, columns): &Definition,
    mut visit: impl FnMut(&[SqlCell<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| StoreError::Sql { what: "read a dataset table", source };
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    // A dataset may come from anybody.
    connection.pragma_update(None, "trusted_schema", "OFF").map_err(failed)?;
    // Behind the table's name: alone, SQLite takes a quoted name that is no column for a text.
    let names: Vec<String> = columns.iter().map(|(name, _)| format!("\"{table}\".\"{name}\"")).collect();
    // By name and not `*`: a file with other columns fails instead of filling the wrong ones.
    let select = format!("SELECT {} FROM \"{table}\" ORDER BY rowid", names.join(", "));
    let mut statement = connection.prepare(&select).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let cells: Vec<SqlCell<'_>> = (0..columns.len())
            .map(|index| cell(row.get_ref(index)?))
            .collect::<rusqlite::Result<_>>()
            .map_err(failed)?;
        visit(&cells)?;
    }
    Ok(())
}

fn cell(value: ValueRef<'_>) -> rusqlite::Result<SqlCell<'_>> {
    Ok(match value {
        ValueRef::Null => SqlCell::Null,
        ValueRef::Integer(number) => SqlCell::Integer(number),
        ValueRef::Real(number) => SqlCell::Real(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => SqlCell::Text(std::str::from_utf8(bytes)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> Definition {
        let columns = [("name", SqlColumnType::Text), ("rank", SqlColumnType::Integer), ("value", SqlColumnType::Real)];
        ("things", columns.to_vec())
    }

    #[test]
    fn tables_read_back_as_they_were_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("dataset.sqlite");
        let rows = [[SqlCell::Text("b'\u{0}\""), SqlCell::Integer(1), SqlCell::Real(2.5)], [SqlCell::Null; 3]];
        let other = ("others", vec![("name", SqlColumnType::Text)]);
        let writer = DatasetWriter::create(&path, &[definition(), other]).expect("creates");
        for row in rows {
            writer.rows_of(0).expect("a table").add(row.into_iter()).expect("writes");
            writer.rows_of(1).expect("a table").add([SqlCell::Text("x")].into_iter()).expect("writes");
        }
        let odd = [SqlCell::Null, SqlCell::Text("x"), SqlCell::Null];
        assert!(writer.rows_of(0).expect("a table").add(odd.into_iter()).is_err(), "tables are strict");
        assert!(writer.rows_of(2).is_err());
        writer.finish().expect("writes");
        let mut at = 0;
        let same = |row: &[SqlCell<'_>]| {
            assert_eq!(row, rows[at]);
            at += 1;
            Ok::<(), StoreError>(())
        };
        read(&path, &definition(), same).expect("reads");
        assert_eq!(at, 2);
        let other = ("others", vec![("added", SqlColumnType::Text), ("name", SqlColumnType::Text)]);
        let unread = read(&path, &other, |row| Err(StoreError::Corrupt { what: "a row", detail: format!("{row:?}") }));
        assert!(matches!(unread, Err(StoreError::Sql { .. })), "a column that is not there is no text: {unread:?}");
        assert!(DatasetWriter::create(&path, &[definition()]).is_err(), "it is there already");
    }
}
