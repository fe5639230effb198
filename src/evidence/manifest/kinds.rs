//! Which manifest a JSON file is: by its path, what it ought to be; by its content, what it is.
//!
//! Sources: the formats' own documentation as of 2026-07 (MCP registry server.json 2025-12-11, MCPB 0.3, Claude Code,
//! Cursor and Codex plugins, MCP tools/list 2024-11-05 to 2026-07-28).

use serde_json::{Map, Value};

use super::ManifestKind;
use super::json::{JsonDialect, value_at};
use super::path::{folder_of, name_of};

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
        _ => text.contains("\"tools\"") || (text.contains("\"hooks\"") && may_hold_hooks(path)),
    }
}

/// True where a text that does not parse was meant to be a manifest all the same.
pub(super) fn looks_like_one(text: &str) -> bool {
    let bundle = text.contains("\"dxt_version\"") || text.contains("\"mcpb_version\"");
    let has = |key: &str| text.contains(key);
    bundle || (has("\"tools\"") && (has("\"inputSchema\"") || (has("\"name\"") && has("\"description\""))))
}

/// The defects in the entries of a tools list: those that are no tools, and descriptions that are no text. None
/// where nothing is.
pub(super) fn defects_of_tools(value: &Value) -> Option<String> {
    // A list with strange entries is still read; the gap says how many.
    let tools = value_at(value, tools_pointer(value)?)?.as_array()?;
    let strange = tools.iter().filter(|tool| !is_named(tool)).count();
    let described = |tool: &&Value| tool.get("description").is_some_and(|text| !text.is_string() && !text.is_null());
    let odd = tools.iter().filter(described).count();
    match (strange, odd) {
        (0, 0) => None,
        (0, odd) => Some(format!("{odd} descriptions of tools are no text")),
        (strange, _) => Some(format!("{strange} of {} tools have no name", tools.len())),
    }
}

fn is_named(tool: &Value) -> bool {
    tool.get("name").is_some_and(Value::is_string)
}

/// The dialect in which the clients of a format read its JSON.
pub(super) fn dialect(expected: Option<ManifestKind>) -> JsonDialect {
    match expected {
        Some(ManifestKind::McpJson | ManifestKind::SettingsJson | ManifestKind::HooksJson) => JsonDialect::Relaxed,
        _ => JsonDialect::Strict,
    }
}

/// The kind of a parsed file, by path and shape together; none where it is no manifest.
pub(super) fn recognise(path: &str, value: &Value) -> Option<ManifestKind> {
    let (folder, name) = (name_of(folder_of(path)), name_of(path));
    let Value::Object(object) = value else {
        return (name == "tools.json" && is_tools(value)).then_some(ManifestKind::ToolsList);
    };
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
        .or_else(|| tools_pointer(value).is_some().then_some(ManifestKind::ToolsList))
}

/// The JSON Pointer of the array of tools in a tools list, in any of its shapes. The shapes are the list itself,
/// `{"tools": […]}` with or without the server beside it, and a JSON-RPC answer. None where the value is no tools list.
pub(crate) fn tools_pointer(value: &Value) -> Option<&'static str> {
    [("", value.is_array()), ("/tools", true), ("/result/tools", true)]
        .into_iter()
        .filter(|(_, possible)| *possible)
        .map(|(pointer, _)| pointer)
        .find(|pointer| value_at(value, pointer).is_some_and(|tools| is_tools(tools) || is_empty_list(value, tools)))
}

/// An array of which at least half are objects with a name, and one at least has something only tools have.
fn is_tools(tools: &Value) -> bool {
    const MARKS: [&str; 7] =
        ["description", "inputSchema", "input_schema", "outputSchema", "parameters", "arguments", "annotations"];
    let Value::Array(tools) = tools else { return false };
    let marked = |tool: &&Value| is_named(tool) && MARKS.iter().any(|mark| tool.get(mark).is_some());
    // One bad entry must not make all the others no tools; a list of other things has none that is marked.
    tools.iter().any(|tool| marked(&tool)) && 2 * tools.iter().filter(|tool| is_named(tool)).count() >= tools.len()
}

/// An empty array of tools counts only where nothing but the parts of a tools list stands beside it.
fn is_empty_list(value: &Value, tools: &Value) -> bool {
    const PARTS: [&str; 13] = [
        "tools",
        "server",
        "serverInfo",
        "initialize",
        "instructions",
        "nextCursor",
        "_meta",
        "jsonrpc",
        "id",
        "result",
        "resultType",
        "ttlMs",
        "cacheScope",
    ];
    let Value::Object(object) = value else { return false };
    tools.as_array().is_some_and(Vec::is_empty) && object.keys().all(|key| PARTS.contains(&key.as_str()))
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
