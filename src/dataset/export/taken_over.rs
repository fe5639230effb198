//! Files that are taken over from the dataset that stands in the folder: a night without news writes none of them again.
//!
//! Tables of capabilities follow from the state of the store, so that of a state that was written before no row is made. Of a table
//! that the store holds the rows are made and compared. Only files of this very program are taken over.

use std::path::Path;

use anyhow::Context as _;
use capdex_db::Reader;
use capdex_model::digest::Digest;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

use super::ExportOptions;
use super::band_changes::BandChanges;
use super::file::FileRow;
use super::format::Exporter;
use super::manifest::{self, DatasetManifest, EarlierDatasetRef};
use super::print::RowsPrint;
use super::rank_summary::RankSummary;
use super::stream::{Asked, Streamed};
use super::table::{Layout, RowOrigin};
use super::tables::TABLES;
use crate::output_folder::OutputFolder;
use crate::program::program;

/// The passes that keep the tables of [`RowOrigin::Passed`].
pub(super) const KEEPERS: [&str; 2] = ["clones", "campaigns"];

/// The dataset that stands where the new one goes, where its files may be taken over.
pub(super) struct StandingDataset<'a> {
    dir: &'a Path,
    manifest: DatasetManifest,
    /// The format in which it is read.
    exporter: &'static dyn Exporter,
    /// The instant of the new dataset.
    as_of: AsOf,
}

/// All that tables of capabilities follow from: equal texts give equal tables. None where the program could not read itself.
pub(super) fn state(
    reader: &Reader,
    policy: &OperatorPolicy,
    options: &ExportOptions,
) -> anyhow::Result<Option<String>> {
    let Some(program) = &program().program_sha256 else { return Ok(None) };
    // What holds tonight: a ruling that ended since changes rows.
    let said = Digest::of_json(&(&policy.votes, policy.at(options.as_of).collect::<Vec<_>>()));
    let (state, is_private, rank_by) = (reader.ranked_state()?, options.with_private, &options.rank_by);
    Ok(Some(format!("{program} {state} {said} {is_private} {rank_by}")))
}

/// What a night keeps of the dataset that it wrote, by which the next one knows whether anything is otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDataset {
    /// Its manifest's own digest (hex).
    pub(super) manifest_sha256: String,
    /// All that its tables of capabilities follow from.
    pub(super) state: String,
    /// What its tables of passes follow from (hex); none where one of those passes never ran.
    pub(super) passes: Option<String>,
    /// The instant that its ages were measured against.
    pub as_of: AsOf,
    /// Its rows of the ranked table.
    pub(super) capabilities: u64,
    /// What a terminal shows of it.
    pub(super) summary: RankSummary,
}

impl KeptDataset {
    /// What the last night kept; none before the first. What another version kept may have another form and counts for nothing.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn last(reader: &Reader) -> anyhow::Result<Option<Self>> {
        Ok(reader.last_dataset()?.and_then(|kept| serde_json::from_str(&kept).ok()))
    }

    /// The summary of a night in which it stayed as it was. A night that is done again tells what it told.
    pub(super) fn summary(&self, as_of: AsOf) -> RankSummary {
        let summary = self.summary.clone();
        if as_of == self.as_of {
            return summary;
        }
        RankSummary { bands_before: Some(summary.bands), band_changes: BandChanges::default(), ..summary }
    }
}

impl<'a> StandingDataset<'a> {
    /// Looks at what stands in the folder. None where it is of another program, format or time, or not whole.
    pub(super) fn find(
        dir: &'a Path,
        folder: &OutputFolder,
        formats: &[&'static dyn Exporter],
        options: &ExportOptions,
    ) -> Option<Self> {
        // Another dataset to compare with: its nights are told, and not those of the one that stands here.
        let exporter = *formats.first().filter(|_| options.since.is_none())?;
        let manifest = manifest::read(dir).ok()?.ok()?;
        let is_of_this_program = manifest.program.as_ref() == Some(program()) && program().program_sha256.is_some();
        let is_before = manifest.as_of <= options.as_of && manifest.private_columns == options.with_private;
        let standing = Self { dir, manifest, exporter, as_of: options.as_of };
        let has_all = |exporter: &&dyn Exporter| {
            let layouts = standing.manifest.layouts();
            layouts
                .iter()
                .all(|layout| standing.file(*exporter, layout).is_some_and(|file| folder.has(&file.path, &file.sha256)))
        };
        // A file that holds several tables is written again for any of them.
        let is_whole = formats.iter().all(|exporter| exporter.is_apart() && has_all(exporter));
        (is_of_this_program && is_before && is_whole).then_some(standing)
    }

    /// What was kept of it; none where that was of another dataset.
    pub(super) fn kept<'k>(&self, options: &'k ExportOptions) -> Option<&'k KeptDataset> {
        options.kept.as_ref().filter(|kept| kept.manifest_sha256 == self.manifest.manifest_sha256)
    }

    /// True where it is of the same night, which is done again.
    fn is_of_this_night(&self) -> bool {
        self.manifest.as_of == self.as_of
    }

    /// The nights before the new one that it tells of, and the dataset that the new one is compared with.
    pub(super) fn before(&self) -> (Vec<AsOf>, Option<EarlierDatasetRef>) {
        let DatasetManifest { as_of, manifest_sha256, nights, since, .. } = &self.manifest;
        let nights = nights.iter().copied().filter(|night| *night < self.as_of).collect();
        if self.is_of_this_night() {
            return (nights, since.clone());
        }
        (nights, Some(EarlierDatasetRef { as_of: *as_of, manifest_sha256: manifest_sha256.clone() }))
    }

    fn file(&self, exporter: &dyn Exporter, layout: &Layout) -> Option<&FileRow> {
        let name = exporter.file_name(&layout.file);
        self.manifest.files.iter().find(|file| file.path == name)
    }

    /// Puts its files in the place of those that were made, for every table that is the same: those of nights before, those that the
    /// store holds and whose rows are equal, and those of which none were asked for.
    pub(super) fn take_over(
        &self,
        streamed: &mut Streamed,
        (layouts, formats): (&[Layout], &[&'static dyn Exporter]),
        asked: &Asked<'_>,
    ) -> anyhow::Result<()> {
        let is_unchanged = asked.capabilities.is_none();
        let mut prints = std::mem::take(&mut streamed.prints).into_iter();
        for (at, layout) in layouts.iter().enumerate() {
            let print = prints.next().flatten();
            let is_same = match (TABLES.get(at).map(|table| &table.rows), print) {
                // A night before has its own file.
                (None, _) => true,
                (Some(RowOrigin::Ranked | RowOrigin::Counted), _) => is_unchanged,
                (Some(RowOrigin::Compared | RowOrigin::Nightly), _) => is_unchanged && self.is_of_this_night(),
                (Some(RowOrigin::Passed(_)), _) => !asked.passed,
                (Some(RowOrigin::Stored(_) | RowOrigin::Transcripts(_)), print) => {
                    print.is_some_and(|print| self.has_rows(layout, print))
                }
            };
            for exporter in formats.iter().filter(|_| is_same) {
                let mut taken = self.file(*exporter, layout).context("a table is missing that was there")?.clone();
                // A table without rows names no instant, and one with a file for each night has its own.
                let is_stamped = TABLES.get(at).is_some() && taken.rows > 0;
                let named = taken.as_of.or_else(|| is_stamped.then_some(self.manifest.as_of));
                taken.as_of = named.filter(|named| *named != self.as_of);
                if let Some(rows) = streamed.rows.get_mut(at) {
                    *rows = taken.rows;
                }
                match streamed.files.iter_mut().find(|made| made.path == taken.path) {
                    Some(made) => *made = taken,
                    None => streamed.files.push(taken),
                }
            }
        }
        Ok(())
    }

    /// True where it has the rows of a print in a table. What cannot be read has other rows.
    fn has_rows(&self, layout: &Layout, print: RowsPrint) -> bool {
        let mut known = RowsPrint::default();
        let read = self.exporter.read(self.dir, layout, &mut |row| {
            known.add(layout.unstamped(&row));
            Ok(())
        });
        read.is_ok() && known.digest() == print.digest()
    }
}
