//! Surface: what changed in the tools that a server offers: their texts, their arguments, what they promise of themselves.
//!
//! Files are compared elsewhere. A renamed tool is compared with the one that it was.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::effect::{Effect, EffectKind};
use super::package_version::{CapabilityVersion, PackageVersion};
use super::pins::Change;
use super::{rename, tool_arguments, volatile};
use capdex_evidence::tools::Tool;
use capdex_model::fact::Severity;

/// The result of comparing the tools.
#[derive(Debug, Default)]
pub(super) struct ToolComparison {
    pub(super) effects: Vec<Effect>,
    /// The renamed tools, old and new name.
    pub(super) renamed: Vec<(String, String)>,
    /// The tools that went.
    pub(super) removed: Vec<String>,
}

/// Compares the tools of a capability before and after. The same name twice in a capability: its first definition counts.
pub(super) fn compare(
    before: Option<(&PackageVersion<'_>, &CapabilityVersion<'_>)>,
    after: (&PackageVersion<'_>, &CapabilityVersion<'_>),
) -> ToolComparison {
    let old = before.map(|(package, version)| tools(package, version)).unwrap_or_default();
    let new = tools(after.0, after.1);
    let removed: Vec<&Tool> = old.iter().filter(|(name, _)| !new.contains_key(*name)).map(|(_, tool)| *tool).collect();
    let added: Vec<&Tool> = new.iter().filter(|(name, _)| !old.contains_key(*name)).map(|(_, tool)| *tool).collect();
    let renamed = rename::renamed(&removed, &added);
    let mut compared = ToolComparison::default();
    for (name, tool) in &new {
        if let Some(was) = old.get(name) {
            one(was, tool, &mut compared.effects);
        }
    }
    for (was, tool) in &renamed {
        compared.effects.push(Effect::info(EffectKind::ToolRenamed, &tool.name, &format!("was {}", was.name)));
        one(was, tool, &mut compared.effects);
        compared.renamed.push((was.name.clone(), tool.name.clone()));
    }
    let (gone, come): (BTreeSet<&str>, BTreeSet<&str>) =
        renamed.iter().map(|(was, tool)| (was.name.as_str(), tool.name.as_str())).unzip();
    for tool in removed.iter().filter(|tool| !gone.contains(tool.name.as_str())) {
        compared.effects.push(Effect::info(EffectKind::ToolRemoved, &tool.name, ""));
        compared.removed.push(tool.name.clone());
    }
    for tool in added.iter().filter(|tool| !come.contains(tool.name.as_str())) {
        compared.effects.push(Effect::info(EffectKind::ToolAdded, &tool.name, ""));
    }
    compared
}

fn tools<'a>(package: &'a PackageVersion<'_>, version: &CapabilityVersion<'_>) -> BTreeMap<&'a str, &'a Tool> {
    let files: BTreeSet<&str> = version.capability.files.iter().map(String::as_str).collect();
    let mut tools = BTreeMap::new();
    for tool in package.evidence.tools.iter().filter(|tool| files.contains(tool.place.file.as_str())) {
        tools.entry(tool.name.as_str()).or_insert(tool);
    }
    tools
}

/// Puts renamed tools where their removals and additions stood.
pub(super) fn name_renamed(changes: &mut Vec<Change>, renamed: &[(String, String)]) {
    let (gone, come): (BTreeSet<&str>, BTreeSet<&str>) =
        renamed.iter().map(|(old, new)| (old.as_str(), new.as_str())).unzip();
    changes.retain(|change| {
        let is_named = match change.what.as_str() {
            "removed" => gone.contains(change.subject.as_str()),
            "added" => come.contains(change.subject.as_str()),
            _ => false,
        };
        change.part != "tool" || !is_named
    });
    changes.extend(renamed.iter().map(|(old, new)| Change::new("renamed", "tool", &format!("{old} -> {new}"))));
    changes.sort();
}

fn one(was: &Tool, tool: &Tool, effects: &mut Vec<Effect>) {
    for (part, old, new) in [("title", &was.title, &tool.title), ("description", &was.description, &tool.description)] {
        if old != new {
            let (old, new) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
            let kind = if volatile::is_volatile(old, new) { EffectKind::Volatile } else { EffectKind::Text };
            effects.push(Effect::info(kind, &tool.name, part));
        }
    }
    if was.input_schema != tool.input_schema {
        arguments(was, tool, effects);
    }
    if was.output_schema != tool.output_schema {
        let kind = contract_or_text(was.output_schema.as_deref(), tool.output_schema.as_deref());
        effects.push(Effect::new(kind, severity_of(kind), &tool.name, "outputSchema"));
    }
    if was.annotations != tool.annotations {
        annotations(was, tool, effects);
    }
}

fn severity_of(kind: EffectKind) -> Severity {
    if kind == EffectKind::Contract { Severity::Low } else { Severity::Info }
}

fn properties(schema: Option<&Value>) -> BTreeMap<&str, &Value> {
    let object = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    object.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

fn required(schema: Option<&Value>) -> BTreeSet<&str> {
    let list = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn arguments(was: &Tool, tool: &Tool, effects: &mut Vec<Effect>) {
    let (old, new) = (was.input_schema.as_deref(), tool.input_schema.as_deref());
    let (before, after) = (properties(old), properties(new));
    let (demanded, demands) = (required(old), required(new));
    let mut push = |kind, severity, detail: &str| effects.push(Effect::new(kind, severity, &tool.name, detail));
    for (name, schema) in &after {
        match before.get(name) {
            None => {
                if let Some((kind, severity)) = tool_arguments::effect_of_argument(tool, name, schema) {
                    push(kind, severity, &format!("{name}: {}", description(schema)));
                }
                let is_demanded = demands.contains(name) && old.is_some();
                let kind = if is_demanded { EffectKind::Contract } else { EffectKind::OptionalParameter };
                push(kind, severity_of(kind), name);
            }
            Some(known) if known != schema => {
                let newly = |schema: &Value| tool_arguments::effect_of_argument(tool, name, schema);
                if let (Some((kind, severity)), None) = (newly(schema), newly(known)) {
                    push(kind, severity, &format!("{name}: {}", description(schema)));
                }
                let kind = contract_or_text(Some(known), Some(schema));
                push(kind, severity_of(kind), name);
            }
            Some(_) => {}
        }
    }
    // What is not an argument any more is refused or ignored: callers notice.
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        push(EffectKind::Contract, Severity::Low, &format!("{name} went"));
    }
    for name in demands.difference(&demanded).filter(|name| before.contains_key(*name)) {
        push(EffectKind::Contract, Severity::Low, &format!("{name} is demanded"));
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// True where two schemas differ in more than their words for people.
fn contract_or_text(old: Option<&Value>, new: Option<&Value>) -> EffectKind {
    let (old, new) = (old.map(without_words), new.map(without_words));
    if old == new { EffectKind::Text } else { EffectKind::Contract }
}

/// A schema without titles, descriptions and examples; at most so deep as schemas are read anywhere.
fn without_words(schema: &Value) -> Value {
    fn at(value: &Value, depth: usize) -> Value {
        const WORDS: [&str; 6] = ["title", "description", "examples", "example", "$comment", "markdownDescription"];
        match value {
            Value::Object(object) if depth > 0 => {
                let kept = object.iter().filter(|(key, value)| !WORDS.contains(&key.as_str()) || value.is_object());
                Value::Object(kept.map(|(key, value)| (key.clone(), at(value, depth - 1))).collect())
            }
            Value::Array(items) if depth > 0 => Value::Array(items.iter().map(|item| at(item, depth - 1)).collect()),
            other => other.clone(),
        }
    }
    at(schema, capdex_evidence::schema::MAX_DEPTH)
}

/// A promise taken back: a tool that only read and may change now, or that did not destroy and may now. A promise that was
/// never made is not taken back by a word on another hint.
fn annotations(was: &Tool, tool: &Tool, effects: &mut Vec<Effect>) {
    let hint = |of: &Tool, name: &str| of.annotations.as_ref().and_then(|hints| hints.get(name)?.as_bool());
    let taken_back = [("readOnlyHint", true), ("destructiveHint", false), ("openWorldHint", false)];
    let mut is_widened = false;
    for (name, promise) in taken_back {
        if hint(was, name) == Some(promise) && hint(tool, name) != Some(promise) {
            // An annotation that only went is weaker than one that says the opposite.
            let severity = if hint(tool, name).is_some() { Severity::Medium } else { Severity::Low };
            let severity = if name == "openWorldHint" { Severity::Low } else { severity };
            effects.push(Effect::new(
                EffectKind::PermissionWidened,
                severity,
                &tool.name,
                &format!("{name} was {promise}"),
            ));
            is_widened = true;
        }
    }
    if !is_widened {
        effects.push(Effect::info(EffectKind::Text, &tool.name, "annotations"));
    }
}
