//! The dataset as one SQLite file, `capdex.sqlite`, a table for each table.

use std::path::Path;

use capdex_db::dataset;
use serde_json::{Value, json};

use super::Exporter;
use super::tables::{ColumnType, Row, Table};

/// SQLite. JSON columns are text.
pub(super) struct Sqlite;

/// The one file.
const FILE: &str = "capdex.sqlite";

impl Exporter for Sqlite {
    fn id(&self) -> &'static str {
        "sqlite"
    }

    fn about(&self) -> &'static str {
        "one SQLite file with a table for each table; JSON columns are text"
    }

    fn file_name(&self, _table: &str) -> String {
        FILE.into()
    }

    fn write(&self, dir: &Path, table: &Table, rows: &[Row]) -> anyhow::Result<String> {
        let rows = rows
            .iter()
            .map(|row| table.columns.iter().zip(row).map(|(column, cell)| stored(column.kind, cell)).collect());
        dataset::write(&dir.join(FILE), table.name, &columns(table), rows)?;
        Ok(FILE.into())
    }

    fn read(&self, dir: &Path, table: &Table) -> anyhow::Result<Vec<Row>> {
        let rows = dataset::read(&dir.join(FILE), table.name, &columns(table))?;
        let original =
            |row: Vec<Value>| table.columns.iter().zip(row).map(|(column, cell)| original(column.kind, cell)).collect();
        Ok(rows.into_iter().map(original).collect())
    }
}

fn columns(table: &Table) -> Vec<(&'static str, dataset::ColumnType)> {
    let kind = |kind| match kind {
        ColumnType::Integer => dataset::ColumnType::Integer,
        ColumnType::Number => dataset::ColumnType::Real,
        ColumnType::Text | ColumnType::Json => dataset::ColumnType::Text,
    };
    table.columns.iter().map(|column| (column.name, kind(column.kind))).collect()
}

fn stored(kind: ColumnType, cell: &Value) -> Value {
    if kind == ColumnType::Json && !cell.is_null() { json!(cell.to_string()) } else { cell.clone() }
}

/// SQLite gives a whole number in a REAL column back as `5.0`; the dataset writes `5`.
fn original(kind: ColumnType, cell: Value) -> Value {
    match (kind, &cell) {
        (ColumnType::Json, Value::String(text)) => serde_json::from_str(text).unwrap_or(cell),
        (ColumnType::Number, Value::Number(number)) => match number.as_f64() {
            Some(value) if value.fract() == 0.0 => json!(value as i64),
            _ => cell,
        },
        _ => cell,
    }
}
