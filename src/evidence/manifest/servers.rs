//! `ConfiguredServer`: the MCP servers that a manifest tells a client to start or to reach.
//!
//! The same words stand for all clients; a client that spells them otherwise is read here and nowhere else.

use serde_json::Value;

use super::json::escape;
use super::kinds::{is_flat, server_lists};
use super::{MAX_ENTRIES, Manifest, ManifestKind};

/// One server that a client would start or reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredServer<'a> {
    /// The name under which the client knows it; empty for the one server of an MCPB bundle.
    pub name: &'a str,
    /// The program, where it is started on this machine.
    pub command: Option<&'a str>,
    /// The program's arguments, those that are texts.
    pub arguments: Vec<&'a str>,
    /// The address, where it is reached over the network.
    pub url: Option<&'a str>,
    /// The JSON Pointer to the entry.
    pub pointer: String,
    /// The whole entry: `env`, `headers` and what else it holds.
    pub entry: &'a Value,
}

/// The servers that a manifest lists, in the order of their names, at most [`MAX_ENTRIES`] of each list. Empty for formats that list none; `server.json`,
/// which describes packages and remotes rather than launches, is one of those.
pub fn launches(manifest: &Manifest) -> Vec<ConfiguredServer<'_>> {
    let Value::Object(object) = &*manifest.value else { return Vec::new() };
    match manifest.kind {
        ManifestKind::McpJson | ManifestKind::SettingsJson | ManifestKind::PluginJson => {
            let lists = server_lists(object);
            // Only here servers may stand without a key around them: other files have settings beside them.
            if lists.is_empty() && manifest.kind == ManifestKind::McpJson && is_flat(object) {
                return in_list(&manifest.value, "");
            }
            lists.into_iter().flat_map(|(pointer, list)| in_list(list, &pointer)).collect()
        }
        // An entry may bring servers without a manifest of its own.
        ManifestKind::MarketplaceJson => {
            let entries =
                object.get("plugins").and_then(Value::as_array).into_iter().flatten().take(MAX_ENTRIES).enumerate();
            let lists = entries.filter_map(|(at, entry)| Some((at, entry.get("mcpServers")?)));
            lists.flat_map(|(at, list)| in_list(list, &format!("/plugins/{at}/mcpServers"))).collect()
        }
        ManifestKind::Mcpb => manifest
            .value
            .pointer("/server/mcp_config")
            .map(|entry| launch("", entry, "/server/mcp_config".to_owned()))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// The servers of a map by name, or of an array whose entries bear their name.
fn in_list<'a>(list: &'a Value, base: &str) -> Vec<ConfiguredServer<'a>> {
    match list {
        Value::Object(map) => {
            let launched =
                |(name, entry): (&'a String, &'a Value)| launch(name, entry, format!("{base}/{}", escape(name)));
            map.iter().take(MAX_ENTRIES).map(launched).collect()
        }
        Value::Array(entries) => {
            let name = |entry: &'a Value| entry.get("name").and_then(Value::as_str).unwrap_or_default();
            let launched = |(at, entry): (usize, &'a Value)| launch(name(entry), entry, format!("{base}/{at}"));
            entries.iter().take(MAX_ENTRIES).enumerate().map(launched).collect()
        }
        _ => Vec::new(),
    }
}

fn launch<'a>(name: &'a str, entry: &'a Value, pointer: String) -> ConfiguredServer<'a> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    // opencode writes the program and its arguments as one array.
    let parts =
        |value: Option<&'a Value>| value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut whole = parts(entry.get("command"));
    // Older settings of Zed have an object with the program's path and arguments.
    let nested = entry.get("command").filter(|command| command.is_object());
    let path = || nested.and_then(|command| command.get("path")).and_then(Value::as_str);
    let command = text("command").or_else(|| text("cmd")).or_else(|| whole.next()).or_else(path);
    let arguments =
        whole.chain(parts(entry.get("args"))).chain(parts(nested.and_then(|command| command.get("args")))).collect();
    let url = ["url", "serverUrl", "httpUrl", "uri"].into_iter().find_map(text);
    ConfiguredServer { name, command, arguments, url, pointer, entry }
}
