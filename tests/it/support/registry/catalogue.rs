//! What the registry offers: packages, versions, artifacts, in the order of publication.
//!
//! Must not know HTTP. Times are made up from the order, so that they are the same every time.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A published file.
#[derive(Clone)]
pub(super) struct Artifact {
    pub(super) version: String,
    pub(super) filename: String,
    pub(super) bytes: Vec<u8>,
    /// `package.json` for npm; null for Python.
    pub(super) manifest: Value,
    /// RFC 3339, a day after the one before.
    pub(super) published: String,
}

/// Everything that is published.
#[derive(Default)]
pub(super) struct Catalogue {
    /// Versions by package, in the order of publication.
    pub(super) npm: BTreeMap<String, Vec<Artifact>>,
    /// Who may publish, by package, where it is not `someone`.
    pub(super) owners: BTreeMap<String, Vec<String>>,
    /// Files by normalised project name, in the order of publication.
    pub(super) pypi: BTreeMap<String, Vec<Artifact>>,
    /// The dist-tags of a package of npm that were set; `latest` is else the version published last.
    pub(super) tags: BTreeMap<String, BTreeMap<String, String>>,
    /// The words of deprecations, by package and version.
    pub(super) deprecated: BTreeMap<(String, String), String>,
    /// Since when a package of npm is there, where that was said.
    pub(super) created: BTreeMap<String, String>,
    /// The repository on GitHub that the attestations of a package or project name.
    pub(super) attested: BTreeMap<String, String>,
}

impl Catalogue {
    pub(super) fn publish_npm(&mut self, name: &str, version: &str, tarball: Vec<u8>, manifest: Option<&[u8]>) {
        let manifest = manifest.and_then(|text| serde_json::from_slice(text).ok());
        let manifest = manifest.filter(Value::is_object).unwrap_or_else(|| json!({}));
        let filename = super::npm::tarball_path(name, version);
        publish(self.npm.entry(name.to_owned()).or_default(), version, &filename, tarball, manifest);
    }

    pub(super) fn date_npm(&mut self, name: &str, version: &str, at: &str) {
        let versions = self.npm.get_mut(name).into_iter().flatten();
        versions.filter(|artifact| artifact.version == version).for_each(|artifact| artifact.published = at.to_owned());
    }

    pub(super) fn publish_pypi(&mut self, name: &str, version: &str, filename: &str, bytes: Vec<u8>) {
        publish(self.pypi.entry(super::pypi::normalised(name)).or_default(), version, filename, bytes, Value::Null);
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.npm.remove(name);
        self.pypi.remove(&super::pypi::normalised(name));
    }
}

/// Adds a file, or puts another in the place of one with the same name.
fn publish(artifacts: &mut Vec<Artifact>, version: &str, filename: &str, bytes: Vec<u8>, manifest: Value) {
    let published = format!("2026-01-{:02}T00:00:00.000Z", artifacts.len() % 28 + 1);
    let artifact = Artifact { version: version.to_owned(), filename: filename.to_owned(), bytes, manifest, published };
    match artifacts.iter_mut().find(|known| known.filename == filename) {
        Some(known) => *known = Artifact { published: known.published.clone(), ..artifact },
        None => artifacts.push(artifact),
    }
}
