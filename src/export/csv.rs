//! The dataset as CSV: `<table>.csv` with a header. Text cells are safe for spreadsheets (see `output::csv_safe`).

use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::Exporter;
use super::tables::{ColumnType, Row, Table};
use crate::output;

/// CSV. An empty cell is null; an empty text is two quotation marks in JSON columns and null elsewhere.
pub(super) struct Csv;

impl Exporter for Csv {
    fn id(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "comma-separated with a header; an apostrophe stands before text that a spreadsheet would take for a formula"
    }

    fn file_name(&self, table: &str) -> String {
        format!("{table}.csv")
    }

    fn write(&self, dir: &Path, table: &Table, rows: &[Row]) -> anyhow::Result<String> {
        let name = self.file_name(table.name);
        let mut writer = csv::Writer::from_path(dir.join(&name))?;
        writer.write_record(table.columns.iter().map(|column| column.name))?;
        for row in rows {
            writer.write_record(table.columns.iter().zip(row).map(|(column, cell)| written(column.kind, cell)))?;
        }
        writer.flush()?;
        Ok(name)
    }

    fn read(&self, dir: &Path, table: &Table) -> anyhow::Result<Vec<Row>> {
        let name = self.file_name(table.name);
        let mut reader = csv::Reader::from_path(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        reader
            .records()
            .map(|record| {
                let record = record.with_context(|| format!("{name} is damaged"))?;
                table.columns.iter().zip(&record).map(|(column, cell)| original(column.kind, cell)).collect()
            })
            .collect()
    }
}

fn written(kind: ColumnType, cell: &Value) -> String {
    match (kind, cell) {
        (_, Value::Null) => String::new(),
        (ColumnType::Text, Value::String(text)) => output::csv_safe(text).into_owned(),
        (_, other) => other.to_string(),
    }
}

fn original(kind: ColumnType, cell: &str) -> anyhow::Result<Value> {
    if cell.is_empty() {
        return Ok(Value::Null);
    }
    match kind {
        ColumnType::Text => Ok(json!(output::csv_original(cell))),
        ColumnType::Integer | ColumnType::Number | ColumnType::Json => {
            serde_json::from_str(cell).with_context(|| format!("{cell:?} is not JSON"))
        }
    }
}
