//! `manifest.json`: what the dataset was made from and the digest of every file.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_core::digest::Digest;
use capdex_core::rubrics::RUBRICS;
use capdex_core::rules;
use capdex_core::time::AsOf;
use capdex_db::Reader;
use serde::{Deserialize, Serialize};

use super::ExportOptions;

/// The file's name.
pub const NAME: &str = "manifest.json";
/// The schema that this version writes and reads.
pub const SCHEMA: &str = "capdex.export/1";

/// The manifest of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// `capdex.export/1`.
    pub schema: String,
    /// The instant that ages were measured against.
    pub as_of: AsOf,
    /// The rule set under which the facts were found (hex).
    pub ruleset_sha256: String,
    /// The rubrics that scored.
    pub rubrics: Vec<RubricRow>,
    /// The rubric that ranks.
    pub rank_by: String,
    /// How far each source was seen.
    pub sources: Vec<SourceRow>,
    /// Every file beside the manifest, sorted by path.
    pub files: Vec<FileRow>,
}

/// A rubric in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricRow {
    /// Its id.
    pub id: String,
    /// The version of our reading of it.
    pub version: String,
    /// SHA-256 (hex) over its numbers and page.
    pub text_sha256: String,
}

/// A source in the manifest: how many of its listings are in which state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRow {
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

/// A file in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRow {
    /// Its name.
    pub path: String,
    /// SHA-256 (hex) of its bytes.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
    /// How many rows, over all tables in it.
    pub rows: u64,
}

/// Hashes the files that were written; rows of one file add up.
///
/// # Errors
/// When a file cannot be read back.
pub fn rows_of(dir: &Path, written: Vec<(String, u64)>) -> anyhow::Result<Vec<FileRow>> {
    let mut rows = std::collections::BTreeMap::<String, u64>::new();
    for (path, count) in written {
        *rows.entry(path).or_default() += count;
    }
    rows.into_iter()
        .map(|(path, rows)| {
            let bytes = fs::read(dir.join(&path)).with_context(|| format!("failed to read back {path}"))?;
            let size = u64::try_from(bytes.len())?;
            Ok(FileRow { path, sha256: Digest::of(&bytes).hex(), bytes: size, rows })
        })
        .collect()
}

/// Writes the manifest and returns how many bytes it has.
pub(super) fn write(dir: &Path, reader: &Reader, files: &[FileRow], options: &ExportOptions) -> anyhow::Result<u64> {
    let rubric = |rubric: &&dyn capdex_core::rubrics::Rubric| {
        let reference = &rubric.meta().rubric;
        RubricRow { id: reference.id.clone(), version: reference.version.clone(), text_sha256: reference.text.hex() }
    };
    let manifest = Manifest {
        schema: SCHEMA.into(),
        as_of: options.as_of,
        ruleset_sha256: rules::digest().hex(),
        rubrics: RUBRICS.iter().map(rubric).collect(),
        rank_by: options.rank_by.clone(),
        sources: sources(reader)?,
        files: files.to_vec(),
    };
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    fs::write(dir.join(NAME), &text)?;
    Ok(u64::try_from(text.len())?)
}

fn sources(reader: &Reader) -> anyhow::Result<Vec<SourceRow>> {
    let mut rows = Vec::new();
    for state in reader.source_states()? {
        let mut row =
            SourceRow { id: state.id.clone(), last_complete: state.last_completed, active: 0, gone: 0, failed: 0 };
        for listing in reader.listings(Some(&state.id))? {
            match listing.state {
                capdex_db::ListingState::Active => row.active += 1,
                capdex_db::ListingState::Gone => row.gone += 1,
                capdex_db::ListingState::Failed => row.failed += 1,
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Reads a manifest.
///
/// # Errors
/// When there is none, or it is of another schema.
pub fn read(dir: &Path) -> anyhow::Result<Manifest> {
    let path = dir.join(NAME);
    let text = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    let manifest: Manifest = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    anyhow::ensure!(manifest.schema == SCHEMA, "{} is of schema {:?}", path.display(), manifest.schema);
    Ok(manifest)
}
