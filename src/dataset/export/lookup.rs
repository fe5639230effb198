//! `DatasetLookup`: what a dataset says of some packages, with the facts from which verdicts are computed.
//!
//! Only rows that are asked for are read in full. Who needs proof that a dataset is whole verifies it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_corpus::drift::{Effect, HostDeed};
use capdex_model::capability::{Capability, CapabilityRole};
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::facts::{RuleDefaults, SparseFacts};
use capdex_model::ids::CapabilityId;
use capdex_model::rule::RuleIndex;
use capdex_model::snapshot::{Completeness, Gap, GapReason};
use capdex_model::time::AsOf;

use super::exporters::EXPORTERS;
use super::file::FileRow;
use super::format::Exporter;
use super::manifest::{self, DatasetManifest};
use super::table::Table;
use super::table_row::ReadRow;
use super::tables::capabilities::ReadCapabilityRow;
use super::tables::drift::ReadDriftRow;
use super::tables::facts::{ReadFactsRow, WrittenFacts};
use super::tables::hosts::ReadHostRow;
use super::tables::rule_defaults::{self, ReadRuleDefaultRow};

/// A dataset that is asked about packages.
pub struct DatasetLookup {
    dir: PathBuf,
    manifest: DatasetManifest,
    exporter: &'static dyn Exporter,
    rules: &'static RuleIndex,
}

/// One capability as a dataset has it.
pub struct KnownCapability {
    /// The identity of its package.
    pub package: String,
    /// The version that was looked at.
    pub version: Option<String>,
    /// The capability, without the names of its files.
    pub capability: Capability,
    /// The extent to which it could be looked at.
    pub completeness: Completeness,
    /// The answers of the rules of the dataset.
    pub facts: SparseFacts,
}

/// By what capabilities are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupKey {
    /// The identities of their packages.
    Package,
    /// Their slugs.
    Slug,
    /// Their ids, in hexadecimal.
    Id,
}

/// A capability by its names alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    /// Its id, in hexadecimal.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// The identity of its package.
    pub package: String,
    /// Its path inside the package.
    pub path: String,
}

/// One change of one capability, as a night saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownChange {
    /// The version before, where there was one.
    pub from_version: String,
    /// The version after, where there is one.
    pub to_version: String,
    /// What the change did, the gravest first. Untrusted.
    pub effects: Vec<Effect>,
}

impl DatasetLookup {
    /// Opens a dataset of any format.
    ///
    /// # Errors
    /// A folder without a manifest that can be read, or without the tables that are needed.
    pub fn open(dir: &Path, rules: &'static RuleIndex) -> anyhow::Result<Self> {
        let named = || format!("{} is no dataset that can be asked", dir.display());
        let manifest = manifest::read(dir).with_context(named)?.map_err(anyhow::Error::msg).with_context(named)?;
        let exporter = exporter_of(&manifest).with_context(named)?;
        Ok(Self { dir: dir.to_owned(), manifest, exporter, rules })
    }

    /// The files of a dataset that answers need, each once.
    ///
    /// # Errors
    /// A dataset without the tables that are needed.
    pub fn files(manifest: &DatasetManifest) -> anyhow::Result<Vec<&FileRow>> {
        let exporter = exporter_of(manifest)?;
        let tables = NEEDED.iter().chain([&ReadDriftRow::TABLE, &ReadHostRow::TABLE]);
        let names: BTreeSet<String> = tables.map(|table| exporter.file_name(table.name)).collect();
        Ok(manifest.files.iter().filter(|file| names.contains(&file.path)).collect())
    }

    /// The instant of the dataset.
    pub fn as_of(&self) -> AsOf {
        self.manifest.as_of
    }

    /// The names of all capabilities, in the order of the dataset.
    ///
    /// # Errors
    /// A table that is damaged.
    pub fn each_name(&self, visit: &mut dyn FnMut(KnownName)) -> anyhow::Result<()> {
        let layout = self.manifest.layout(&ReadCapabilityRow::TABLE);
        self.exporter.read(&self.dir, &layout, &mut |row| {
            let row = ReadCapabilityRow::read(&layout, row);
            let text = |cell: &super::cell::Cell| cell.as_text().to_owned();
            let (id, slug) = (text(&row.capability), text(&row.slug));
            visit(KnownName { id, slug, package: text(&row.package), path: text(&row.path) });
            Ok(())
        })
    }

    /// The changes of some capabilities, by their ids in hexadecimal, in the order in which nights saw them. None where the files
    /// that are here have no table of them.
    ///
    /// # Errors
    /// A table that is damaged.
    pub fn changes(&self, ids: &BTreeSet<String>) -> anyhow::Result<Option<Vec<KnownChange>>> {
        if !self.has::<ReadDriftRow>() {
            return Ok(None);
        }
        let mut found = Vec::new();
        self.find("capability", ids, &mut |row: ReadDriftRow| {
            let effects = serde_json::from_str(row.effects.as_text());
            let effects = effects.with_context(|| format!("the effects of {} are damaged", row.slug.as_text()))?;
            let text = |cell: &super::cell::Cell| cell.as_text().to_owned();
            let change =
                KnownChange { from_version: text(&row.from_version), to_version: text(&row.to_version), effects };
            found.push((row.found.as_timestamp(), change));
            Ok(())
        })?;
        found.sort_by_key(|(at, _)| *at);
        Ok(Some(found.into_iter().map(|(_, change)| change).collect()))
    }

    /// Those of some capabilities, by their ids in hexadecimal, that send something to a host. None where the files that are here
    /// have no table of hosts.
    ///
    /// # Errors
    /// A table that is damaged.
    pub fn senders(&self, ids: &BTreeSet<String>) -> anyhow::Result<Option<BTreeSet<String>>> {
        if !self.has::<ReadHostRow>() {
            return Ok(None);
        }
        let mut found = BTreeSet::new();
        self.find("capability", ids, &mut |row: ReadHostRow| {
            if row.does.as_text() == HostDeed::Sends.as_str() {
                found.insert(row.capability.as_text().to_owned());
            }
            Ok(())
        })?;
        Ok(Some(found))
    }

    /// True where a table is among the files that are here.
    fn has<R: ReadRow>(&self) -> bool {
        let name = self.exporter.file_name(R::TABLE.name);
        self.manifest.files.iter().any(|file| file.path == name) && self.dir.join(name).is_file()
    }

    /// Some capabilities. What the dataset does not know gives none.
    ///
    /// # Errors
    /// Tables that are damaged.
    pub fn capabilities(&self, key: LookupKey, wanted: &BTreeSet<String>) -> anyhow::Result<Vec<KnownCapability>> {
        let mut rows: Vec<ReadCapabilityRow> = Vec::new();
        let column = match key {
            LookupKey::Package => "package",
            LookupKey::Slug => "slug",
            LookupKey::Id => "capability",
        };
        self.find(column, wanted, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let facts = self.facts(&rows.iter().map(|row| row.facts_sha256.as_text().to_owned()).collect())?;
        let known = |row: &ReadCapabilityRow| {
            let facts = facts.get(row.facts_sha256.as_text());
            let facts = facts.with_context(|| format!("the facts of {} are not there", row.slug.as_text()))?;
            known(row, facts.clone()).with_context(|| format!("the row of {} is damaged", row.slug.as_text()))
        };
        rows.iter().map(known).collect()
    }

    /// The facts of some digests.
    fn facts(&self, digests: &BTreeSet<String>) -> anyhow::Result<BTreeMap<String, SparseFacts>> {
        let mut rows = Vec::new();
        let layout = self.manifest.layout(&ReadRuleDefaultRow::TABLE);
        self.exporter.read(&self.dir, &layout, &mut |row| {
            rows.push(rule_defaults::written(&ReadRuleDefaultRow::read(&layout, row))?);
            Ok(())
        })?;
        let (ours, written) = (self.rules.defaults(), RuleDefaults::of_rows(rows));
        // This program's defaults are shared; those of another rule set are copied for each row.
        let defaults = if written.gives_the_same_as(ours) { ours } else { &written };
        let mut facts = BTreeMap::new();
        self.find("facts_sha256", digests, &mut |row: ReadFactsRow| {
            let written = WrittenFacts::of(&row);
            let restored = written.facts(defaults, self.rules)?;
            anyhow::ensure!(restored.digest().hex() == written.digest, "facts {} have another digest", written.digest);
            facts.insert(written.digest, restored);
            Ok(())
        })?;
        Ok(facts)
    }

    /// Hands on the rows of a table that have one of some texts in a column.
    fn find<R: ReadRow>(
        &self,
        column: &str,
        wanted: &BTreeSet<String>,
        visit: &mut dyn FnMut(R) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let layout = self.manifest.layout(&R::TABLE);
        self.exporter.find(&self.dir, &layout, column, wanted, &mut |row| visit(R::read(&layout, row)))
    }
}

/// The tables that answers are made from.
const NEEDED: [Table; 3] = [ReadCapabilityRow::TABLE, ReadFactsRow::TABLE, ReadRuleDefaultRow::TABLE];

/// The first format that has all of them.
fn exporter_of(manifest: &DatasetManifest) -> anyhow::Result<&'static dyn Exporter> {
    let files: BTreeSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let has_all =
        |exporter: &&dyn Exporter| NEEDED.iter().all(|table| files.contains(exporter.file_name(table.name).as_str()));
    EXPORTERS.iter().copied().find(has_all).context("no format has its capabilities and their facts")
}

/// A row with its facts; none where a cell is none of its kind.
fn known(row: &ReadCapabilityRow, facts: SparseFacts) -> Option<KnownCapability> {
    let text = |cell: &super::cell::Cell| cell.as_text().to_owned();
    let capability = capability(row)?;
    let gaps = row
        .incomplete_reasons
        .as_texts()
        .into_iter()
        .map(|reason| Gap::new(text(&row.package), GapReason::NotLookedAt, reason))
        .collect();
    let completeness = match row.completeness.as_text() {
        "analysed" => Completeness::Analysed,
        "partial" => Completeness::Partial(gaps),
        "not_assessable" => Completeness::NotAssessable(gaps),
        _ => return None,
    };
    let version = Some(text(&row.version)).filter(|version| !version.is_empty());
    Some(KnownCapability { package: text(&row.package), version, capability, completeness, facts })
}

/// The capability of a row, without its files; none where a cell is none of its kind.
pub(super) fn capability(row: &ReadCapabilityRow) -> Option<Capability> {
    let digest = |text: &str| Some(Digest::from_bytes(bytes_of_hex(text)?.try_into().ok()?));
    let text = |cell: &super::cell::Cell| cell.as_text().to_owned();
    let role = if row.role.as_text() == "config" { CapabilityRole::Config } else { CapabilityRole::Offer };
    Some(Capability {
        id: CapabilityId(digest(row.capability.as_text())?),
        kind: row.kind.as_text().parse().ok()?,
        role,
        path: text(&row.path),
        name: text(&row.name),
        slug: text(&row.slug),
        files: Vec::new(),
        content: digest(row.content_sha256.as_text())?,
    })
}
