//! `TakenOver`: the tables of the dataset that stands there, where nothing that the ranked tables are made of is otherwise.
//!
//! Their files stay as they are. Only the instant of the night is written anew where a row says it, and the tables that come
//! straight from the store. What comes of it is, byte for byte, what is written without this.

use std::path::Path;

use capdex_db::Reader;
use capdex_model::digest::Digest;
use capdex_model::score::RubricRef;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;
use serde::{Deserialize, Serialize};

use super::band_counts::BandCounts;
use super::cell::{Cell, Row};
use super::exporters::EXPORTERS;
use super::field::Field;
use super::file::FileRow;
use super::format::{Exporter, TableWriter};
use super::manifest::{self, EarlierDatasetRef};
use super::table::{Layout, RowOrigin};
use super::table_row::TableRow as _;
use super::tables::TABLES;
use super::tables::changes::ChangeRow;
use super::top_rows::TopRows;
use super::{ExportOptions, MadeFrom};

/// The column that says the instant of the night.
const AS_OF: &str = "as_of";
/// Rows that are handed on at once.
const ROWS: usize = 1024;

/// The last dataset, from the same inputs.
pub(super) struct TakenOver {
    /// The dataset that it is, with which the new one is compared: nothing differs.
    pub(super) earlier: EarlierDatasetRef,
    /// What a terminal shows of it.
    pub(super) shown: Shown,
    exporter: &'static dyn Exporter,
    /// The files of its tables.
    files: Vec<FileRow>,
}

/// What a terminal shows of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shown {
    /// The capabilities that rank last.
    pub(super) top_rows: TopRows,
    /// All by verdict.
    pub(super) bands: BandCounts,
}

/// The digest of what the ranked tables are made of: what the store holds, and what is asked for. None where the operator has a
/// word on anything: it may end with a day.
pub(super) fn inputs(reader: &Reader, options: &ExportOptions) -> anyhow::Result<Option<Digest>> {
    let policy = reader.operator_policy()?;
    if !policy.votes.is_empty() || !policy.rulings.is_empty() {
        return Ok(None);
    }
    let references: Vec<RubricRef> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.clone()).collect();
    let stored = reader.ranked_inputs(&reader.rubric_ids(&references)?, options.as_of.day())?;
    let asked = (&options.formats, &options.rank_by, options.with_private);
    Ok(Some(Digest::of_fields([stored.as_bytes().as_slice(), serde_json::to_string(&asked)?.as_bytes()])))
}

impl TakenOver {
    /// The dataset in `out`, where it was made from `inputs` by this program for another instant, in one format with a file for
    /// each table.
    pub(super) fn of(out: &Path, options: &ExportOptions, inputs: Digest) -> Option<Self> {
        let program = options.program?;
        let last = options.last.as_ref().filter(|last| last.program == program && last.inputs == inputs)?;
        let [format] = options.formats.as_slice() else { return None };
        let exporter = *EXPORTERS.iter().find(|exporter| exporter.id() == format)?;
        let manifest = manifest::read(out).ok()?.ok()?;
        // The same night once more is compared with what that night was compared with.
        if options.since.is_some()
            || manifest.as_of == options.as_of
            || manifest.manifest_sha256 != last.manifest_sha256
        {
            return None;
        }
        let of_table = |name: &str| {
            let path = exporter.file_name(name);
            manifest.files.iter().find(|file| file.path == path).cloned()
        };
        let files: Vec<FileRow> = TABLES.iter().map(|table| of_table(table.name)).collect::<Option<_>>()?;
        let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        // One file for all tables is written as a whole.
        if paths.len() != TABLES.len() {
            return None;
        }
        let earlier = EarlierDatasetRef { as_of: manifest.as_of, manifest_sha256: manifest.manifest_sha256 };
        Some(Self { earlier, shown: last.shown.clone(), exporter, files })
    }

    /// The number of capabilities.
    pub(super) fn capabilities(&self) -> u64 {
        self.files.first().map_or(0, |file| file.rows)
    }

    /// Writes into `made` what differs from the dataset in `out`: all files of the tables, unsorted, and the rows of each table.
    pub(super) fn write(
        &self,
        reader: &Reader,
        (out, made): (&Path, &Path),
        layouts: &[Layout],
        as_of: AsOf,
    ) -> anyhow::Result<(Vec<FileRow>, Vec<u64>)> {
        let tables = TABLES.iter().zip(layouts).zip(&self.files);
        let (mut anew, mut files, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for ((table, layout), file) in tables {
            let instant = layout.columns.iter().position(|column| column.name == AS_OF);
            match table.rows {
                RowOrigin::Ranked | RowOrigin::Counted if table.name == ChangeRow::TABLE.name => {
                    anew.push((layout.clone(), Rows::None));
                }
                RowOrigin::Ranked | RowOrigin::Counted => match instant {
                    Some(place) => anew.push((layout.clone(), Rows::Dated(place))),
                    None => files.push(file.clone()),
                },
                RowOrigin::Stored(read) => anew.push((layout.clone(), Rows::Stored(read))),
            }
        }
        let written: Vec<Layout> = anew.iter().map(|(layout, _)| layout.clone()).collect();
        let mut sink = Pieces { sink: self.exporter.create(made, &written)?, waiting: Vec::new(), table: 0 };
        for (table, (layout, of)) in anew.iter().enumerate() {
            sink.begin(table)?;
            match of {
                Rows::None => {}
                Rows::Dated(place) => {
                    let instant = as_of.into_cell()?;
                    self.exporter.read(out, layout, &mut |row| sink.add(dated(row, *place, &instant)))?;
                }
                Rows::Stored(read) => read(reader, &mut |row| sink.add(layout.keep(row)))?,
            }
        }
        files.extend(sink.finish()?);
        for table in TABLES {
            let path = self.exporter.file_name(table.name);
            rows.push(files.iter().find(|file| file.path == path).map_or(0, |file| file.rows));
        }
        Ok((files, rows))
    }
}

/// The origin of rows that are written anew.
enum Rows {
    /// There are none.
    None,
    /// Those of before, with another instant in this place.
    Dated(usize),
    /// Those of the store.
    Stored(fn(&Reader, super::table::Emit<'_>) -> anyhow::Result<()>),
}

fn dated(mut row: Row, place: usize, instant: &Cell) -> Row {
    if let Some(cell) = row.get_mut(place) {
        *cell = instant.clone();
    }
    row
}

/// A writer that is handed rows one by one and hands them on in pieces.
struct Pieces {
    sink: Box<dyn TableWriter>,
    waiting: Vec<Row>,
    table: usize,
}

impl Pieces {
    fn begin(&mut self, table: usize) -> anyhow::Result<()> {
        self.hand_on()?;
        self.table = table;
        Ok(())
    }

    fn add(&mut self, row: Row) -> anyhow::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() < ROWS { Ok(()) } else { self.hand_on() }
    }

    fn hand_on(&mut self) -> anyhow::Result<()> {
        self.sink.take(self.table, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Vec<FileRow>> {
        self.hand_on()?;
        self.sink.finish()
    }
}

/// What a dataset was made from, with what it is: kept beside the store for the next night.
impl MadeFrom {
    /// The dataset with this manifest.
    pub(super) fn of(program: Digest, inputs: Digest, manifest_sha256: String, shown: Shown) -> Self {
        Self { program, inputs, manifest_sha256, shown }
    }
}
