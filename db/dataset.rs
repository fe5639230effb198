//! A dataset as a plain SQLite file: tables of typed columns written and read back.
//!
//! Not the store: no migrations, no history. Names of tables and columns come from the program's own list, never
//! from data.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::{Number, Value};

use crate::StoreError;

/// How a column is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A floating-point number.
    Real,
    /// Text.
    Text,
}

impl ColumnType {
    const fn as_sql(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Text => "TEXT",
        }
    }
}

/// Adds a table with its rows to the file at `path`, which is made if it is not there. The same calls give the same
/// bytes.
///
/// # Errors
/// `Sql` when the file cannot be written or the table is there already.
pub fn write(
    path: &Path,
    table: &'static str,
    columns: &[(&'static str, ColumnType)],
    rows: impl Iterator<Item = Vec<Value>>,
) -> Result<(), StoreError> {
    let failed = |source| StoreError::Sql { what: "write a dataset table", source };
    let mut connection = Connection::open(path).map_err(failed)?;
    // A dataset is written once and renamed into place: no journal has to survive.
    connection.pragma_update(None, "journal_mode", "OFF").map_err(failed)?;
    let transaction = connection.transaction().map_err(failed)?;
    let definitions: Vec<String> = columns.iter().map(|(name, kind)| format!("\"{name}\" {}", kind.as_sql())).collect();
    let create = format!("CREATE TABLE \"{table}\" ({}) STRICT", definitions.join(", "));
    transaction.execute(&create, []).map_err(failed)?;
    let marks = vec!["?"; columns.len()].join(", ");
    {
        let mut insert = transaction.prepare(&format!("INSERT INTO \"{table}\" VALUES ({marks})")).map_err(failed)?;
        for row in rows {
            insert.execute(params_from_iter(row.iter().map(to_sql))).map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)
}

/// Reads a table back, in the order in which it was written.
///
/// # Errors
/// `Sql` when the file or the table is not there or is damaged.
pub fn read(
    path: &Path,
    table: &'static str,
    columns: &[(&'static str, ColumnType)],
) -> Result<Vec<Vec<Value>>, StoreError> {
    let failed = |source| StoreError::Sql { what: "read a dataset table", source };
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    connection.pragma_update(None, "trusted_schema", "OFF").map_err(failed)?;
    let names: Vec<String> = columns.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let select = format!("SELECT {} FROM \"{table}\" ORDER BY rowid", names.join(", "));
    let mut statement = connection.prepare(&select).map_err(failed)?;
    let count = columns.len();
    let rows = statement.query_map([], |row| (0..count).map(|index| Ok(from_sql(row.get_ref(index)?))).collect());
    rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

fn to_sql(cell: &Value) -> rusqlite::types::Value {
    use rusqlite::types::Value as Sql;
    match cell {
        Value::Null => Sql::Null,
        Value::Bool(flag) => Sql::Integer(i64::from(*flag)),
        Value::Number(number) => {
            number.as_i64().map(Sql::Integer).or_else(|| number.as_f64().map(Sql::Real)).unwrap_or(Sql::Null)
        }
        Value::String(text) => Sql::Text(text.clone()),
        other => Sql::Text(other.to_string()),
    }
}

fn from_sql(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Value::from(String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_reads_back_as_it_was_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("dataset.sqlite");
        let columns = [("name", ColumnType::Text), ("rank", ColumnType::Integer), ("value", ColumnType::Real)];
        let rows = vec![vec![json!("b'\u{0}\""), json!(1), json!(2.5)], vec![Value::Null, Value::Null, Value::Null]];
        write(&path, "things", &columns, rows.clone().into_iter()).expect("writes");
        assert_eq!(read(&path, "things", &columns).expect("reads"), rows);
        assert!(write(&path, "things", &columns, std::iter::empty()).is_err());
    }
}
