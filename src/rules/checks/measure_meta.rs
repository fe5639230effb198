//! What the measures have in common: they are stable, say nothing bad, and need examples.
//!
//! Must not know what any of them measures.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Example, Examples, Lifecycle, RuleMeta};
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};
use capdex_model::ids::RuleId;
use capdex_model::listing::Claims;

/// What one measure says of itself.
pub(super) struct Text {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) why: &'static str,
    pub(super) fix: &'static str,
    pub(super) cannot_see: &'static str,
    pub(super) kinds: &'static [Kind],
    pub(super) cites: &'static [&'static str],
}

/// The description of a measure, version 1.
pub(super) fn measure(text: &Text, fires: Vec<Example>, silent: Vec<Example>) -> RuleMeta {
    RuleMeta {
        id: RuleId::new(text.id),
        version: 1,
        title: text.title.into(),
        why: text.why.into(),
        fix: text.fix.into(),
        cannot_see: text.cannot_see.into(),
        severity: Severity::Info,
        confidence: Confidence::High,
        kinds: text.kinds.to_vec(),
        lifecycle: Lifecycle::Stable,
        cites: text.cites.iter().map(|cite| (*cite).to_owned()).collect(),
        codes: BTreeMap::new(),
        examples: Examples { fires, silent },
    }
}

/// An object of a measured value, its keys in their order.
pub(super) fn object<const LENGTH: usize>(members: [(&str, Value); LENGTH]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// An example of some files, without claims.
pub(super) fn example(note: &str, files: &[(&str, &str)]) -> Example {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Example { note: note.into(), files, claims: Claims::default() }
}

/// A skill and nothing else, on which measures of servers stay silent.
pub(super) fn bare_skill() -> Example {
    example("a skill", &[("SKILL.md", "---\nname: greeting\ndescription: Greets.\n---\n# Greeting\n\nSay hello.\n")])
}

/// A tools list with two tools, on which measures of tools fire.
pub(super) fn two_tools() -> Example {
    let tools = r#"{"tools": [
  {"name": "get_weather", "description": "Get the weather of a city. Use when planning a trip. Returns degrees.",
   "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
   "annotations": {"readOnlyHint": true, "openWorldHint": true}},
  {"name": "delete_note", "description": "Delete a note by its number.", "inputSchema": {"type": "object"}}
]}
"#;
    example("a tools list with two tools", &[("tools.json", tools)])
}
