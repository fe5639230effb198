//! Hand-built subjects for the tests of the measures.
//!
//! Decomposing is not part of them: it is tested with the examples of every rule.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rule;
use crate::FactSink;
use capdex_evidence::Evidence;
use capdex_evidence::document::Document;
use capdex_evidence::manifest::{Manifest, ManifestKind};
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};
use capdex_model::capability::{Capability, CapabilityRole, Kind};
use capdex_model::digest::Digest;
use capdex_model::fact::{Fact, Outcome, Place};
use capdex_model::ids::CapabilityId;
use capdex_model::listing::Claims;

/// A capability that owns every document and manifest of some evidence.
pub(crate) struct Scene {
    pub(crate) evidence: Evidence,
    pub(crate) claims: Claims,
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

impl Scene {
    /// Files as text, without manifests or tools.
    pub(crate) fn of(kind: Kind, files: &[(&str, &str)]) -> Self {
        let mut gaps = Vec::new();
        let documents: BTreeMap<String, Document> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), Document::read(path, text.as_bytes(), &mut gaps)))
            .collect();
        let mut evidence = Evidence::default();
        evidence.documents = documents;
        Self { evidence, claims: Claims::default(), kind, name: "scene".into() }
    }

    /// Adds a manifest at a path.
    pub(crate) fn with_manifest(mut self, path: &str, kind: ManifestKind, value: Value) -> Self {
        self.evidence.manifests.insert(path.into(), Manifest::new(path, kind, value));
        self.evidence.documents.insert(path.into(), Document::read(path, b"{}", &mut Vec::new()));
        self
    }

    /// Adds tools of a tools list.
    pub(crate) fn with_tools(mut self, tools: &[(&str, &str)]) -> Self {
        let place = Place { file: "tools.json".into(), line: 1, column: 1, pointer: String::new() };
        self.evidence.documents.insert("tools.json".into(), Document::read("tools.json", b"{}", &mut Vec::new()));
        self.evidence.tools = tools
            .iter()
            .map(|(name, description)| Tool {
                name: (*name).into(),
                title: None,
                description: Some((*description).into()),
                input_schema: None,
                output_schema: None,
                annotations: None,
                extra: None,
                unread: Default::default(),
                origin: ToolOrigin::ToolsList,
                place: place.clone(),
            })
            .collect();
        self
    }

    /// What a rule reports.
    pub(crate) fn facts(&self, id: &str) -> Vec<Fact> {
        let files: Vec<String> = self.evidence.documents.keys().cloned().collect();
        let capability = Capability {
            id: CapabilityId::of("test:scene", self.kind, ""),
            kind: self.kind,
            role: CapabilityRole::Offer,
            path: String::new(),
            name: self.name.clone(),
            slug: "scene".into(),
            files,
            content: Digest::of(b""),
        };
        let subject = Subject { capability: &capability, evidence: &self.evidence, claims: &self.claims, gaps: &[] };
        let rule = rule(id);
        let mut sink = FactSink::new(&rule.meta);
        (rule.check)(&subject, &mut sink);
        sink.facts().cloned().collect()
    }

    /// The value that a rule measures.
    pub(crate) fn value(&self, id: &str) -> Value {
        let facts = self.facts(id);
        facts.into_iter().find(|fact| fact.outcome == Outcome::True).map(|fact| fact.value).unwrap_or_default()
    }
}

/// The value that a rule measures over some files.
pub(crate) fn measured(id: &str, kind: Kind, files: &[(&str, &str)]) -> Value {
    Scene::of(kind, files).value(id)
}

/// The one outcome that a rule reports over some files.
pub(crate) fn outcome(id: &str, kind: Kind, files: &[(&str, &str)]) -> Outcome {
    let facts = Scene::of(kind, files).facts(id);
    assert_eq!(facts.len(), 1, "a measure reports once");
    facts.first().map_or(Outcome::False, |fact| fact.outcome)
}

/// True where a rule measures nothing over some files.
pub(crate) fn silent(id: &str, kind: Kind, files: &[(&str, &str)]) -> bool {
    Scene::of(kind, files).facts(id).iter().all(|fact| fact.outcome != Outcome::True)
}
