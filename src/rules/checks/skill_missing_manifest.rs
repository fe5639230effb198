//! Folders that are presented as skills and hold no SKILL.md.

use std::collections::BTreeMap;

use crate::FactSink;
use capdex_evidence::manifest::{is_foreign, name_of};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

/// Folders of skills: each folder in one of these is one.
const HOMES: [&str; 4] = [".claude/skills/", ".codex/skills/", ".agents/skills/", "skills/"];

/// Folders beside skills that are none.
const SHARED: [&str; 14] = [
    "shared",
    "common",
    "references",
    "assets",
    "scripts",
    "templates",
    "docs",
    "lib",
    "tests",
    "examples",
    "images",
    "node_modules",
    "src",
    "utils",
];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut folders: BTreeMap<(&str, &str), (bool, bool)> = BTreeMap::new();
    for path in subject.evidence.documents.keys().filter(|path| !is_foreign(path)) {
        let Some((home, folder, rest)) = parts(path) else { continue };
        let (is_skill, has_text) = folders.entry((home, folder)).or_default();
        // At any depth: a folder of skills may group them once more.
        *is_skill |= name_of(rest).to_ascii_lowercase().starts_with("skill.");
        // A folder of assets alone presents nothing; a text in it was meant to be read.
        *has_text |= !rest.contains('/') && rest.to_ascii_lowercase().ends_with(".md");
    }
    let homes: Vec<&str> = folders.iter().filter(|(_, (is_skill, _))| *is_skill).map(|((home, _), _)| *home).collect();
    for ((home, folder), (is_skill, has_text)) in &folders {
        // In a plain `skills/` only a sibling that is a skill shows what the folder is for.
        let presented = home.starts_with('.') || homes.contains(home);
        if presented && *has_text && !is_skill {
            facts.found(Place { file: format!("{home}{folder}"), ..Place::default() }, "no SKILL.md");
        }
    }
}

/// The home, the folder in it, and what stands below that.
fn parts(path: &str) -> Option<(&str, &str, &str)> {
    let home = HOMES.into_iter().find(|home| path.starts_with(home))?;
    let (folder, rest) = path.get(home.len()..)?.split_once('/')?;
    let plain = !folder.starts_with(['.', '_']) && !SHARED.contains(&folder);
    plain.then_some((path.get(..home.len())?, folder, rest))
}
