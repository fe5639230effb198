//! `yarn.lock`: a format of its own in Yarn 1, YAML since.

use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use super::super::target::CheckTarget;
use super::{elsewhere, npm_at, split_name, yaml};

/// The packages of `yarn.lock`.
pub(super) fn read(text: &str) -> Result<Vec<CheckTarget>, String> {
    if text.contains("\n__metadata:") || text.starts_with("__metadata:") { later(text) } else { first(text) }
}

/// Yarn 1: a line of patterns, then its properties, indented.
fn first(text: &str) -> Result<Vec<CheckTarget>, String> {
    if !text.contains("# yarn lockfile v1") {
        return Err("it is none of Yarn's: it names no version of the format".to_owned());
    }
    let mut found = Vec::new();
    let mut open: Option<FirstEntry> = None;
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(patterns) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            found.extend(open.replace(FirstEntry::of(patterns)).map(|entry| entry.target()));
        } else if let Some((name, value)) = line.strip_prefix("  ").and_then(|line| line.split_once(' '))
            && let Some(entry) = &mut open
        {
            // Deeper lines are dependencies, and begin with a blank.
            match name {
                "version" => entry.version = unquoted(value).to_owned(),
                "resolved" => entry.resolved = unquoted(value).to_owned(),
                _ => {}
            }
        }
    }
    found.extend(open.map(|entry| entry.target()));
    Ok(found)
}

/// One entry of Yarn 1.
struct FirstEntry {
    /// The first of its patterns, such as `name@^1.0.0`.
    pattern: String,
    version: String,
    resolved: String,
}

impl FirstEntry {
    fn of(patterns: &str) -> Self {
        let pattern = unquoted(patterns.split(", ").next().unwrap_or(patterns)).to_owned();
        Self { pattern, version: String::new(), resolved: String::new() }
    }

    fn target(&self) -> CheckTarget {
        let (alias, range) = split_name(&self.pattern).unwrap_or((&self.pattern, ""));
        // An alias has another package behind it.
        let behind = range.strip_prefix("npm:").map(|behind| split_name(behind).map_or(behind, |(name, _)| name));
        let is_elsewhere =
            |text: &str| ["git", "file:", "link:", "github:", "ssh:"].iter().any(|start| text.starts_with(start));
        // A tarball at an address has the address for its range.
        if is_elsewhere(&self.resolved) || is_elsewhere(range) || range.contains("://") || self.version.is_empty() {
            return elsewhere(Ecosystem::Npm, alias);
        }
        npm_at(behind.unwrap_or(alias), &self.version)
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

/// Yarn 2 and later: each entry says its resolution.
fn later(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock = yaml(text)?;
    let entries = lock.as_object().ok_or("it is no mapping")?;
    let entries = entries.iter().filter(|(key, _)| *key != "__metadata");
    Ok(entries.filter_map(|(key, entry)| later_entry(key, entry)).collect())
}

/// None for a folder of the workspace, and for a patch that Yarn brings itself: what it patches has an entry of its own.
fn later_entry(key: &str, entry: &Value) -> Option<CheckTarget> {
    let Some((name, from)) = entry.get("resolution").and_then(Value::as_str).and_then(split_name) else {
        return Some(elsewhere(Ecosystem::Npm, key));
    };
    if from.starts_with("workspace:") || (from.starts_with("patch:") && from.contains("builtin<")) {
        return None;
    }
    // Behind `::` stands where a registry of its own has the archive.
    Some(match from.strip_prefix("npm:").filter(|version| !version.contains("::")) {
        Some(version) => npm_at(name, version),
        None => elsewhere(Ecosystem::Npm, name),
    })
}
