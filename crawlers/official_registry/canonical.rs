//! The canonical form of a server.json: what is left when the schema's own history is taken out.
//!
//! The registry's operators rewrite old rows when the schema changes. From 2025-09 to 2025-12 there were 1,052 rows
//! that changed under one version, and every one was such a rewrite. In this form none of them differs.

use serde_json::{Map, Value};

use super::oci;
use crate::page;

/// Members that the schema of 2025-07-09 wrote with underscores, and their names since 2025-09-16.
const RENAMED: [(&str, &str); 12] = [
    ("environment_variables", "environmentVariables"),
    ("file_sha256", "fileSha256"),
    ("is_repeated", "isRepeated"),
    ("is_required", "isRequired"),
    ("is_secret", "isSecret"),
    ("package_arguments", "packageArguments"),
    ("registry_base_url", "registryBaseUrl"),
    ("registry_type", "registryType"),
    ("runtime_arguments", "runtimeArguments"),
    ("runtime_hint", "runtimeHint"),
    ("value_hint", "valueHint"),
    ("website_url", "websiteUrl"),
];

/// Members whose absence means false.
const FALSE_BY_DEFAULT: [&str; 3] = ["isRepeated", "isRequired", "isSecret"];

/// The registry's own member of `_meta`.
const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

/// Brings a server.json to its canonical form. Members of `_meta` that the publisher put there stay as they are.
pub(super) fn server(mut server: Map<String, Value>) -> Map<String, Value> {
    // Migrations rewrite the schema's address; the status stands in the envelope.
    for of_the_registry in ["$schema", "status"] {
        server.remove(of_the_registry);
    }
    if let Some(Value::Object(mut detail)) = server.remove("version_detail")
        && let Some(version) = detail.remove("version")
    {
        server.entry("version").or_insert(version);
    }
    // Taken out first: the names inside are the publisher's own and must not be renamed.
    let meta = server.remove("_meta");
    let mut server = members(server);
    for package in server.get_mut("packages").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(package) = package.as_object_mut() {
            oci::normalise(package);
            shorten_nuget(package);
        }
    }
    // The readme is the repository's, and read there.
    if let Some(repository) = server.get_mut("repository").and_then(Value::as_object_mut) {
        repository.remove("readme");
    }
    if let Some(Value::Object(mut meta)) = meta {
        meta.remove(OFFICIAL);
        if !meta.is_empty() {
            server.insert("_meta".to_owned(), Value::Object(meta));
        }
    }
    server
}

/// NuGet's address with and without the path of its index: in 2025-11 the operators wrote the path into old rows.
fn shorten_nuget(package: &mut Map<String, Value>) {
    if let (Some("nuget"), Some(base)) = (page::text(package, "registryType"), page::text(package, "registryBaseUrl")) {
        let base = base.trim_end_matches('/').trim_end_matches("/v3/index.json").to_owned();
        package.insert("registryBaseUrl".to_owned(), Value::String(base));
    }
}

fn members(object: Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in object {
        let name = RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| (*new).to_owned());
        let value = match value {
            // Here the names are the publisher's own, and one that says nothing more is still a variable.
            Value::Object(variables) if name == "variables" => {
                variables.into_iter().map(|(name, value)| (name, inner(value))).collect()
            }
            value => inner(value),
        };
        let is_default = value == Value::Bool(false) && FALSE_BY_DEFAULT.contains(&name.as_str());
        if !is_empty(&value) && !is_default {
            kept.insert(name, value);
        }
    }
    kept
}

fn inner(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(members(object)),
        Value::Array(items) => Value::Array(items.into_iter().map(inner).collect()),
        value => value,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn canonical(value: Value) -> Value {
        let Value::Object(object) = value else { panic!("an object") };
        Value::Object(server(object))
    }

    #[test]
    fn every_spelling_of_one_server_has_one_form() {
        let old = json!({
            "$schema": "2025-07-09", "name": "io.test/x", "status": "active", "website_url": "https://a.test/",
            "version_detail": {"version": "1", "is_latest": true},
            "repository": {"url": "", "source": ""}, "remotes": [], "title": null,
            "packages": [{"registry_type": "oci", "registry_base_url": "https://ghcr.io", "identifier": "a/b",
                "version": "1", "runtime_arguments": [], "environment_variables": [
                    {"name": "KEY", "is_secret": true, "is_required": false, "default": ""}]}],
            "_meta": {"io.modelcontextprotocol.registry/official": {"id": "1"}},
        });
        let new = json!({
            "name": "io.test/x", "websiteUrl": "https://a.test/", "version": "1",
            "packages": [{"registryType": "oci", "identifier": "ghcr.io/a/b:1",
                "environmentVariables": [{"name": "KEY", "isSecret": true}]}],
        });
        assert_eq!(canonical(old), new);
        assert_eq!(canonical(new.clone()), new);
    }

    #[test]
    fn what_a_publisher_names_keeps_its_name() {
        let own = json!({
            "name": "io.test/x", "version": "1",
            "remotes": [{"url": "https://{is_secret}/", "variables": {"is_secret": {}, "b": {"is_required": true}}}],
            "_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"is_secret": "", "tools": []}},
        });
        let mut expected = own.clone();
        *expected.pointer_mut("/remotes/0/variables/b").expect("there") = json!({"isRequired": true});
        assert_eq!(canonical(own), expected);
    }

    #[test]
    fn a_false_that_is_no_default_stays() {
        let own = json!({"name": "io.test/x", "version": "1", "own": false, "count": 0});
        assert_eq!(canonical(own.clone()), own);
    }
}
