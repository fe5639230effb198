//! Python's manifests: `pyproject.toml`, and the core metadata of sdists and wheels.
//!
//! The body of core metadata, which is the README, is not read. Source: packaging.python.org, core metadata 2.4.

use serde_json::{Map, Value};

use crate::document::Document;
use capdex_model::snapshot::{Gap, GapReason};

use super::path::{folder_of, name_of};
use super::{Manifest, ManifestKind};

/// The headers that may stand several times; they are arrays in the value.
const REPEATED: [&str; 14] = [
    "classifier",
    "dynamic",
    "import-name",
    "license-file",
    "obsoletes-dist",
    "platform",
    "project-url",
    "provides-dist",
    "provides-extra",
    "requires",
    "requires-dist",
    "requires-external",
    "supported-platform",
    "provides",
];

/// True where a path is that of core metadata: `PKG-INFO` anywhere, `METADATA` in a `.dist-info` folder.
pub(super) fn is_core_metadata(path: &str) -> bool {
    match name_of(path) {
        "PKG-INFO" => true,
        "METADATA" => folder_of(path).ends_with(".dist-info"),
        _ => false,
    }
}

/// Reads `pyproject.toml`.
pub(super) fn read_project(document: &Document, max_bytes: usize, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    toml_of(document, max_bytes, gaps).map(|value| manifest(document, value))
}

/// Reads TOML as the equal JSON. Dates become their text.
pub(super) fn toml_of(document: &Document, max_bytes: usize, gaps: &mut Vec<Gap>) -> Option<Value> {
    if document.text.len() > max_bytes {
        // Unread is not clean: the size is told.
        let detail = format!("a manifest of more than {max_bytes} bytes");
        gaps.push(Gap::new(&document.path, GapReason::BudgetExhausted, detail));
        return None;
    }
    let text = document.text.trim_start_matches('\u{feff}');
    match toml::from_str::<toml::Table>(text) {
        Ok(table) => Some(json_of(toml::Value::Table(table))),
        Err(error) => {
            gaps.push(Gap::new(&document.path, GapReason::Malformed, error.message()));
            None
        }
    }
}

/// Recurses as deep as the TOML parser lets values nest, which is 80 levels.
fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(values) => values.into_iter().map(json_of).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, json_of(value))).collect())
        }
    }
}

/// Reads the headers of core metadata up to the first blank line. Indented lines continue the header before them; of
/// a header that should stand once the first counts, as in Python's own reader.
pub(super) fn read_headers(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in document.text.trim_start_matches('\u{feff}').lines() {
        // The body follows: the README, in which any line may look like a header.
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = headers.last_mut() {
                value.push('\n');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let mut object = Map::new();
    for (name, value) in headers {
        if REPEATED.contains(&name.as_str()) {
            if let Value::Array(values) = object.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                values.push(Value::String(value));
            }
        } else {
            // The first counts, as in Python's own reader; a second one cannot rename the package.
            object.entry(name).or_insert(Value::String(value));
        }
    }
    // Other files are called `PKG-INFO` too; these two headers are required.
    if object.contains_key("metadata-version") && object.contains_key("name") {
        return Some(manifest(document, Value::Object(object)));
    }
    gaps.push(Gap::new(
        &document.path,
        GapReason::Malformed,
        "core metadata without a name or a version of its format",
    ));
    None
}

fn manifest(document: &Document, value: Value) -> Manifest {
    Manifest::new(&document.path, ManifestKind::PythonProject, value)
}
