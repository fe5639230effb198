//! `Exporter`: a format of the dataset. Each writes every table; what it writes reads back to the same rows.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;

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
    /// True where each table has a file of its own.
    fn is_apart(&self) -> bool {
        self.file_name("a") != self.file_name("b")
    }
    /// Begins to write these tables into `dir`.
    fn create(&self, dir: &Path, tables: &[Layout]) -> anyhow::Result<Box<dyn TableWriter>>;
    /// Hands on every row of a table, in the order in which they were written.
    fn read(&self, dir: &Path, table: &Layout, visit: RowVisitor<'_>) -> anyhow::Result<()>;
    /// Hands on the rows of a table that have one of some texts in a column, in their order.
    fn find(
        &self,
        dir: &Path,
        table: &Layout,
        column: &str,
        wanted: &BTreeSet<String>,
        visit: RowVisitor<'_>,
    ) -> anyhow::Result<()> {
        let place = table.columns.iter().position(|known| known.name == column);
        let place = place.with_context(|| format!("{} has no {column}", self.file_name(table.name)))?;
        self.read(dir, table, &mut |row| {
            let is_wanted = row.get(place).is_some_and(|cell| wanted.contains(cell.as_text()));
            if is_wanted { visit(row) } else { Ok(()) }
        })
    }
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
