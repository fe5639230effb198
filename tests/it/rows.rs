//! Reads what an export holds.

use std::path::Path;

use capdex_dataset::export::cell::Cell;
use capdex_dataset::export::table::Layout;
use capdex_dataset::export::tables::TABLES;
use capdex_dataset::export::{DEFAULT_FORMAT, EXPORTERS};
use serde_json::Value;

/// The rows of a table, from its JSON lines, or from its Parquet file where there are none.
pub(crate) fn rows(export: &Path, table: &str) -> Vec<Value> {
    match std::fs::read_to_string(export.join(format!("{table}.jsonl"))) {
        Ok(text) => text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect(),
        Err(_) => parquet_rows(export, table),
    }
}

fn parquet_rows(export: &Path, table: &str) -> Vec<Value> {
    let found = TABLES.iter().find(|known| known.name == table).expect("a table of the dataset");
    let layout = Layout::of(found, false);
    let exporter = EXPORTERS.iter().find(|exporter| exporter.id() == DEFAULT_FORMAT).expect("the default format");
    let mut rows = Vec::new();
    let mut visit = |row: Vec<Cell>| {
        let cells = layout.columns.iter().zip(&row).map(|(column, cell)| (column.name.to_owned(), value(cell)));
        rows.push(Value::Object(cells.collect()));
        Ok(())
    };
    exporter.read(export, &layout, &mut visit).unwrap_or_else(|error| panic!("{}: {error:#}", export.display()));
    rows
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => Value::from(*number),
        Cell::Number(number) => Value::from(*number),
        Cell::Text(text) => Value::from(&**text),
        Cell::Json(text) => serde_json::from_str(text).expect("a cell of JSON"),
    }
}

/// A text cell; empty for null.
pub(crate) fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap_or_default()
}

/// The bytes of every file of a folder, by name.
pub(crate) fn bytes_of(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a readable file"))
        })
        .collect()
}
