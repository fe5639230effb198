//! The scripts of `package.json` that nobody's install runs: they build the package, and speak to no user of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Voice;
use crate::Evidence;
use crate::bytes::end_of_quoted;
use crate::document::{Document, is_test_path};
use crate::file_role::FileRole;
use crate::manifest::ManifestKind;

/// The scripts that run for a user: at an install, or as the package's program.
const RUN: [&str; 9] = [
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "preprepare",
    "postprepare",
    "prepublish",
    "preuninstall",
    "start",
];

/// A script that a text runs by its name.
static CALLED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(r"\b(?:npm|pnpm|yarn|bun)[ \t]+(?:run(?:-script)?[ \t]+)?([A-Za-z0-9_:.-]{2,60})")
});

/// Marks the scripts that run for developers alone.
pub(super) fn assign(evidence: &mut Evidence) {
    let manifests = || evidence.manifests.values().filter(|manifest| manifest.kind == ManifestKind::PackageJson);
    let mut unrun: Vec<(String, Vec<Range<usize>>)> = Vec::new();
    let mut called: Option<BTreeSet<&str>> = None;
    for manifest in manifests() {
        let Some(scripts) = manifest.value.get("scripts").and_then(serde_json::Value::as_object) else { continue };
        let Some(document) = evidence.documents.get(&manifest.path) else { continue };
        let called = called.get_or_insert_with(|| called_by_agents(evidence));
        let mut live: BTreeSet<&str> =
            scripts.keys().map(String::as_str).filter(|name| RUN.contains(name) || called.contains(name)).collect();
        // A script that runs runs what it calls.
        let mut open: Vec<&str> = live.iter().copied().collect();
        while let Some(text) = open.pop().and_then(|name| scripts.get(name)).and_then(serde_json::Value::as_str) {
            for name in CALLED.captures_iter(text).filter_map(|found| found.get(1)) {
                if let Some((name, _)) = scripts.get_key_value(name.as_str())
                    && live.insert(name)
                {
                    open.push(name);
                }
            }
        }
        unrun.push((manifest.path.clone(), entries(&document.text, &live)));
    }
    for (path, ranges) in unrun {
        quiet_tests(evidence, &path, &ranges);
        if let Some(document) = evidence.documents.get_mut(&path) {
            document.unrun = ranges;
        }
    }
}

/// Takes the voice from tests that only such scripts run.
fn quiet_tests(evidence: &mut Evidence, manifest: &str, unrun: &[Range<usize>]) {
    let Some(text) = evidence.documents.get(manifest) else { return };
    let lines: Vec<_> = unrun.iter().map(|range| text.place(range.start).line..=text.place(range.end).line).collect();
    let is_quiet = |document: &Document| {
        let by = document.run_by.as_ref().filter(|by| by.file == manifest);
        by.is_some_and(|by| is_test_path(&document.path) && lines.iter().any(|lines| lines.contains(&by.line)))
    };
    for document in evidence.documents.values_mut().filter(|document| is_quiet(document)) {
        document.voice = Voice::Data;
    }
}

/// The ranges of the scripts that are not live, in the order of the text.
fn entries(text: &str, live: &BTreeSet<&str>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let quote = |from: usize| Some(from + bytes.get(from..)?.iter().position(|byte| matches!(byte, b'"' | b'}'))?);
    let mut ranges = Vec::new();
    let Some(mut at) = text.find("\"scripts\"").and_then(|at| Some(at + text.get(at..)?.find('{')? + 1)) else {
        return ranges;
    };
    while let Some(start) = quote(at).filter(|start| bytes.get(*start) == Some(&b'"')) {
        let key = end_of_quoted(bytes, start);
        let Some(value) = quote(key).filter(|value| bytes.get(*value) == Some(&b'"')) else { break };
        at = end_of_quoted(bytes, value);
        let name = text.get(start + 1..key.saturating_sub(1)).unwrap_or_default();
        if !live.contains(name) {
            ranges.push(start..at);
        }
    }
    ranges
}

/// The names of scripts that texts for an agent call.
fn called_by_agents(evidence: &Evidence) -> BTreeSet<&str> {
    let speaks = |document: &&Document| document.voice == Voice::Agent && document.role == FileRole::Instruction;
    let texts = evidence.documents.values().filter(speaks);
    texts
        .flat_map(|document| CALLED.captures_iter(&document.text))
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
        .collect()
}
