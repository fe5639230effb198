//! `Exporter`: a format of the dataset. Each writes every table; what it writes reads back to the same rows.

use std::path::Path;

use super::cell::Row;
use super::file::FileRow;
use super::table::Layout;

/// A format.
pub trait Exporter: Send + Sync {
    /// The word that `--format` takes.
    fn id(&self) -> &'static str;
    /// One line for the manual.
    fn about(&self) -> &'static str;
    /// The name of the file in which a table lies.
    fn file_name(&self, table: &str) -> String;
    /// Begins to write these tables into `dir`.
    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>>;
    /// Hands on every row of a table, in the order in which they were written.
    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()>;
}

/// The receiver of each row.
pub type RowVisitor<'a> = &'a mut dyn FnMut(Row) -> anyhow::Result<()>;

/// The files of one format while they are written. The same rows in the same order give the same bytes, in whatever pieces
/// they come.
pub trait TableWriter: Send {
    /// Adds rows to the table of a number, as the tables were given.
    fn take(&mut self, table: usize, rows: &[Row]) -> anyhow::Result<()>;
    /// Writes what is left. Every file with its digest, sorted by name.
    fn finish(self: Box<Self>) -> anyhow::Result<Vec<FileRow>>;
}
