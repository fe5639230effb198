//! The dataset as one SQLite file, `capdex.sqlite`, a table for each table.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_db::StoreError;
use capdex_db::dataset::{self, DatasetWriter, Definition};

use super::cell::{Cell, Row};
use super::file;
use super::file::FileRow;
use super::format::{Exporter, RowVisitor, TableWriter};
use super::table::{Column, ColumnType, Layout};

/// SQLite. JSON columns are text.
pub(super) struct SqliteExporter;

/// The one file.
const FILE: &str = "capdex.sqlite";

impl Exporter for SqliteExporter {
    fn id(&self) -> &'static str {
        "sqlite"
    }

    fn about(&self) -> &'static str {
        "one SQLite file with a table for each table; JSON columns are text"
    }

    fn file_name(&self, _table: &str) -> String {
        FILE.into()
    }

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>> {
        let definitions: Vec<Definition> = tables.iter().map(definition).collect();
        let path = dir.join(FILE);
        let writer = DatasetWriter::create(&path, &definitions)?;
        Ok(Box::new(SqliteFile { path, writer, rows: 0 }))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        let mut handed = |cells: &[dataset::SqlCell<'_>]| {
            let cells = table.columns.iter().zip(cells).map(|(column, cell)| original(column, cell));
            visit(cells.collect::<anyhow::Result<_>>()?)
        };
        dataset::read(&dir.join(FILE), &definition(table), |cells| handed(cells).map_err(Stopped::By))
            .map_err(Into::into)
    }
}

/// The cause by which reading ended: the file, or whoever was handed a row.
enum Stopped {
    Store(StoreError),
    By(anyhow::Error),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Stopped> for anyhow::Error {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Store(error) => Self::new(error),
            Stopped::By(error) => error,
        }
    }
}

struct SqliteFile {
    path: PathBuf,
    writer: DatasetWriter,
    rows: u64,
}

impl TableWriter for SqliteFile {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let mut inserting = self.writer.rows_of(table)?;
        for row in rows {
            inserting.add(row.iter().map(stored))?;
        }
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>> {
        self.writer.finish()?;
        // Read back, because SQLite writes pages in its own order and cannot be hashed on the way.
        let (sha256, bytes) = file::hash(&self.path).with_context(|| format!("failed to read {FILE} back"))?;
        Ok(vec![FileRow { path: FILE.into(), sha256, bytes, rows: self.rows }])
    }
}

fn definition(table: &Layout) -> Definition {
    // SQLite converts values of a column with another affinity; these keep what is put in.
    let kind = |kind| match kind {
        ColumnType::Integer => dataset::SqlColumnType::Integer,
        ColumnType::Number => dataset::SqlColumnType::Real,
        ColumnType::Text | ColumnType::Json => dataset::SqlColumnType::Text,
    };
    (table.name, table.columns.iter().map(|column| (column.name, kind(column.kind))).collect())
}

fn stored(cell: &Cell) -> dataset::SqlCell<'_> {
    match cell {
        Cell::Null => dataset::SqlCell::Null,
        Cell::Integer(number) => dataset::SqlCell::Integer(*number),
        Cell::Number(number) => dataset::SqlCell::Real(*number),
        Cell::Text(text) | Cell::Json(text) => dataset::SqlCell::Text(text),
    }
}

fn original(column: &Column, cell: &dataset::SqlCell<'_>) -> anyhow::Result<Cell> {
    Ok(match (column.kind, cell) {
        (_, dataset::SqlCell::Null) => Cell::Null,
        (ColumnType::Text, dataset::SqlCell::Text(text)) => Cell::text(text),
        (ColumnType::Json, dataset::SqlCell::Text(text)) => Cell::text(text).into_json(),
        (ColumnType::Integer, dataset::SqlCell::Integer(number)) => Cell::Integer(*number),
        (ColumnType::Number, dataset::SqlCell::Real(number)) => Cell::Number(*number),
        // Types of SQLite are those of each value, so a wrong one is damage.
        (_, other) => anyhow::bail!("{FILE}: column {} holds {other:?}", column.name),
    })
}
