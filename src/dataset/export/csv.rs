//! The dataset as CSV: `<table>.csv` with a header. Text cells are safe for spreadsheets (see `escape::csv_safe`).

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;

use super::cell::{Cell, Row};
use super::file::{FileRow, HashedFile};
use super::format::{Exporter, RowVisitor, TableWriter};
use super::table::{ColumnType, Layout};
use crate::escape;

/// CSV. An empty cell is null; so is an empty text.
pub(super) struct CsvExporter;

impl Exporter for CsvExporter {
    fn id(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "comma-separated with a header; an apostrophe stands before text that a spreadsheet would take for a formula; lists and structs are JSON text, timestamps RFC 3339 text"
    }

    fn file_name(&self, table: &str) -> String {
        format!("{table}.csv")
    }

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>> {
        let file = |table: &Layout| {
            let mut file = HashedFile::create(dir, self.file_name(&table.file))?;
            let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            // Names of columns are our own words and need no quoting.
            writeln!(file, "{}", names.join(","))?;
            Ok((file, 0))
        };
        Ok(Box::new(CsvFiles(tables.iter().map(file).collect::<anyhow::Result<_>>()?)))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        let name = self.file_name(&table.file);
        // The header is checked by `verify` through the digest of the file, so columns are taken by place.
        let mut reader = csv::Reader::from_path(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).with_context(|| format!("{name} is damaged"))? {
            let cells = table.columns.iter().zip(&record).map(|(column, cell)| original(column.kind, cell));
            visit(cells.collect::<anyhow::Result<_>>().with_context(|| format!("{name} is damaged"))?)?;
        }
        Ok(())
    }
}

/// Each file with its number of rows. Written here and not by the `csv` package, which looks at each byte twice and takes
/// three times as long; it reads the files back.
struct CsvFiles(Vec<(HashedFile, u64)>);

impl TableWriter for CsvFiles {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let Some((file, count)) = self.0.get_mut(table) else { return Ok(()) };
        for row in rows {
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    file.write_all(b",")?;
                }
                match cell {
                    // A text that begins like a formula would run in the reader's spreadsheet.
                    Cell::Text(text) => field(file, &escape::csv_safe(text))?,
                    // JSON of this dataset begins with a bracket or a brace, neither of which starts a formula.
                    Cell::Json(_) | Cell::Nested(_) => field(file, cell.as_text())?,
                    Cell::Null => {}
                    plain => write!(file, "{plain}")?,
                }
            }
            file.write_all(b"\n")?;
        }
        *count += rows.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>> {
        self.0.into_iter().map(|(file, rows)| file.finish(rows)).collect()
    }
}

/// Writes a field as RFC 4180 has it. It stands in quotation marks where a reader would else take something in it for an
/// end, and each mark within them is doubled.
fn field(file: &mut HashedFile, text: &str) -> io::Result<()> {
    // Most fields need no quotation marks, and are written in one piece.
    if !text.bytes().any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r')) {
        return file.write_all(text.as_bytes());
    }
    file.write_all(b"\"")?;
    // Pieces between quotation marks go out as they are, without a copy of the text.
    for (at, part) in text.split('"').enumerate() {
        if at > 0 {
            file.write_all(b"\"\"")?;
        }
        file.write_all(part.as_bytes())?;
    }
    file.write_all(b"\"")
}

fn original(kind: ColumnType, cell: &str) -> anyhow::Result<Cell> {
    // Null and empty text are one in CSV, and equal as cells.
    if cell.is_empty() {
        return Ok(Cell::Null);
    }
    Ok(match kind {
        ColumnType::Text => Cell::text(escape::csv_original(cell)),
        ColumnType::Json | ColumnType::Nested(_) => Cell::text(cell).into_json(),
        ColumnType::Boolean => Cell::Boolean(cell.parse().with_context(|| format!("{cell:?} is no true or false"))?),
        ColumnType::Timestamp => Cell::Timestamp(cell.parse()?),
        ColumnType::Integer => Cell::Integer(cell.parse().with_context(|| format!("{cell:?} is no whole number"))?),
        ColumnType::Number => Cell::Number(cell.parse().with_context(|| format!("{cell:?} is no number"))?),
    })
}
