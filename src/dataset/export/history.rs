//! `History`: the nights that the dataset before tells of, which the new one goes on with.
//!
//! A night is kept as it was published. Nights at or after the instant of the new dataset are left out, so that a night that is
//! done twice is told once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use super::cell::{Cell, Row};
use super::format::{Exporter, RowVisitor};
use super::manifest::DatasetManifest;
use super::print::Print;
use super::table::Layout;
use super::table_row::ReadRow as _;
use super::tables::history::ReadHistoryRow;

type Id = [u8; 32];

/// The nights before.
#[derive(Default)]
pub(super) struct History {
    /// The nights, oldest first.
    pub(super) nights: Vec<AsOf>,
    /// The newest row of each capability.
    last: BTreeMap<Id, Last>,
    /// The dataset that has them; none where there are none.
    from: Option<From>,
}

struct Last {
    slug: Box<str>,
    /// None where it was gone.
    state: Option<Print>,
}

struct From {
    dir: PathBuf,
    exporter: &'static dyn Exporter,
    layout: Layout,
}

impl From {
    fn each(&self, night: AsOf, visit: RowVisitor<'_>) -> anyhow::Result<()> {
        self.exporter.read(&self.dir, &self.layout.clone().of_night(night), visit)
    }
}

impl History {
    /// Reads the nights before an instant out of a dataset.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub(super) fn read(
        dir: &Path,
        manifest: &DatasetManifest,
        exporter: &'static dyn Exporter,
        before: AsOf,
    ) -> anyhow::Result<Self> {
        let layout = Layout::of(&ReadHistoryRow::TABLE, manifest.private_columns);
        let from = From { dir: dir.to_owned(), exporter, layout };
        let nights: Vec<AsOf> = manifest.nights.iter().copied().filter(|night| *night < before).collect();
        let mut last = BTreeMap::new();
        for night in &nights {
            from.each(*night, &mut |row| {
                let row = ReadHistoryRow::read(&from.layout, row);
                // A row without an id was damaged or edited, and is passed over.
                if let Some(id) = id_of(&row.capability) {
                    last.insert(id, Last { slug: row.slug.as_text().into(), state: row.state() });
                }
                Ok(())
            })?;
        }
        Ok(Self { nights, last, from: Some(from) })
    }

    /// What is new about a capability that is there, in one word; none where nothing is.
    pub(super) fn change(&self, id: &CapabilityId, state: Print) -> Option<&'static str> {
        match self.last.get(id.0.as_bytes()).and_then(|last| last.state) {
            None => Some("added"),
            Some(before) => (before != state).then_some("changed"),
        }
    }

    /// Id (hex) and slug of those that were there and are not any more, sorted by id.
    pub(super) fn gone(&self, there: &BTreeSet<Id>) -> impl Iterator<Item = (String, &str)> {
        let gone = self.last.iter().filter(|(id, last)| last.state.is_some() && !there.contains(*id));
        gone.map(|(id, last)| (Digest::from_bytes(*id).hex(), &*last.slug))
    }

    /// Hands on the rows of a night.
    pub(super) fn each(&self, night: AsOf, visit: &mut dyn FnMut(Row) -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.from.as_ref().map_or(Ok(()), |from| from.each(night, visit))
    }
}

fn id_of(cell: &Cell) -> Option<Id> {
    capdex_model::digest::bytes_of_hex(cell.as_text()).and_then(|bytes| bytes.try_into().ok())
}
