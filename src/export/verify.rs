//! Checks a dataset with nothing but itself: digests of files and facts, every score, verdict and rank.
//!
//! Must not open the store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_core::digest::{Digest, bytes_of_hex};
use capdex_core::fact::Facts;
use capdex_core::ids::CapabilityId;
use capdex_core::rank::rank_key;
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
    /// Capabilities whose band and rank were computed again.
    pub ranks: u64,
    /// Every difference, one sentence each, in the order of the files.
    pub differences: Vec<String>,
}

/// Checks everything that can be checked.
///
/// # Errors
/// When there is no manifest of ours or a table cannot be read.
pub fn verify(dir: &Path) -> anyhow::Result<Verified> {
    let manifest = manifest::read(dir)?;
    let mut verified = Verified::default();
    check_files(dir, &manifest, &mut verified)?;
    check_texts(&manifest, &mut verified);
    for exporter in EXPORTERS.iter().filter(|exporter| holds(&manifest, **exporter)) {
        let facts = check_facts(dir, *exporter, &mut verified)?;
        check_scores(dir, *exporter, &manifest, &facts, &mut verified)?;
        check_ranks(dir, *exporter, &manifest, &facts, &mut verified)?;
    }
    Ok(verified)
}

fn holds(manifest: &Manifest, exporter: &dyn Exporter) -> bool {
    manifest.files.iter().any(|file| file.path == exporter.file_name("facts"))
}

fn check_files(dir: &Path, manifest: &Manifest, verified: &mut Verified) -> anyhow::Result<()> {
    for file in &manifest.files {
        let is_plain = !file.path.contains(['/', '\\']) && file.path != "..";
        anyhow::ensure!(is_plain, "the manifest names {:?}, which is not a file of the dataset", file.path);
        verified.files += 1;
        match fs::read(dir.join(&file.path)) {
            Ok(bytes) if Digest::of(&bytes).hex() == file.sha256 => {}
            Ok(_) => verified.differences.push(format!("{} has other bytes than the manifest says", file.path)),
            Err(error) => verified.differences.push(format!("{} cannot be read: {error}", file.path)),
        }
    }
    Ok(())
}

/// The rules and rubrics of this program must be those that made the dataset, or nothing can be computed again.
fn check_texts(manifest: &Manifest, verified: &mut Verified) {
    if manifest.ruleset_sha256 != rules::digest().hex() {
        verified.differences.push("the facts were found under another rule set than this program's".into());
    }
    for row in &manifest.rubrics {
        let ours = RUBRICS.iter().map(|rubric| &rubric.meta().rubric).find(|reference| reference.id == row.id);
        if ours.is_none_or(|ours| ours.text.hex() != row.text_sha256) {
            verified.differences.push(format!("this program has another text of {}", row.id));
        }
    }
}

fn column(table: &Table, row: &Row, name: &str) -> Value {
    let index = table.columns.iter().position(|column| column.name == name);
    index.and_then(|index| row.get(index)).cloned().unwrap_or_default()
}

fn read(dir: &Path, exporter: &dyn Exporter, name: &str) -> anyhow::Result<(&'static Table, Vec<Row>)> {
    let table = tables::table(name).context("the table is one of ours")?;
    Ok((table, exporter.read(dir, table)?))
}

fn check_facts(
    dir: &Path,
    exporter: &dyn Exporter,
    verified: &mut Verified,
) -> anyhow::Result<BTreeMap<String, Facts>> {
    let (table, rows) = read(dir, exporter, "facts")?;
    let mut facts = BTreeMap::new();
    for row in rows {
        let digest = column(table, &row, "facts_sha256").as_str().unwrap_or_default().to_owned();
        let parsed: Facts = serde_json::from_value(column(table, &row, "facts"))
            .with_context(|| format!("the facts {digest} are damaged"))?;
        verified.facts += 1;
        if bytes_of_hex(&digest).is_none_or(|bytes| bytes != parsed.digest().as_bytes()) {
            verified.differences.push(format!("{}: facts {digest} have another digest", exporter.id()));
        }
        facts.insert(digest, parsed);
    }
    Ok(facts)
}

fn check_scores(
    dir: &Path,
    exporter: &dyn Exporter,
    manifest: &Manifest,
    facts: &BTreeMap<String, Facts>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let (table, rows) = read(dir, exporter, "scores")?;
    for row in rows {
        let slug = column(table, &row, "slug").as_str().unwrap_or_default().to_owned();
        let id = column(table, &row, "rubric").as_str().unwrap_or_default().to_owned();
        let key = column(table, &row, "facts_sha256").as_str().unwrap_or_default().to_owned();
        let rubric = RUBRICS.iter().find(|rubric| rubric.meta().rubric.id == id);
        let (Some(rubric), Some(facts)) = (rubric, facts.get(&key)) else {
            verified.differences.push(format!("{}: {slug} names a rubric or facts that are not there", exporter.id()));
            continue;
        };
        verified.scores += 1;
        let again = rubric.score(facts, manifest.as_of);
        let written: Vec<String> = row.iter().skip(3).map(as_written).collect();
        let computed: Vec<String> = tables::score_cells(&again).iter().map(as_written).collect();
        if written != computed {
            verified
                .differences
                .push(format!("{}: the score of {slug} by {id} is not what its facts give", exporter.id()));
        }
    }
    Ok(())
}

/// Computes band and rank of every capability again, from its facts and its completeness.
fn check_ranks(
    dir: &Path,
    exporter: &dyn Exporter,
    manifest: &Manifest,
    facts: &BTreeMap<String, Facts>,
    verified: &mut Verified,
) -> anyhow::Result<()> {
    let (table, rows) = read(dir, exporter, "capabilities")?;
    let mut keys = Vec::new();
    for row in &rows {
        let text = |name: &str| column(table, row, name).as_str().unwrap_or_default().to_owned();
        let slug = text("slug");
        let id = bytes_of_hex(&text("id")).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let (Some(id), Some(facts)) = (id, facts.get(&text("facts_sha256"))) else {
            verified.differences.push(format!("{}: {slug} has no id or names facts that are not there", exporter.id()));
            continue;
        };
        let completeness = match text("completeness").as_str() {
            "analysed" => Completeness::Analysed,
            _ => Completeness::Partial(Vec::new()),
        };
        let scores: Vec<Score> = RUBRICS.iter().map(|rubric| rubric.score(facts, manifest.as_of)).collect();
        let verdict = verdict(&scores, &completeness);
        verified.ranks += 1;
        let disagreement = verdict.disagreement.map_or(Value::Null, |share| share.to_json());
        if text("band") != verdict.band.as_str() || column(table, row, "disagreement") != disagreement {
            verified.differences.push(format!("{}: the verdict of {slug} is not what its scores give", exporter.id()));
        }
        let id = CapabilityId(Digest::from_bytes(id));
        keys.push((rank_key(&verdict, &scores, &manifest.rank_by, &slug, id), column(table, row, "rank")));
    }
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    if keys.iter().zip(1_u64..).any(|((_, rank), place)| rank.as_u64() != Some(place)) {
        verified.differences.push(format!("{}: the ranks are not in order", exporter.id()));
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
