//! Evidence: the documents with zones, manifests, tools and source of a bundle, read once and shared by every rule.
//!
//! Must not know any rule or rubric, and never judges: it only tells what stands where.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub mod bytes;
pub mod code;
pub mod context;
pub mod decode;
pub mod decompose;
mod docstring;
pub mod document;
pub mod expression;
mod fact_surface;
pub mod file_role;
pub mod formats;
pub mod language;
pub mod lexicon;
pub mod manifest;
mod notebook;
pub mod own_domains;
pub mod payload;
mod program;
pub mod rated_files;
pub mod recorded;
mod run_files;
pub mod scalars;
pub mod schema;
pub mod sentences;
pub mod shape;
pub mod shared_json;
pub mod shell;
pub mod signals;
pub mod site;
pub mod subject;
pub mod surfaces;
pub mod tools;
pub mod unicode;
pub mod voice;
pub mod zones;

use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::snapshot::{Gap, GapReason};
use code::SourceView;
use document::Document;
use manifest::Manifest;
use own_domains::OwnDomains;
use recorded::ReadingReason;
use shape::Shape;
use surfaces::Surface;
use tools::Tool;

/// Everything that was read from one bundle. Paths are the keys everywhere.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Every file of the bundle as a document, binary ones without text.
    pub documents: BTreeMap<String, Document>,
    /// Every manifest that parses, by path: JSON, YAML frontmatter and TOML as one kind of value.
    pub manifests: BTreeMap<String, Manifest>,
    /// The views of the parsers of JavaScript, TypeScript and Python, for files they were asked to read.
    pub sources: BTreeMap<String, SourceView>,
    /// Every MCP tool found: in tools lists, manifests and source. In the order of path, line and name.
    pub tools: Vec<Tool>,
    /// Inputs that could not be read: text that is none, manifests that do not parse, source that no parser takes.
    pub gaps: Vec<Gap>,
    /// True where a module of its own registers something with an MCP kit; told before anything is parsed.
    pub(crate) serves: bool,
    /// The signals that rules have asked for beside the text, kept for the next that asks.
    pub(crate) signals: signals::Gathered,
    /// The texts of the servers that a model reads, taken apart at the first question for them.
    pub(crate) surfaces: OnceLock<Vec<Surface>>,
    /// Where they stand, once somebody asked in which text a place lies.
    pub(crate) served_places: OnceLock<fact_surface::ServedPlaces>,
    /// The sites that the package names as its own, told at the first question for them.
    pub(crate) own_domains: OnceLock<OwnDomains>,
}

impl Evidence {
    /// Reads a whole bundle. Never fails: what cannot be read becomes a gap.
    pub fn gather(bundle: &Bundle) -> Self {
        Self::gather_all(&[bundle]).pop().unwrap_or_default()
    }

    /// Reads some bundles, each step for all of them before the next: the tables of a step are fetched from memory once
    /// for many.
    pub fn gather_all(bundles: &[&Bundle]) -> Vec<Self> {
        // Step by step over all bundles, so that the tables of a step stay in the cache.
        let mut all: Vec<Self> = bundles.iter().map(|bundle| Self::of_documents(bundle)).collect();
        for (evidence, bundle) in all.iter_mut().zip(bundles) {
            let reason = |path: &str| match bundle.named.as_deref() == Some(path) {
                true => ReadingReason::Named,
                false => ReadingReason::Found,
            };
            evidence.manifests =
                evidence.read_each(|document, gaps| manifest::read(document, reason(&document.path), gaps));
        }
        for evidence in &mut all {
            program::want_outlines(evidence);
            let constants = code::Constants::of(evidence.documents.values());
            evidence.sources = evidence.read_each(|document, gaps| code::read_among(document, &constants, gaps));
        }
        // Manifests and source must be there: they tell which commands run which files.
        all.iter_mut().zip(bundles).for_each(|(evidence, bundle)| run_files::read(bundle, evidence));
        for evidence in &mut all {
            program::registrations::read(evidence);
            decompose::hook::note_missing_modules(evidence);
            evidence.note_bytecode();
            evidence.tools = tools::collect(evidence);
            voice::assign(evidence);
            // Several readers may note the same gap, and their order must not show.
            evidence.gaps.sort();
            evidence.gaps.dedup();
        }
        all
    }

    fn of_documents(bundle: &Bundle) -> Self {
        let mut gaps = Vec::new();
        let read = |(path, file): (&String, &BundleFile)| (path.clone(), Document::read(path, &file.bytes, &mut gaps));
        let documents = bundle.files.iter().map(read).collect();
        Self { documents, gaps, ..Self::default() }
    }

    /// The result of a reader for each document of which it reads something, by path.
    fn read_each<T>(&mut self, read: impl Fn(&Document, &mut Vec<Gap>) -> Option<T>) -> BTreeMap<String, T> {
        let of_one = |(path, document): (&String, &Document)| Some((path.clone(), read(document, &mut self.gaps)?));
        self.documents.iter().filter_map(of_one).collect()
    }

    /// Compiled Python without its source is read only as far as the strings in it go.
    fn note_bytecode(&mut self) {
        for document in self.documents.values() {
            let source = shape::source_of_bytecode(&document.path);
            if matches!(document.shape, Shape::Bytecode(_))
                && !manifest::is_foreign(&document.path)
                && source.is_none_or(|source| !self.documents.contains_key(&source))
            {
                let detail = "compiled Python without its source; only its strings were read";
                self.gaps.push(Gap::new(document.path.clone(), GapReason::Unsupported, detail));
            }
        }
    }

    /// The sites that the package names as its own.
    pub fn own_domains(&self) -> &OwnDomains {
        self.own_domains.get_or_init(|| OwnDomains::of(self))
    }

    /// The texts of the servers that a model reads: tools in their order, then prompts, resources and the servers' own
    /// words. Taken apart at the first call; the evidence must be complete by then.
    pub fn surfaces(&self) -> &[Surface] {
        self.surfaces.get_or_init(|| surfaces::collect(self))
    }
}
