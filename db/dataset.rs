//! A dataset as a plain SQLite file: tables of typed columns written and read back, row by row.
//!
//! Not the store: no migrations, no history. Names of tables and columns come from the program's own list, never
//! from data.

use std::borrow::Cow;
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

/// A table.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// The names and types of its columns.
    pub columns: Vec<(&'static str, SqlColumnType)>,
    /// The columns in which no two rows have the same values; empty where there are none.
    pub key: Vec<&'static str>,
    /// True where the key is a primary key: none of its columns may be null.
    pub is_primary: bool,
    /// Columns that have an index each.
    pub indexes: Vec<&'static str>,
}

impl Definition {
    /// `STRICT` refuses a value of another type; SQLite would else store it as it is.
    fn create(&self) -> String {
        let mut parts: Vec<String> =
            self.columns.iter().map(|(name, kind)| format!("\"{name}\" {}", kind.as_sql())).collect();
        if self.is_primary && !self.key.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", quoted(&self.key)));
        }
        format!("CREATE TABLE \"{}\" ({}) STRICT", self.name, parts.join(", "))
    }

    /// Made when all rows are there, which takes less time than to keep them up.
    fn create_indexes(&self) -> String {
        let name = self.name;
        let index = |column: &&str| format!("CREATE INDEX \"{name}_by_{column}\" ON \"{name}\" (\"{column}\");");
        let mut all: String = self.indexes.iter().map(index).collect();
        if !self.is_primary && !self.key.is_empty() {
            all.push_str(&format!("CREATE UNIQUE INDEX \"{name}_key\" ON \"{name}\" ({});", quoted(&self.key)));
        }
        all
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlCell<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text.
    Text(Cow<'a, str>),
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
    /// The statements that make the indexes.
    indexes: String,
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
        for table in tables {
            connection.execute(&table.create(), []).map_err(failed)?;
            let marks = vec!["?"; table.columns.len()].join(", ");
            inserts.push(format!("INSERT INTO \"{}\" VALUES ({marks})", table.name));
        }
        let indexes = tables.iter().map(Definition::create_indexes).collect();
        Ok(Self { connection, inserts, indexes })
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
        self.connection.execute_batch(&self.indexes).map_err(failed)?;
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

/// Hands on every row of a table, in the order in which it was written; those that have a text in a column where `only` names both.
///
/// # Errors
/// `Sql` when the file or the table is not there or is damaged; what `visit` says.
pub fn read<E: From<StoreError>>(
    path: &Path,
    Definition { name: table, columns, .. }: &Definition,
    only: Option<(&str, &str)>,
    mut visit: impl FnMut(&[SqlCell<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| StoreError::Sql { what: "read a dataset table", source };
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    // A dataset may come from anybody.
    connection.pragma_update(None, "trusted_schema", "OFF").map_err(failed)?;
    // Behind the table's name: alone, SQLite takes a quoted name that is no column for a text.
    let names: Vec<String> = columns.iter().map(|(name, _)| format!("\"{table}\".\"{name}\"")).collect();
    // By name and not `*`: a file with other columns fails instead of filling the wrong ones.
    let condition = only.map(|(column, _)| format!("WHERE \"{table}\".\"{column}\" = ?1")).unwrap_or_default();
    let select = format!("SELECT {} FROM \"{table}\" {condition} ORDER BY rowid", names.join(", "));
    let mut statement = connection.prepare(&select).map_err(failed)?;
    let mut rows = statement.query(params_from_iter(only.map(|(_, text)| text))).map_err(failed)?;
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
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => SqlCell::Text(std::str::from_utf8(bytes)?.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &'static str, columns: Vec<(&'static str, SqlColumnType)>) -> Definition {
        Definition { name, columns, key: vec!["name"], is_primary: false, indexes: Vec::new() }
    }

    fn definition() -> Definition {
        let columns = [("name", SqlColumnType::Text), ("rank", SqlColumnType::Integer), ("value", SqlColumnType::Real)];
        table("things", columns.to_vec())
    }

    #[test]
    fn tables_read_back_as_they_were_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("dataset.sqlite");
        let rows = [
            [SqlCell::Text("b'\u{0}\"".into()), SqlCell::Integer(1), SqlCell::Real(2.5)],
            [const { SqlCell::Null }; 3],
        ];
        let other = Definition {
            is_primary: true,
            indexes: vec!["name"],
            ..table("others", vec![("name", SqlColumnType::Text)])
        };
        let writer = DatasetWriter::create(&path, &[definition(), other]).expect("creates");
        for (row, name) in rows.clone().into_iter().zip(["x", "y"]) {
            writer.rows_of(0).expect("a table").add(row.into_iter()).expect("writes");
            writer.rows_of(1).expect("a table").add([SqlCell::Text(name.into())].into_iter()).expect("writes");
        }
        assert!(writer.rows_of(1).expect("a table").add([SqlCell::Text("x".into())].into_iter()).is_err(), "a key");
        let odd = [SqlCell::Null, SqlCell::Text("x".into()), SqlCell::Null];
        assert!(writer.rows_of(0).expect("a table").add(odd.into_iter()).is_err(), "tables are strict");
        assert!(writer.rows_of(2).is_err());
        writer.finish().expect("writes");
        let mut at = 0;
        let same = |row: &[SqlCell<'_>]| {
            assert_eq!(row, rows[at]);
            at += 1;
            Ok::<(), StoreError>(())
        };
        read(&path, &definition(), None, same).expect("reads");
        assert_eq!(at, 2);
        let mut named = 0;
        let count = |_: &[SqlCell<'_>]| {
            named += 1;
            Ok::<(), StoreError>(())
        };
        read(&path, &definition(), Some(("name", "b'\u{0}\"")), count).expect("reads");
        assert_eq!(named, 1);
        let other = table("others", vec![("added", SqlColumnType::Text), ("name", SqlColumnType::Text)]);
        let unread =
            read(&path, &other, None, |row| Err(StoreError::Corrupt { what: "a row", detail: format!("{row:?}") }));
        assert!(matches!(unread, Err(StoreError::Sql { .. })), "a column that is not there is no text: {unread:?}");
        assert!(DatasetWriter::create(&path, &[definition()]).is_err(), "it is there already");
    }
}
