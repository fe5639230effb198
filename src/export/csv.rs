//! The dataset as CSV: `<table>.csv` with a header. Text cells are safe for spreadsheets (see `output::csv_safe`).

use std::path::Path;

use anyhow::Context as _;

use super::cell::{Cell, Row};
use super::file::HashedFile;
use super::format::{Exporter, Sink, Visit};
use super::manifest::FileRow;
use super::tables::{ColumnType, Layout};
use crate::output;

/// CSV. An empty cell is null; so is an empty text.
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

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn Sink>> {
        let file = |table: &Layout| {
            let file = HashedFile::create(dir, self.file_name(table.name))?;
            let mut writer = csv::Writer::from_writer(file);
            writer.write_record(table.columns.iter().map(|column| column.name))?;
            Ok((writer, 0))
        };
        Ok(Box::new(Files(tables.iter().map(file).collect::<anyhow::Result<_>>()?)))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: Visit<'_>) -> anyhow::Result<()> {
        let name = self.file_name(table.name);
        let mut reader = csv::Reader::from_path(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).with_context(|| format!("{name} is damaged"))? {
            let cells = table.columns.iter().zip(&record).map(|(column, cell)| original(column.kind, cell));
            visit(cells.collect::<anyhow::Result<_>>().with_context(|| format!("{name} is damaged"))?)?;
        }
        Ok(())
    }
}

struct Files(Vec<(csv::Writer<HashedFile>, u64)>);

impl Sink for Files {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let Some((writer, count)) = self.0.get_mut(table) else { return Ok(()) };
        for row in rows {
            for cell in row {
                match cell {
                    Cell::Text(text) => writer.write_field(output::csv_safe(text).as_bytes())?,
                    Cell::Json(text) => writer.write_field(text.as_bytes())?,
                    Cell::Null => writer.write_field(b"")?,
                    number => writer.write_field(number.to_string())?,
                }
            }
            writer.write_record(None::<&[u8]>)?;
        }
        *count += rows.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>> {
        let finish = |(writer, rows): (csv::Writer<HashedFile>, u64)| {
            let file = writer.into_inner().map_err(|error| anyhow::anyhow!("failed to write a table: {error}"))?;
            file.finish(rows)
        };
        self.0.into_iter().map(finish).collect()
    }
}

fn original(kind: ColumnType, cell: &str) -> anyhow::Result<Cell> {
    if cell.is_empty() {
        return Ok(Cell::Null);
    }
    Ok(match kind {
        ColumnType::Text => Cell::text(output::csv_original(cell)),
        ColumnType::Json => Cell::text(cell).into_json(),
        ColumnType::Integer => Cell::Integer(cell.parse().with_context(|| format!("{cell:?} is no whole number"))?),
        ColumnType::Number => Cell::Number(cell.parse().with_context(|| format!("{cell:?} is no number"))?),
    })
}
