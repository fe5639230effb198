//! The dataset as JSON lines: `<table>.jsonl`, keys in the order of the columns.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use anyhow::Context as _;
use serde_json::value::RawValue;

use super::cell::{Cell, Row};
use super::file::FileRow;
use super::file::HashedFile;
use super::format::{Exporter, RowVisitor, TableWriter};
use super::table::{Column, ColumnType, Layout};

/// JSON lines.
pub(super) struct JsonLinesExporter;

impl Exporter for JsonLinesExporter {
    fn id(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "one JSON object a line, keys in the order of the columns; lists, objects and booleans as such, timestamps as RFC 3339 text"
    }

    fn file_name(&self, table: &str) -> String {
        format!("{table}.jsonl")
    }

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>> {
        let file = |table: &Layout| {
            let file = HashedFile::create(dir, self.file_name(&table.file))?;
            // Keys are written once: brace or comma, quoted name and colon stand before every value.
            let key =
                |(at, column): (usize, &Column)| format!("{}\"{}\":", if at == 0 { '{' } else { ',' }, column.name);
            Ok(JsonLinesTable { keys: table.columns.iter().enumerate().map(key).collect(), file, rows: 0 })
        };
        Ok(Box::new(JsonLinesFiles(tables.iter().map(file).collect::<anyhow::Result<_>>()?)))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        let name = self.file_name(&table.file);
        let file = File::open(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        // Rows are long and many, so the default buffer of 8 KiB would mean many reads.
        let mut lines = BufReader::with_capacity(1 << 17, file);
        let (mut line, mut number) = (String::new(), 0_u64);
        while lines.read_line(&mut line).with_context(|| format!("failed to read {name}"))? > 0 {
            number += 1;
            // The number of the line is part of the error, because a dataset may be edited by hand.
            visit(row(table, &line).with_context(|| format!("{name} line {number}"))?)?;
            line.clear();
        }
        Ok(())
    }
}

struct JsonLinesFiles(Vec<JsonLinesTable>);

struct JsonLinesTable {
    /// The text before the value of each column.
    keys: Vec<String>,
    file: HashedFile,
    rows: u64,
}

impl TableWriter for JsonLinesFiles {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let Some(JsonLinesTable { keys, file, rows: count }) = self.0.get_mut(table) else { return Ok(()) };
        for row in rows {
            for (key, cell) in keys.iter().zip(row) {
                file.write_all(key.as_bytes())?;
                match cell {
                    Cell::Null => file.write_all(b"null")?,
                    Cell::Text(text) => serde_json::to_writer(&mut *file, &**text)?,
                    // JSON cells are text of ours, checked when they were made.
                    Cell::Json(_) | Cell::Nested(_) => file.write_all(cell.as_text().as_bytes())?,
                    Cell::Timestamp(instant) => write!(file, "\"{instant}\"")?,
                    plain => write!(file, "{plain}")?,
                }
            }
            file.write_all(b"}\n")?;
        }
        *count += rows.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>> {
        self.0.into_iter().map(|lines| lines.file.finish(lines.rows)).collect()
    }
}

fn row(table: &Layout, line: &str) -> anyhow::Result<Row> {
    // Raw values keep the bytes as written; a parsed number would be printed otherwise.
    let object: BTreeMap<&str, &RawValue> = serde_json::from_str(line)?;
    // A column that is missing reads as null, so that older datasets can be compared with.
    let cell = |column: &Column| object.get(column.name).map_or(Ok(Cell::Null), |raw| cell(column.kind, raw.get()));
    table.columns.iter().map(cell).collect()
}

fn cell(kind: ColumnType, raw: &str) -> anyhow::Result<Cell> {
    Ok(match (kind, raw) {
        (_, "null") => Cell::Null,
        (ColumnType::Text, raw) => Cell::text(serde_json::from_str::<String>(raw)?),
        (ColumnType::Json | ColumnType::Nested(_), raw) => Cell::text(raw).into_json(),
        (ColumnType::Boolean, raw) => Cell::Boolean(serde_json::from_str(raw)?),
        (ColumnType::Timestamp, raw) => Cell::Timestamp(serde_json::from_str(raw)?),
        (ColumnType::Integer, raw) => Cell::Integer(serde_json::from_str(raw)?),
        (ColumnType::Number, raw) => Cell::Number(serde_json::from_str(raw)?),
    })
}
