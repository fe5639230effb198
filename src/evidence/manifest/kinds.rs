//! Which manifest a JSON file is: by its path, what it ought to be; by its content, what it is.
//!
//! Sources: the formats' own documentation as of 2026-07 (MCP registry server.json 2025-12-11, MCPB 0.3, Claude Code,
//! Cursor and Codex plugins, MCP tools/list 2024-11-05 to 2026-07-28).

use serde_json::{Map, Value};

use super::ManifestKind;
use super::json::JsonDialect;
use super::path::{folder_of, name_of};
use crate::document::Document;
use crate::file_role::FileRole;
use crate::recorded::{self, ListKind, ReadingReason, RecordedLists};

/// The folders in which plugins keep their manifest; the plugin's root is the folder around it.
pub(crate) const PLUGIN_FOLDERS: [&str; 3] = [".claude-plugin", ".cursor-plugin", ".codex-plugin"];

/// The folders in which agents keep a `settings.json`.
const SETTINGS_FOLDERS: [&str; 4] = [".claude", ".gemini", ".cursor", ".codex"];

/// The file names under which clients keep their list of servers.
const SERVER_LISTS: [&str; 6] = [
    "mcp.json",
    ".mcp.json",
    "mcp_config.json",
    "mcp-config.json",
    "claude_desktop_config.json",
    "cline_mcp_settings.json",
];

/// The keys of a plugin manifest that bring other capabilities.
const PLUGIN_PARTS: [&str; 7] = ["commands", "agents", "skills", "hooks", "mcpServers", "lspServers", "outputStyles"];

/// The kind that a JSON file with this path ought to be. A file that ought to be something and does not parse is a gap.
pub(super) fn expected(path: &str) -> Option<ManifestKind> {
    let (folder, name) = (name_of(folder_of(path)), name_of(path));
    match name {
        "package.json" => Some(ManifestKind::PackageJson),
        "server.json" => Some(ManifestKind::ServerJson),
        "marketplace.json" if PLUGIN_FOLDERS.contains(&folder) => Some(ManifestKind::MarketplaceJson),
        "plugin.json" if PLUGIN_FOLDERS.contains(&folder) => Some(ManifestKind::PluginJson),
        "hooks.json" => Some(ManifestKind::HooksJson),
        "tools.json" => Some(ManifestKind::ToolsList),
        _ if SERVER_LISTS.contains(&name) => Some(ManifestKind::McpJson),
        _ if is_settings(folder, name) => Some(ManifestKind::SettingsJson),
        _ => None,
    }
}

/// True where a JSON file is worth parsing though its path does not say what it is.
pub(super) fn deserves_look(path: &str, text: &str) -> bool {
    match name_of(path) {
        // Browser extensions and web apps call theirs `manifest.json` as well.
        "manifest.json" => text.contains("\"server\"") || text.contains("\"tools\""),
        "plugin.json" | "marketplace.json" => true,
        _ if recorded::part_of(path).is_some() => true,
        _ => recorded::may_be_recorded(text) || (text.contains("\"hooks\"") && may_hold_hooks(path)),
    }
}

/// True where a text that does not parse was meant to be a manifest all the same.
pub(super) fn looks_like_one(text: &str) -> bool {
    let bundle = text.contains("\"dxt_version\"") || text.contains("\"mcpb_version\"");
    let has = |key: &str| text.contains(key);
    bundle || (has("\"tools\"") && (has("\"inputSchema\"") || (has("\"name\"") && has("\"description\""))))
}

/// The defects in the entries of recorded tools: those that are no tools, and descriptions that are no text. None
/// where nothing is.
pub(super) fn defects(value: &Value, recorded: &RecordedLists) -> Option<String> {
    let (mut all, mut strange, mut odd) = (0, 0, 0);
    for list in recorded.lists.iter().filter(|list| list.kind == ListKind::Tools) {
        for entry in list.entries(value) {
            all += 1;
            // A list with strange entries is still read; the gap says how many.
            strange += usize::from(entry.key.is_none() && !entry.value.get("name").is_some_and(Value::is_string));
            let description = entry.value.get("description");
            odd += usize::from(description.is_some_and(|text| !text.is_string() && !text.is_null()));
        }
    }
    match (strange, odd) {
        (0, 0) => None,
        (0, odd) => Some(format!("{odd} descriptions of tools are no text")),
        (strange, _) => Some(format!("{strange} of {all} tools have no name")),
    }
}

/// True for a file of messages by its name.
pub(super) fn is_of_messages(path: &str) -> bool {
    [".jsonl", ".ndjson", ".sse"].iter().any(|end| path.ends_with(end))
}

/// True where a file that its user named may be a saved answer or a log: text that is neither source nor a document.
pub(super) fn may_be_saved(document: &Document) -> bool {
    let name = name_of(&document.path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["", "txt", "log", "out", "dump", "event-stream", "mcp", "rpc"].contains(&ending.to_ascii_lowercase().as_str())
        && matches!(document.role, FileRole::Data | FileRole::Docs | FileRole::Manifest)
}

/// True for JSON of a format that everybody knows and that holds nothing of a server.
pub(super) fn is_other_format(path: &str, value: &Value) -> bool {
    const KEYS: [&str; 8] = [
        "$schema",
        "$id",
        "openapi",
        "swagger",
        "compilerOptions",
        "lockfileVersion",
        "devDependencies",
        "files.exclude",
    ];
    const NAMES: [&str; 9] = [
        "package.json",
        "tsconfig.json",
        "jsconfig.json",
        "composer.json",
        "deno.json",
        "settings.json",
        "hooks.json",
        "launch.json",
        "tasks.json",
    ];
    NAMES.contains(&name_of(path)) || KEYS.iter().any(|key| value.get(key).is_some())
}

/// The dialect in which the clients of a format read its JSON.
pub(super) fn dialect(expected: Option<ManifestKind>) -> JsonDialect {
    match expected {
        Some(ManifestKind::McpJson | ManifestKind::SettingsJson | ManifestKind::HooksJson) => JsonDialect::Relaxed,
        _ => JsonDialect::Strict,
    }
}

/// The kind of a parsed file, by path and shape together; none where it is no manifest.
pub(super) fn recognise(path: &str, value: &Value, reason: ReadingReason) -> Option<(ManifestKind, RecordedLists)> {
    let kind = value.as_object().and_then(|object| recognise_by_name(path, object));
    let recorded = match kind {
        // A client's file may hold what its servers listed. Other formats have a place of their own for tools.
        None | Some(ManifestKind::McpJson) => RecordedLists::of(value, path, reason),
        Some(_) => RecordedLists::default(),
    };
    let kind = kind.or_else(|| (!recorded.is_empty()).then_some(ManifestKind::ToolsList))?;
    Some((kind, recorded))
}

fn recognise_by_name(path: &str, object: &Map<String, Value>) -> Option<ManifestKind> {
    let (folder, name) = (name_of(folder_of(path)), name_of(path));
    let in_plugin_folder = PLUGIN_FOLDERS.contains(&folder);
    let kind = match name {
        "package.json" => Some(ManifestKind::PackageJson),
        "manifest.json" if is_mcpb(object) => Some(ManifestKind::Mcpb),
        "plugin.json" if in_plugin_folder || is_plugin(object) => Some(ManifestKind::PluginJson),
        "marketplace.json" if in_plugin_folder || is_marketplace(object) => Some(ManifestKind::MarketplaceJson),
        _ if SERVER_LISTS.contains(&name) && lists_servers(object) => Some(ManifestKind::McpJson),
        _ if is_settings(folder, name) => Some(ManifestKind::SettingsJson),
        _ if may_hold_hooks(path) && is_hooks(object) => Some(ManifestKind::HooksJson),
        _ => None,
    };
    // Names come first: a shape alone may fit more than one format.
    kind.or_else(|| (may_be_server(name) && is_server(object)).then_some(ManifestKind::ServerJson))
}

fn is_settings(folder: &str, name: &str) -> bool {
    SETTINGS_FOLDERS.contains(&folder) && name.starts_with("settings") && name.ends_with(".json")
}

/// `server.json` itself, or the same with a name before or after: `filesystem.server.json`, `server.prod.json`.
fn may_be_server(name: &str) -> bool {
    name == "server.json" || name.ends_with(".server.json") || (name.starts_with("server.") && name.ends_with(".json"))
}

fn is_server(object: &Map<String, Value>) -> bool {
    let schema = object.get("$schema").and_then(Value::as_str).unwrap_or_default();
    // The registry's names have a namespace; a web server's own settings have none.
    let named = object.get("name").and_then(Value::as_str).is_some_and(|name| name.contains('/'));
    let installs = ["packages", "remotes"].iter().any(|key| object.get(*key).is_some_and(Value::is_array));
    let described = ["description", "version"].iter().all(|key| object.get(*key).is_some_and(Value::is_string));
    schema.contains("modelcontextprotocol") || (named && (installs || described))
}

fn is_mcpb(object: &Map<String, Value>) -> bool {
    // `manifest_version` is a number in browser extensions and a text in bundles.
    let version = ["dxt_version", "mcpb_version", "manifest_version"].iter().find_map(|key| object.get(*key));
    version.is_some_and(Value::is_string) && object.get("server").is_some_and(Value::is_object)
}

fn is_plugin(object: &Map<String, Value>) -> bool {
    let brings =
        |key: &&str| object.get(*key).is_some_and(|part| part.is_string() || part.is_array() || part.is_object());
    object.get("name").is_some_and(Value::is_string) && PLUGIN_PARTS.iter().any(brings)
}

fn is_marketplace(object: &Map<String, Value>) -> bool {
    let entry = |plugin: &Value| plugin.get("name").is_some() && plugin.get("source").is_some();
    let plugins = object.get("plugins").and_then(Value::as_array);
    object.contains_key("name") && plugins.is_some_and(|plugins| plugins.iter().any(entry))
}

/// True where servers are listed: under `mcpServers`, `servers` or `mcp`, or as a flat map of launch entries.
fn lists_servers(object: &Map<String, Value>) -> bool {
    object.is_empty() || server_map(object).is_some()
}

/// The key under which a client's file lists its servers (empty for a flat map) and the map itself.
pub(super) fn server_map(object: &Map<String, Value>) -> Option<(&'static str, &Map<String, Value>)> {
    const LAUNCHES: [&str; 5] = ["command", "url", "serverUrl", "httpUrl", "type"];
    let nested = ["mcpServers", "servers", "mcp", "mcp_servers"]
        .into_iter()
        .find_map(|key| object.get(key).and_then(Value::as_object).map(|servers| (key, servers)));
    let launches = |entry: &Value| LAUNCHES.iter().any(|key| entry.get(key).is_some());
    // Every entry must look like a launch, since any object is a flat map of something.
    nested.or_else(|| (!object.is_empty() && object.values().all(launches)).then_some(("", object)))
}

/// Hooks stand in a file that is named after them or lies in a folder that is.
fn may_hold_hooks(path: &str) -> bool {
    let name = name_of(path);
    name_of(folder_of(path)) == "hooks"
        || name == "hooks.json"
        || name.ends_with("-hooks.json")
        || name.ends_with(".hooks.json")
        || (name.starts_with("hooks.") && name.ends_with(".json"))
}

/// Events with lists of entries, under `hooks` or bare. Claude Code nests `hooks` in each entry, Cursor and Copilot put
/// the command into the entry itself.
fn is_hooks(object: &Map<String, Value>) -> bool {
    const ACTIONS: [&str; 7] = ["hooks", "command", "bash", "powershell", "prompt", "url", "type"];
    let events = match object.get("hooks") {
        Some(Value::Object(events)) => events,
        // `hooks` is there and holds no events: the file is about something else.
        Some(_) => return false,
        None => object,
    };
    let acts = |entry: &Value| ACTIONS.iter().any(|key| entry.get(key).is_some());
    let mut lists = events.values().filter_map(Value::as_array).filter(|entries| !entries.is_empty()).peekable();
    // An empty object of hooks is what tools write before the first hook is set.
    let wrapped_empty = object.contains_key("hooks") && events.is_empty();
    wrapped_empty || (lists.peek().is_some() && lists.all(|entries| entries.iter().all(acts)))
}
