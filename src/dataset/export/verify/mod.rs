//! Checks a dataset with nothing but itself: digests of files and facts, every score, verdict and rank.
//!
//! The store is never opened. Tables are read row by row, and of facts only digests of their results are kept. So a dataset
//! of any size is checked in little memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_model::rule::RuleIndex;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::TRUST;

use super::exporters::EXPORTERS;
use super::format::Exporter;
use super::manifest::{self, DatasetManifest};
use super::table::{Layout, Table};
use super::table_row::ReadRow;
use super::tables::capabilities::ReadCapabilityRow;
use super::tables::facts::ReadFactsRow;
use super::tables::packages::ReadPackageRow;
use super::tables::rule_defaults::ReadRuleDefaultRow;
use super::tables::score_breakdowns::ReadBreakdownRow;
use super::tables::scores::ReadScoreRow;
use super::{file, merkle};
use crate::{bulk, output_folder, signature};
use recomputed::Recomputed;

mod agents;
mod appeals;
mod history;
mod judge;
mod operator;
mod recomputed;
mod tables_again;

/// The number of things checked, and the differences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files whose digest was checked.
    pub files: u64,
    /// Facts whose digest was checked.
    pub facts: u64,
    /// Scores that were computed again.
    pub scores: u64,
    /// Capabilities whose band and rank were computed again, and packages whose roll-up was.
    pub ranks: u64,
    /// Every difference, one sentence each that names the file, in the order of the files.
    pub differences: Vec<String>,
    /// Things that cannot be said because the dataset lacks them, one sentence each that names the file. An export of a day
    /// that was never scored lacks its scores, and is no worse for it. But nothing in it vouches for what they would be.
    pub unknown: Vec<String>,
    /// Files and folders beside the dataset that look like no table, sorted: of git, of a hub, of the system, of its owner.
    /// Nothing vouches for them, and they are no difference.
    pub beside: Vec<String>,
    /// True where a writing into the folder was cut short, or goes on.
    pub is_unfinished: bool,
}

impl Verified {
    fn differs(&mut self, difference: impl Into<String>) {
        self.differences.push(difference.into());
    }

    fn is_unknown(&mut self, what: impl Into<String>) {
        self.unknown.push(what.into());
    }

    /// Adds what was checked elsewhere, which comes after it.
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.facts += other.facts;
        self.scores += other.scores;
        self.ranks += other.ranks;
        self.differences.extend(other.differences);
        self.unknown.extend(other.unknown);
        self.beside.extend(other.beside);
        self.is_unfinished |= other.is_unfinished;
    }
}

/// Checks everything that can be checked under some rules. A file that has other bytes than it should is named, and its
/// content is not computed again.
///
/// # Errors
/// When there is no manifest.
pub fn verify(dir: &Path, rules: &'static RuleIndex, pool: &rayon::ThreadPool) -> anyhow::Result<Verified> {
    let Sealed { mut verified, manifest, damaged } = check_bytes(dir, pool)?;
    // Without a manifest that can be believed there is nothing to compare with.
    let Some(manifest) = manifest else { return Ok(verified) };
    check_root(&manifest, &mut verified);
    check_instants(&manifest, &mut verified);
    check_texts(&manifest, rules, &mut verified);
    let is_undamaged = |(_, exporter): &(usize, &'static dyn Exporter)| {
        // Only the tables that are read here: a damaged file beside them is named, and stops nothing.
        let nights = manifest.nightly();
        let files = COMPUTED.iter().map(|table| table.name).chain(nights.iter().map(|night| &*night.file));
        !files.into_iter().any(|file| damaged.contains(&exporter.file_name(file)))
    };
    let formats = check_formats(&manifest, &mut verified).into_iter().filter(is_undamaged);
    let formats = formats.map(|(number, exporter)| Dataset { dir, number, exporter, manifest: &manifest, rules });
    // What is the same in two formats is computed once; everything else of a format is checked beside the others.
    let mut recomputed = Recomputed::default();
    // Facts first for all formats: the other tables are checked against them.
    let mut readable = Vec::new();
    for dataset in formats {
        match recomputed.take(&dataset, pool, &mut verified) {
            Ok(()) => readable.push(dataset),
            Err(error) => verified.differs(format!("{error:#}")),
        }
    }
    for checked in bulk::mapped(pool, readable, |dataset| tables_again::check(&dataset, &recomputed)) {
        verified.add(checked);
    }
    Ok(verified)
}

/// A dataset whose bytes were looked at.
#[derive(Debug)]
pub struct Sealed {
    /// The counts of checks, and the differences.
    pub verified: Verified,
    /// The manifest; none where it is damaged.
    manifest: Option<DatasetManifest>,
    /// The files that have other bytes than they should.
    damaged: BTreeSet<String>,
}

/// Checks every byte of a dataset and computes nothing again: the manifest, the files that it names, and that there
/// are no others.
///
/// # Errors
/// When there is no manifest.
pub fn check_bytes(dir: &Path, pool: &rayon::ThreadPool) -> anyhow::Result<Sealed> {
    let mut verified = Verified::default();
    match manifest::read(dir)? {
        Ok(manifest) => {
            let damaged = check_files(dir, &manifest, pool, &mut verified)?;
            // Strangers are told even where files differ, because an added file is how a dataset is poisoned.
            check_strangers(dir, &manifest, &mut verified)?;
            Ok(Sealed { verified, manifest: Some(manifest), damaged })
        }
        Err(fault) => {
            // Nothing that it says can be believed.
            verified.differs(fault);
            Ok(Sealed { verified, manifest: None, damaged: BTreeSet::new() })
        }
    }
}

/// The tables that are read to compute their contents again.
const COMPUTED: [Table; 6] = [
    ReadRuleDefaultRow::TABLE,
    ReadFactsRow::TABLE,
    ReadBreakdownRow::TABLE,
    ReadScoreRow::TABLE,
    ReadCapabilityRow::TABLE,
    ReadPackageRow::TABLE,
];

/// One format of the dataset.
struct Dataset<'a> {
    dir: &'a Path,
    /// Its place among the formats.
    number: usize,
    exporter: &'static dyn Exporter,
    manifest: &'a DatasetManifest,
    /// This program's rules.
    rules: &'static RuleIndex,
}

impl Dataset<'_> {
    /// The file of a table.
    fn file<R: ReadRow>(&self) -> String {
        self.exporter.file_name(R::TABLE.name)
    }

    /// Hands on every row of a table.
    fn each<R: ReadRow>(&self, visit: impl FnMut(R) -> anyhow::Result<()>) -> anyhow::Result<()> {
        self.each_of(&self.manifest.layout(&R::TABLE), visit)
    }

    /// Hands on every row of a table in one of its files.
    fn each_of<R: ReadRow>(
        &self,
        layout: &Layout,
        mut visit: impl FnMut(R) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let as_of = self.manifest.instant(&self.exporter.file_name(&layout.file));
        let read = self.exporter.read(self.dir, layout, &mut |row| {
            // A row that was copied from another dataset shows here.
            if let Some(instant) = layout.instant(&row) {
                anyhow::ensure!(instant == Some(as_of), "a row names another instant than {as_of}");
            }
            visit(R::read(layout, row))
        });
        // The file is named, because every format has a table of this name.
        read.with_context(|| format!("{} cannot be read", self.exporter.file_name(&layout.file)))
    }
}

/// The formats that the manifest names with all their tables. One of which it names some is no export of ours: whoever
/// leaves out the facts leaves out what everything else is computed from.
fn check_formats(manifest: &DatasetManifest, verified: &mut Verified) -> Vec<(usize, &'static dyn Exporter)> {
    let named: BTreeSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let is_named = |file: &String| named.contains(file.as_str());
    let expected = manifest.layouts();
    let mut whole = Vec::new();
    for (number, exporter) in EXPORTERS.iter().copied().enumerate() {
        let files = expected.iter().map(|layout| exporter.file_name(&layout.file));
        let missing: Vec<String> = files.filter(|file| !is_named(file)).collect();
        if missing.is_empty() {
            whole.push((number, exporter));
        // Some tables of a format and not all: somebody has left out what would have contradicted him.
        } else if missing.len() < expected.len() {
            for file in missing {
                verified.differs(format!("{file} is missing: the manifest names other tables of its format"));
            }
        }
    }
    // A manifest that names nothing would pass every other check.
    if whole.is_empty() {
        verified.differs("manifest.json: it names no format with all its tables, so that nothing is computed again");
    }
    whole
}

/// Checks the digest of every file; those that differ, by name.
fn check_files(
    dir: &Path,
    manifest: &DatasetManifest,
    pool: &rayon::ThreadPool,
    verified: &mut Verified,
) -> anyhow::Result<BTreeSet<String>> {
    for file in &manifest.files {
        // A path of a stranger: with a separator it would make us read files outside the folder.
        let is_plain = !file.path.contains(['/', '\\']) && file.path != "..";
        anyhow::ensure!(is_plain, "the manifest names {:?}, which is not a file of the dataset", file.path);
    }
    // On the pool, since hashing is bound by one core and files are few and large.
    let hashed = bulk::mapped(pool, manifest.files.iter().collect(), |file| {
        (file, file::hash_of_size(&dir.join(&file.path), file.bytes))
    });
    let mut damaged = BTreeSet::new();
    for (file, hashed) in hashed {
        verified.files += 1;
        match hashed {
            // Size as well as digest, since both are claims of the manifest.
            Ok(Some(sha256)) if sha256 == file.sha256 => continue,
            Ok(_) => verified.differs(format!("{} has other bytes than the manifest says", file.path)),
            Err(error) => verified.differs(format!("{} cannot be read: {error}", file.path)),
        }
        damaged.insert(file.path.clone());
    }
    Ok(damaged)
}

/// Nothing vouches for a file that the manifest does not name. One that looks like a table is a difference, because that is how a
/// dataset is poisoned: whoever reads all tables of a folder reads it too.
fn check_strangers(dir: &Path, manifest: &DatasetManifest, verified: &mut Verified) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("failed to read {}", dir.display()))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // Folders list in any order, and differences are compared in tests and by people.
    names.sort();
    let is_signature = |name: &str| name.strip_suffix(signature::ENDING) == Some(manifest::NAME);
    let known = |name: &str| {
        name == manifest::NAME || is_signature(name) || manifest.files.iter().any(|file| file.path == name)
    };
    for name in names.iter().filter(|name| !known(name)) {
        if looks_like_a_table(name) {
            verified.differs(format!("{name} is not a file of the dataset: the manifest does not name it"));
        } else if *name == output_folder::UNFINISHED {
            verified.is_unfinished = true;
        } else {
            verified.beside.push(name.clone());
        }
    }
    Ok(())
}

/// True for a name that readers of datasets take for data.
fn looks_like_a_table(name: &str) -> bool {
    const DATA: [&str; 15] = [
        "parquet", "jsonl", "ndjson", "csv", "tsv", "sqlite", "sqlite3", "db", "duckdb", "arrow", "feather", "orc",
        "avro", "pq", "parq",
    ];
    const PACKED: [&str; 6] = ["gz", "zst", "bz2", "xz", "zip", "lz4"];
    // What SQLite reads along with a database of that name.
    const ALONG: [&str; 3] = ["-wal", "-shm", "-journal"];
    let name = name.to_ascii_lowercase();
    let name = ALONG.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    // Packed tables are read as tables.
    let bare = PACKED.iter().find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.')).unwrap_or(name);
    bare.rsplit_once('.').is_some_and(|(_, ending)| DATA.contains(&ending))
}

/// The root over the files must be theirs.
fn check_root(manifest: &DatasetManifest, verified: &mut Verified) {
    if merkle::root(&manifest.files) != manifest.merkle_root {
        verified.differs("manifest.json: the Merkle root is not that of the files");
    }
}

/// A table that was taken over is of a night before this one that the history tells of.
fn check_instants(manifest: &DatasetManifest, verified: &mut Verified) {
    let is_before = |as_of: &AsOf| *as_of < manifest.as_of && manifest.nights.contains(as_of);
    for file in manifest.files.iter().filter(|file| file.as_of.is_some_and(|as_of| !is_before(&as_of))) {
        verified.differs(format!("manifest.json: {} is said to be of no night before this one", file.path));
    }
}

/// The rules and rubrics of this program must be those that made the dataset, or nothing can be computed again.
fn check_texts(manifest: &DatasetManifest, rules: &RuleIndex, verified: &mut Verified) {
    // Facts cannot be computed again without the bytes; with other rules they cannot even be compared.
    if manifest.ruleset_sha256 != rules.digest().hex() {
        verified.differs("manifest.json: the facts were found under another rule set than this program's");
    }
    if manifest.rank_by != TRUST && capdex_rubrics::find(&manifest.rank_by).is_none() {
        verified.differs(format!("manifest.json: {} ranks, which is no rubric of this program", manifest.rank_by));
    }
    check_rubrics(manifest, verified);
}

fn check_rubrics(manifest: &DatasetManifest, verified: &mut Verified) {
    let (ours, before) = (manifest::rubrics(), verified.differences.len());
    for row in manifest.rubrics.iter().filter(|row| !ours.contains(row)) {
        verified.differs(format!("manifest.json: this program has another text of {}", row.id));
    }
    let is_named = |id: &str| manifest.rubrics.iter().any(|row| row.id == id);
    for row in ours.iter().filter(|row| !is_named(&row.id)) {
        verified.differs(format!("manifest.json: {} is not among the rubrics", row.id));
    }
    // Only where nothing else was said, or one difference would be told twice.
    if manifest.rubrics != ours && verified.differences.len() == before {
        verified.differs("manifest.json: the rubrics stand in another order than this program's, or more than once");
    }
}
