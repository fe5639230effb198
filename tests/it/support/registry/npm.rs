//! The npm side: packuments and tarballs.
//!
//! Source: the npm registry's public API documentation, "Package endpoints".

use serde_json::{Map, Value, json};

use super::catalogue::{Artifact, Catalogue};
use super::digests::{sha1_hex, sha512_integrity};
use super::http::Answer;

/// `/@scope/name/-/name-1.0.0.tgz`.
pub(super) fn tarball_path(name: &str, version: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    format!("/{name}/-/{base}-{version}.tgz")
}

/// Answers a path of the npm registry; `None` when it names nothing here.
pub(super) fn answer(catalogue: &Catalogue, base_url: &str, path: &str) -> Option<Answer> {
    // Clients write the slash of a scope encoded where a name is one segment.
    let path = path.replace("%2f", "/").replace("%2F", "/").replace("%40", "@");
    let name = path.strip_prefix('/')?;
    if let Some(artifacts) = catalogue.npm.get(name) {
        let mut packument = packument(name, artifacts, base_url);
        if let Some(owners) = catalogue.owners.get(name) {
            packument["maintainers"] = owners.iter().map(|owner| json!({ "name": owner })).collect();
        }
        for (tag, version) in catalogue.tags.get(name).into_iter().flatten() {
            packument["dist-tags"][tag] = version.clone().into();
        }
        for ((_, version), words) in catalogue.deprecated.iter().filter(|((of, _), _)| of == name) {
            packument["versions"][version]["deprecated"] = words.clone().into();
        }
        if let Some(created) = catalogue.created.get(name) {
            packument["time"]["created"] = created.clone().into();
        }
        return Some(Answer::json(&packument));
    }
    let (name, _) = name.split_once("/-/")?;
    let artifact = catalogue.npm.get(name)?.iter().find(|artifact| artifact.filename == path)?;
    Some(Answer::bytes("application/octet-stream", artifact.bytes.clone()))
}

fn packument(name: &str, artifacts: &[Artifact], base_url: &str) -> Value {
    let (mut versions, mut time) = (Map::new(), Map::new());
    for artifact in artifacts {
        let mut version = artifact.manifest.as_object().cloned().unwrap_or_default();
        version.insert("name".into(), name.into());
        version.insert("version".into(), artifact.version.clone().into());
        let dist = json!({
            "tarball": format!("{base_url}{}", artifact.filename),
            "integrity": sha512_integrity(&artifact.bytes),
            "shasum": sha1_hex(&artifact.bytes),
            "unpackedSize": artifact.bytes.len(),
        });
        version.insert("dist".into(), dist);
        versions.insert(artifact.version.clone(), version.into());
        time.insert(artifact.version.clone(), artifact.published.clone().into());
    }
    let (first, last) = (artifacts.first(), artifacts.last());
    time.insert("created".into(), first.map(|artifact| artifact.published.clone()).into());
    time.insert("modified".into(), last.map(|artifact| artifact.published.clone()).into());
    let mut packument = json!({
        "_id": name,
        "name": name,
        "dist-tags": { "latest": last.map(|artifact| artifact.version.clone()) },
        "versions": versions,
        "time": time,
        "maintainers": [{ "name": "someone", "email": "someone@registry.test" }],
    });
    for field in ["description", "license", "repository", "keywords", "maintainers"] {
        if let Some(value) = last.and_then(|artifact| artifact.manifest.get(field)) {
            packument[field] = value.clone();
        }
    }
    packument
}
