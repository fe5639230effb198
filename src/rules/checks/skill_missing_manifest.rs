//! Folders that are presented as skills and hold no SKILL.md.

use std::collections::BTreeMap;

use crate::FactSink;
use capdex_evidence::manifest::{is_foreign, name_of};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::card_rule::card_rule;

card_rule!(
    /// Folders that are presented as skills and hold no SKILL.md.
    SkillMissingManifest,
    TEXT,
    check
);

/// Where skills stand: each folder in one of these is one.
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

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut folders: BTreeMap<(&str, &str), (bool, bool)> = BTreeMap::new();
    for path in subject.evidence.documents.keys().filter(|path| !is_foreign(path)) {
        let Some((home, folder, rest)) = parts(path) else { continue };
        let (is_skill, has_text) = folders.entry((home, folder)).or_default();
        *is_skill |= name_of(rest).to_ascii_lowercase().starts_with("skill.");
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

const TEXT: &str = r#"
id = "skill-missing-manifest"
version = 1
title = "A folder is presented as a skill and has no SKILL.md"
why = "What no agent loads as a skill is looked at by nobody, and is loaded all the same once somebody points at it."
fix = "Add a SKILL.md, or move the folder elsewhere."
cannot_see = "Folders that are named as skills elsewhere only."
severity = "info"
confidence = "medium"
kinds = ["package", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W014@C", "agentskills:specification"]
codes = { saferskills = ["SS-SKILL-TRANSPARENCY-MANIFEST-01"] }

[[examples.fires]]
note = "beside a skill"
files = { "README.md" = "Skills.", "skills/a/SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello.", "skills/b/README.md" = "Do this." }

[[examples.fires]]
note = "in an agent's folder"
files = { "README.md" = "Skills.", ".claude/skills/b/guide.md" = "Do this." }

[[examples.silent]]
note = "all of them are"
files = { "README.md" = "Skills.", "skills/a/SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello." }

[[examples.silent]]
note = "what they share"
files = { "README.md" = "Skills.", "skills/a/SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello.", "skills/shared/notes.md" = "Notes.", "skills/_drafts/b.md" = "Draft." }

[[examples.silent]]
note = "a folder of that name in a program"
files = { "README.md" = "A game.", "skills/magic/README.md" = "Fire and ice.", "skills/magic/fire.ts" = "export const x = 1;" }
"#;
