//! Names under which attacks were published.
//!
//! A lead and never a verdict: a name that was taken down may be taken by somebody honest.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

use super::card_rule::card_rule;
use super::name_known::TAKEN_DOWN;

card_rule!(
    /// Names under which attacks were published.
    NameTakenDown,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    if !matches!(capability.kind, Kind::Skill | Kind::Plugin) {
        return facts.not_applicable();
    }
    let folder = capability.path.trim_end_matches("/SKILL.md").rsplit('/').next().unwrap_or_default().to_lowercase();
    let name = capability.name.to_lowercase();
    let slug = capability.slug.to_lowercase();
    let is_it = |known: &&&str| match known.split_once('/') {
        Some((publisher, known)) => (name == known || folder == known) && slug.contains(publisher),
        None => name == **known || folder == **known,
    };
    if let Some(known) = TAKEN_DOWN.iter().find(is_it) {
        facts.found(Place::default(), known);
    }
}

const TEXT: &str = r#"
id = "name-taken-down"
version = 1
title = "The name of an attack that was taken down"
why = "Attacks come back under the names that they had, because links to these are still about."
fix = "Choose another name, and see whether it is a copy of what was taken down."
cannot_see = "Whether it is the same: only the name is looked at."
severity = "medium"
confidence = "low"
kinds = ["skill", "plugin"]
lifecycle = "stable"
cites = ["agentscore:abuse", "SAFE-T1003", "owasp-ast:AST01"]
codes = { spiderrating = ["TS-E015"] }

[[examples.fires]]
note = "by its folder"
files = { "skills/google-qx4/SKILL.md" = "---\nname: search\ndescription: Searches.\n---\nSearch." }

[[examples.fires]]
note = "by its name"
files = { "skills/a/SKILL.md" = "---\nname: net_ninja\ndescription: Looks at networks.\n---\nLook." }

[[examples.silent]]
note = "a name that honest authors choose as well"
files = { "skills/security-check/SKILL.md" = "---\nname: security-check\ndescription: Looks at code.\n---\nLook." }

[[examples.silent]]
note = "another name"
files = { "skills/a/SKILL.md" = "---\nname: net-checker\ndescription: Looks at networks.\n---\nLook." }

[[examples.silent]]
note = "the name without its publisher"
files = { "skills/wake-up/SKILL.md" = "---\nname: wake-up\ndescription: Wakes.\n---\nWake." }
"#;
