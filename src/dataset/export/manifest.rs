//! `manifest.json`: the origins of the dataset and the digest of every file, its own included.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use capdex_db::{Reader, SourceCounts, SourceState};
use capdex_model::digest::Digest;
use capdex_model::score::RubricRef;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;
use serde::{Deserialize, Serialize};

use super::file::{self, FileRow};
use super::table::{Layout, Table};
use super::table_row::TableRow as _;
use super::tables::history::HistoryRow;
use super::{ExportOptions, merkle};
use crate::output_folder::FileDigests;
use crate::program::{Program, program};

/// The file's name.
pub const NAME: &str = "manifest.json";
/// The schema that this version writes and reads.
pub const SCHEMA: &str = "capdex.export/3";
/// The schemas of before. A dataset of one of them is ours and may be replaced; its tables are not read, because their columns
/// have other names and types.
const FORMER_SCHEMAS: [&str; 2] = ["capdex.export/1", "capdex.export/2"];

/// The most bytes of a manifest, which names some fifty files.
pub const MAX_BYTES: u64 = 16 << 20;

/// The manifest of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetManifest {
    /// `capdex.export/3`.
    pub schema: String,
    /// The program that wrote it; none in datasets from before that was said. The one part that differs between two programs that
    /// write the same dataset: all other files are the same bytes.
    #[serde(flatten)]
    pub program: Option<Program>,
    /// The instant that ages were measured against.
    pub as_of: AsOf,
    /// The rule set under which the facts were found (hex).
    pub ruleset_sha256: String,
    /// The rubrics that scored.
    pub rubrics: Vec<ManifestRubric>,
    /// The rubric that ranks.
    pub rank_by: String,
    /// The methods that the operator gave a vote; left out of the text where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<String>,
    /// True where the columns that the data dictionary calls private are there.
    pub private_columns: bool,
    /// The extent to which each source was seen.
    pub sources: Vec<ManifestSource>,
    /// The nights that the table `history` has a file of, oldest first; the last is that of this dataset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nights: Vec<AsOf>,
    /// The dataset that the table of changes compares with, where there was one.
    pub since: Option<EarlierDatasetRef>,
    /// Every file beside the manifest, sorted by path.
    pub files: Vec<FileRow>,
    /// The Merkle root (hex) over the files.
    pub merkle_root: String,
    /// SHA-256 (hex) of this file's text with nothing between the quotation marks here.
    pub manifest_sha256: String,
}

impl DatasetManifest {
    /// A table as this dataset has it.
    pub(super) fn layout(&self, table: &Table) -> Layout {
        Layout::of_dataset(table, self.private_columns, self.as_of)
    }

    /// The table `history`, as the file of each night has it.
    pub(super) fn nightly(&self) -> Vec<Layout> {
        let layout = Layout::of(&HistoryRow::TABLE, self.private_columns);
        self.nights.iter().map(|night| layout.clone().of_night(*night)).collect()
    }

    /// The instant that the rows of a file name.
    pub(super) fn instant(&self, file: &str) -> AsOf {
        self.files.iter().find(|known| known.path == file).and_then(|known| known.as_of).unwrap_or(self.as_of)
    }

    /// Every table with its file, the nights before this one last.
    pub(super) fn layouts(&self) -> Vec<Layout> {
        let before: Vec<AsOf> = self.nights.iter().copied().filter(|night| *night != self.as_of).collect();
        super::layouts(self.private_columns, self.as_of, &before)
    }

    /// The same with its own digest filled in.
    fn sealed(mut self) -> anyhow::Result<Self> {
        // The digest is over the text with an empty place for it, since a text cannot hold its own digest.
        self.manifest_sha256 = String::new();
        self.manifest_sha256 = Digest::of(self.text()?.as_bytes()).hex();
        Ok(self)
    }

    /// The one text that a manifest has.
    fn text(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// An earlier dataset in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierDatasetRef {
    /// The instant that ages were measured against there.
    pub as_of: AsOf,
    /// Its manifest's own digest.
    pub manifest_sha256: String,
}

/// A rubric in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestRubric {
    /// Its id.
    pub id: String,
    /// The version of our reading of it.
    pub version: String,
    /// SHA-256 (hex) over its numbers and page.
    pub text_sha256: String,
}

/// A source in the manifest: the number of its listings in each state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSource {
    /// Its id.
    pub id: String,
    /// The night of the last complete walk.
    pub last_complete: Option<AsOf>,
    /// Listings that were there at the last visit.
    pub active: u64,
    /// Listings that are no longer there.
    pub gone: u64,
    /// Listings that could not be read.
    pub failed: u64,
}

/// The manifest of a dataset with these files, sorted by path.
pub(super) fn of(
    reader: &Reader,
    files: Vec<FileRow>,
    options: &ExportOptions,
    since: Option<EarlierDatasetRef>,
    nights: Vec<AsOf>,
) -> anyhow::Result<DatasetManifest> {
    Ok(DatasetManifest {
        schema: SCHEMA.into(),
        program: Some(program().clone()),
        as_of: options.as_of,
        ruleset_sha256: reader.rules().digest().hex(),
        rubrics: rubrics(),
        rank_by: options.rank_by.clone(),
        votes: reader.operator_policy()?.votes,
        private_columns: options.with_private,
        sources: sources(reader)?,
        nights,
        since,
        merkle_root: merkle::root(&files),
        files,
        manifest_sha256: String::new(),
    })
}

/// The rubrics of this program.
pub(super) fn rubrics() -> Vec<ManifestRubric> {
    let references = RUBRICS.iter().map(|rubric| &rubric.meta().rubric);
    let row = |reference: &RubricRef| ManifestRubric {
        id: reference.id.to_string(),
        version: reference.version.to_string(),
        text_sha256: reference.text.hex(),
    };
    references.map(row).collect()
}

/// Writes the manifest and returns its size in bytes, and its own digest.
pub(super) fn write(dir: &Path, manifest: DatasetManifest) -> anyhow::Result<(u64, String)> {
    // Last of all files, so that a manifest never names one that is not there.
    let manifest = manifest.sealed()?;
    let text = manifest.text()?;
    fs::write(dir.join(NAME), &text)?;
    Ok((u64::try_from(text.len())?, manifest.manifest_sha256))
}

fn sources(reader: &Reader) -> anyhow::Result<Vec<ManifestSource>> {
    let counts: BTreeMap<String, SourceCounts> =
        reader.source_counts()?.into_iter().map(|counts| (counts.source.clone(), counts)).collect();
    let row = |state: SourceState| {
        // A source that was never walked has no rows, which are zero listings.
        let SourceCounts { active, gone, failed, .. } = counts.get(&state.id).cloned().unwrap_or_default();
        ManifestSource { id: state.id, last_complete: state.last_completed, active, gone, failed }
    };
    Ok(reader.source_states()?.into_iter().map(row).collect())
}

/// Reads a manifest and checks that it is, byte for byte, the one that was written.
///
/// # Errors
/// When there is none. The fault of one that is there is told in the inner result.
pub fn read(dir: &Path) -> anyhow::Result<Result<DatasetManifest, String>> {
    let path = dir.join(NAME);
    let failed = || format!("failed to read {}", path.display());
    let file = file::open_regular(&path).with_context(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(failed)?;
    anyhow::ensure!(bytes.len() as u64 <= MAX_BYTES, "{} has more than {MAX_BYTES} bytes", path.display());
    let current = |manifest: DatasetManifest| match &*manifest.schema {
        SCHEMA => Ok(manifest),
        former => {
            Err(format!("is of schema {former}, which this program does not read any more: export the dataset anew"))
        }
    };
    Ok(parse(&bytes).and_then(current).map_err(|fault| format!("{NAME} {fault}")))
}

/// The files that a manifest of ours names, by their digests.
///
/// # Errors
/// The fault of one that is not ours.
pub(super) fn named_files(bytes: &[u8]) -> Result<FileDigests, String> {
    let files = parse(bytes)?.files;
    match files.iter().find(|file| file.path.contains('/')) {
        // A dataset is flat: whoever names a file in a folder has sealed something else.
        Some(file) => Err(format!("names {:?}, which no export has", file.path)),
        None => Ok(files.into_iter().map(|file| (file.path, file.sha256)).collect()),
    }
}

fn parse(bytes: &[u8]) -> Result<DatasetManifest, String> {
    // Written by a stranger, as far as anybody knows: a fault is an answer and no error of the program.
    let manifest: DatasetManifest = serde_json::from_slice(bytes).map_err(|error| format!("is damaged: {error}"))?;
    if manifest.schema != SCHEMA && !FORMER_SCHEMAS.contains(&&*manifest.schema) {
        return Err(format!("is of schema {:?}, and this program reads {SCHEMA:?}", manifest.schema));
    }
    // Written again and compared byte for byte: other spacing or an added key is another file.
    let sealed = manifest.clone().sealed().and_then(|sealed| sealed.text());
    if sealed.map_err(|error| format!("is damaged: {error}"))?.as_bytes() != bytes {
        return Err("has other bytes than its own digest says".into());
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> DatasetManifest {
        DatasetManifest {
            schema: SCHEMA.into(),
            program: Some(Program { engine_version: "0.1.0".into(), program_sha256: Some("44".into()) }),
            as_of: "2026-11-21T00:00:00Z".parse().expect("an instant"),
            ruleset_sha256: "00".into(),
            rubrics: vec![ManifestRubric { id: "x/seed".into(), version: "1".into(), text_sha256: "11".into() }],
            rank_by: "x/seed".into(),
            votes: Vec::new(),
            private_columns: false,
            sources: vec![ManifestSource { id: "npm".into(), last_complete: None, active: 1, gone: 0, failed: 0 }],
            nights: vec!["2026-11-21T00:00:00Z".parse().expect("an instant")],
            since: None,
            merkle_root: "33".into(),
            files: vec![FileRow { path: "a.csv".into(), sha256: "22".into(), bytes: 3, rows: 1, as_of: None }],
            manifest_sha256: String::new(),
        }
    }

    #[test]
    fn every_bit_of_every_byte_of_it_is_sealed() {
        let text = manifest().sealed().and_then(|sealed| sealed.text()).expect("a text");
        assert!(parse(text.as_bytes()).is_ok());
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone().into_bytes();
                changed[at] ^= 1 << bit;
                assert!(parse(&changed).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn what_is_added_to_it_or_taken_away_is_noticed() {
        let text = manifest().sealed().and_then(|sealed| sealed.text()).expect("a text");
        for changed in [format!("{text} "), text.trim_end().to_owned(), text.replacen("{\n", "{\n  \"x\": 1,\n", 1)] {
            assert!(parse(changed.as_bytes()).is_err(), "{changed}");
        }
    }

    #[test]
    fn a_program_that_could_not_read_itself_and_one_that_said_nothing_are_told_apart() {
        let of = |program: Option<Program>| {
            let text = DatasetManifest { program, ..manifest() }.sealed().and_then(|sealed| sealed.text());
            text.expect("a text")
        };
        let unread = Program { engine_version: "0.1.0".into(), program_sha256: None };
        assert!(of(Some(unread.clone())).contains("\"engine_version\": \"0.1.0\",\n  \"program_sha256\": null,\n"));
        for program in [None, Some(unread)] {
            let parsed = parse(of(program.clone()).as_bytes()).expect("whole");
            assert_eq!(parsed.program, program);
        }
    }

    #[test]
    fn its_digest_can_be_computed_with_nothing_but_the_file() {
        let text = manifest().sealed().and_then(|sealed| sealed.text()).expect("a text");
        let sealed = parse(text.as_bytes()).expect("whole").manifest_sha256;
        assert_eq!(Digest::of(text.replace(&sealed, "").as_bytes()).hex(), sealed);
    }
}
