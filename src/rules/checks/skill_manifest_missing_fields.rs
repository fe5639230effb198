//! Skills whose front matter lacks what the format requires.
//!
//! Quality, not danger. Source: agentskills.io as of 2026-07, which requires `name` and `description`.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::manifest::Manifest;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

/// The rule.
pub(super) struct SkillManifestMissingFields;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for SkillManifestMissingFields {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let capability = subject.capability;
        let folder = if capability.path.is_empty() { String::new() } else { format!("{}/", capability.path) };
        let is_text = |path: &&String| {
            path.strip_prefix(folder.as_str()).is_some_and(|name| name.eq_ignore_ascii_case("skill.md"))
        };
        let Some(path) = capability.files.iter().find(is_text) else { return };
        if let Some(missing) = missing_in(subject.evidence.manifests.get(path)) {
            facts.found(Place { file: path.clone(), line: 1, column: 1, pointer: String::new() }, &missing);
        }
    }
}

/// What the front matter lacks, as words for a person; none where it has all.
fn missing_in(front: Option<&Manifest>) -> Option<String> {
    let Some(front) = front else { return Some("no front matter".to_owned()) };
    let missing: Vec<&str> = ["name", "description"].into_iter().filter(|key| front.text(key).is_none()).collect();
    (!missing.is_empty()).then(|| format!("front matter without {}", missing.join(" and ")))
}

const TEXT: &str = r#"
id = "skill-manifest-missing-fields"
version = 1
title = "Skill without a name or description in its front matter"
why = "An agent decides by name and description whether to load a skill. Without them it is loaded by accident or never."
fix = "Begin SKILL.md with front matter that has a name and a description."
cannot_see = "Whether the description is true."
severity = "low"
confidence = "high"
kinds = ["skill"]
lifecycle = "stable"
cites = ["agentskills:specification"]

[[examples.fires]]
note = "no front matter"
files = { "SKILL.md" = "Do the thing." }

[[examples.fires]]
note = "no description"
files = { "skills/a/SKILL.md" = "---\nname: a\n---\nDo the thing." }

[[examples.silent]]
note = "both are there"
files = { "SKILL.md" = "---\nname: a\ndescription: Does the thing.\n---\nDo the thing." }

[[examples.silent]]
note = "both are there, in front matter that no YAML parser takes"
files = { "SKILL.md" = "---\nname: a\ndescription: Does: the thing.\n---\nDo the thing." }
"#;
