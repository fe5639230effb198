//! Export: the ranked dataset in one folder, the same bytes from the same store on any machine.
//!
//! Reads the store and nothing else; holds no clock value and no run id but `as_of`.

use std::path::{Path, PathBuf};

use capdex_db::Reader;
use capdex_model::digest::Digest;
use capdex_model::time::{AsOf, Timestamp};
use capdex_rubrics::rank::TRUST;
use serde::{Deserialize, Serialize};

use band_changes::BandChanges;
use earlier_dataset::EarlierDataset;
use file::FileRow;
use format::TableWriter;
use manifest::EarlierDatasetRef;
use rank_order::RankOrder;
use rank_summary::RankSummary;
use rows::RowMaker;
use stream::Streamed;
use table::Layout;
use tables::TABLES;
use taken_over::{Shown, TakenOver};

use crate::output_folder::{OutputFolder, OutputKind};

pub use exporters::{DEFAULT_FORMAT, EXPORTERS};
pub use format::Exporter;

pub mod band_changes;
pub mod band_counts;
mod batch;
mod breakdowns;
pub mod cell;
mod csv;
mod dataset_readme;
mod earlier_dataset;
pub mod exporters;
pub mod field;
pub mod file;
pub mod file_sizes;
mod first_version;
pub mod format;
mod jsonl;
pub mod lookup;
pub mod manifest;
mod merkle;
mod parquet;
pub mod rank_order;
pub mod rank_summary;
pub mod ranked_capability;
mod rows;
mod sqlite;
mod stream;
pub mod table;
pub mod table_row;
pub mod tables;
mod taken_over;
pub mod top_rows;
pub mod verify;

/// The options of an export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The instant that ages are measured against.
    pub as_of: AsOf,
    /// The formats, by id.
    pub formats: Vec<String>,
    /// The rubric that ranks.
    pub rank_by: String,
    /// True where private columns are there too.
    pub with_private: bool,
    /// The dataset to compare with; without it the one that stands where the new one goes.
    pub since: Option<PathBuf>,
    /// The digest of the program that writes; none where nothing of an earlier dataset may be taken over.
    pub program: Option<Digest>,
    /// What the last dataset was made from.
    pub last: Option<MadeFrom>,
}

/// What a dataset was made from: where the next one is made from the same, its files are taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFrom {
    program: Digest,
    inputs: Digest,
    /// The dataset, by its manifest's own digest.
    manifest_sha256: String,
    /// What a terminal shows of it.
    shown: Shown,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            as_of: AsOf(Timestamp::from_unix_seconds(0)),
            formats: vec![DEFAULT_FORMAT.to_owned()],
            rank_by: TRUST.into(),
            with_private: false,
            since: None,
            program: None,
            last: None,
        }
    }
}

/// The dataset as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenDataset {
    /// Rows of the ranked table.
    pub capabilities: u64,
    /// Files, the manifest included.
    pub files: u64,
    /// Bytes in all files.
    pub bytes: u64,
    /// The instant that ages were measured against.
    pub as_of: AsOf,
    /// What a terminal shows of it, compared with the dataset of before.
    pub summary: RankSummary,
    /// What it was made from; none where that is not to be taken over.
    pub made_from: Option<MadeFrom>,
}

/// A folder that holds a dataset.
pub static OUTPUT: OutputKind =
    OutputKind { what: "an export", manifest: manifest::NAME, named: manifest::named_files };

/// Checks that a dataset can be written into `out`, and changes nothing there. For those who work for hours before they write.
///
/// # Errors
/// The errors of [`write()`] that can be known before.
pub fn check_out(out: &Path, options: &ExportOptions) -> anyhow::Result<()> {
    claim(out, options).map(drop)
}

/// Takes the folder where nothing of the user's stands in the way of the files of these formats.
fn claim(out: &Path, options: &ExportOptions) -> anyhow::Result<OutputFolder> {
    let folder = OutputFolder::claim(out, &OUTPUT)?;
    let chosen = EXPORTERS.iter().filter(|exporter| options.formats.iter().any(|id| id == exporter.id()));
    let tables = chosen.flat_map(|exporter| TABLES.iter().map(|table| exporter.file_name(table.name)));
    let names: Vec<String> = tables.collect();
    folder.expect_room_for(names.iter().map(String::as_str).chain(dataset_readme::NAMES))?;
    Ok(folder)
}

/// Writes the dataset into `out`: every file is written elsewhere first, then each takes its place, the manifest last. Whatever
/// else lies in the folder stays.
///
/// # Errors
/// When `out` holds anything and is not an export, a file of the user's is in the way, or a file cannot be written.
pub fn write(
    reader: &Reader,
    out: &Path,
    options: &ExportOptions,
    pool: &rayon::ThreadPool,
) -> anyhow::Result<WrittenDataset> {
    // Refused before any work: a folder of somebody else's is not written into.
    let folder = claim(out, options)?;
    let made = folder.scratch();
    // One view of the store for everything, so that a night that goes on beside it changes nothing here.
    let view = reader.snapshot_view()?;
    let layouts: Vec<Layout> = TABLES.iter().map(|table| Layout::of(table, options.with_private)).collect();
    let inputs = options.program.map(|_| taken_over::inputs(&view, options)).transpose()?.flatten();
    let TablesMade { mut files, rows, capabilities, earlier, summary } =
        match inputs.and_then(|inputs| TakenOver::of(out, options, inputs)) {
            Some(last) => last_again(&view, &last, (out, made), &layouts, options)?,
            None => tables(&view, (out, made), &layouts, options, pool)?,
        };
    // Sorted for the card, and once more with its own files: digests depend on the order.
    files.sort();
    files.extend(dataset_readme::write(made, &layouts, &rows, &files, options, view.rules())?);
    files.sort();
    let (count, bytes) = (files.len(), files.iter().map(|file: &FileRow| file.bytes).sum::<u64>());
    let manifest = manifest::of(&view, files, options, earlier)?;
    let digests = manifest.files.iter().map(|file| (file.path.clone(), file.sha256.clone())).collect();
    let (manifest_sha256, manifest_bytes) = manifest::write(made, manifest)?;
    // Only when every file is complete; an error before this leaves the old dataset as it was.
    folder.put_in_place(digests)?;
    Ok(WrittenDataset {
        capabilities,
        files: u64::try_from(count)? + 1,
        bytes: bytes + manifest_bytes,
        as_of: options.as_of,
        made_from: options.program.zip(inputs).map(|(program, inputs)| {
            let shown = Shown { top_rows: summary.top_rows.clone(), bands: summary.bands };
            MadeFrom::of(program, inputs, manifest_sha256, shown)
        }),
        summary,
    })
}

/// The tables as they were made.
struct TablesMade {
    /// Their files, unsorted.
    files: Vec<FileRow>,
    /// The number of rows of each table.
    rows: Vec<u64>,
    capabilities: u64,
    /// The dataset that they are compared with.
    earlier: Option<EarlierDatasetRef>,
    summary: RankSummary,
}

/// Makes every table from the store.
fn tables(
    view: &Reader,
    (out, made): (&Path, &Path),
    layouts: &[Layout],
    options: &ExportOptions,
    pool: &rayon::ThreadPool,
) -> anyhow::Result<TablesMade> {
    let ranking = RankOrder::of(view, pool, options.as_of, &options.rank_by)?;
    let chosen = EXPORTERS.iter().filter(|exporter| options.formats.iter().any(|id| id == exporter.id()));
    let sinks = chosen.map(|exporter| exporter.create(made, layouts));
    let sinks: Vec<Box<dyn TableWriter>> = sinks.collect::<anyhow::Result<_>>()?;
    // The dataset of before is read now, because it is about to be replaced.
    let maker = RowMaker::new(options.as_of, EarlierDataset::read(out, options)?, view.operator_policy()?);
    let Streamed { files, counted, rows } = stream::run(view, &ranking, &maker, layouts, sinks, pool)?;
    Ok(TablesMade {
        files,
        rows,
        capabilities: u64::try_from(ranking.places.len())?,
        summary: RankSummary {
            top_rows: counted.top_rows,
            bands: ranking.bands,
            bands_before: maker.since.bands(),
            band_changes: counted.band_changes,
        },
        earlier: maker.since.earlier,
    })
}

/// Takes the tables of the last dataset over, from which nothing differs.
fn last_again(
    view: &Reader,
    last: &TakenOver,
    folders: (&Path, &Path),
    layouts: &[Layout],
    options: &ExportOptions,
) -> anyhow::Result<TablesMade> {
    tracing::info!(since = %last.earlier.as_of, "tables of the last dataset are taken over");
    let (files, rows) = last.write(view, folders, layouts, options.as_of)?;
    let Shown { top_rows, bands } = last.shown.clone();
    let summary = RankSummary { top_rows, bands, bands_before: Some(bands), band_changes: BandChanges::default() };
    Ok(TablesMade { files, rows, capabilities: last.capabilities(), earlier: Some(last.earlier.clone()), summary })
}
