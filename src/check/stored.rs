//! What the store knows of a package, a repository or an endpoint: the facts of its last night, where they still count.
//!
//! The store is read and never written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capdex_db::{ListingState, Reader, Scanned, StoreError};
use capdex_evidence::Evidence;
use capdex_evidence::decompose::capability;
use capdex_evidence::subject::Subject;
use capdex_model::abuse::Report;
use capdex_model::appeal::Appeal;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::listing::{Listing, Locator};
use capdex_model::release_line;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::snapshot::{Completeness, Gap};
use capdex_model::time::AsOf;

use super::answer::{AnsweredBy, CheckAnswer};
use super::registries::FetchedPackage;
use crate::analysis;
use crate::jobs::same_version::is_same_version;

/// Seconds for which "the latest" of a registry counts as known.
pub const FRESH_S: i64 = 86_400;

/// Reports of abuse by the identity of the package that they speak of.
pub type AbuseReports = BTreeMap<String, BTreeSet<Report>>;

/// The store, as far as `check` asks it.
pub struct StoredAnswers {
    reader: Reader,
    at: AsOf,
    /// True where an old answer is better than none.
    is_offline: bool,
}

impl StoredAnswers {
    /// Asks through this reader, as of an instant.
    const fn new(reader: Reader, at: AsOf, is_offline: bool) -> Self {
        Self { reader, at, is_offline }
    }

    /// Opens the store for questions; none where there is no such file.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn open(path: &Path, at: AsOf, is_offline: bool) -> Result<Option<Self>, StoreError> {
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Self::new(Reader::open(path, &capdex_rules::INDEX)?, at, is_offline)))
    }

    /// The files of a package as some night fetched them: of the version that the key names, else of the latest that is kept. None
    /// where there are none.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn files(&self, key: &ListingKey) -> Result<Option<FetchedPackage>, StoreError> {
        let line = release_line::of_name(&key.name).filter(|_| release_line::has_lines(&key.source));
        let of_line = line.map(|(package, version)| (ListingKey::new(key.source.clone(), package), Some(version)));
        for (key, version) in [Some((key.clone(), None)), of_line].into_iter().flatten() {
            let Some(snapshot) = self.reader.kept_snapshot(&key.to_string(), version)? else { continue };
            let bundle = self.reader.bundle(snapshot)?;
            let standing =
                || Ok::<_, StoreError>(self.reader.standing_artifact(&bundle.identity)?.and_then(|it| it.version));
            let version = version.map_or_else(standing, |version| Ok(Some(version.to_owned())))?;
            return Ok(Some(FetchedPackage { bundle, version }));
        }
        Ok(None)
    }

    /// What is known of a listing; none where it is not there, was never looked at, is of another version than the one asked
    /// for, or where nobody has asked its registry for a day and it could be asked now. `commit` is that of a repository.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn answer(&self, key: &ListingKey, commit: Option<&str>) -> Result<Option<CheckAnswer>, StoreError> {
        let line = release_line::of_name(&key.name).filter(|_| release_line::has_lines(&key.source));
        // A version that is asked for by itself never changes, whoever listed it.
        let pinned = line.map(|(_, line)| line).filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
        let package = line.map(|(package, _)| ListingKey::new(key.source.clone(), package));
        let named = [Some(key.clone()), package.filter(|_| pinned.is_some())];
        for key in named.into_iter().flatten() {
            let Some(listing) = self.active(&key)? else { continue };
            let Some(locator) = listing.locators.first() else { continue };
            let is_version = match (pinned, locator) {
                (Some(pinned), _) => {
                    locator.version().is_some_and(|version| is_same_version(&locator.ecosystem(), pinned, version))
                }
                (None, Locator::GitArchive { commit: listed, .. }) => commit.is_none_or(|commit| commit == listed),
                (None, _) => true,
            };
            let asked = self.reader.visits(&key)?.visited;
            let is_fresh = asked.is_some_and(|asked| self.at.0.unix_seconds() - asked.0.unix_seconds() <= FRESH_S);
            let counts = is_fresh || self.is_offline || pinned.is_some() || commit.is_some();
            if is_version
                && counts
                && let Some(answer) = self.of_locator(locator, asked)?
            {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// What the imported lists of abuse report, by the package that they speak of; none where no list was imported.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn reports(&self) -> Result<Option<AbuseReports>, StoreError> {
        let lists = self.reader.abuse_lists()?;
        if lists.is_empty() {
            return Ok(None);
        }
        let mut reports = AbuseReports::new();
        for list in lists.iter().map(|imported| &imported.list) {
            for entry in &list.entries {
                reports.entry(entry.subject()).or_default().insert(list.report(entry));
            }
        }
        Ok(Some(reports))
    }

    /// The operator's rulings and votes.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn policy(&self) -> Result<OperatorPolicy, StoreError> {
        self.reader.operator_policy()
    }

    /// The appeals about a package and what is in it.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn appeals_about(&self, identity: &str) -> Result<Vec<Appeal>, StoreError> {
        self.reader.appeals_about(identity)
    }

    /// Whether a capability sends something to a host; none where its scan did not list hosts. One that the store does not have has
    /// no file: it is the rest of a package.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn is_sender(&self, id: &CapabilityId) -> Result<Option<bool>, StoreError> {
        let Some(pins) = self.reader.current_pins(id)? else { return Ok(Some(false)) };
        Ok(pins.reach.map(|reach| reach.is_sending()))
    }

    fn active(&self, key: &ListingKey) -> Result<Option<Listing>, StoreError> {
        let stored = self.reader.listing(key)?;
        Ok(stored.filter(|stored| stored.state == ListingState::Active).and_then(|stored| stored.listing))
    }

    fn of_locator(&self, locator: &Locator, asked: Option<AsOf>) -> Result<Option<CheckAnswer>, StoreError> {
        let identity = locator.identity();
        // The listing may name a newer artifact than the one that was fetched last.
        let has_artifact = self.reader.has_artifact(locator)?;
        let standing = self.reader.standing_artifact(&identity)?;
        if !has_artifact || standing.is_none_or(|standing| standing.version.as_deref() != locator.version()) {
            return Ok(None);
        }
        let Some(scanned) = self.scanned(&identity)? else { return Ok(None) };
        let version = match locator {
            Locator::GitArchive { commit, .. } => Some(commit.clone()),
            _ => locator.version().map(str::to_owned),
        };
        Ok(Some(CheckAnswer { scanned, identity, version, by: Some(AnsweredBy::Store(asked)), refusal: None }))
    }

    /// The capabilities of an identity, by the facts that stand where they are of today's rules, else by its bytes.
    fn scanned(&self, identity: &str) -> Result<Option<Vec<Scanned>>, StoreError> {
        let mut scanned = Vec::new();
        for id in self.reader.capabilities_of(identity)? {
            let Some(current) = self.reader.current_of(&id)? else { return Ok(None) };
            if current.ruleset != capdex_rules::INDEX.digest() {
                return self.reader.bundle(current.snapshot).map(|bundle| Some(analysis::scan(&bundle)));
            }
            let Some(facts) = self.reader.facts(&current.facts)? else { return Ok(None) };
            scanned.push(Scanned {
                surfaces: self.reader.surfaces(&id)?.unwrap_or_default(),
                capability: current.capability,
                completeness: current.completeness,
                // Only nights compare with them.
                pins: capdex_corpus::drift::Pins::default(),
                facts,
            });
        }
        Ok((!scanned.is_empty()).then(|| as_scanned(identity, scanned)))
    }
}

/// The stored capabilities of a package as `scan` has them: the package last, and the others by their places.
pub(super) fn as_scanned(identity: &str, mut scanned: Vec<Scanned>) -> Vec<Scanned> {
    scanned.sort_by(|one, other| {
        let place =
            |of: &Scanned| (of.capability.kind == Kind::Package, of.capability.kind, of.capability.path.clone());
        place(one).cmp(&place(other))
    });
    if scanned.last().is_some_and(|last| last.capability.kind != Kind::Package) {
        let rest = empty_rest(identity, &scanned);
        scanned.push(rest);
    }
    scanned
}

/// The package's own line where every file of it belongs to a capability: such a rest is no row of the store.
fn empty_rest(identity: &str, others: &[Scanned]) -> Scanned {
    let bundle = Bundle::local(identity, BTreeMap::new());
    let name = identity.split_once(':').map_or(identity, |(_, name)| name);
    let capability = capability(&bundle, Kind::Package, "", name, Vec::new());
    let gaps: BTreeSet<Gap> = others.iter().flat_map(|one| one.completeness.gaps()).cloned().collect();
    let gaps: Vec<Gap> = gaps.into_iter().collect();
    let evidence = Evidence::default();
    let subject = Subject { capability: &capability, evidence: &evidence, claims: &bundle.claims, gaps: &gaps };
    let facts = capdex_rules::evaluate(&[subject]).pop().expect("one subject has one answer");
    let completeness = Completeness::from_gaps(gaps);
    let facts = if completeness == Completeness::Analysed { facts } else { facts.with_absence_unproven() };
    Scanned { capability, pins: Default::default(), surfaces: Default::default(), facts, completeness }
}
