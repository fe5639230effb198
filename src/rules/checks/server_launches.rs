//! Server launches: how clients start or reach a server, read from configuration files.
//!
//! The rules that read them judge them. Sources are `mcpServers` and its aliases in `mcp.json`, `plugin.json`,
//! `settings.json`, MCPB manifests, and `remotes` and `packages` in `server.json`.

use serde_json::Value;

use capdex_evidence::manifest::{Manifest, ManifestKind};
use capdex_evidence::subject::Subject;

/// The most servers that are read from one file.
const MAX_SERVERS: usize = 500;

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
    let mut launches = Vec::new();
    let evidence = subject.evidence;
    for path in &subject.capability.files {
        let Some(manifest) = evidence.manifests.get(path) else { continue };
        match manifest.kind {
            // Only here servers may stand without a key around them: other files have settings beside them.
            ManifestKind::McpJson => configured(path, manifest, true, &mut launches),
            ManifestKind::PluginJson | ManifestKind::SettingsJson | ManifestKind::MarketplaceJson => {
                configured(path, manifest, false, &mut launches)
            }
            ManifestKind::ServerJson => registered(path, manifest, &mut launches),
            _ => {}
        }
    }
    launches
}

fn configured<'a>(path: &'a str, manifest: &'a Manifest, flat: bool, launches: &mut Vec<ServerLaunch<'a>>) {
    let keyed = ["mcpServers", "servers", "mcp"]
        .into_iter()
        .find_map(|key| manifest.value.get(key)?.as_object().map(|map| (Some(key), map)));
    let whole = flat.then(|| manifest.value.as_object().map(|map| (None, map))).flatten();
    let Some((key, servers)) = keyed.or(whole) else { return };
    // A prepared file could make every rule about launches read a million servers.
    for (name, value) in servers.iter().take(MAX_SERVERS) {
        // In this order, by RFC 6901: the other way round an escaped slash would be escaped again.
        let name_token = name.replace('~', "~0").replace('/', "~1");
        let pointer = key.map_or_else(|| format!("/{name_token}"), |key| format!("/{key}/{name_token}"));
        launches.push(launch(path, pointer, name, value));
    }
}

fn launch<'a>(path: &'a str, pointer: String, name: &'a str, value: &'a Value) -> ServerLaunch<'a> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    // Clients call the address differently, and a rule must not miss one for its name.
    let url = ["url", "serverUrl", "httpUrl"].into_iter().find_map(text).unwrap_or_default();
    let arguments =
        value.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    ServerLaunch { path, pointer, name, command: text("command").unwrap_or_default(), arguments, url, value }
}

fn registered<'a>(path: &'a str, manifest: &'a Manifest, launches: &mut Vec<ServerLaunch<'a>>) {
    let remotes = manifest.value.get("remotes").and_then(Value::as_array);
    for (index, remote) in remotes.into_iter().flatten().take(MAX_SERVERS).enumerate() {
        launches.push(launch(path, format!("/remotes/{index}"), "", remote));
    }
}
