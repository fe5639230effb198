//! The dataset as Parquet: `<table>.parquet`, columns of 64-bit integers, doubles, booleans, instants in UTC, UTF-8 text, and lists and
//! structs of them, all nullable.
//!
//! Rows are taken in pieces of one size, and the name and version of the library are left out. So the bytes follow from the
//! rows alone.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use capdex_model::time::Timestamp;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::cell::{Cell, Row};
use super::file::{FileRow, HashedFile};
use super::format::{Exporter, RowVisitor, TableWriter};
use super::nested_arrays;
use super::shape::{Part, Shape};
use super::table::{Column, ColumnType, Layout};

/// Rows of one row group: of the widest table about 60 MB before and 2 MB after compression. Compressed columns and the
/// dictionaries of every table, wait in memory for its end.
const GROUP: usize = 16_384;
/// The most bytes of a dictionary: room for a text that comes once for each rubric. One that comes once a row gains nothing by a
/// dictionary, which costs time and, in every column until the end of its group, memory.
const DICTIONARY_BYTES: usize = 192 << 10;
/// Rows written, and read, at once.
const PIECE: usize = 1024;

/// The zone of instants.
const UTC: &str = "UTC";
/// The parts of a second in which instants are counted: Parquet has none of whole seconds.
const MICROSECONDS: i64 = 1_000_000;

/// Parquet. JSON of no one form is text.
pub(super) struct ParquetExporter;

impl Exporter for ParquetExporter {
    fn id(&self) -> &'static str {
        "parquet"
    }

    fn about(&self) -> &'static str {
        "columns compressed with zstd, in row groups of 16,384 rows; timestamps in UTC, booleans, lists and structs as such; json columns are text"
    }

    fn file_name(&self, table: &str) -> String {
        format!("{table}.parquet")
    }

    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>> {
        let file = |table: &Layout| {
            ParquetTable::create(HashedFile::create(dir, self.file_name(&table.file))?, &table.columns)
        };
        Ok(Box::new(ParquetFiles(tables.iter().map(file).collect::<anyhow::Result<_>>()?)))
    }

    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        ParquetFile::open(dir, self.file_name(&table.file))?.each(table, None, visit)
    }

    fn find(
        &self,
        dir: &Path,
        table: &Layout,
        column: &str,
        wanted: &BTreeSet<String>,
        visit: RowVisitor<'_>,
    ) -> anyhow::Result<()> {
        let file = ParquetFile::open(dir, self.file_name(&table.file))?;
        // One column first: the others are unpacked where a row is wanted, which is in few groups.
        let rows = file.rows_with(column, wanted)?;
        if rows.selects_any() { file.each(table, Some(rows), visit) } else { Ok(()) }
    }
}

/// A file that is read.
struct ParquetFile {
    name: String,
    file: File,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    fn open(dir: &Path, name: String) -> anyhow::Result<Self> {
        let file = File::open(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default());
        Ok(Self { metadata: metadata.with_context(|| format!("{name} is damaged"))?, name, file })
    }

    fn damaged(&self) -> String {
        format!("{} is damaged", self.name)
    }

    /// A reader in the size in which rows were written, which bounds the memory of reading too.
    fn reader(&self) -> anyhow::Result<ParquetRecordBatchReaderBuilder<File>> {
        let file = self.file.try_clone().with_context(|| self.damaged())?;
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone()).with_batch_size(PIECE))
    }

    /// Hands on some rows; all where none are named.
    fn each(&self, table: &Layout, rows: Option<RowSelection>, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        let mut reader = self.reader()?;
        if let Some(rows) = rows {
            reader = reader.with_row_selection(rows);
        }
        for batch in reader.build().with_context(|| self.damaged())? {
            let batch = batch.with_context(|| self.damaged())?;
            let columns: Vec<&ArrayRef> =
                table.columns.iter().map(|column| self.column(&batch, column.name)).collect::<anyhow::Result<_>>()?;
            for at in 0..batch.num_rows() {
                let cells = table.columns.iter().zip(&columns).map(|(column, array)| cell(column.kind, array, at));
                visit(cells.collect::<Option<_>>().with_context(|| self.damaged())?)?;
            }
        }
        Ok(())
    }

    /// The rows that have one of some texts in a column.
    fn rows_with(&self, column: &str, wanted: &BTreeSet<String>) -> anyhow::Result<RowSelection> {
        let mask = ProjectionMask::columns(self.metadata.parquet_schema(), [column]);
        let mut found = Vec::new();
        for batch in self.reader()?.with_projection(mask).build().with_context(|| self.damaged())? {
            let batch = batch.with_context(|| self.damaged())?;
            let texts = self.column(&batch, column)?.as_string_opt::<i32>().with_context(|| self.damaged())?;
            let is_wanted = |text: Option<&str>| Some(text.is_some_and(|text| wanted.contains(text)));
            found.push(texts.iter().map(is_wanted).collect::<BooleanArray>());
        }
        Ok(RowSelection::from_filters(&found))
    }

    /// A column by name, so that a dataset with other columns is told from a damaged one.
    fn column<'a>(&self, batch: &'a RecordBatch, column: &str) -> anyhow::Result<&'a ArrayRef> {
        batch.column_by_name(column).with_context(|| format!("{} has no {column}", self.name))
    }
}

struct ParquetFiles(Vec<ParquetTable>);

impl TableWriter for ParquetFiles {
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()> {
        let Some(columns) = self.0.get_mut(table) else { return Ok(()) };
        rows.iter().try_for_each(|row| columns.take(row))
    }

    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>> {
        self.0.into_iter().map(ParquetTable::finish).collect()
    }
}

/// One file with the rows that wait for a whole piece.
struct ParquetTable {
    schema: Arc<Schema>,
    writer: ArrowWriter<HashedFile>,
    waiting: Vec<ColumnBuilder>,
    count: usize,
    rows: u64,
}

enum ColumnBuilder {
    Integer(Int64Builder),
    Number(Float64Builder),
    Boolean(BooleanBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Text(StringBuilder),
    Nested(&'static Shape, Vec<Cell>),
}

impl ParquetTable {
    fn create(file: HashedFile, columns: &[Column]) -> anyhow::Result<Self> {
        let fields = columns.iter().map(|column| Field::new(column.name, data_type(column.kind), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        // The serialised Arrow schema says no more than Parquet's own, and its bytes may change with the library.
        let options = ArrowWriterOptions::new().with_properties(properties(columns)).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(file, schema.clone(), options)?;
        let waiting = columns.iter().map(|column| ColumnBuilder::of(column.kind)).collect();
        Ok(Self { schema, writer, waiting, count: 0, rows: 0 })
    }

    fn take(&mut self, row: &Row) -> anyhow::Result<()> {
        for (builder, cell) in self.waiting.iter_mut().zip(row) {
            builder.take(cell)?;
        }
        self.count += 1;
        // Pieces of one size: where a batch ends must not depend on how rows arrive.
        if self.count == PIECE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let arrays = self.waiting.iter_mut().map(ColumnBuilder::array).collect::<anyhow::Result<_>>()?;
        self.writer.write(&RecordBatch::try_new(self.schema.clone(), arrays)?)?;
        self.rows += self.count as u64;
        self.count = 0;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<FileRow> {
        if self.count > 0 {
            self.write()?;
        }
        self.writer.into_inner()?.finish(self.rows)
    }
}

impl ColumnBuilder {
    fn of(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Integer => Self::Integer(Int64Builder::new()),
            ColumnType::Number => Self::Number(Float64Builder::new()),
            ColumnType::Boolean => Self::Boolean(BooleanBuilder::new()),
            ColumnType::Timestamp => Self::Timestamp(TimestampMicrosecondBuilder::new().with_timezone(UTC)),
            ColumnType::Text | ColumnType::Json => Self::Text(StringBuilder::new()),
            ColumnType::Nested(shape) => Self::Nested(shape, Vec::new()),
        }
    }

    fn take(&mut self, cell: &Cell) -> anyhow::Result<()> {
        match (self, cell) {
            (Self::Integer(builder), Cell::Integer(number)) => builder.append_value(*number),
            (Self::Number(builder), Cell::Number(number)) => builder.append_value(*number),
            (Self::Boolean(builder), Cell::Boolean(is_so)) => builder.append_value(*is_so),
            (Self::Timestamp(builder), Cell::Timestamp(instant)) => {
                builder.append_value(instant.unix_seconds().saturating_mul(MICROSECONDS));
            }
            (Self::Text(builder), Cell::Text(text) | Cell::Json(text)) => builder.append_value(text),
            (Self::Nested(_, cells), Cell::Nested(_)) => cells.push(cell.clone()),
            // A row that another format kept has the text of what it holds.
            (Self::Nested(shape, cells), Cell::Json(text)) => {
                cells.push(Cell::nested(shape, serde_json::from_str(text)?)?);
            }
            // A value of another type cannot come from `table_row!`; as null it stays visible in verification.
            (Self::Integer(builder), _) => builder.append_null(),
            (Self::Number(builder), _) => builder.append_null(),
            (Self::Boolean(builder), _) => builder.append_null(),
            (Self::Timestamp(builder), _) => builder.append_null(),
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Nested(_, cells), _) => cells.push(Cell::Null),
        }
        Ok(())
    }

    fn array(&mut self) -> anyhow::Result<ArrayRef> {
        Ok(match self {
            Self::Integer(builder) => Arc::new(builder.finish()),
            Self::Number(builder) => Arc::new(builder.finish()),
            Self::Boolean(builder) => Arc::new(builder.finish()),
            Self::Timestamp(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Nested(shape, cells) => {
                let cells = std::mem::take(cells);
                nested_arrays::array(shape, &cells.iter().map(part_of).collect::<Vec<_>>())?
            }
        })
    }
}

/// The list or struct of a cell; nothing where it holds none.
fn part_of(cell: &Cell) -> &Part {
    match cell {
        Cell::Nested(nested) => &nested.part,
        _ => &Part::Null,
    }
}

/// Words and names repeat and are worth a dictionary; no two JSON texts need be alike.
fn properties(columns: &[Column]) -> WriterProperties {
    // The lowest level: the time of writing counts more here than the last per cents of size.
    let level = ZstdLevel::try_new(1).unwrap_or_default();
    let mut builder = WriterProperties::builder()
        .set_created_by("capdex".into())
        .set_compression(Compression::ZSTD(level))
        // Per chunk only; statistics of pages would grow the file for readers that rarely filter.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_max_row_group_row_count(Some(GROUP));
    for column in columns.iter().filter(|column| column.kind == ColumnType::Json) {
        let path = ColumnPath::from(column.name);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    builder.build()
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Number => DataType::Float64,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnType::Nested(shape) => nested_arrays::data_type(shape),
        ColumnType::Text | ColumnType::Json => DataType::Utf8,
    }
}

/// The cell of a row; none where the column is of another type than it should be.
fn cell(kind: ColumnType, array: &ArrayRef, at: usize) -> Option<Cell> {
    if array.is_null(at) {
        return Some(Cell::Null);
    }
    // The wrong type is damage, and not null.
    Some(match kind {
        ColumnType::Integer => Cell::Integer(array.as_primitive_opt::<Int64Type>()?.value(at)),
        ColumnType::Number => Cell::Number(array.as_primitive_opt::<Float64Type>()?.value(at)),
        ColumnType::Boolean => Cell::Boolean(array.as_boolean_opt()?.value(at)),
        ColumnType::Timestamp => {
            let microseconds = array.as_primitive_opt::<TimestampMicrosecondType>()?.value(at);
            let is_whole = microseconds.rem_euclid(MICROSECONDS) == 0;
            let instant = Timestamp::from_unix_seconds(microseconds.div_euclid(MICROSECONDS));
            is_whole.then_some(Cell::Timestamp(instant))?
        }
        ColumnType::Nested(shape) => Cell::of_part(shape, nested_arrays::part(shape, array, at)?),
        ColumnType::Text => Cell::text(array.as_string_opt::<i32>()?.value(at)),
        ColumnType::Json => Cell::text(array.as_string_opt::<i32>()?.value(at)).into_json(),
    })
}
