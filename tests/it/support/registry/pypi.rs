//! The Python side: project JSON, the simple index as HTML and JSON, and files.
//!
//! Sources: PEP 503 (HTML, normalised names), PEP 691 and 700 (JSON), the index's public API documentation.

use capdex_model::digest::Digest;
use serde_json::{Map, Value, json};

use super::catalogue::{Artifact, Catalogue};
use super::http::Answer;

const SIMPLE_JSON: &str = "application/vnd.pypi.simple.v1+json";

/// Lower case, with every run of `-`, `_` and `.` as one dash.
pub(super) fn normalised(name: &str) -> String {
    let parts: Vec<&str> = name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    parts.join("-").to_lowercase()
}

/// Answers a path of the Python index; `None` when it names nothing here.
pub(super) fn answer(
    catalogue: &Catalogue,
    base_url: &str,
    path: &str,
    accept: &str,
    html_only: bool,
) -> Option<Answer> {
    if let Some(filename) = path.strip_prefix("/packages/") {
        let mut artifacts = catalogue.pypi.values().flatten();
        let artifact = artifacts.find(|artifact| artifact.filename == filename)?;
        return Some(Answer::bytes("application/octet-stream", artifact.bytes.clone()));
    }
    if let Some(project) = path.strip_prefix("/simple/") {
        let name = normalised(project.trim_end_matches('/'));
        let artifacts = catalogue.pypi.get(&name)?;
        return Some(if accept.contains(SIMPLE_JSON) && !html_only {
            let mut body = simple_json(&name, artifacts, base_url);
            // `null` where the index knows that a file has none.
            let provenance = catalogue.attested.get(&name).map(|_| format!("{base_url}/integrity/{name}"));
            for file in body["files"].as_array_mut().into_iter().flatten() {
                file["provenance"] = json!(provenance);
            }
            let body = body.to_string();
            Answer::bytes(SIMPLE_JSON, body.into_bytes())
        } else {
            Answer::bytes("text/html; charset=utf-8", simple_html(&name, artifacts, base_url).into_bytes())
        });
    }
    if let Some(file) = path.strip_prefix("/integrity/").and_then(|of| of.strip_suffix("/provenance")) {
        let repository = catalogue.attested.get(file.split('/').next()?)?;
        let publisher =
            json!({"kind": "GitHub", "repository": repository, "workflow": "release.yml", "environment": null});
        return Some(Answer::json(
            &json!({"version": 1, "attestation_bundles": [{"publisher": publisher, "attestations": []}]}),
        ));
    }
    let project = path.strip_prefix("/pypi/")?.strip_suffix("/json")?;
    let name = normalised(project);
    let artifacts = catalogue.pypi.get(&name).filter(|_| !html_only)?;
    let mut project = project_json(&name, artifacts, base_url);
    if let Some(repository) = catalogue.attested.get(&name) {
        project["info"]["project_urls"] = json!({"Repository": format!("https://github.com/{repository}")});
    }
    if let Some(owners) = catalogue.owners.get(&name) {
        let roles: Vec<Value> = owners.iter().map(|owner| json!({"role": "Owner", "user": owner})).collect();
        project["ownership"] = json!({"organization": null, "roles": roles});
    }
    Some(Answer::json(&project))
}

fn url_of(artifact: &Artifact, base_url: &str) -> String {
    format!("{base_url}/packages/{}", artifact.filename)
}

fn sha256(artifact: &Artifact) -> String {
    Digest::of(&artifact.bytes).hex()
}

/// The versions, each once, in the order of publication.
fn versions(artifacts: &[Artifact]) -> Vec<&str> {
    let mut versions: Vec<&str> = artifacts.iter().map(|artifact| artifact.version.as_str()).collect();
    versions.dedup();
    versions
}

fn simple_json(name: &str, artifacts: &[Artifact], base_url: &str) -> Value {
    let file = |artifact: &Artifact| {
        json!({
            "filename": artifact.filename,
            "url": url_of(artifact, base_url),
            "hashes": { "sha256": sha256(artifact) },
            "size": artifact.bytes.len(),
            "upload-time": artifact.published,
            "yanked": false,
        })
    };
    let files: Vec<Value> = artifacts.iter().map(file).collect();
    json!({ "meta": { "api-version": "1.1" }, "name": name, "versions": versions(artifacts), "files": files })
}

fn simple_html(name: &str, artifacts: &[Artifact], base_url: &str) -> String {
    let link = |artifact: &Artifact| {
        let (url, sum) = (url_of(artifact, base_url), sha256(artifact));
        format!("    <a href=\"{url}#sha256={sum}\">{}</a><br/>\n", artifact.filename)
    };
    let links: String = artifacts.iter().map(link).collect();
    format!(
        "<!DOCTYPE html>\n<html>\n  <head><title>Links for {name}</title></head>\n  <body>\n{links}  </body>\n</html>\n"
    )
}

fn project_json(name: &str, artifacts: &[Artifact], base_url: &str) -> Value {
    let file = |artifact: &Artifact| {
        json!({
            "filename": artifact.filename,
            "url": url_of(artifact, base_url),
            "packagetype": if artifact.filename.ends_with(".whl") { "bdist_wheel" } else { "sdist" },
            "digests": { "sha256": sha256(artifact) },
            "size": artifact.bytes.len(),
            "upload_time_iso_8601": artifact.published,
            "yanked": false,
            "yanked_reason": null,
        })
    };
    let of_version = |version: &str| -> Vec<Value> {
        artifacts.iter().filter(|artifact| artifact.version == version).map(file).collect()
    };
    let latest = versions(artifacts).last().copied().unwrap_or_default();
    let releases: Map<String, Value> =
        versions(artifacts).into_iter().map(|version| (version.to_owned(), of_version(version).into())).collect();
    json!({
        "info": {
            "name": name,
            "version": latest,
            "summary": format!("The project {name}."),
            "license": "MIT",
            "license_expression": null,
            "keywords": "",
            "project_urls": null,
            "requires_dist": null,
            "yanked": false,
            "yanked_reason": null,
        },
        "last_serial": artifacts.len(),
        "releases": releases,
        "urls": of_version(latest),
        "vulnerabilities": [],
    })
}
