//! Export: the ranked dataset in one folder, the same bytes from the same store on any machine.
//!
//! Reads the store and nothing else; holds no clock value and no run id but `as_of`.

use std::path::{Path, PathBuf};

use capdex_db::Reader;
use capdex_model::time::{AsOf, Timestamp};
use capdex_rubrics::rank::TRUST;

use earlier_dataset::EarlierDataset;
use file::FileRow;
use manifest::EarlierDatasetRef;
use rank_order::RankOrder;
use rank_summary::RankSummary;
use rows::{DatasetCounts, RowMaker};
use stream::{Asked, Capabilities, Streamed};
use table::Layout;
use table_row::TableRow as _;
use tables::TABLES;
use tables::history::HistoryRow;
use taken_over::StandingDataset;

use crate::output_folder::{FileDigests, OutputFolder, OutputKind};
use crate::signature::SigningKey;

pub use exporters::{DEFAULT_FORMAT, EXPORTERS};
pub use format::Exporter;
pub use taken_over::KeptDataset;

pub mod band_changes;
pub mod band_counts;
mod batch;
mod breakdowns;
pub mod cell;
mod croissant;
mod csv;
pub mod dataset_readme;
mod differences;
mod earlier_dataset;
pub mod equals;
pub mod exporters;
pub mod field;
pub mod file;
pub mod file_sizes;
pub mod format;
mod history;
mod jsonl;
pub mod lookup;
pub mod manifest;
mod merkle;
mod nested_arrays;
mod parquet;
mod print;
pub mod rank_order;
pub mod rank_summary;
pub mod ranked_capability;
mod records;
mod rows;
pub mod shape;
mod sqlite;
mod stream;
pub mod table;
pub mod table_row;
pub mod tables;
mod taken_over;
pub mod top_rows;
pub mod verify;

/// The licence of a dataset unless its maker says another.
pub const DEFAULT_LICENSE: &str = "CC-BY-4.0";

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
    /// True where the transcripts of the judge are there too.
    pub with_transcripts: bool,
    /// The licence of what the dataset adds, an SPDX identifier.
    pub license: String,
    /// The dataset to compare with; without it the one that stands where the new one goes.
    pub since: Option<PathBuf>,
    /// The key that signs the manifest; none for a dataset without a signature.
    pub signing_key: Option<SigningKey>,
    /// [`WrittenDataset::kept`] of the last dataset: where nothing is otherwise its tables of capabilities stay as they stand. For who
    /// has scored all that there is, and for the instant of that very dataset.
    pub kept: Option<KeptDataset>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            as_of: AsOf(Timestamp::from_unix_seconds(0)),
            formats: vec![DEFAULT_FORMAT.to_owned()],
            rank_by: TRUST.into(),
            with_private: false,
            with_transcripts: false,
            license: DEFAULT_LICENSE.to_owned(),
            since: None,
            signing_key: None,
            kept: None,
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
    /// Which dataset it is and of which state of the store, to be kept for the next; none where the program could not read itself.
    pub kept: Option<KeptDataset>,
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
    let layouts = layouts(options.with_private, options.as_of, &[]);
    let files = |exporter: &'static dyn Exporter| layouts.iter().map(|layout| exporter.file_name(&layout.file));
    let names: Vec<String> = formats(options).into_iter().flat_map(files).collect();
    folder.expect_room_for(names.iter().map(String::as_str).chain(dataset_readme::NAMES))?;
    if options.signing_key.is_some() {
        folder.expect_room_for_signature()?;
    }
    Ok(folder)
}

/// The formats that are asked for, in the order in which they are read.
fn formats(options: &ExportOptions) -> Vec<&'static dyn Exporter> {
    EXPORTERS.iter().copied().filter(|exporter| options.formats.iter().any(|id| id == exporter.id())).collect()
}

/// Every table of the dataset of an instant, and behind them the nights before of those that have a file for each.
fn layouts(with_private: bool, as_of: AsOf, nights: &[AsOf]) -> Vec<Layout> {
    let history = Layout::of(&HistoryRow::TABLE, with_private);
    let before = nights.iter().map(|night| history.clone().of_night(*night));
    TABLES.iter().map(|table| Layout::of_dataset(table, with_private, as_of)).chain(before).collect()
}

/// Where the tables of capabilities come from.
enum RowsOf<'a> {
    /// Every row is made anew.
    Store(Box<Capabilities>),
    /// The dataset that stands there has them.
    Standing(&'a StandingDataset<'a>, &'a KeptDataset),
}

impl RowsOf<'_> {
    const fn capabilities(&self) -> Option<&Capabilities> {
        match self {
            Self::Store(capabilities) => Some(capabilities),
            Self::Standing(..) => None,
        }
    }

    /// The nights before, and the dataset that is compared with.
    fn before(&self) -> (Vec<AsOf>, Option<EarlierDatasetRef>) {
        match self {
            Self::Store(all) => (all.maker.since.history.nights.clone(), all.maker.since.earlier.clone()),
            Self::Standing(standing, _) => standing.before(),
        }
    }

    /// The number of capabilities, and how they stand.
    fn summary(self, counted: DatasetCounts, as_of: AsOf) -> (u64, RankSummary) {
        match self {
            Self::Store(all) => {
                let Capabilities { ranking, maker, .. } = *all;
                let summary = RankSummary {
                    top_rows: counted.top_rows,
                    bands: ranking.bands,
                    bands_before: maker.since.bands(),
                    band_changes: counted.band_changes,
                };
                (ranking.places.len() as u64, summary)
            }
            Self::Standing(_, kept) => (kept.capabilities, kept.summary(as_of)),
        }
    }
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
    let (formats, policy) = (formats(options), view.operator_policy()?);
    let standing = StandingDataset::find(out, &folder, &formats, options);
    let state = taken_over::state(&view, &policy, options)?;
    let passes = view.passes_state(&taken_over::KEEPERS)?.map(|state| state.hex());
    let kept = standing.as_ref().and_then(|standing| Some((standing, standing.kept(options)?)));
    let rows = match kept.filter(|(_, kept)| Some(&*kept.state) == state.as_deref()) {
        Some((standing, kept)) => RowsOf::Standing(standing, kept),
        None => RowsOf::Store(Box::new(Capabilities {
            ranking: RankOrder::of(&view, pool, options.as_of, &options.rank_by)?,
            // The dataset of before is read now, because it is about to be replaced.
            maker: RowMaker::new(options.as_of, EarlierDataset::read(out, options)?, policy)?,
            with_nights: standing.is_none(),
        })),
    };
    let (nights, since) = rows.before();
    let layouts = layouts(options.with_private, options.as_of, &nights);
    let sinks = formats.iter().map(|exporter| exporter.create(made, &layouts)).collect::<anyhow::Result<_>>()?;
    let asked = Asked {
        capabilities: rows.capabilities(),
        passed: passes.is_none() || kept.is_none_or(|(_, kept)| kept.passes != passes),
        compared: standing.is_some(),
    };
    let mut streamed = stream::run(&view, &asked, &layouts, sinks, options, pool)?;
    if let Some(standing) = &standing {
        standing.take_over(&mut streamed, (&layouts, &formats), &asked)?;
    }
    let Streamed { mut files, counted, rows: counts, .. } = streamed;
    // Sorted for the card, and once more with its own files: digests depend on the order.
    files.sort();
    files.extend(dataset_readme::write(made, &layouts, &counts, &files, options, view.rules())?);
    files.sort();
    let (count, bytes) = (files.len(), files.iter().map(|file: &FileRow| file.bytes).sum::<u64>());
    let (capabilities, summary) = rows.summary(counted, options.as_of);
    let nights = nights.into_iter().chain([options.as_of]).collect();
    let manifest = manifest::of(&view, files, options, since, nights)?;
    let mut digests: FileDigests = manifest.files.iter().map(|file| (file.path.clone(), file.sha256.clone())).collect();
    let (manifest_bytes, manifest_sha256) = manifest::write(made, manifest)?;
    if let Some(key) = &options.signing_key {
        folder.sign(key, ("dataset", &manifest_sha256, options.as_of), &mut digests)?;
    }
    // Only when every file is complete; an error before this leaves the old dataset as it was.
    folder.put_in_place(digests)?;
    Ok(WrittenDataset {
        capabilities,
        files: u64::try_from(count)? + 1 + u64::from(options.signing_key.is_some()),
        bytes: bytes + manifest_bytes,
        as_of: options.as_of,
        kept: state.map(|state| KeptDataset {
            manifest_sha256,
            state,
            passes,
            as_of: options.as_of,
            capabilities,
            summary: summary.clone(),
        }),
        summary,
    })
}
