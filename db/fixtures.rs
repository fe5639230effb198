//! What the tests of this package share: a store in a temporary folder, and small values of every kind.
//!
//! Must not know what any test is about.

use std::path::PathBuf;

use capdex_corpus::drift::Pins;

use capdex_model::alert::Alert;
use capdex_model::capability::{Capability, CapabilityRole, Kind};
use capdex_model::digest::Digest;
use capdex_model::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, ListingKey, RuleId, slug_of};
use capdex_model::listing::{Claim, Claims, Integrity, Listing, Locator, Validators};
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::rule::testing::{index, meta};
use capdex_model::score::{Coverage, RubricRef, Score, ScoreTexts, Term};
use capdex_model::snapshot::{Completeness, FileEntry, Gap, GapReason, Snapshot};
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::{AsOf, Timestamp};
use serde_json::Value;

use crate::{ListingState, Scanned, SnapshotId, Store, StoreError, Writer};

/// A temporary folder with room for one store.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("capdex.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.path(), rules()).expect("the store opens")
    }

    pub(crate) fn open_error(&self) -> StoreError {
        Store::open(&self.path(), rules()).err().expect("the store does not open")
    }

    /// Runs SQL as some other program would, and leaves no log beside the file.
    pub(crate) fn sql(&self, sql: &str) {
        let conn = rusqlite::Connection::open(self.path()).expect("opens");
        conn.execute_batch(sql).expect("runs");
        conn.close().expect("closes");
    }
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(second)
}

pub(crate) fn day(night: i64) -> AsOf {
    AsOf(at(1_790_000_000 + night * 86_400))
}

pub(crate) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

pub(crate) fn gap(subject: &str) -> Gap {
    Gap::new(subject, GapReason::Unreachable, "500 after 3 tries")
}

pub(crate) fn key(name: &str) -> ListingKey {
    ListingKey::new("npm", name)
}

pub(crate) fn locator(name: &str, version: &str) -> Locator {
    Locator::NpmPackage {
        registry: None,
        name: name.into(),
        version: version.into(),
        url: format!("https://registry.example/{name}/{version}.tgz"),
        integrity: vec![Integrity::Sha512(format!("{name}{version}"))],
    }
}

pub(crate) fn listing(name: &str, version: &str) -> Listing {
    let claims = Claims { version_count: Claim::Known(version.len() as u64), ..Claims::default() };
    Listing { key: key(name), locators: vec![locator(name, version)], claims, references: Vec::new() }
}

pub(crate) fn claims_digest(name: &str, version: &str) -> Digest {
    Digest::of_json(&listing(name, version).claims)
}

pub(crate) fn snapshot(name: &str, version: &str, files: &[(&str, &str)]) -> Snapshot {
    let entry = |(path, text): &(&str, &str)| FileEntry {
        path: (*path).to_owned(),
        digest: digest(text),
        size_bytes: text.len() as u64,
    };
    let mut files: Vec<_> = files.iter().map(entry).collect();
    files.sort();
    Snapshot {
        locator: locator(name, version),
        tree: Snapshot::tree_of(&files),
        files,
        completeness: Completeness::Analysed,
        fetched: at(7),
    }
}

pub(crate) fn not_assessable(name: &str, version: &str, why: &str) -> Snapshot {
    Snapshot { completeness: Completeness::NotAssessable(vec![gap(why)]), ..snapshot(name, version, &[]) }
}

pub(crate) fn capability_id(identity: &str, path: &str) -> CapabilityId {
    CapabilityId::of(identity, Kind::Package, path)
}

pub(crate) fn capability(name: &str, path: &str, version: &str) -> Capability {
    let identity = format!("npm:{name}");
    Capability {
        id: capability_id(&identity, path),
        kind: Kind::Package,
        role: CapabilityRole::Offer,
        path: path.into(),
        name: name.into(),
        slug: slug_of(&identity, Kind::Package, path),
        files: vec!["a.md".into()],
        content: digest(version),
    }
}

pub(crate) fn facts(evidence: &str) -> SparseFacts {
    let fact = Fact {
        rule: RuleId::new("pipe-to-shell"),
        version: 1,
        outcome: Outcome::True,
        severity: Severity::High,
        confidence: Confidence::High,
        place: Place { file: "a.md".into(), line: 1, column: 1, pointer: String::new() },
        surface: FactSurface::Whole,
        voice: None,
        evidence: evidence.into(),
        value: Value::Null,
    };
    SparseFacts::new(rules(), Kind::Package, vec![fact])
}

/// Sixty rules that apply to every kind.
pub(crate) fn rules() -> &'static RuleIndex {
    static RULES: RuleIndex = index(|| {
        // Names that do not compress, as the ids of two hundred real rules hardly do.
        (0..60_usize).map(|number| meta(&Digest::of(&number.to_le_bytes()).hex())).collect()
    });
    &RULES
}

pub(crate) fn scanned(name: &str, path: &str, version: &str, evidence: &str) -> Scanned {
    let files = [("a.md".to_owned(), digest(version))].into();
    Scanned {
        capability: capability(name, path, version),
        pins: Pins { files, ..Pins::default() },
        surfaces: SurfaceInventory::default(),
        facts: facts(evidence),
        completeness: Completeness::Analysed,
    }
}

pub(crate) fn score(rubric: &str, version: &str, points: i64) -> Score {
    Score {
        rubric: RubricRef { id: rubric.to_owned().into(), version: version.to_owned().into(), text: digest(rubric) },
        value: Some(Points::whole(points)),
        grade: "B".into(),
        coverage: Coverage::FULL,
        terms: vec![Term {
            label: "all".into(),
            points: Points::whole(points),
            rules: ScoreTexts::Borrowed(&[]),
            note: "".into(),
        }],
        parts: vec![],
        caps: vec![],
        reason: "".into(),
    }
}

pub(crate) fn start_run(store: &Store, night: i64) {
    store.write(move |writer| writer.start_run("nightly", day(night), at(night), &Value::Null)).expect("begun");
}

pub(crate) fn list(store: &Store, listing: &Listing, night: i64) {
    let listing = listing.clone();
    let upsert = move |writer: &Writer<'_>| writer.upsert_listing(&listing, &Validators::default(), day(night));
    store.write(upsert).expect("listed");
}

pub(crate) fn mark(store: &Store, key: &ListingKey, state: ListingState, gap: Option<Gap>, night: i64) {
    let key = key.clone();
    store.write(move |writer| writer.mark_listing(&key, state, gap.as_ref(), day(night))).expect("marked");
}

/// Stores the blobs of a snapshot whose files hold one of the short texts that the tests use.
pub(crate) fn put_files(writer: &Writer<'_>, snapshot: &Snapshot) -> Result<(), StoreError> {
    let texts = ["one", "two", "nine", "ten", "1", "2", "3", "a", "b", "c"];
    let stored = texts.iter().filter(|text| snapshot.files.iter().any(|file| file.digest == digest(text)));
    stored.into_iter().try_for_each(|text| writer.put_blob(&digest(text), text.as_bytes()).map(drop))
}

pub(crate) fn record(store: &Store, name: &str, snapshot: &Snapshot, night: i64) -> SnapshotId {
    let (key, snapshot) = (key(name), snapshot.clone());
    let record = move |writer: &Writer<'_>| {
        put_files(writer, &snapshot)?;
        writer.record_snapshot(&key, &snapshot, day(night))
    };
    store.write(record).expect("recorded")
}

/// Records a snapshot of one file of a repository.
pub(crate) fn repository_snapshot(store: &Store, locator: Locator, path: &str, bytes: &'static [u8]) -> SnapshotId {
    let files = vec![FileEntry { path: path.into(), digest: Digest::of(bytes), size_bytes: bytes.len() as u64 }];
    let (tree, completeness) = (Snapshot::tree_of(&files), Completeness::Analysed);
    let identity: ListingKey = locator.identity().parse().expect("a key");
    let snapshot = Snapshot { locator, tree, files, completeness, fetched: at(7) };
    let record = move |writer: &Writer<'_>| {
        writer.put_blob(&Digest::of(bytes), bytes)?;
        writer.record_snapshot(&identity, &snapshot, day(1))
    };
    store.write(record).expect("recorded")
}

pub(crate) fn scan(store: &Store, snapshot: SnapshotId, rules: &str, claims: &Digest, scanned: &[Scanned], night: i64) {
    let (rules, claims, scanned) = (digest(rules), *claims, scanned.to_vec());
    store.write(move |writer| writer.record_scan(snapshot, &rules, &claims, &scanned, day(night))).expect("recorded");
}

/// Scans what the rule set has not seen, under the claims of now; the snapshots that were. Each has one capability, of the
/// name that is given with it.
pub(crate) fn scan_unscanned(store: &Store, names: &[(SnapshotId, &str)]) -> Vec<SnapshotId> {
    let unscanned = store.reader().expect("opens").unscanned(&digest("rules")).expect("reads");
    for id in &unscanned {
        let claims = store.reader().expect("opens").bundle(*id).expect("reads").claims;
        let (_, name) = names.iter().find(|(named, _)| named == id).expect("a name");
        scan(store, *id, "rules", &Digest::of_json(&claims), &[scanned(name, "", "1", name)], 2);
    }
    unscanned
}

/// Records a snapshot of one file and its scan, whose facts are named after the package.
pub(crate) fn scan_of(store: &Store, name: &str, version: &str, night: i64) -> SnapshotId {
    scan_with(store, name, version, night, name)
}

pub(crate) fn scan_with(store: &Store, name: &str, version: &str, night: i64, evidence: &str) -> SnapshotId {
    let id = record(store, name, &snapshot(name, version, &[("a.md", version)]), night);
    scan(store, id, "rules", &claims_digest(name, version), &[scanned(name, "", version, evidence)], night);
    id
}

/// An alert of drift in `npm:a` with so many details.
pub(crate) fn alert(key: &str, details: usize) -> Alert {
    Alert {
        key: key.into(),
        pass: "drift".into(),
        class: "same_version".into(),
        capability: Some(capability_id("npm:a", "")),
        subject: "npm-a".into(),
        severity: Severity::High,
        title: "changed under the same version".into(),
        why: String::new(),
        fix: String::new(),
        content: None,
        details: vec!["a detail".into(); details],
        evidence: Vec::new(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: String::new(),
        reach: 0,
    }
}
