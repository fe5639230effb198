//! Manifests in a repository: which packages the repository itself names, and where.
//!
//! The caller reads the archive and hands over paths and bytes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use capdex_evidence::manifest::{folder_of, is_foreign, name_of};
use capdex_model::source_role::Ecosystem;
/// The most bytes of a manifest that is read.
const MAX_BYTES: usize = 256 * 1024;

/// A package that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedManifest {
    /// The package registry, `npm` or `pypi`.
    pub ecosystem: String,
    /// The package's name as written.
    pub name: String,
    /// The folder that it lies in; empty for the repository's root.
    pub folder: String,
}

/// True for a file of a repository that may name a package. Files in vendored code and in test fixtures do not.
pub fn is_manifest(path: &str) -> bool {
    matches!(name_of(path), "package.json" | "pyproject.toml") && !is_foreign(path)
}

/// The package that a manifest names; none where it names none or says that it is not to be published. Such a name is
/// free for anybody.
pub fn named_by(path: &str, bytes: &[u8]) -> Option<NamedManifest> {
    // A manifest of more bytes is generated, and reading it would cost more than it tells.
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES)?;
    let (ecosystem, name) = match name_of(path) {
        "package.json" => (Ecosystem::Npm, of_npm(text)?),
        "pyproject.toml" => (Ecosystem::Pypi, of_python(text)?),
        _ => return None,
    };
    Some(NamedManifest { ecosystem: ecosystem.as_str().to_owned(), name, folder: folder_of(path).to_owned() })
}

fn of_npm(text: &str) -> Option<String> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    // A private package is never published, so that its name is free for anybody to take.
    let is_private = manifest.get("private") == Some(&Value::Bool(true));
    manifest.get("name")?.as_str().filter(|name| !is_private && !name.is_empty()).map(str::to_owned)
}

fn of_python(text: &str) -> Option<String> {
    let manifest: toml::Table = text.parse().ok()?;
    let table = |of: &toml::Table, name: &str| of.get(name).and_then(toml::Value::as_table).cloned();
    // Poetry kept the name in a table of its own before the standard had one.
    let project = table(&manifest, "project").or_else(|| table(&table(&manifest, "tool")?, "poetry"))?;
    let classifiers = project.get("classifiers").and_then(toml::Value::as_array);
    let is_private =
        classifiers.into_iter().flatten().any(|line| line.as_str().is_some_and(|line| line.starts_with("Private ::")));
    project.get("name")?.as_str().filter(|name| !is_private && !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str, text: &str) -> Option<(String, String, String)> {
        named_by(path, text.as_bytes()).map(|named| (named.ecosystem, named.name, named.folder))
    }

    #[test]
    fn manifests_name_packages_where_they_lie() {
        let text = |ecosystem: &str, name: &str, folder: &str| Some((ecosystem.into(), name.into(), folder.into()));
        assert_eq!(named("package.json", r#"{"name": "@a/b"}"#), text("npm", "@a/b", ""));
        assert_eq!(named("packages/x/package.json", r#"{"name": "x"}"#), text("npm", "x", "packages/x"));
        assert_eq!(named("py/pyproject.toml", "[project]\nname = \"X_y\"\n"), text("pypi", "X_y", "py"));
        assert_eq!(named("pyproject.toml", "[tool.poetry]\nname = \"z\"\n"), text("pypi", "z", ""));
    }

    #[test]
    fn what_is_not_published_is_no_name() {
        for (path, text) in [
            ("package.json", r#"{"name": "x", "private": true}"#),
            ("package.json", r#"{"private": false}"#),
            ("package.json", "["),
            ("pyproject.toml", "[project]\nname = \"x\"\nclassifiers = [\"Private :: Do Not Upload\"]"),
            ("pyproject.toml", "[build-system]\n"),
            ("setup.cfg", "name = x"),
        ] {
            assert_eq!(named(path, text), None, "{text}");
        }
        assert!(is_manifest("a/package.json"));
        assert!(!is_manifest("node_modules/a/package.json"));
        assert!(!is_manifest("a.json"));
    }
}
