//! `measure-model`: the language model that front matter names.
//!
//! A rubric judges the name.

use serde_json::{Value, json};

use crate::{FactSink, cut};
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::subject::Subject;

/// The longest name that is kept, in code points.
const NAME_LENGTH: usize = 128;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let files = &subject.capability.files;
    let named = subject
        .evidence
        .manifests
        .values()
        .filter(|manifest| manifest.kind == ManifestKind::Frontmatter)
        .filter(|manifest| files.binary_search(&manifest.path).is_ok())
        // The first in the order of paths: a fact must not depend on the order in which files came.
        .find_map(|manifest| manifest.value.get("model").and_then(Value::as_str));
    if let Some(name) = named {
        facts.measured(json!({ "model": cut(name.trim(), NAME_LENGTH) }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;

    #[test]
    fn only_a_named_model_is_measured() {
        let with = |value| Scene::of(Kind::Skill, &[]).with_manifest("SKILL.md", ManifestKind::Frontmatter, value);
        assert_eq!(with(json!({"model": " opus "})).value("measure-model"), json!({"model": "opus"}));
        assert_eq!(with(json!({"model": 4})).value("measure-model"), Value::Null);
        assert_eq!(with(json!({})).facts("measure-model"), []);
    }
}
