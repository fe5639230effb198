//! Reads what an export holds.

use std::path::Path;

use capdex_dataset::export::cell::Cell;
use capdex_dataset::export::manifest::DatasetManifest;
use capdex_dataset::export::table::Layout;
use capdex_dataset::export::tables::TABLES;
use capdex_dataset::export::{DEFAULT_FORMAT, EXPORTERS};
use capdex_model::time::AsOf;
use serde_json::Value;

/// The rows of a table, from its JSON lines, or from its Parquet file where there are none.
pub(crate) fn rows(export: &Path, table: &str) -> Vec<Value> {
    rows_of(
        export,
        &Layout::of(TABLES.iter().find(|known| known.name == table).expect("a table of the dataset"), false),
    )
}

/// The rows of the table `history`, night after night.
pub(crate) fn history(export: &Path) -> Vec<Value> {
    let manifest = std::fs::read(export.join("manifest.json")).expect("a manifest");
    let manifest: DatasetManifest = serde_json::from_slice(&manifest).expect("a manifest");
    let table = TABLES.iter().find(|known| known.name == "history").expect("a table");
    let night = |night: &AsOf| rows_of(export, &Layout::of(table, false).of_night(*night));
    manifest.nights.iter().flat_map(night).collect()
}

fn rows_of(export: &Path, layout: &Layout) -> Vec<Value> {
    match std::fs::read_to_string(export.join(format!("{}.jsonl", layout.file))) {
        Ok(text) => text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect(),
        Err(_) => parquet_rows(export, layout),
    }
}

fn parquet_rows(export: &Path, layout: &Layout) -> Vec<Value> {
    let exporter = EXPORTERS.iter().find(|exporter| exporter.id() == DEFAULT_FORMAT).expect("the default format");
    let mut rows = Vec::new();
    let mut visit = |row: Vec<Cell>| {
        let cells = layout.columns.iter().zip(&row).map(|(column, cell)| (column.name.to_owned(), value(cell)));
        rows.push(Value::Object(cells.collect()));
        Ok(())
    };
    exporter.read(export, layout, &mut visit).unwrap_or_else(|error| panic!("{}: {error:#}", export.display()));
    rows
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => Value::from(*number),
        Cell::Number(number) => Value::from(*number),
        Cell::Boolean(is_so) => Value::from(*is_so),
        Cell::Timestamp(instant) => Value::from(instant.to_string()),
        Cell::Text(text) => Value::from(&**text),
        Cell::Json(_) | Cell::Nested(_) => serde_json::from_str(cell.as_text()).expect("a cell of JSON"),
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
