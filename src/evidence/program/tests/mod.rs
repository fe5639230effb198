//! Tests of what packages register: small bundles in, tools and gaps out.

use std::collections::BTreeMap;

use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::snapshot::{Gap, GapReason};
use serde_json::Value as Json;

use crate::Evidence;
use crate::tools::Tool;

mod composed;
mod hostile;
mod javascript;
mod nothing;
mod partly;
mod python;
mod surfaces;
mod typescript;

/// An idiom, the files of a package that uses it, and the tools that it registers, as [`show`] writes them.
type Row = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

fn gathered(files: &[(&str, &str)]) -> Evidence {
    let files: BTreeMap<String, BundleFile> =
        files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
    Evidence::gather(&Bundle::local("folder:input", files))
}

/// What a registration could not be told for.
fn unresolved(evidence: &Evidence) -> Vec<&Gap> {
    evidence.gaps.iter().filter(|gap| gap.reason == GapReason::Unresolved).collect()
}

/// A tool in short: `name: description {a: string "its text", b?: integer = 3}`. `~` follows a description and a schema
/// that are not told to their end.
fn show(tool: &Tool) -> String {
    let mut shown = tool.name.clone();
    if let Some(title) = &tool.title {
        shown.push_str(&format!(" [{title}]"));
    }
    if let Some(text) = &tool.description {
        shown.push_str(&format!(": {text}"));
    }
    if tool.unread.description {
        shown.push('~');
    }
    if let Some(schema) = tool.input_schema.as_deref() {
        shown.push_str(&format!(" {}", show_schema(schema)));
    }
    if tool.unread.schema {
        shown.push('~');
    }
    if let Some(annotations) = tool.annotations.as_deref() {
        shown.push_str(&format!(" {annotations}"));
    }
    shown
}

fn show_schema(schema: &Json) -> String {
    let text = |key: &str| schema.get(key).and_then(Json::as_str);
    let mut shown = match (schema.get("properties").and_then(Json::as_object), schema.get("enum")) {
        (Some(properties), _) => {
            let required = schema.get("required").and_then(Json::as_array);
            let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|of| of == name));
            let one = |(name, of): (&String, &Json)| {
                format!("{name}{}: {}", if is_required(name) { "" } else { "?" }, show_schema(of))
            };
            format!("{{{}}}", properties.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        (None, Some(choices)) => choices.to_string(),
        _ => match (text("type"), schema.get("items"), schema.get("anyOf"), schema.get("const")) {
            (Some("array"), Some(items), ..) => format!("[{}]", show_schema(items)),
            (Some(kind), ..) => kind.to_owned(),
            (None, _, Some(Json::Array(choices)), _) => choices.iter().map(show_schema).collect::<Vec<_>>().join(" | "),
            (None, _, _, Some(value)) => value.to_string(),
            _ => "any".to_owned(),
        },
    };
    if let Some(text) = text("description") {
        shown.push_str(&format!(" {text:?}"));
    }
    if let Some(default) = schema.get("default") {
        shown.push_str(&format!(" = {default}"));
    }
    shown
}

/// Checks every row of a table, and tells all that differ.
fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (idiom, files, expected) in rows {
        let evidence = gathered(files);
        let found: Vec<String> = evidence.tools.iter().map(show).collect();
        let gaps: Vec<&str> = evidence.gaps.iter().map(|gap| gap.detail.as_str()).collect();
        if found != *expected {
            wrong.push(format!("{idiom}\n  read:     {found:#?}\n  expected: {expected:#?}\n  gaps: {gaps:?}"));
            continue;
        }
        // A gap stands where a part is untold, and nowhere else.
        if expected.iter().any(|tool| tool.contains('~')) == unresolved(&evidence).is_empty() {
            wrong.push(format!("{idiom}: gaps {gaps:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
