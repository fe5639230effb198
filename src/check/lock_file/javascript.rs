//! `pnpm-lock.yaml`, lockfileVersion 5 to 9, and `bun.lock`.

use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use super::super::target::CheckTarget;
use super::{elsewhere, npm_at, split_name, yaml};

/// The packages of `pnpm-lock.yaml`, which are the keys of one mapping.
pub(super) fn pnpm(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock = yaml(text)?;
    let version = lock.get("lockfileVersion").ok_or("it has no lockfileVersion")?;
    // A number until version 5, a text since.
    let is_former = version.as_f64().is_some_and(|version| version < 6.0)
        || version.as_str().is_some_and(|version| version.starts_with('5'));
    let packages = lock.get("packages").and_then(Value::as_object).into_iter().flatten();
    Ok(packages.map(|(key, entry)| pnpm_entry(key, entry, is_former)).collect())
}

fn pnpm_entry(key: &str, entry: &Value, is_former: bool) -> CheckTarget {
    // Peers stand behind the version, in brackets, or behind `_` before version 6.
    let bare = key.split('(').next().unwrap_or(key).trim_start_matches('/');
    let parts = match is_former {
        true => bare.rsplit_once('/').map(|(name, version)| (name, version.split('_').next().unwrap_or(version))),
        false => split_name(bare),
    };
    let resolution = entry.get("resolution");
    let has = |part: &str| resolution.is_some_and(|resolution| resolution.get(part).is_some());
    match parts {
        Some((name, version)) if !has("repo") && !has("directory") && !has("type") => npm_at(name, version),
        Some((name, _)) => elsewhere(Ecosystem::Npm, name),
        None => elsewhere(Ecosystem::Npm, bare),
    }
}

/// The packages of `bun.lock`, which is JSON with commas at the ends of lists: YAML reads it.
pub(super) fn bun(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock = yaml(text)?;
    lock.get("lockfileVersion").ok_or("it has no lockfileVersion")?;
    let packages = lock.get("packages").and_then(Value::as_object).into_iter().flatten();
    Ok(packages.filter_map(|(key, entry)| bun_entry(key, entry)).collect())
}

/// None for a folder of the workspace.
fn bun_entry(key: &str, entry: &Value) -> Option<CheckTarget> {
    // The first of the list says what is installed; the key is the path in the tree.
    let Some((name, version)) = entry.get(0).and_then(Value::as_str).and_then(split_name) else {
        return Some(elsewhere(Ecosystem::Npm, key));
    };
    (!version.starts_with("workspace:")).then(|| npm_at(name, version))
}
