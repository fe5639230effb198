//! Lock files of Python: `uv.lock`, `poetry.lock`, `pdm.lock`, `Pipfile.lock`.

use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use super::super::target::CheckTarget;
use super::{elsewhere, pypi_at};

/// One entry of `[[package]]`.
struct Entry<'a>(&'a toml::Value);

impl<'a> Entry<'a> {
    fn text(&self, key: &str) -> &'a str {
        self.0.get(key).and_then(toml::Value::as_str).unwrap_or_default()
    }

    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some()
    }

    fn source(&self) -> Option<Entry<'a>> {
        self.0.get("source").map(Entry)
    }

    fn pinned(&self) -> CheckTarget {
        pypi_at(self.text("name"), self.text("version"))
    }

    fn elsewhere(&self) -> CheckTarget {
        elsewhere(Ecosystem::Pypi, self.text("name"))
    }
}

/// The targets of every package of a lock file in TOML.
fn packages(text: &str, target: impl Fn(&Entry<'_>) -> Option<CheckTarget>) -> Result<Vec<CheckTarget>, String> {
    let lock: toml::Table = toml::from_str(text).map_err(|error| format!("it does not parse: {}", error.message()))?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    Ok(packages.filter_map(|entry| target(&Entry(entry))).collect())
}

/// The packages of `uv.lock`, without the project itself.
pub(super) fn uv(text: &str) -> Result<Vec<CheckTarget>, String> {
    packages(text, |entry| {
        let has = |key: &str| entry.source().is_some_and(|source| source.has(key));
        if has("editable") || has("virtual") || has("directory") {
            return None;
        }
        Some(if has("registry") { entry.pinned() } else { entry.elsewhere() })
    })
}

/// The packages of `poetry.lock`. One of the usual index has no source.
pub(super) fn poetry(text: &str) -> Result<Vec<CheckTarget>, String> {
    packages(text, |entry| match entry.source().map(|source| source.text("type")) {
        None => Some(entry.pinned()),
        Some("directory") => None,
        // `legacy` is another index, whose packages are others.
        Some(_) => Some(entry.elsewhere()),
    })
}

/// The packages of `pdm.lock`.
pub(super) fn pdm(text: &str) -> Result<Vec<CheckTarget>, String> {
    packages(text, |entry| {
        // A folder on this machine, such as the project's own.
        if entry.has("path") {
            return None;
        }
        let is_elsewhere = ["git", "hg", "svn", "bzr", "url"].iter().any(|key| entry.has(key));
        Some(if is_elsewhere { entry.elsewhere() } else { entry.pinned() })
    })
}

/// The packages of `Pipfile.lock`, of every group.
pub(super) fn pipfile(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock: Value = serde_json::from_str(text).map_err(|error| format!("it does not parse: {error}"))?;
    lock.get("_meta").ok_or("it has no _meta")?;
    let groups = lock.as_object().into_iter().flatten().filter(|(name, _)| *name != "_meta");
    let entries = groups.filter_map(|(_, group)| group.as_object()).flatten();
    Ok(entries.filter_map(|(name, entry)| pipfile_entry(name, entry)).collect())
}

fn pipfile_entry(name: &str, entry: &Value) -> Option<CheckTarget> {
    if entry.get("path").is_some() {
        return None;
    }
    let version = entry.get("version").and_then(Value::as_str).and_then(|version| version.strip_prefix("=="));
    // An index of another name is one that the Pipfile names.
    let is_usual = entry.get("index").is_none_or(|index| index == "pypi");
    Some(
        version.filter(|_| is_usual).map_or_else(|| elsewhere(Ecosystem::Pypi, name), |version| pypi_at(name, version)),
    )
}
