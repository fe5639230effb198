//! `PackageVersion`: a whole package at one snapshot, as the comparison sees it.
//!
//! Each side is read once, and then compared with any number of others.

use std::collections::{BTreeMap, BTreeSet};

use super::bases::FileBases;
use super::build_steps::{self, BuildSteps};
use super::declaration_pins::ManifestDeclarations;
use super::dependencies::Dependencies;
use super::hosts;
use super::named_recipients::{self, Constants};
use super::outbound_calls::OutboundCalls;
use super::pins::Pins;
use super::recipients::{self, Recipient};
use super::requests::{Request, requests};
use capdex_evidence::Evidence;
use capdex_evidence::code::SourceView;
use capdex_evidence::document::{Document, is_test_path};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::site::site_of;
use capdex_evidence::voice::Voice;
use capdex_model::capability::Capability;
use capdex_model::fact::{Confidence, Fact, Outcome, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::snapshot::{Completeness, Gap};

/// One capability of a package at one snapshot.
#[derive(Clone, Copy, Debug)]
pub struct CapabilityVersion<'a> {
    /// The capability itself.
    pub capability: &'a Capability,
    /// Its pins.
    pub pins: &'a Pins,
    /// The facts that the rules found: on both sides the same rules under the same claims.
    pub facts: &'a SparseFacts,
    /// The extent to which it could be looked at.
    pub completeness: &'a Completeness,
}

/// A package at one snapshot.
#[derive(Debug)]
pub struct PackageVersion<'a> {
    /// The evidence that was read from its bytes.
    pub evidence: &'a Evidence,
    /// Its capabilities, by id.
    pub seen: BTreeMap<CapabilityId, CapabilityVersion<'a>>,
    /// True where the whole snapshot could be looked at.
    pub is_whole: bool,
    /// The things of it that could not be read, or were refused.
    pub(super) gaps: &'a [Gap],
    /// The site of the registry that handed it out, where one did.
    pub(super) registry: Option<String>,
    /// The things that the whole package has, wherever in it: a move inside a package brings nothing new.
    pub(super) inventory: PackageInventory<'a>,
}

/// Recipients of one package that are remembered: bounds memory.
const MAX_RECIPIENTS: usize = 100_000;

/// The things that a package has somewhere.
#[derive(Debug, Default)]
pub(super) struct PackageInventory<'a> {
    /// The worst that each rule says, with at least medium confidence, in what takes effect and in what is kept beside it.
    pub(super) rules: BTreeMap<(String, Effectiveness), Severity>,
    /// Registrable domains, with a file that names each.
    pub(super) sites: BTreeMap<String, String>,
    /// The places for which names stand, wherever in the package they are given them.
    bases: FileBases<'a>,
    /// The requests of each program.
    requests: BTreeMap<&'a str, Vec<Request<'a>>>,
    /// Constant addresses in code.
    pub(super) recipients: Vec<Recipient>,
    /// The declarations of all manifests.
    pub(super) declarations: ManifestDeclarations,
    /// The dependencies of all manifests and lock files.
    pub(super) dependencies: Dependencies,
    /// The things that run where it is built.
    pub(super) build_steps: BuildSteps,
    /// The arguments that the calls that send are given.
    pub(super) outbound_calls: OutboundCalls<'a>,
    /// The paths of all files.
    pub(super) paths: BTreeSet<String>,
}

impl<'a> PackageVersion<'a> {
    /// Takes what was read and scanned of a package.
    pub fn new(evidence: &'a Evidence, seen: impl Iterator<Item = CapabilityVersion<'a>>, is_whole: bool) -> Self {
        let seen: BTreeMap<CapabilityId, CapabilityVersion<'a>> =
            seen.map(|version| (version.capability.id, version)).collect();
        let mut inventory = PackageInventory::default();
        // Names first: a request of one capability may ask a place that another's file names.
        for one in seen.values() {
            inventory.add_bases(evidence, one);
        }
        for one in seen.values() {
            inventory.add(evidence, one);
        }
        Self { evidence, seen, is_whole, gaps: &[], registry: None, inventory }
    }

    /// The same with what of its bytes could not be read, or was refused.
    #[must_use]
    pub fn with_gaps(self, gaps: &'a [Gap]) -> Self {
        Self { gaps, ..self }
    }

    /// The same as a package that a registry handed out, from the address of its archive.
    #[must_use]
    pub fn from_registry(self, archive: &str) -> Self {
        Self { registry: hosts::host_of(archive).map(|host| site_of(&host)), ..self }
    }

    /// The source of a capability that runs for users: tests and fixtures are left out.
    pub(super) fn sources(
        &self,
        of: &CapabilityVersion<'a>,
    ) -> impl Iterator<Item = (&'a str, &'a SourceView)> + use<'a> {
        let evidence = self.evidence;
        let files = of.capability.files.iter().filter(move |path| is_live(evidence.documents.get(*path)));
        files.filter_map(move |path| Some((path.as_str(), evidence.sources.get(path)?)))
    }

    /// All source of the package that runs for users.
    pub(super) fn all_sources(&self) -> impl Iterator<Item = (&'a str, &'a SourceView)> + use<'a> {
        let evidence = self.evidence;
        let live = evidence.sources.iter().filter(move |(path, _)| is_live(evidence.documents.get(*path)));
        live.map(|(path, view)| (path.as_str(), view))
    }
}

/// The meaning of a finding's place to somebody who uses the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effectiveness {
    /// A model reads it or a machine runs it.
    Live,
    /// It is shipped, and nobody acts on it by itself: documentation, tests, data.
    Kept,
}

impl Effectiveness {
    pub(super) fn of(evidence: &Evidence, fact: &Fact) -> Self {
        let document = evidence.documents.get(&fact.place.file);
        let is_beside =
            |document: &Document| matches!(document.role, FileRole::Docs | FileRole::Data) || !is_live(Some(document));
        if document.is_some_and(is_beside) { Self::Kept } else { Self::Live }
    }
}

/// True for a file that is none of those that only developers run.
pub(super) fn is_live(document: Option<&Document>) -> bool {
    let is_dormant = |document: &Document| {
        let is_sample = document.role == FileRole::Test || is_test_path(&document.path);
        // What the program loads runs for its user, whatever its folder.
        is_sample && document.voice == Voice::Data
    };
    document.is_some_and(|document| !is_dormant(document))
}

impl<'a> PackageInventory<'a> {
    fn add_bases(&mut self, evidence: &'a Evidence, version: &CapabilityVersion<'_>) {
        for document in version.capability.files.iter().filter_map(|path| evidence.documents.get(path)) {
            if is_live(Some(document)) {
                self.bases.add(document);
            }
        }
    }

    /// The requests of a program, in their order.
    pub(super) fn requests_of(&self, path: &str) -> &[Request<'a>] {
        self.requests.get(path).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, evidence: &'a Evidence, version: &CapabilityVersion<'_>) {
        for fact in version.facts.all() {
            if fact.outcome == Outcome::True && fact.confidence >= Confidence::Medium {
                let reach = Effectiveness::of(evidence, fact);
                let worst = self.rules.entry((fact.rule.as_str().to_owned(), reach)).or_insert(fact.severity);
                *worst = (*worst).max(fact.severity);
            }
        }
        let files = &version.capability.files;
        self.paths.extend(files.iter().cloned());
        let live = || files.iter().filter(|path| is_live(evidence.documents.get(*path)));
        for (site, file) in hosts::sites(evidence, live()) {
            self.sites.entry(site).or_insert(file);
        }
        let mut constants = Constants::new();
        for document in live().filter_map(|path| evidence.documents.get(path)) {
            for (name, addresses) in named_recipients::constants_of(document) {
                constants.entry(name).or_default().extend(addresses);
            }
        }
        for document in live().filter_map(|path| evidence.documents.get(path)) {
            // A generated file can hold millions of addresses.
            let room = MAX_RECIPIENTS.saturating_sub(self.recipients.len());
            self.recipients.extend(recipients::recipients(document, &constants).into_iter().take(room));
            self.outbound_calls.add(document);
            let requests = requests(document, &self.bases);
            for request in &requests {
                self.sites.entry(hosts::place_of(&request.host)).or_insert_with(|| document.path.clone());
            }
            self.requests.insert(&document.path, requests);
        }
        self.declarations.join(ManifestDeclarations::of(version.capability, evidence));
        self.dependencies.join(Dependencies::of(version.capability, evidence));
        self.build_steps.extend(build_steps::of(version.capability, evidence));
    }
}
