//! Skills whose front matter lacks what the format requires.
//!
//! Quality, not danger. Source: agentskills.io as of 2026-07, which requires `name` and `description`.

use crate::FactSink;
use capdex_evidence::manifest::Manifest;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    let folder = if capability.path.is_empty() { String::new() } else { format!("{}/", capability.path) };
    let is_text =
        |path: &&String| path.strip_prefix(folder.as_str()).is_some_and(|name| name.eq_ignore_ascii_case("skill.md"));
    // A folder without the file is told by `skill-missing-manifest`.
    let Some(path) = capability.files.iter().find(is_text) else { return };
    if let Some(missing) = missing_in(subject.evidence.manifests.get(path)) {
        facts.found(Place { file: path.clone(), line: 1, column: 1, pointer: String::new() }, &missing);
    }
}

/// Fields that the front matter lacks, as words for a person; none where it has all.
fn missing_in(front: Option<&Manifest>) -> Option<String> {
    let Some(front) = front else { return Some("no front matter".to_owned()) };
    let missing: Vec<&str> = ["name", "description"].into_iter().filter(|key| front.text(key).is_none()).collect();
    (!missing.is_empty()).then(|| format!("front matter without {}", missing.join(" and ")))
}
