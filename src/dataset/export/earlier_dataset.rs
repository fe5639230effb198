//! `EarlierDataset`: the dataset that an export is compared with, and the differences from it.
//!
//! An export that takes the place of one of the same instant is compared with what that one was compared with. So a night
//! that is done twice tells the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::ids::CapabilityId;
use capdex_model::points::Points;
use capdex_model::time::AsOf;

use super::band_counts::BandCounts;
use super::cell::Cell;
use super::exporters::EXPORTERS;
use super::field::Nested;
use super::format::Exporter;
use super::history::History;
use super::manifest::{self, DatasetManifest, EarlierDatasetRef};
use super::table_row::ReadRow;
use super::tables::capabilities::{CapabilityRow, ReadCapabilityRow};
use super::tables::changes::{ChangeRow, ReadChangeRow};
use super::{ExportOptions, file};

type Id = [u8; 32];

/// The compared parts of a capability.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ComparedCapability {
    slug: Box<str>,
    rank: Option<i64>,
    band: Box<str>,
    content: Digest,
    values: Values,
}

/// The values of the seed rubrics.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Values {
    spiderrating: Option<f64>,
    saferskills: Option<f64>,
    mcpbundles: Option<f64>,
    agentscore: Option<f64>,
}

/// The capabilities of an earlier dataset; nothing where there is none to compare with.
#[derive(Default)]
pub(super) struct EarlierDataset {
    /// The dataset that it is.
    pub(super) earlier: Option<EarlierDatasetRef>,
    seen: BTreeMap<Id, ComparedCapability>,
    /// The nights that it tells of.
    pub(super) history: History,
}

impl EarlierDataset {
    /// Reads the dataset that `--since` names, else the one that stands where the new one goes. One that stands there and
    /// cannot be read is left out of account, with a warning: it must not stop a night.
    ///
    /// # Errors
    /// When the dataset that `--since` names cannot be read.
    pub(super) fn read(out: &Path, options: &ExportOptions) -> anyhow::Result<Self> {
        match &options.since {
            // Asked for by name: a comparison that cannot be made is an error here, and only a warning below.
            Some(dir) => {
                read(dir, options.as_of, false).with_context(|| format!("{} cannot be compared with", dir.display()))
            }
            // The first export into a folder has nothing before it.
            None if !out.join(manifest::NAME).is_file() => Ok(Self::default()),
            None => Ok(read(out, options.as_of, true).unwrap_or_else(|error| {
                tracing::warn!(error = format!("{error:#}"), "the export that stood there cannot be compared with");
                Self::default()
            })),
        }
    }

    /// Its capabilities by verdict; none where there is nothing to compare with.
    pub(super) fn bands(&self) -> Option<BandCounts> {
        self.earlier.as_ref()?;
        let mut bands = BandCounts::default();
        self.seen.values().for_each(|seen| bands.add_word(&seen.band));
        Some(bands)
    }

    /// The row that says what is otherwise of a capability that is there, where something is.
    pub(super) fn row<'a>(&'a self, id: &CapabilityId, now: &'a ComparedCapability) -> Option<ChangeRow<'a>> {
        // Without an earlier dataset nothing is new: every row would say `added`.
        self.earlier.as_ref()?;
        match self.seen.get(id.0.as_bytes()) {
            None => Some(row(*id, "added", Vec::new(), None, Some(now))),
            Some(before) if before == now => None,
            Some(before) => {
                // One order for all rows, so that the cell is the same from export to export.
                let differs = [
                    ("content", before.content != now.content),
                    ("band", before.band != now.band),
                    ("scores", before.values != now.values),
                    ("rank", before.rank != now.rank),
                ];
                let what = differs.iter().filter(|(_, differs)| *differs).map(|(what, _)| *what).collect();
                Some(row(*id, "changed", what, Some(before), Some(now)))
            }
        }
    }

    /// The rows of capabilities that are not there any more, sorted by (slug, id).
    pub(super) fn gone<'a>(&'a self, there: &BTreeSet<Id>) -> impl Iterator<Item = ChangeRow<'a>> {
        let mut gone: Vec<(&Id, &ComparedCapability)> =
            self.seen.iter().filter(|(id, _)| !there.contains(*id)).collect();
        // By slug, like the other tables, and by id where slugs are the same.
        gone.sort_by_key(|(id, seen)| (&seen.slug, *id));
        gone.into_iter()
            .map(|(id, seen)| row(CapabilityId(Digest::from_bytes(*id)), "gone", Vec::new(), Some(seen), None))
    }
}

impl ComparedCapability {
    /// The compared parts of a row of the ranked table.
    pub(super) fn of(row: &CapabilityRow<'_>) -> Self {
        let value = |value: Option<Points>| value.map(Points::as_f64);
        Self {
            slug: row.slug.as_ref().into(),
            rank: row.rank.map(|rank| i64::try_from(rank).unwrap_or(i64::MAX)),
            band: row.band.as_str().into(),
            content: row.content_sha256,
            values: Values {
                spiderrating: value(row.spiderrating_seed),
                saferskills: value(row.saferskills_seed),
                mcpbundles: value(row.mcpbundles_seed),
                agentscore: value(row.agentscore_seed),
            },
        }
    }

    /// The compared parts of a row that was read from the ranked table. None where it says no digests.
    fn read(row: &ReadCapabilityRow) -> Option<(Id, Self)> {
        let seen = Self {
            slug: row.slug.as_text().into(),
            rank: row.rank.as_integer(),
            band: row.band.as_text().into(),
            // A row without a digest was damaged or edited, and is passed over.
            content: Digest::from_bytes(id_of(&row.content_sha256)?),
            values: Values {
                spiderrating: row.spiderrating_seed.as_number(),
                saferskills: row.saferskills_seed.as_number(),
                mcpbundles: row.mcpbundles_seed.as_number(),
                agentscore: row.agentscore_seed.as_number(),
            },
        };
        Some((id_of(&row.capability)?, seen))
    }

    /// The state before, as a row of changes says it. None where the capability was not there.
    fn before(row: &ReadChangeRow) -> Option<Self> {
        Some(Self {
            slug: row.slug.as_text().into(),
            rank: row.rank_before.as_integer(),
            band: row.band_before.as_text().into(),
            content: Digest::from_bytes(id_of(&row.content_before)?),
            values: Values {
                spiderrating: row.spiderrating_seed_before.as_number(),
                saferskills: row.saferskills_seed_before.as_number(),
                mcpbundles: row.mcpbundles_seed_before.as_number(),
                agentscore: row.agentscore_seed_before.as_number(),
            },
        })
    }
}

fn id_of(cell: &Cell) -> Option<Id> {
    bytes_of_hex(cell.as_text()).and_then(|bytes| bytes.try_into().ok())
}

fn row<'a>(
    capability: CapabilityId,
    change: &'static str,
    what: Vec<&'static str>,
    before: Option<&'a ComparedCapability>,
    now: Option<&'a ComparedCapability>,
) -> ChangeRow<'a> {
    let (values_before, values) = (before.map(|seen| seen.values), now.map(|seen| seen.values));
    ChangeRow {
        // What is gone has only the slug of before.
        slug: now.or(before).map_or("", |seen| &seen.slug),
        capability,
        change,
        what: Nested(what),
        rank_before: before.and_then(|seen| seen.rank),
        rank: now.and_then(|seen| seen.rank),
        band_before: before.map(|seen| &*seen.band),
        band: now.map(|seen| &*seen.band),
        content_before: before.map(|seen| seen.content),
        content: now.map(|seen| seen.content),
        spiderrating_seed_before: values_before.and_then(|values| values.spiderrating),
        spiderrating_seed: values.and_then(|values| values.spiderrating),
        saferskills_seed_before: values_before.and_then(|values| values.saferskills),
        saferskills_seed: values.and_then(|values| values.saferskills),
        mcpbundles_seed_before: values_before.and_then(|values| values.mcpbundles),
        mcpbundles_seed: values.and_then(|values| values.mcpbundles),
        agentscore_seed_before: values_before.and_then(|values| values.agentscore),
        agentscore_seed: values.and_then(|values| values.agentscore),
    }
}

/// Reads a dataset as something to compare with. One of the same instant that is `undone` gives what it was compared with itself.
fn read(dir: &Path, as_of: AsOf, is_undone: bool) -> anyhow::Result<EarlierDataset> {
    let manifest = manifest::read(dir)?.map_err(|fault| anyhow::anyhow!(fault))?;
    let holds = |exporter: &&&dyn Exporter| {
        // Both tables in one format, or the rows would not belong together.
        let has = |file: &str| manifest.files.iter().any(|named| named.path == exporter.file_name(file));
        let tables = [ReadCapabilityRow::TABLE, ReadChangeRow::TABLE];
        tables.iter().all(|table| has(table.name)) && manifest.nightly().iter().all(|night| has(&night.file))
    };
    let exporter = *EXPORTERS.iter().find(holds).context("it holds no table of changes")?;
    let mut seen = BTreeMap::new();
    each(dir, &manifest, exporter, |row: ReadCapabilityRow| seen.extend(ComparedCapability::read(&row)))?;
    for night in manifest.nightly() {
        check(dir, &manifest, &exporter.file_name(&night.file))?;
    }
    let history = History::read(dir, &manifest, exporter, as_of)?;
    // Another instant: that dataset is what the new one follows.
    if !is_undone || manifest.as_of != as_of {
        let earlier = EarlierDatasetRef { as_of: manifest.as_of, manifest_sha256: manifest.manifest_sha256 };
        return Ok(EarlierDataset { earlier: Some(earlier), seen, history });
    }
    // The same night again: its changes are taken back, which gives the state that it was compared with.
    each(dir, &manifest, exporter, |row: ReadChangeRow| {
        let Some(id) = id_of(&row.capability) else { return };
        match ComparedCapability::before(&row) {
            // A row of changes with a state of before restores it; one without says that the capability was added that night.
            Some(before) => seen.insert(id, before),
            None => seen.remove(&id),
        };
    })?;
    // That night had nothing to compare with, and this repetition has not either.
    let seen = if manifest.since.is_some() { seen } else { BTreeMap::new() };
    Ok(EarlierDataset { earlier: manifest.since, seen, history })
}

/// Checks that a file has the bytes of the manifest. A damaged table would invent changes, so it is not compared with at all.
fn check(dir: &Path, manifest: &DatasetManifest, name: &str) -> anyhow::Result<()> {
    let (sha256, _) = file::hash(&dir.join(name)).with_context(|| format!("failed to read {name}"))?;
    let is_whole = manifest.files.iter().any(|file| file.path == name && file.sha256 == sha256);
    anyhow::ensure!(is_whole, "{name} has other bytes than the manifest says");
    Ok(())
}

/// Hands on every row of a table whose bytes are those of the manifest.
fn each<R: ReadRow>(
    dir: &Path,
    manifest: &DatasetManifest,
    exporter: &dyn Exporter,
    mut visit: impl FnMut(R),
) -> anyhow::Result<()> {
    check(dir, manifest, &exporter.file_name(R::TABLE.name))?;
    let layout = manifest.layout(&R::TABLE);
    exporter.read(dir, &layout, &mut |row| {
        visit(R::read(&layout, row));
        Ok(())
    })
}
