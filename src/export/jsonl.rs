//! The dataset as JSON lines: `<table>.jsonl`, keys in the order of the columns.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use super::Exporter;
use super::tables::{Row, Table};

/// JSON lines.
pub(super) struct Jsonl;

impl Exporter for Jsonl {
    fn id(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "one JSON object a line, keys in the order of the columns"
    }

    fn file_name(&self, table: &str) -> String {
        format!("{table}.jsonl")
    }

    fn write(&self, dir: &Path, table: &Table, rows: &[Row]) -> anyhow::Result<String> {
        let mut text = String::new();
        for row in rows {
            for (index, (column, cell)) in table.columns.iter().zip(row).enumerate() {
                let lead = if index == 0 { '{' } else { ',' };
                write!(text, "{lead}\"{}\":{cell}", column.name).expect("writing to a string cannot fail");
            }
            text.push_str("}\n");
        }
        let name = self.file_name(table.name);
        fs::write(dir.join(&name), text)?;
        Ok(name)
    }

    fn read(&self, dir: &Path, table: &Table) -> anyhow::Result<Vec<Row>> {
        let name = self.file_name(table.name);
        let text = fs::read_to_string(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        text.lines()
            .enumerate()
            .map(|(index, line)| {
                let mut object: serde_json::Map<String, Value> =
                    serde_json::from_str(line).with_context(|| format!("{name} line {}", index + 1))?;
                Ok(table.columns.iter().map(|column| object.remove(column.name).unwrap_or_default()).collect())
            })
            .collect()
    }
}
