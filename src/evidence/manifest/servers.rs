//! `ConfiguredServer`: the MCP servers that a manifest tells a client to start or to reach.
//!
//! The same words stand for all clients: Claude, VS Code, Cursor, Gemini, opencode.

use serde_json::Value;

use super::json::escape;
use super::kinds::server_map;
use super::{Manifest, ManifestKind};

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

/// The servers that a manifest lists, in the order of their names. Empty for formats that list none; `server.json`,
/// which describes packages and remotes rather than launches, is one of those.
pub fn launches(manifest: &Manifest) -> Vec<ConfiguredServer<'_>> {
    let Value::Object(object) = &*manifest.value else { return Vec::new() };
    match manifest.kind {
        ManifestKind::McpJson => server_map(object).map_or_else(Vec::new, |(key, servers)| {
            let base = if key.is_empty() { String::new() } else { format!("/{key}") };
            servers.iter().map(|(name, entry)| launch(name, entry, format!("{base}/{}", escape(name)))).collect()
        }),
        ManifestKind::SettingsJson | ManifestKind::PluginJson => {
            let servers = object.get("mcpServers").and_then(Value::as_object).into_iter().flatten();
            servers.map(|(name, entry)| launch(name, entry, format!("/mcpServers/{}", escape(name)))).collect()
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

fn launch<'a>(name: &'a str, entry: &'a Value, pointer: String) -> ConfiguredServer<'a> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    // opencode writes the program and its arguments as one array.
    let parts = |key: &str| entry.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut whole = parts("command");
    let command = text("command").or_else(|| whole.next());
    let arguments = whole.chain(parts("args")).collect();
    let url = ["url", "serverUrl", "httpUrl"].into_iter().find_map(text);
    ConfiguredServer { name, command, arguments, url, pointer, entry }
}
