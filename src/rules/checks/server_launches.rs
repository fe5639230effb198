//! Server launches: how clients start or reach a server, read from configuration files.
//!
//! The rules that read them judge them. Sources are the lists of servers in clients' files, plugins and marketplaces,
//! and `remotes` in `server.json`.

use serde_json::Value;

use capdex_evidence::manifest::{ConfiguredServer, MAX_ENTRIES, Manifest, ManifestKind, launches};
use capdex_evidence::subject::Subject;

/// One server as a configuration declares it.
pub(super) struct ServerLaunch<'a> {
    /// The file that declares it.
    pub(super) path: &'a str,
    /// The JSON Pointer to the declaration.
    pub(super) pointer: String,
    /// The name that the configuration gives it; empty in `server.json`.
    pub(super) name: &'a str,
    /// The program that starts it; empty for remote ones.
    pub(super) command: &'a str,
    /// The program's arguments, those that are text.
    pub(super) arguments: Vec<&'a str>,
    /// The address of a remote one; empty for local ones.
    pub(super) url: &'a str,
    /// The declaration.
    pub(super) value: &'a Value,
}

/// The servers that the manifests among a capability's files declare.
pub(super) fn server_launches<'a>(subject: &Subject<'a>) -> Vec<ServerLaunch<'a>> {
    let mut declared = Vec::new();
    let evidence = subject.evidence;
    for path in &subject.capability.files {
        let Some(manifest) = evidence.manifests.get(path) else { continue };
        match manifest.kind {
            ManifestKind::McpJson
            | ManifestKind::PluginJson
            | ManifestKind::SettingsJson
            | ManifestKind::MarketplaceJson => {
                declared.extend(launches(manifest).into_iter().map(|server| configured(path, server)));
            }
            ManifestKind::ServerJson => registered(path, manifest, &mut declared),
            _ => {}
        }
    }
    declared
}

fn configured<'a>(path: &'a str, server: ConfiguredServer<'a>) -> ServerLaunch<'a> {
    let ConfiguredServer { name, command, arguments, url, pointer, entry } = server;
    let (command, url) = (command.unwrap_or_default(), url.unwrap_or_default());
    ServerLaunch { path, pointer, name, command, arguments, url, value: entry }
}

fn registered<'a>(path: &'a str, manifest: &'a Manifest, declared: &mut Vec<ServerLaunch<'a>>) {
    // A card that is older than the draft has one address, and no list of them.
    for (pointer, key) in [("", "url"), ("", "endpoint"), ("/transport", "endpoint"), ("/transport", "url")] {
        let holder = if pointer.is_empty() { Some(&*manifest.value) } else { manifest.value.pointer(pointer) };
        let url = holder.and_then(|holder| holder.get(key)).and_then(Value::as_str).filter(|url| url.contains("://"));
        if let Some((url, value)) = url.zip(holder) {
            let pointer = pointer.to_owned();
            declared.push(ServerLaunch { path, pointer, name: "", command: "", arguments: Vec::new(), url, value });
        }
    }
    let remotes = manifest.value.get("remotes").and_then(Value::as_array);
    for (index, remote) in remotes.into_iter().flatten().take(MAX_ENTRIES).enumerate() {
        let url = remote.get("url").and_then(Value::as_str).unwrap_or_default();
        let pointer = format!("/remotes/{index}");
        declared.push(ServerLaunch { path, pointer, name: "", command: "", arguments: Vec::new(), url, value: remote });
    }
}
