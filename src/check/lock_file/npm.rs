//! `package-lock.json` and `npm-shrinkwrap.json`, lockfileVersion 1 to 3.

use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use super::super::target::CheckTarget;
use super::{elsewhere, npm_at};

/// The packages of `package-lock.json`.
pub(super) fn read(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock: Value = serde_json::from_str(text).map_err(|error| format!("it does not parse: {error}"))?;
    let mut found = Vec::new();
    if let Some(packages) = lock.get("packages").and_then(Value::as_object) {
        for (path, entry) in packages {
            // The project itself and the folders of its workspace are files here, and no package.
            let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
            if entry.get("link").and_then(Value::as_bool) != Some(true) {
                found.push(npm_entry(entry.get("name").and_then(Value::as_str).unwrap_or(name), entry));
            }
        }
        return Ok(found);
    }
    let mut waiting = vec![lock.get("dependencies")];
    while let Some(dependencies) = waiting.pop() {
        for (name, entry) in dependencies.and_then(Value::as_object).into_iter().flatten() {
            found.push(npm_entry(name, entry));
            waiting.push(entry.get("dependencies"));
        }
    }
    match lock.get("lockfileVersion") {
        Some(_) => Ok(found),
        None => Err("it has no lockfileVersion".to_owned()),
    }
}

fn npm_entry(name: &str, entry: &Value) -> CheckTarget {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let (version, resolved) = (text("version"), text("resolved"));
    let is_elsewhere = |address: &str| ["git", "file:", "github:"].iter().any(|start| address.starts_with(start));
    if is_elsewhere(resolved) || is_elsewhere(version) || version.is_empty() {
        return elsewhere(Ecosystem::Npm, name);
    }
    npm_at(name, version)
}
