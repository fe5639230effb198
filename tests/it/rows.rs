//! Reads what an export holds.

use std::path::Path;

use serde_json::Value;

/// The rows of a table, from its JSON lines.
pub(crate) fn rows(export: &Path, table: &str) -> Vec<Value> {
    let path = export.join(format!("{table}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// A text cell; empty for null.
pub(crate) fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap_or_default()
}

/// The bytes of every file of a folder, by name.
pub(crate) fn bytes_of(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a readable file"))
        })
        .collect()
}
