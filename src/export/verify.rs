//! Checks a dataset with nothing but itself: digests of files and facts, every score, verdict and rank.
//!
//! Must not open the store.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_core::digest::{Digest, bytes_of_hex};
use capdex_core::fact::Facts;
use capdex_core::ids::CapabilityId;
use capdex_core::rank::rank_key;
use capdex_core::rubrics::saferskills::{self, Member};
use capdex_core::rubrics::{RUBRICS, verdict};
use capdex_core::rules;
use capdex_core::score::Score;
use capdex_core::snapshot::Completeness;
use serde_json::Value;

use super::manifest::{self, Manifest};
use super::tables::{self, Row, Table};
use super::{EXPORTERS, Exporter};

/// What was checked and what differed.
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
}

impl Verified {
    fn differs(&mut self, difference: impl Into<String>) {
        self.differences.push(difference.into());
    }
}

/// Checks everything that can be checked. What lies in a file that has other bytes than it should is not computed
/// again: the file is named.
///
/// # Errors
/// When there is no manifest.
pub fn verify(dir: &Path) -> anyhow::Result<Verified> {
    let Sealed { mut verified, manifest, damaged } = check_bytes(dir)?;
    let Some(manifest) = manifest else { return Ok(verified) };
    check_texts(&manifest, &mut verified);
    for exporter in EXPORTERS.iter().filter(|exporter| holds(&manifest, **exporter)) {
        let read = Dataset { dir, exporter: *exporter, manifest: &manifest };
        if COMPUTED.iter().any(|table| damaged.contains(&read.file(table))) {
            continue;
        }
        if let Err(error) = recompute(&read, &mut verified) {
            verified.differs(format!("{error:#}"));
        }
    }
    Ok(verified)
}

/// A dataset whose bytes were looked at.
#[derive(Debug)]
pub struct Sealed {
    /// What was checked and what differed.
    pub verified: Verified,
    /// The manifest; none where it is damaged.
    manifest: Option<Manifest>,
    /// The files that have other bytes than they should.
    damaged: BTreeSet<String>,
}

/// Checks every byte of a dataset and computes nothing again: the manifest, the files that it names, and that there
/// are no others.
///
/// # Errors
/// When there is no manifest.
pub fn check_bytes(dir: &Path) -> anyhow::Result<Sealed> {
    let mut verified = Verified::default();
    match manifest::read(dir)? {
        Ok(manifest) => {
            let damaged = check_files(dir, &manifest, &mut verified)?;
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

/// The tables that are read to compute again what they say.
const COMPUTED: [&str; 4] = ["facts", "scores", "capabilities", "packages"];

/// One format of the dataset.
#[derive(Clone, Copy)]
struct Dataset<'a> {
    dir: &'a Path,
    exporter: &'static dyn Exporter,
    manifest: &'a Manifest,
}

impl Dataset<'_> {
    fn file(&self, table: &str) -> String {
        self.exporter.file_name(table)
    }

    fn read(&self, name: &str) -> anyhow::Result<(&'static Table, Vec<Row>)> {
        let table = tables::table(name).context("the table is one of ours")?;
        let rows =
            self.exporter.read(self.dir, table).with_context(|| format!("{} cannot be read", self.file(name)))?;
        Ok((table, rows))
    }
}

fn recompute(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let computed = check_facts(dataset, verified)?;
    let contents = check_ranks(dataset, &computed, verified)?;
    check_scores(dataset, &computed, &contents, verified)?;
    check_packages(dataset, &computed, verified)
}

fn holds(manifest: &Manifest, exporter: &dyn Exporter) -> bool {
    manifest.files.iter().any(|file| file.path == exporter.file_name("facts"))
}

/// Checks the digest of every file; those that differ, by name.
fn check_files(dir: &Path, manifest: &Manifest, verified: &mut Verified) -> anyhow::Result<BTreeSet<String>> {
    let mut damaged = BTreeSet::new();
    for file in &manifest.files {
        let is_plain = !file.path.contains(['/', '\\']) && file.path != "..";
        anyhow::ensure!(is_plain, "the manifest names {:?}, which is not a file of the dataset", file.path);
        verified.files += 1;
        match fs::read(dir.join(&file.path)) {
            Ok(bytes) if Digest::of(&bytes).hex() == file.sha256 => continue,
            Ok(_) => verified.differs(format!("{} has other bytes than the manifest says", file.path)),
            Err(error) => verified.differs(format!("{} cannot be read: {error}", file.path)),
        }
        damaged.insert(file.path.clone());
    }
    Ok(damaged)
}

/// Nothing vouches for a file that the manifest does not name.
fn check_strangers(dir: &Path, manifest: &Manifest, verified: &mut Verified) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("failed to read {}", dir.display()))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let known = |name: &str| name == manifest::NAME || manifest.files.iter().any(|file| file.path == name);
    for name in names.iter().filter(|name| !known(name)) {
        verified.differs(format!("{name} is not a file of the dataset: the manifest does not name it"));
    }
    Ok(())
}

/// The rules and rubrics of this program must be those that made the dataset, or nothing can be computed again.
fn check_texts(manifest: &Manifest, verified: &mut Verified) {
    if manifest.ruleset_sha256 != rules::digest().hex() {
        verified.differs("manifest.json: the facts were found under another rule set than this program's");
    }
    for row in &manifest.rubrics {
        let ours = RUBRICS.iter().map(|rubric| &rubric.meta().rubric).find(|reference| reference.id == row.id);
        if ours.is_none_or(|ours| ours.text.hex() != row.text_sha256) {
            verified.differs(format!("manifest.json: this program has another text of {}", row.id));
        }
    }
}

fn column(table: &Table, row: &Row, name: &str) -> Value {
    let index = table.columns.iter().position(|column| column.name == name);
    index.and_then(|index| row.get(index)).cloned().unwrap_or_default()
}

fn text(table: &Table, row: &Row, name: &str) -> String {
    column(table, row, name).as_str().unwrap_or_default().to_owned()
}

/// What some facts give.
struct Computed {
    /// By every rubric, in their order.
    scores: Vec<Score>,
    /// For the number of their package, where SaferSkills has one for them.
    member: Option<Member>,
}

/// What facts give, by the digest that is written beside them.
type ByDigest = BTreeMap<String, Computed>;

/// Checks the digest of all facts and computes what they give.
fn check_facts(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<ByDigest> {
    let (table, rows) = dataset.read("facts")?;
    let file = dataset.file("facts");
    let mut computed = BTreeMap::new();
    for row in rows {
        let digest = text(table, &row, "facts_sha256");
        let parsed: Facts = serde_json::from_value(column(table, &row, "facts"))
            .with_context(|| format!("{file}: the facts {digest} are damaged"))?;
        verified.facts += 1;
        if bytes_of_hex(&digest).is_none_or(|bytes| bytes != parsed.digest().as_bytes()) {
            verified.differs(format!("{file}: facts {digest} have another digest"));
        }
        let scores: Vec<Score> = RUBRICS.iter().map(|rubric| rubric.score(&parsed, dataset.manifest.as_of)).collect();
        let member = saferskills::member(&parsed, &scores);
        computed.insert(digest, Computed { scores, member });
    }
    Ok(computed)
}

/// Computes every score again. Its row must name what it was computed from, as the rest of the dataset does.
fn check_scores(
    dataset: &Dataset<'_>,
    computed: &ByDigest,
    contents: &BTreeMap<String, String>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let (table, rows) = dataset.read("scores")?;
    let (file, manifest) = (dataset.file("scores"), dataset.manifest);
    let computed_from = table.columns.iter().position(|column| column.name == "rubric").unwrap_or_default();
    for row in rows {
        let slug = text(table, &row, "slug");
        let id = text(table, &row, "rubric");
        let of_facts = computed.get(&text(table, &row, "facts_sha256"));
        let Some(again) = of_facts.and_then(|facts| facts.scores.iter().find(|score| score.rubric.id == id)) else {
            verified.differs(format!("{file}: {slug} names a rubric or facts that are not there"));
            continue;
        };
        verified.scores += 1;
        let of_dataset = text(table, &row, "ruleset_sha256") == manifest.ruleset_sha256
            && text(table, &row, "as_of") == manifest.as_of.to_string()
            && contents.get(&text(table, &row, "capability")) == Some(&text(table, &row, "content_sha256"));
        if !of_dataset {
            verified.differs(format!("{file}: the score of {slug} by {id} names another rule set, content or instant"));
        }
        let written: Vec<String> = row.iter().skip(computed_from).map(as_written).collect();
        let again: Vec<String> = tables::score_cells(again).iter().map(as_written).collect();
        if written != again {
            verified.differs(format!("{file}: the score of {slug} by {id} is not what its facts give"));
        }
    }
    Ok(())
}

/// Computes band and rank of every capability again, from its facts and its completeness. Gives the content digest of
/// each, by id.
fn check_ranks(
    dataset: &Dataset<'_>,
    computed: &ByDigest,
    verified: &mut Verified,
) -> anyhow::Result<BTreeMap<String, String>> {
    let (table, rows) = dataset.read("capabilities")?;
    let (file, manifest) = (dataset.file("capabilities"), dataset.manifest);
    let (mut keys, mut contents) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        let slug = text(table, row, "slug");
        contents.insert(text(table, row, "id"), text(table, row, "content_sha256"));
        let id = bytes_of_hex(&text(table, row, "id")).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let (Some(id), Some(facts)) = (id, computed.get(&text(table, row, "facts_sha256"))) else {
            verified.differs(format!("{file}: {slug} has no id or names facts that are not there"));
            continue;
        };
        let completeness = match text(table, row, "completeness").as_str() {
            "analysed" => Completeness::Analysed,
            _ => Completeness::Partial(Vec::new()),
        };
        let verdict = verdict(&facts.scores, &completeness);
        verified.ranks += 1;
        let written = tables::VERDICT_COLUMNS.map(|name| as_written(&column(table, row, name)));
        if written != tables::verdict_cells(&facts.scores, &verdict).map(|cell| as_written(&cell)) {
            verified.differs(format!("{file}: the verdict of {slug} is not what its scores give"));
        }
        let id = CapabilityId(Digest::from_bytes(id));
        keys.push((rank_key(&verdict, &facts.scores, &manifest.rank_by, &slug, id), column(table, row, "rank")));
    }
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    if keys.iter().zip(1_u64..).any(|((_, rank), place)| rank.as_u64() != Some(place)) {
        verified.differs(format!("{file}: the ranks are not in order"));
    }
    Ok(contents)
}

/// Computes the roll-up of every package again.
fn check_packages(dataset: &Dataset<'_>, computed: &ByDigest, verified: &mut Verified) -> anyhow::Result<()> {
    let (table, rows) = dataset.read("capabilities")?;
    let mut members: BTreeMap<String, Vec<Member>> = BTreeMap::new();
    for row in &rows {
        let of_package = members.entry(text(table, row, "package")).or_default();
        of_package.extend(computed.get(&text(table, row, "facts_sha256")).and_then(|facts| facts.member));
    }
    let rolled: Vec<Vec<String>> = members
        .iter()
        .map(|(package, members)| tables::package_cells(package, members).iter().map(as_written).collect())
        .collect();
    let (_, rows) = dataset.read("packages")?;
    verified.ranks += u64::try_from(rows.len())?;
    let written: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(as_written).collect()).collect();
    if written != rolled {
        verified.differs(format!("{}: the packages are not what their capabilities give", dataset.file("packages")));
    }
    Ok(())
}

/// The bytes of a cell; an empty text and nothing are one in CSV.
fn as_written(cell: &Value) -> String {
    match cell {
        Value::Null => "\"\"".into(),
        other => other.to_string(),
    }
}
