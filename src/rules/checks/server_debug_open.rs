//! Inspectors that run without asking who is there.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::manifest::{Manifest, ManifestKind, escape, place_of};
use capdex_evidence::subject::Subject;

use super::server_launches::server_launches;

/// The variable that switches the inspector's own authentication off.
const OPEN: &str = "DANGEROUSLY_OMIT_AUTH";
/// The package of the inspector.
const INSPECTOR: &str = "@modelcontextprotocol/inspector";
/// From this minor version on (0.14) the inspector asks for a token.
const SAFE_MINOR: u64 = 14;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        // Any value switches it off, an empty one too: only the presence of the variable is read.
        let switched_off = launch.value.get("env").and_then(|env| env.get(OPEN)).is_some();
        let old = launch.arguments.iter().copied().find(|argument| is_old(argument));
        let words = if switched_off { Some(OPEN) } else { old };
        if let (Some(words), Some(document)) = (words, subject.evidence.documents.get(launch.path)) {
            facts.found(place_of(document, &launch.pointer), words);
        }
    }
    for path in &subject.capability.files {
        let manifest = subject.evidence.manifests.get(path).filter(|found| found.kind == ManifestKind::PackageJson);
        if let (Some(manifest), Some(document)) = (manifest, subject.evidence.documents.get(path)) {
            for (pointer, words) in in_package(manifest) {
                facts.found(place_of(document, &pointer), &words);
            }
        }
    }
}

/// `package@version` of the inspector before it asked for a token.
fn is_old(argument: &str) -> bool {
    argument.strip_prefix(INSPECTOR).and_then(|rest| rest.strip_prefix('@')).is_some_and(is_old_version)
}

fn is_old_version(range: &str) -> bool {
    // A range is judged by its lower end: `^0.13` never reaches 0.14.
    let version = range.trim_start_matches(['^', '~', '=', 'v', ' ']);
    let mut parts = version.split('.');
    let minor = parts.nth(1).and_then(|minor| minor.parse::<u64>().ok());
    version.starts_with("0.") && minor.is_some_and(|minor| minor < SAFE_MINOR)
}

/// The scripts and dependencies of a package that open an inspector.
fn in_package(manifest: &Manifest) -> Vec<(String, String)> {
    let entries = |key: &str| manifest.value.get(key).and_then(Value::as_object).into_iter().flatten();
    let text =
        |(name, value): (&String, &Value)| Some((escape(name).into_owned(), name.clone(), value.as_str()?.to_owned()));
    let scripts = entries("scripts")
        .filter_map(text)
        .filter(|(_, _, script)| script.contains(OPEN) || script.split_whitespace().any(is_old));
    let scripts = scripts.map(|(key, _, script)| (format!("/scripts/{key}"), script));
    // The inspector is a tool of development: it nearly always stands among `devDependencies`.
    let needed = ["dependencies", "devDependencies"].into_iter().flat_map(|group| {
        let old = entries(group).filter_map(text).filter(|(_, name, range)| name == INSPECTOR && is_old_version(range));
        old.map(move |(key, name, range)| (format!("/{group}/{key}"), format!("{name} {range}")))
    });
    scripts.chain(needed).collect()
}
