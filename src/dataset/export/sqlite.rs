//! The dataset as one SQLite file, `capdex.sqlite`, a table for each table.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_db::StoreError;
use capdex_db::dataset::{self, DatasetWriter, Definition};

use super::cell::{Cell, Row};
use super::file;
use super::file::FileRow;
use super::format::{Exporter, RowVisitor, TableWriter};
use super::table::{AS_OF, Column, ColumnRole, ColumnType, Layout};
use super::tables;

/// SQLite. Lists, structs, JSON and instants are text, booleans 1 and 0.
pub(super) struct SqliteExporter;

/// The one file.
const FILE: &str = "capdex.sqlite";

impl Exporter for SqliteExporter {
    fn id(&self) -> &'static str {
        "sqlite"
    }

    fn about(&self) -> &'static str {
        "one SQLite file with a table for each table and its keys as primary keys; lists and structs are JSON text, timestamps RFC 3339 text, booleans 1 and 0"
    }

    fn file_name(&self, _table: &str) -> String {
        FILE.into()
    }

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>> {
        // The files of several nights are one table here.
        let mut definitions: Vec<Definition> = Vec::new();
        let mut numbers = Vec::new();
        for layout in tables {
            let known = definitions.iter().position(|known| known.name == layout.name);
            numbers.push(known.unwrap_or_else(|| {
                definitions.push(definition(layout));
                definitions.len() - 1
            }));
        }
        let path = dir.join(FILE);
        let writer = DatasetWriter::create(&path, &definitions)?;
        Ok(Box::new(SqliteFile { path, writer, numbers, rows: 0 }))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        let mut handed = |cells: &[dataset::SqlCell<'_>]| {
            let cells = table.columns.iter().zip(cells).map(|(column, cell)| original(column, cell));
            visit(cells.collect::<anyhow::Result<_>>()?)
        };
        // The nights of a table are one table here.
        let night = table.night.map(|night| night.to_string());
        let only = night.as_deref().map(|night| (AS_OF, night));
        dataset::read(&dir.join(FILE), &definition(table), only, |cells| handed(cells).map_err(Stopped::By))
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
    /// The table of each layout.
    numbers: Vec<usize>,
    rows: u64,
}

impl TableWriter for SqliteFile {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let Some(number) = self.numbers.get(table) else { return Ok(()) };
        let mut inserting = self.writer.rows_of(*number)?;
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
        Ok(vec![FileRow { path: FILE.into(), sha256, bytes, rows: self.rows, as_of: None }])
    }
}

fn definition(table: &Layout) -> Definition {
    // SQLite converts values of a column with another affinity; these keep what is put in.
    let kind = |kind| match kind {
        ColumnType::Integer | ColumnType::Boolean => dataset::SqlColumnType::Integer,
        ColumnType::Number => dataset::SqlColumnType::Real,
        ColumnType::Text | ColumnType::Timestamp | ColumnType::Json | ColumnType::Nested(_) => {
            dataset::SqlColumnType::Text
        }
    };
    let key: Vec<&Column> = table.columns.iter().filter(|column| column.role == ColumnRole::Key).collect();
    // What a table is joined by, where its key does not begin with it.
    let joined = table.columns.iter().map(|column| column.name).filter(|name| {
        key.first().is_none_or(|first| first.name != *name) && (*name == "slug" || tables::key_of(name).is_some())
    });
    Definition {
        name: table.name,
        columns: table.columns.iter().map(|column| (column.name, kind(column.kind))).collect(),
        // A primary key of SQLite takes no nulls.
        is_primary: key.iter().all(|column| !column.is_nullable),
        key: key.iter().map(|column| column.name).collect(),
        indexes: joined.collect(),
    }
}

fn stored(cell: &Cell) -> dataset::SqlCell<'_> {
    match cell {
        Cell::Null => dataset::SqlCell::Null,
        Cell::Integer(number) => dataset::SqlCell::Integer(*number),
        Cell::Number(number) => dataset::SqlCell::Real(*number),
        Cell::Boolean(is_so) => dataset::SqlCell::Integer((*is_so).into()),
        Cell::Timestamp(instant) => dataset::SqlCell::Text(instant.to_string().into()),
        Cell::Text(_) | Cell::Json(_) | Cell::Nested(_) => dataset::SqlCell::Text(cell.as_text().into()),
    }
}

fn original(column: &Column, cell: &dataset::SqlCell<'_>) -> anyhow::Result<Cell> {
    Ok(match (column.kind, cell) {
        (_, dataset::SqlCell::Null) => Cell::Null,
        (ColumnType::Text, dataset::SqlCell::Text(text)) => Cell::text(text),
        (ColumnType::Json | ColumnType::Nested(_), dataset::SqlCell::Text(text)) => Cell::text(text).into_json(),
        (ColumnType::Boolean, dataset::SqlCell::Integer(number @ (0 | 1))) => Cell::Boolean(*number == 1),
        (ColumnType::Timestamp, dataset::SqlCell::Text(text)) => Cell::Timestamp(text.parse()?),
        (ColumnType::Integer, dataset::SqlCell::Integer(number)) => Cell::Integer(*number),
        (ColumnType::Number, dataset::SqlCell::Real(number)) => Cell::Number(*number),
        // Types of SQLite are those of each value, so a wrong one is damage.
        (_, other) => anyhow::bail!("{FILE}: column {} holds {other:?}", column.name),
    })
}
