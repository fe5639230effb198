//! A store of many capabilities for benchmarks: real facts, each varied so that no two capabilities share them.
//!
//! The facts are those of real scans of the labelled sets in `CAPDEX_DATA`; without it, of the rules' own examples.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use capdex::analysis;
use capdex_corpus::drift::Pins;
use capdex_crawlers::unpack;
use capdex_db::{Scanned, Store, Writer};
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::capability::{Capability, CapabilityRole};
use capdex_model::digest::Digest;
use capdex_model::fact::{Fact, Outcome};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, ListingKey, slug_of};
use capdex_model::listing::{Claims, Integrity, Listing, Locator, Validators};
use capdex_model::score::{RubricRef, Score};
use capdex_model::snapshot::{Completeness, FileEntry, Snapshot};
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::AsOf;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// Capabilities of one package.
const PACKAGE: usize = 50;
/// Packages stored in one transaction.
const BATCH: usize = 20;
/// Cases of each labelled set whose facts are varied.
const CASES: usize = 300;
/// What the one file of every package holds.
const TEXT: &[u8] = b"text";

/// The rubric text under which a score is stored, by the text of this program.
pub(crate) type TextOf = fn(RubricRef) -> RubricRef;

/// One labelled case; other keys are ignored.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    doc: Value,
}

/// Real skills and lists of tools.
pub(crate) fn bundles() -> Result<Vec<Bundle>, Box<dyn Error>> {
    Ok(match std::env::var_os("CAPDEX_DATA") {
        Some(data) => labelled(&PathBuf::from(data).join("labelled"))?,
        None => capdex_rules::INDEX
            .all()
            .iter()
            .flat_map(|meta| &meta.examples.fires)
            .map(|example| bundle(&example.files))
            .collect(),
    })
}

/// The facts of real capabilities, at least one.
pub(crate) fn templates() -> Result<Vec<SparseFacts>, Box<dyn Error>> {
    let bundles = bundles()?;
    let facts: Vec<SparseFacts> = bundles.iter().flat_map(analysis::scan).map(|scanned| scanned.facts).collect();
    if facts.is_empty() { Err("no facts to start from".into()) } else { Ok(facts) }
}

fn labelled(folder: &Path) -> Result<Vec<Bundle>, Box<dyn Error>> {
    let mut bundles = Vec::new();
    for set in ["skills.jsonl.gz", "mcp-tools.jsonl.gz"] {
        let file = std::fs::read(folder.join(set))?;
        let lines: Vec<String> =
            std::io::BufReader::new(unpack::gunzip_lines(file.as_slice())).lines().collect::<Result<_, _>>()?;
        for line in lines.iter().step_by((lines.len() / CASES).max(1)) {
            let mut line: Line = serde_json::from_str(line)?;
            if !line.doc.is_null() {
                line.files.insert("tools.json".into(), line.doc.to_string());
            }
            bundles.push(bundle(&line.files));
        }
    }
    Ok(bundles)
}

fn bundle(files: &BTreeMap<String, String>) -> Bundle {
    let files = files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.clone().into_bytes())));
    Bundle::local("folder:case", files.collect())
}

/// The facts of the capability of a number: those of a template with its findings elsewhere and one answer turned.
fn varied(template: &SparseFacts, number: usize) -> SparseFacts {
    let mut facts: Vec<Fact> = template.all().cloned().collect();
    let shift = u32::try_from(number).unwrap_or_default();
    for found in facts.iter_mut().filter(|fact| fact.outcome == Outcome::True && fact.value.is_null()) {
        found.place.line = found.place.line.saturating_add(shift);
    }
    let turned = number % facts.len().max(1);
    if let Some(fact) = facts.get_mut(turned).filter(|fact| fact.outcome == Outcome::False)
        && let Some(meta) = capdex_rules::INDEX.find(fact.rule.as_str())
    {
        fact.outcome = Outcome::True;
        fact.severity = meta.severity;
    }
    if let Some(first) = facts.first_mut() {
        first.evidence = format!("variant {number}");
    }
    SparseFacts::new(&capdex_rules::INDEX, template.kind, facts)
}

/// Fills a store with so many capabilities, each with its scores.
pub(crate) fn fill(
    path: &Path,
    templates: &[SparseFacts],
    capabilities: usize,
    as_of: AsOf,
    text_of: TextOf,
) -> Result<(), Box<dyn Error>> {
    let store = Store::open(path, &capdex_rules::INDEX)?;
    store.write(move |writer| {
        let run = writer.start_run("nightly", as_of, as_of.0, &Value::Null)?;
        writer.put_blob(&Digest::of(TEXT), TEXT)?;
        writer.finish_run(run, capdex_db::RunStatus::Done, as_of.0, &Value::Null)
    })?;
    let numbers: Vec<usize> = (0..capabilities).collect();
    let packages: Vec<&[usize]> = numbers.chunks(PACKAGE).collect();
    for batch in packages.chunks(BATCH) {
        let batch: Vec<Package> =
            batch.par_iter().map(|numbers| Package::new(templates, numbers, as_of, text_of)).collect();
        store.write(move |writer| batch.iter().try_for_each(|package| package.store(writer, as_of)))?;
    }
    Ok(())
}

/// A score with the day that it is kept under.
type Kept = (Option<i64>, Score);

/// One package with everything that a night would have stored of it.
struct Package {
    listing: Listing,
    snapshot: Snapshot,
    scanned: Vec<Scanned>,
    scores: Vec<(Digest, Vec<Kept>)>,
}

impl Package {
    fn new(templates: &[SparseFacts], numbers: &[usize], as_of: AsOf, text_of: TextOf) -> Self {
        let first = numbers.first().copied().unwrap_or_default();
        let name = format!("package-{first}");
        let locator = Locator::NpmPackage {
            registry: None,
            name: name.clone(),
            version: "1.0.0".into(),
            url: format!("https://registry.example/{name}.tgz"),
            integrity: vec![Integrity::Sha512(name.clone())],
        };
        let listing = Listing {
            key: ListingKey::new("npm", &name),
            locators: vec![locator.clone()],
            claims: Claims::default(),
            references: Vec::new(),
        };
        let files = vec![FileEntry { path: "a.md".into(), digest: Digest::of(TEXT), size_bytes: TEXT.len() as u64 }];
        let tree = Snapshot::tree_of(&files);
        let snapshot = Snapshot { locator, tree, files, completeness: Completeness::Analysed, fetched: as_of.0 };
        let identity = format!("npm:{name}");
        let mut scanned = Vec::new();
        let mut scores = Vec::new();
        for (number, template) in
            numbers.iter().filter_map(|number| Some((*number, templates.get(number % templates.len())?)))
        {
            let facts = varied(template, number);
            scores.push((facts.digest(), scored(&facts, as_of, text_of)));
            scanned.push(revision(&identity, facts, number));
        }
        Self { listing, snapshot, scanned, scores }
    }

    fn store(&self, writer: &Writer<'_>, as_of: AsOf) -> Result<(), capdex_db::StoreError> {
        writer.upsert_listing(&self.listing, &Validators::default(), as_of)?;
        let snapshot = writer.record_snapshot(&self.listing.key, &self.snapshot, as_of)?;
        let claims = Digest::of_json(&self.listing.claims);
        writer.record_scan(snapshot, &capdex_rules::INDEX.digest(), &claims, &self.scanned, as_of)?;
        for (facts, scores) in &self.scores {
            for (day, score) in scores {
                writer.record_scores(facts, *day, std::slice::from_ref(score))?;
            }
        }
        Ok(())
    }
}

/// The scores of facts as a night would have left them.
fn scored(facts: &SparseFacts, as_of: AsOf, text_of: TextOf) -> Vec<Kept> {
    let by_day = |id: &str| capdex_rubrics::find(id).is_some_and(|rubric| rubric.meta().by_day);
    let kept = |mut score: Score| {
        let day = by_day(&score.rubric.id).then(|| as_of.day());
        score.rubric = text_of(score.rubric);
        (day, score)
    };
    analysis::score(facts, None, as_of).into_iter().map(kept).collect()
}

fn revision(identity: &str, facts: SparseFacts, number: usize) -> Scanned {
    let (kind, path) = (facts.kind, format!("part-{number}"));
    let capability = Capability {
        id: CapabilityId::of(identity, kind, &path),
        kind,
        role: CapabilityRole::Offer,
        name: path.clone(),
        slug: slug_of(identity, kind, &path),
        path,
        files: vec!["a.md".into()],
        content: Digest::of(number.to_string().as_bytes()),
    };
    let pins = Pins { files: [("a.md".to_owned(), Digest::of(TEXT))].into(), ..Pins::default() };
    Scanned { capability, pins, surfaces: SurfaceInventory::default(), facts, completeness: Completeness::Analysed }
}
