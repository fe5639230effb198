//! `measure-model`: the language model that front matter names.
//!
//! Must not judge the name.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::{FactSink, Rule, RuleMeta, cut};
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;

use super::measure_meta::{Text, bare_skill, example, measure};

/// The longest name that is kept, in code points.
const NAME_LENGTH: usize = 128;

/// The rule.
pub(super) struct MeasureModel;

static META: LazyLock<RuleMeta> = LazyLock::new(|| {
    let text = Text {
        id: "measure-model",
        title: "the model that is asked for",
        why: "Instructions written for one model may not hold back another.",
        fix: "Name a model of a known provider, or none.",
        cannot_see: "Which model really runs.",
        kinds: &[Kind::Skill, Kind::Plugin, Kind::Rules],
        cites: &["agentscore:model"],
    };
    let skill = "---\nname: greeting\ndescription: Greets.\nmodel: claude-sonnet-4\n---\nSay hello.\n";
    measure(&text, vec![example("a skill that names a model", &[("SKILL.md", skill)])], vec![bare_skill()])
});

impl Rule for MeasureModel {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let files = &subject.capability.files;
        let named = subject
            .evidence
            .manifests
            .values()
            .filter(|manifest| manifest.kind == ManifestKind::Frontmatter)
            .filter(|manifest| files.binary_search(&manifest.path).is_ok())
            .find_map(|manifest| manifest.value.get("model").and_then(Value::as_str));
        if let Some(name) = named {
            facts.measured(json!({ "model": cut(name.trim(), NAME_LENGTH) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::Scene;
    use super::*;

    #[test]
    fn only_a_named_model_is_measured() {
        let with = |value| Scene::of(Kind::Skill, &[]).with_manifest("SKILL.md", ManifestKind::Frontmatter, value);
        assert_eq!(with(json!({"model": " opus "})).value(&MeasureModel), json!({"model": "opus"}));
        assert_eq!(with(json!({"model": 4})).value(&MeasureModel), Value::Null);
        assert_eq!(with(json!({})).facts(&MeasureModel), []);
    }
}
