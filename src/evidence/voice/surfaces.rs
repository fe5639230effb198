//! The texts of surfaces in source: a description speaks to the model, though a program holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use super::Voice;
use crate::Evidence;
use crate::document::Document;
use crate::tools::Tool;
use crate::zones::ZoneKind;

/// The most texts that are looked for in one document.
const MOST: usize = 2_000;

/// The most bytes that are looked through for one document, so that a file of megabytes is not searched for each of its
/// tools.
const SEARCHED_BYTES: usize = 128 * 1024 * 1024;

/// The bytes by which a text is found again in its source.
const SHOWN: std::ops::RangeInclusive<usize> = 8..=48;

/// Marks the literals of programs that hold the texts of tools.
pub(super) fn assign(evidence: &mut Evidence) {
    let mut texts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for tool in &evidence.tools {
        let is_program = |document: &Document| document.voice == Voice::Program;
        if evidence.documents.get(&tool.place.file).is_some_and(is_program) {
            add_texts(tool, texts.entry(&tool.place.file).or_default());
        }
    }
    let found: Vec<(String, Vec<Range<usize>>)> = texts
        .into_iter()
        .filter_map(|(path, texts)| Some((path.to_owned(), literals(evidence.documents.get(path)?, &texts))))
        .collect();
    for (path, ranges) in found {
        if let Some(document) = evidence.documents.get_mut(&path) {
            document.addressed = ranges;
        }
    }
}

/// The beginnings of a tool's texts.
fn add_texts<'t>(tool: &'t Tool, texts: &mut BTreeSet<&'t str>) {
    tool.description.iter().for_each(|text| add(text, texts));
    tool.input_schema.iter().for_each(|schema| add_descriptions(schema, texts));
}

fn add_descriptions<'t>(schema: &'t Value, texts: &mut BTreeSet<&'t str>) {
    match schema {
        Value::Object(items) => items.iter().for_each(|(key, value)| match value {
            Value::String(text) if key == "description" => add(text, texts),
            value => add_descriptions(value, texts),
        }),
        Value::Array(items) => items.iter().for_each(|item| add_descriptions(item, texts)),
        _ => {}
    }
}

/// Adds the first bytes of each part of a text that can stand in a source as it is.
fn add<'t>(text: &'t str, texts: &mut BTreeSet<&'t str>) {
    let parts = text.split(['…', '\n', '"', '\'', '`', '\\']).map(str::trim);
    texts.extend(parts.filter(|part| part.len() >= *SHOWN.start()).map(|part| {
        let end = part.floor_char_boundary(*SHOWN.end());
        part.get(..end).unwrap_or(part)
    }));
}

/// The literals of a document that hold any of some texts, in their order.
fn literals(document: &Document, texts: &BTreeSet<&str>) -> Vec<Range<usize>> {
    let mut found = BTreeSet::new();
    for text in texts.iter().take(MOST.min(SEARCHED_BYTES / document.text.len().max(1))) {
        let Some(at) = document.text.find(text) else { continue };
        let index = document.zones.partition_point(|zone| zone.end <= at);
        found.extend(document.zones.get(index).filter(|zone| zone.kind == ZoneKind::Literal).map(|_| index));
    }
    found.into_iter().filter_map(|index| document.zones.get(index)).map(|zone| zone.start..zone.end).collect()
}
