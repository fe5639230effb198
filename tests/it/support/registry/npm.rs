//! The npm side: packuments and tarballs.
//!
//! Source: the npm registry's public API documentation, "Package endpoints".

use serde_json::{Map, Value, json};

use super::catalogue::{Artifact, Catalogue};
use super::digests::{base64, sha1_hex, sha512_integrity};
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
    if let Some((name, version)) = path.strip_prefix("/-/npm/v1/attestations/").and_then(|of| of.rsplit_once('@')) {
        return Some(Answer::json(&attestations(name, version, catalogue.attested.get(name)?)));
    }
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
        // A registry that attests signs too: that a version has no attestation is known then.
        if !catalogue.attested.is_empty() {
            for version in packument["versions"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
                version["dist"]["signatures"] = json!([{"keyid": "SHA256:x", "sig": "x"}]);
            }
        }
        if catalogue.attested.contains_key(name) {
            for version in packument["versions"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
                version["dist"]["attestations"] =
                    json!({"url": "x", "provenance": {"predicateType": "https://slsa.dev/provenance/v1"}});
            }
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

/// The attestations of a version, in the shape of an in-toto statement in a DSSE envelope.
fn attestations(name: &str, version: &str, repository: &str) -> Value {
    let subject = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1", "subject": [{"name": subject, "digest": {"sha512": "00"}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {"buildDefinition": {"externalParameters":
            {"workflow": {"repository": format!("https://github.com/{repository}"), "path": ".github/workflows/release.yml"}}}},
    });
    let payload = base64(statement.to_string().as_bytes());
    json!({"attestations": [{"predicateType": "https://slsa.dev/provenance/v1", "bundle": {"dsseEnvelope": {"payload": payload}}}]})
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
