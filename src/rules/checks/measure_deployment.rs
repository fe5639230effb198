//! `measure-deployment`: the ways to launch a server that its manifests declare.
//!
//! A rubric weighs them. Reads `server.json` (packages and remotes) and `mcp.json` (commands and addresses). Where there
//! is neither, the client's configuration that a README shows stands in, and then the command of a package's manifest.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::manifest::{Manifest, ManifestKind, folder_of, name_of};
use capdex_evidence::signals::root_of;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::{Zone, ZoneKind};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let files = &subject.capability.files;
    let manifests = subject.evidence.manifests.values();
    let own = manifests.filter(|manifest| files.binary_search(&manifest.path).is_ok());
    let mut launches: Vec<&'static str> = own.flat_map(launches_of).collect();
    if launches.is_empty() {
        launches = shown(subject);
    }
    if launches.is_empty() && has_command(subject) {
        // A launcher runs it by its name, and takes the newest version.
        launches.push("unpinned");
    }
    if launches.is_empty() {
        facts.unavailable("no manifest declares how the server is launched");
    } else {
        facts.measured(json!({ "launches": launches }));
    }
}

/// The ways to launch in one manifest, in its order.
fn launches_of(manifest: &Manifest) -> Vec<&'static str> {
    match manifest.kind {
        ManifestKind::ServerJson => {
            let packages = array(&manifest.value, "packages").map(of_package);
            packages.chain(array(&manifest.value, "remotes").map(of_remote)).collect()
        }
        ManifestKind::McpJson => {
            let servers = ["mcpServers", "servers"].iter().filter_map(|key| manifest.value.get(key)?.as_object());
            servers.flat_map(|servers| servers.values()).map(of_client_entry).collect()
        }
        _ => Vec::new(),
    }
}

/// The longest README that is looked through, in bytes, and the most blocks of it that are read.
const README_BYTES: usize = 256 * 1024;
const BLOCKS: usize = 16;

/// The ways to launch that a README shows in a client's configuration, each once.
fn shown(subject: &Subject<'_>) -> Vec<&'static str> {
    let folders = [subject.capability.path.as_str(), root_of(subject.evidence), ""];
    let is_readme = |document: &&Document| {
        document.text.len() <= README_BYTES
            && folders.contains(&folder_of(&document.path))
            && name_of(&document.path).to_ascii_lowercase().starts_with("readme")
    };
    let readmes = subject.evidence.documents.values().filter(is_readme);
    let blocks = readmes.flat_map(|readme| {
        let is_block = |zone: &&Zone| zone.kind == ZoneKind::CodeBlock;
        readme.zones.iter().filter(is_block).filter_map(|zone| readme.text.get(zone.start..zone.end))
    });
    let configured = blocks.filter(|block| block.contains("\"mcpServers\"")).take(BLOCKS).filter_map(configuration);
    let found: BTreeSet<&'static str> = configured
        .flat_map(|servers| {
            servers.as_object().into_iter().flatten().map(|(_, entry)| of_client_entry(entry)).collect::<Vec<_>>()
        })
        // An address in an example is the reader's own: that it is not encrypted says nothing of the server.
        .filter(|launch| *launch != "http_open")
        .collect();
    found.into_iter().collect()
}

/// The servers of a client's configuration in a block; none where it is no JSON.
fn configuration(block: &str) -> Option<Value> {
    let (_, rest) = block.split_once("\"mcpServers\"")?;
    // Many READMEs show the member without the braces around it.
    let servers = rest.get(rest.find('{')?..)?;
    serde_json::Deserializer::from_str(servers).into_iter::<Value>().next()?.ok()
}

/// True where the package's own manifest names a command that a launcher runs.
fn has_command(subject: &Subject<'_>) -> bool {
    let files = &subject.capability.files;
    let root = root_of(subject.evidence);
    let is_own = |manifest: &&Manifest| {
        files.binary_search(&manifest.path).is_ok()
            && [subject.capability.path.as_str(), root].contains(&folder_of(&manifest.path))
    };
    let names_one = |manifest: &Manifest| match manifest.kind {
        ManifestKind::PackageJson => manifest.value.get("bin").is_some_and(|bin| !bin.is_null()),
        ManifestKind::PythonProject => {
            let scripts = manifest.value.pointer("/project/scripts").or(manifest.value.pointer("/tool/poetry/scripts"));
            scripts.and_then(Value::as_object).is_some_and(|scripts| !scripts.is_empty())
        }
        _ => false,
    };
    subject.evidence.manifests.values().filter(is_own).any(names_one)
}

fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, keys: &[&str]) -> &'a str {
    keys.iter().find_map(|key| value.get(key)?.as_str()).unwrap_or_default()
}

/// A package of server.json: an image, or a package with or without an exact version, or one that is spoken to over
/// the network.
fn of_package(package: &Value) -> &'static str {
    let transport = package.get("transport").unwrap_or(&Value::Null);
    let address = text(transport, &["url"]);
    // An address that the user fills in says nothing of where the server is.
    if !address.is_empty() && !address.starts_with('{') && of_address(address, transport) == "http_open" {
        return "http_open";
    }
    let identifier = text(package, &["identifier", "name"]);
    match text(package, &["registryType", "registry_type", "registry_name"]) {
        "oci" | "docker" => of_image(identifier),
        // A bundle is listed with the digest of its file.
        "mcpb" => "pinned",
        _ if is_exact(text(package, &["version"])) => "pinned",
        _ => "unpinned",
    }
}

fn of_remote(remote: &Value) -> &'static str {
    of_address(text(remote, &["url"]), remote)
}

/// An address with the headers and authentication that are declared beside it.
fn of_address(address: &str, beside: &Value) -> &'static str {
    // Without a scheme nothing says that it is unencrypted.
    let Some(address) = address_parts(address) else { return "https_open" };
    let has_headers = beside.get("headers").is_some_and(|headers| match headers {
        Value::Array(headers) => !headers.is_empty(),
        Value::Object(headers) => !headers.is_empty(),
        _ => false,
    });
    let declared = has_headers || ["auth", "authentication", "oauth"].iter().any(|key| beside.get(key).is_some());
    match address {
        (_, host) if is_loopback(host) => "loopback",
        ("http" | "ws", _) => "http_open",
        _ if declared => "https_authenticated",
        _ => "https_open",
    }
}

/// The scheme and the host of an address, the host of IPv6 in its brackets; none without a scheme.
fn address_parts(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    // The colons within the brackets of IPv6 begin no port.
    let end = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.find(':') };
    Some((scheme, host.get(..end.unwrap_or(host.len())).unwrap_or(host)))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host == "[::1]" || host.starts_with("127.")
}

/// An entry of a client's list: an address, or a command with arguments.
fn of_client_entry(entry: &Value) -> &'static str {
    let address = text(entry, &["url", "serverUrl", "httpUrl"]);
    if !address.is_empty() {
        return of_address(address, entry);
    }
    let command = text(entry, &["command"]);
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let arguments: Vec<&str> = array(entry, "args").filter_map(Value::as_str).collect();
    // Options before the package would else be taken for it.
    let words = || arguments.iter().copied().filter(|word| !word.starts_with('-'));
    match program.trim_end_matches(".cmd").trim_end_matches(".exe") {
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => {
            let package = words().find(|word| !matches!(*word, "run" | "exec" | "dlx"));
            if package.is_some_and(is_pinned_package) { "pinned" } else { "unpinned" }
        }
        "docker" | "podman" => {
            // Values of options (`-e KEY=value`, mounted paths) stand between `run` and the image.
            of_image(words().filter(|word| *word != "run").find(|word| is_image(word)).unwrap_or(""))
        }
        _ => "shipped",
    }
}

/// True where an argument of `docker run` can be the image: no assignment of an option's value.
fn is_image(word: &str) -> bool {
    !word.contains('=') && !word.starts_with(['/', '.', '$'])
}

fn of_image(image: &str) -> &'static str {
    if image.contains("@sha256:") { "image_digest" } else { "image_tag" }
}

/// `name@1.2.3`, `@scope/name@1.2.3` or `name==1.2.3`.
fn is_pinned_package(package: &str) -> bool {
    if let Some((_, version)) = package.split_once("==") {
        return is_exact(version);
    }
    // The first at-sign of a scoped name parts no version.
    let name_at = usize::from(package.starts_with('@'));
    let version = package.get(name_at..).and_then(|rest| rest.split_once('@'));
    version.is_some_and(|(_, version)| is_exact(version))
}

/// A version and not a range or a tag.
fn is_exact(version: &str) -> bool {
    let version = version.trim_start_matches('v');
    version.starts_with(|first: char| first.is_ascii_digit())
        && version.contains('.')
        && !version.contains(['*', 'x', 'X', ' ', '<', '>', '|', ','])
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;

    fn launches(kind: ManifestKind, value: Value) -> Value {
        let scene = Scene::of(Kind::McpServer, &[]).with_manifest("m.json", kind, value);
        scene.value("measure-deployment")["launches"].clone()
    }

    #[test]
    fn a_server_json_declares_packages_and_remotes() {
        let value = json!({
            "packages": [
                {"registryType": "npm", "identifier": "a", "version": "1.2.3"},
                {"registry_type": "pypi", "identifier": "a", "version": "latest"},
                {"registryType": "oci", "identifier": "r/a:1"},
                {"registryType": "oci", "identifier": "r/a@sha256:00"}
            ],
            "remotes": [
                {"type": "sse", "url": "https://a.example.test/mcp"},
                {"type": "sse", "url": "https://a.example.test/mcp", "headers": [{"name": "Authorization"}]},
                {"type": "sse", "url": "http://a.example.test/mcp"},
                {"type": "sse", "url": "http://[::1]:80/mcp"},
                {"type": "sse", "url": "http://localhost:80/mcp"},
                {"type": "sse", "url": "http://localhost@evil.test/mcp"},
                {"type": "sse", "url": 7}
            ]
        });
        let expected = json!([
            "pinned",
            "unpinned",
            "image_tag",
            "image_digest",
            "https_open",
            "https_authenticated",
            "http_open",
            "loopback",
            "loopback",
            "http_open",
            "https_open"
        ]);
        assert_eq!(launches(ManifestKind::ServerJson, value), expected);
    }

    #[test]
    fn an_mcp_json_declares_commands_and_addresses() {
        let value = json!({"mcpServers": {
            "a": {"command": "npx", "args": ["-y", "@a/b@1.0.0"]},
            "b": {"command": "npx", "args": ["-y", "@a/b"]},
            "c": {"command": "/usr/bin/uvx", "args": ["a==1.0"]},
            "d": {"command": "docker", "args": ["run", "-i", "-e", "KEY=1", "r/a@sha256:00"]},
            "e": {"command": "node", "args": ["dist/index.js"]},
            "f": {"url": "https://a.example.test", "headers": {"Authorization": "x"}}
        }});
        let expected = json!(["pinned", "unpinned", "pinned", "image_digest", "shipped", "https_authenticated"]);
        assert_eq!(launches(ManifestKind::McpJson, value), expected);
    }

    #[test]
    fn a_configuration_in_a_readme_stands_in_and_then_a_command() {
        let of = |readme: &str, manifest: Value| {
            let scene = Scene::of(Kind::McpServer, &[("README.md", readme)]);
            let scene = scene.with_manifest("package.json", ManifestKind::PackageJson, manifest);
            scene.facts("measure-deployment").remove(0).value["launches"].clone()
        };
        let whole =
            "# X\n\n```json\n{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [\"-y\", \"x@1.2.3\"]}}}\n```\n";
        assert_eq!(of(whole, json!({"bin": "x.js"})), json!(["pinned"]));
        let part = "```json\n\"mcpServers\": {\"x\": {\"url\": \"http://your.host/mcp\"}, \"y\": {\"command\": \"uvx\", \"args\": [\"y\"]}}\n```\n";
        assert_eq!(of(part, json!({})), json!(["unpinned"]));
        assert_eq!(of("Say `\"mcpServers\": {}`.", json!({"bin": {"x": "x.js"}})), json!(["unpinned"]));
        let declared = json!({"packages": [{"registryType": "npm", "identifier": "x", "version": "1.2.3"}]});
        let scene = Scene::of(Kind::McpServer, &[("README.md", part)]);
        let scene = scene.with_manifest("server.json", ManifestKind::ServerJson, declared);
        assert_eq!(scene.value("measure-deployment")["launches"], json!(["pinned"]), "what is declared goes before");
    }

    #[test]
    fn other_manifests_and_other_shapes_declare_nothing() {
        assert_eq!(launches(ManifestKind::PackageJson, json!({"packages": [{}]})), Value::Null);
        assert_eq!(launches(ManifestKind::ServerJson, json!([1])), Value::Null);
        assert_eq!(launches(ManifestKind::McpJson, json!({"mcpServers": 3})), Value::Null);
    }
}
