//! Programs: compiled files that a release brings or replaces: machine code, WebAssembly, bytecode.
//!
//! Nobody reads them, so that other bytes in one are an effect by themselves. Their bytes are not run or decompiled.

use std::collections::BTreeSet;

use super::effect::{Effect, EffectKind};
use super::package_version::{CapabilityVersion, PackageVersion, is_live};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::shape::Shape;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;

/// Endings of machine code and of what a virtual machine runs.
const COMPILED: [&str; 10] = ["node", "wasm", "so", "dll", "dylib", "pyd", "exe", "jar", "class", "beam"];
/// Endings of bytecode of languages whose packages hold source.
const BYTECODE: [&str; 4] = ["jsc", "pyc", "pyo", "luac"];

/// The first compiled file of a capability, of each kind, whose bytes were nowhere in the package before. Bytecode takes the
/// place of source that people could read, which hardly any honest release needs.
pub(super) fn effects(
    before: &PackageVersion<'_>,
    after: (&PackageVersion<'_>, &CapabilityVersion<'_>),
) -> Vec<Effect> {
    let known: BTreeSet<&Digest> = before.seen.values().flat_map(|version| version.pins.files.values()).collect();
    let mut effects: Vec<Effect> = Vec::new();
    for (path, digest) in &after.1.pins.files {
        let document = after.0.evidence.documents.get(path).filter(|document| is_live(Some(document)));
        let Some(severity) = document.and_then(severity_of) else { continue };
        if known.contains(digest) || effects.iter().any(|effect| effect.severity == severity) {
            continue;
        }
        let was_there = before.inventory.paths.contains(path);
        let detail = if was_there { "other bytes in a compiled file" } else { "a compiled file" };
        effects.push(Effect::new(EffectKind::Program, severity, path, detail));
    }
    effects
}

fn severity_of(document: &Document) -> Option<Severity> {
    let ending = document.path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    if document.role != FileRole::Binary {
        return matches!(document.shape, Shape::Program(_)).then_some(Severity::Low);
    }
    if matches!(document.shape, Shape::Bytecode(_)) || BYTECODE.contains(&ending.as_str()) {
        // What the interpreter leaves beside its source comes along by mistake, and it is not loaded without it.
        let is_cache = document.path.contains("__pycache__/");
        return Some(if is_cache { Severity::Low } else { Severity::Medium });
    }
    (matches!(document.shape, Shape::Program(_)) || COMPILED.contains(&ending.as_str())).then_some(Severity::Low)
}
