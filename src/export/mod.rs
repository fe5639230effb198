//! Export: the ranked dataset in one folder, the same bytes from the same store on any machine.
//!
//! Reads the store and nothing else; holds no clock value and no run id but `as_of`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use capdex_core::time::{AsOf, Timestamp};
use capdex_db::Reader;

use manifest::FileRow;
use tables::{Row, Table};

mod csv;
mod jsonl;
pub mod manifest;
pub mod ranked;
mod sqlite;
pub mod tables;
pub mod verify;

/// A format of the dataset. Each writes every table; what it writes reads back to the same rows.
pub trait Exporter: Send + Sync {
    /// The word that `--format` takes.
    fn id(&self) -> &'static str;
    /// One line for the manual.
    fn about(&self) -> &'static str;
    /// Writes one table into `dir` and returns the file's name there.
    fn write(&self, dir: &Path, table: &Table, rows: &[Row]) -> anyhow::Result<String>;
    /// The file's name in which a table lies.
    fn file_name(&self, table: &str) -> String;
    /// Reads a table back.
    fn read(&self, dir: &Path, table: &Table) -> anyhow::Result<Vec<Row>>;
}

/// Every format, in the order in which `verify` prefers to read them.
pub const EXPORTERS: &[&dyn Exporter] = &[&jsonl::Jsonl, &csv::Csv, &sqlite::Sqlite];

/// What an export is of.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The instant that ages are measured against.
    pub as_of: AsOf,
    /// The formats, by id.
    pub formats: Vec<String>,
    /// The rubric that ranks.
    pub rank_by: String,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            as_of: AsOf(Timestamp::from_unix_seconds(0)),
            formats: EXPORTERS.iter().map(|exporter| exporter.id().to_owned()).collect(),
            rank_by: "saferskills/seed".into(),
        }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Rows of the ranked table.
    pub capabilities: u64,
    /// Files, the manifest included.
    pub files: u64,
    /// Bytes in all files.
    pub bytes: u64,
    /// The instant that ages were measured against.
    pub as_of: AsOf,
}

/// Writes the dataset into `out`, which is replaced as a whole: everything is written beside it first.
///
/// # Errors
/// When `out` is there and is not an export, or a file cannot be written.
pub fn write(reader: Reader, out: &Path, options: &ExportOptions) -> anyhow::Result<Written> {
    let staging = stage(out, manifest::NAME, "an export")?;
    let view = reader.snapshot_view()?;
    let contents = tables::Contents::of(&view, options)?;
    let mut files = Vec::new();
    for table in tables::TABLES {
        let rows = (table.rows)(&contents)?;
        for exporter in EXPORTERS.iter().filter(|exporter| options.formats.iter().any(|id| id == exporter.id())) {
            let name =
                exporter.write(&staging, table, &rows).with_context(|| format!("failed to write {}", table.name))?;
            files.push((name, u64::try_from(rows.len())?));
        }
    }
    let files = manifest::rows_of(&staging, files)?;
    let manifest_bytes = manifest::write(&staging, &view, &files, options)?;
    replace(&staging, out)?;
    Ok(Written {
        capabilities: u64::try_from(contents.capabilities())?,
        files: u64::try_from(files.len())? + 1,
        bytes: files.iter().map(|file: &FileRow| file.bytes).sum::<u64>() + manifest_bytes,
        as_of: options.as_of,
    })
}

/// Makes an empty folder beside `out`, in which everything is written before it takes that place. `mark` is the file by which a
/// folder of ours is known; `what` says what it is.
///
/// # Errors
/// When `out` is somebody else's: a file, or a folder that is not empty and lacks the mark.
pub(crate) fn stage(out: &Path, mark: &str, what: &str) -> anyhow::Result<PathBuf> {
    let occupied = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if (occupied && !out.join(mark).is_file()) || out.is_file() {
        return Err(crate::exit::usage(format!("{} is there and is not {what}; name another folder", out.display())));
    }
    let staging = beside(out, "new");
    clear(&staging)?;
    fs::create_dir_all(&staging).with_context(|| format!("failed to create {}", staging.display()))?;
    Ok(staging)
}

fn beside(out: &Path, suffix: &str) -> PathBuf {
    let name = out.file_name().map_or_else(|| "export".into(), |name| name.to_string_lossy().into_owned());
    out.with_file_name(format!(".{name}.{suffix}"))
}

fn clear(path: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Puts the new folder in the old one's place: two renames, so that a reader finds the whole old or the whole new one.
pub(crate) fn replace(staging: &Path, out: &Path) -> anyhow::Result<()> {
    let old = beside(out, "old");
    clear(&old)?;
    match fs::rename(out, &old) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            bail!("failed to move {} away: {error}", out.display())
        }
        _ => {}
    }
    fs::rename(staging, out).with_context(|| format!("failed to put {} in place", out.display()))?;
    clear(&old)
}
