//! `Since`: the dataset that an export is compared with, and what is otherwise now.
//!
//! An export that takes the place of one of the same instant is compared with what that one was compared with, so that a
//! night that is done twice tells the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::time::AsOf;

use super::cell::{Cell, Row};
use super::format::{EXPORTERS, Exporter};
use super::manifest::{self, Earlier, Manifest};
use super::tables::Layout;
use super::tables::capabilities::SEEDS;
use super::{ExportOptions, file};

type Id = [u8; 32];

/// What is compared of a capability.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    slug: Box<str>,
    rank: i64,
    band: Box<str>,
    content: Id,
    values: [Option<f64>; 4],
}

/// The capabilities of an earlier dataset; nothing where there is none to compare with.
#[derive(Default)]
pub(super) struct Since {
    /// Which dataset it is.
    pub(super) earlier: Option<Earlier>,
    seen: BTreeMap<Id, Seen>,
}

impl Since {
    /// Reads the dataset that `--since` names, else the one that stands where the new one goes. One that stands there and
    /// cannot be read is left out of account, with a warning: it must not stop a night.
    ///
    /// # Errors
    /// When the dataset that `--since` names cannot be read.
    pub(super) fn read(out: &Path, options: &ExportOptions) -> anyhow::Result<Self> {
        match &options.since {
            Some(dir) => read(dir, None).with_context(|| format!("{} cannot be compared with", dir.display())),
            None if !out.join(manifest::NAME).is_file() => Ok(Self::default()),
            None => Ok(read(out, Some(options.as_of)).unwrap_or_else(|error| {
                tracing::warn!(error = format!("{error:#}"), "the export that stood there cannot be compared with");
                Self::default()
            })),
        }
    }

    /// The row that says what is otherwise of a capability that is there, where something is.
    pub(super) fn row(&self, id: &Id, now: &Seen) -> Option<Row> {
        self.earlier.as_ref()?;
        match self.seen.get(id) {
            None => Some(row(id, "added", &[], None, Some(now))),
            Some(before) if before == now => None,
            Some(before) => {
                let differs = [
                    ("content", before.content != now.content),
                    ("band", before.band != now.band),
                    ("scores", before.values != now.values),
                    ("rank", before.rank != now.rank),
                ];
                let what: Vec<&str> = differs.iter().filter(|(_, differs)| *differs).map(|(what, _)| *what).collect();
                Some(row(id, "changed", &what, Some(before), Some(now)))
            }
        }
    }

    /// The rows of capabilities that are not there any more, sorted by (slug, id).
    pub(super) fn gone(&self, there: &BTreeSet<Id>) -> Vec<Row> {
        let mut gone: Vec<(&Id, &Seen)> = self.seen.iter().filter(|(id, _)| !there.contains(*id)).collect();
        gone.sort_by_key(|(id, seen)| (&seen.slug, *id));
        gone.into_iter().map(|(id, seen)| row(id, "gone", &[], Some(seen), None)).collect()
    }
}

impl Seen {
    /// What a row of the ranked table says. None where it says no digests.
    pub(super) fn of(layout: &Layout, row: &Row) -> Option<(Id, Self)> {
        let cell = |column: &str| layout.place(column).and_then(|place| row.get(place)).unwrap_or(&Cell::Null);
        let number = |rubric: &str| match cell(&rubric.replace('/', "_")) {
            Cell::Number(number) => Some(*number),
            _ => None,
        };
        let seen = Self {
            slug: cell("slug").as_text().into(),
            rank: cell("rank").as_integer()?,
            band: cell("band").as_text().into(),
            content: id_of(cell("content_sha256"))?,
            values: SEEDS.map(number),
        };
        Some((id_of(cell("id"))?, seen))
    }

    /// What a row of changes says that was before. None where the capability was not there.
    fn before(layout: &Layout, row: &Row) -> Option<Self> {
        let cell = |column: &str| layout.place(column).and_then(|place| row.get(place)).unwrap_or(&Cell::Null);
        let number = |rubric: &str| match cell(&format!("{}_before", rubric.replace('/', "_"))) {
            Cell::Number(number) => Some(*number),
            _ => None,
        };
        Some(Self {
            slug: cell("slug").as_text().into(),
            rank: cell("rank_before").as_integer()?,
            band: cell("band_before").as_text().into(),
            content: id_of(cell("content_before"))?,
            values: SEEDS.map(number),
        })
    }
}

fn id_of(cell: &Cell) -> Option<Id> {
    bytes_of_hex(cell.as_text()).and_then(|bytes| bytes.try_into().ok())
}

fn row(id: &Id, change: &str, what: &[&str], before: Option<&Seen>, now: Option<&Seen>) -> Row {
    let hex = |seen: Option<&Seen>| Cell::text_or_null(seen.map(|seen| Digest::from_bytes(seen.content).hex()));
    let rank = |seen: Option<&Seen>| seen.map_or(Cell::Null, |seen| Cell::Integer(seen.rank));
    let band = |seen: Option<&Seen>| Cell::text_or_null(seen.map(|seen| &seen.band));
    let slug = now.or(before).map_or("", |seen| &seen.slug);
    let mut row = vec![
        Cell::text(slug),
        Cell::text(Digest::from_bytes(*id).hex()),
        Cell::text(change),
        Cell::Json(serde_json::json!(what).to_string().into()),
        rank(before),
        rank(now),
        band(before),
        band(now),
        hex(before),
        hex(now),
    ];
    for place in 0..SEEDS.len() {
        let value = |seen: Option<&Seen>| {
            let value = seen.and_then(|seen| seen.values.get(place).copied().flatten());
            value.map_or(Cell::Null, Cell::Number)
        };
        row.extend([value(before), value(now)]);
    }
    row
}

/// Reads a dataset as something to compare with. One of the instant `undone` gives what it was compared with itself.
fn read(dir: &Path, undone: Option<AsOf>) -> anyhow::Result<Since> {
    let manifest = manifest::read(dir)?.map_err(|fault| anyhow::anyhow!(fault))?;
    let holds = |exporter: &&&dyn Exporter| {
        let has = |table: &str| manifest.files.iter().any(|file| file.path == exporter.file_name(table));
        has("capabilities") && has("changes")
    };
    let exporter = *EXPORTERS.iter().find(holds).context("it holds no table of changes")?;
    let mut seen = BTreeMap::new();
    each(dir, &manifest, exporter, "capabilities", |layout, row| {
        seen.extend(Seen::of(layout, row));
    })?;
    if undone != Some(manifest.as_of) {
        let earlier = Earlier { as_of: manifest.as_of, manifest_sha256: manifest.manifest_sha256 };
        return Ok(Since { earlier: Some(earlier), seen });
    }
    each(dir, &manifest, exporter, "changes", |layout, row| {
        let Some(id) = layout.place("capability").and_then(|place| id_of(row.get(place)?)) else { return };
        match Seen::before(layout, row) {
            Some(before) => seen.insert(id, before),
            None => seen.remove(&id),
        };
    })?;
    let seen = if manifest.since.is_some() { seen } else { BTreeMap::new() };
    Ok(Since { earlier: manifest.since, seen })
}

/// Hands on every row of a table whose bytes are those of the manifest.
fn each(
    dir: &Path,
    manifest: &Manifest,
    exporter: &dyn Exporter,
    table: &str,
    mut visit: impl FnMut(&Layout, &Row),
) -> anyhow::Result<()> {
    let name = exporter.file_name(table);
    let (sha256, _) = file::hash(&dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
    let is_whole = manifest.files.iter().any(|file| file.path == name && file.sha256 == sha256);
    anyhow::ensure!(is_whole, "{name} has other bytes than the manifest says");
    let layout = Layout::named(table, manifest.private_columns).context("the table is one of ours")?;
    exporter.read(dir, &layout, &mut |row| {
        visit(&layout, &row);
        Ok(())
    })
}
