//! Which manifest a JSON file is: by its path, what it ought to be; by its content, what it is.
//!
//! The files of clients are rows of `formats.toml`. Sources of the others: the formats' own documentation as of 2026-07
//! (MCP registry server.json 2025-12-11, MCPB 0.3, MCP tools/list 2024-11-05 to 2026-07-28).

use serde_json::{Map, Value};

use super::ManifestKind;
use super::json::{JsonDialect, escape};
use super::path::name_of;
use crate::document::Document;
use crate::file_role::FileRole;
use crate::formats::{self, Format, FormatReader};
use crate::recorded::{self, ListKind, ReadingReason, RecordedLists};

/// The keys of a plugin manifest that bring other capabilities.
const PLUGIN_PARTS: [&str; 7] = ["commands", "agents", "skills", "hooks", "mcpServers", "lspServers", "outputStyles"];

/// The kind that a JSON file with this path ought to be. A file that ought to be something and does not parse is a gap.
pub(super) fn expected(path: &str) -> Option<ManifestKind> {
    match name_of(path) {
        "package.json" => Some(ManifestKind::PackageJson),
        "server.json" => Some(ManifestKind::ServerJson),
        "tools.json" => Some(ManifestKind::ToolsList),
        _ => formats::of(path).filter(|format| format.certain).and_then(|format| format.reader.manifest_kind()),
    }
}

/// True where a JSON file is worth parsing though its path does not say what it is.
pub(super) fn deserves_look(path: &str, text: &str) -> bool {
    // Browser extensions and web apps call theirs `manifest.json` as well.
    let is_bundle = name_of(path) == "manifest.json" && (text.contains("\"server\"") || text.contains("\"tools\""));
    let is_format = match formats::of(path).map(|format| format.reader) {
        Some(FormatReader::JsonHooks) => text.contains("\"hooks\"") || text.contains("\"modules\""),
        Some(reader) => reader.is_json(),
        None => false,
    };
    is_bundle || is_format || recorded::part_of(path).is_some() || recorded::may_be_recorded(text)
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
pub(super) fn dialect(path: &str) -> JsonDialect {
    match formats::of(path).map(|format| format.reader) {
        Some(FormatReader::JsonServers | FormatReader::JsonSettings | FormatReader::JsonHooks) => JsonDialect::Relaxed,
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
    let name = name_of(path);
    let format = formats::of(path);
    let kind = match name {
        "package.json" => Some(ManifestKind::PackageJson),
        "manifest.json" if is_mcpb(object) => Some(ManifestKind::Mcpb),
        _ => format.filter(|format| shows(format, object)).and_then(|format| format.reader.manifest_kind()),
    };
    // Names come first: a shape alone may fit more than one format.
    kind.or_else(|| (may_be_server(name) && is_server(object)).then_some(ManifestKind::ServerJson))
}

/// The kind of manifest that a value in a file with this path is, where a format's reader is not that of JSON.
pub(super) fn recognise_other(path: &str, value: &Value) -> Option<ManifestKind> {
    let format = formats::of(path)?;
    format.reader.manifest_kind().filter(|_| value.as_object().is_some_and(|object| shows(format, object)))
}

/// True where the content of a file shows the format that its path promises.
fn shows(format: &Format, object: &Map<String, Value>) -> bool {
    match format.reader {
        FormatReader::JsonHooks => is_hooks(object),
        FormatReader::JsonServers | FormatReader::YamlServers => lists_servers(object),
        FormatReader::Recipe => is_recipe(object),
        FormatReader::Plugin => format.certain || is_plugin(object),
        FormatReader::Marketplace => format.certain || is_marketplace(object),
        FormatReader::Card => is_card(object),
        FormatReader::ServerCard => is_server_card(object),
        FormatReader::SkillsLock => object.get("skills").is_some_and(Value::is_object),
        // Settings have no key that they all hold.
        _ => true,
    }
}

/// A recipe says what to do, and by which extensions.
fn is_recipe(object: &Map<String, Value>) -> bool {
    object.get("title").is_some_and(Value::is_string)
        && ["instructions", "prompt"].iter().any(|key| object.get(*key).is_some_and(Value::is_string))
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
    let schema = object.get("$schema").and_then(Value::as_str).unwrap_or_default();
    // The portable format names no parts: they lie in folders by its own words.
    let portable = schema.starts_with("https://agent-plugins.org/");
    object.get("name").is_some_and(Value::is_string) && (portable || PLUGIN_PARTS.iter().any(brings))
}

/// A card tells of skills or entries, with words about itself or them.
fn is_card(object: &Map<String, Value>) -> bool {
    let told = |entry: &Value| entry.get("description").is_some() || entry.get("url").is_some();
    let lists = ["skills", "entries"].iter().filter_map(|key| object.get(*key)?.as_array());
    lists.flatten().any(told) || (object.contains_key("skills") && object.contains_key("name"))
}

/// A server's card names the address at which it answers, in the words of the draft or of what is in the field.
fn is_server_card(object: &Map<String, Value>) -> bool {
    let address = |key: &&str| object.get(*key).is_some_and(|value| value.is_string() || value.is_object());
    object.get("remotes").is_some_and(Value::is_array)
        || ["endpoint", "transport", "serverInfo", "server_info"].iter().any(address)
}

fn is_marketplace(object: &Map<String, Value>) -> bool {
    let entry = |plugin: &Value| plugin.get("name").is_some() && plugin.get("source").is_some();
    let plugins = object.get("plugins").and_then(Value::as_array);
    object.contains_key("name") && plugins.is_some_and(|plugins| plugins.iter().any(entry))
}

/// True where servers are listed under a key of some client, or as a flat map of launch entries.
fn lists_servers(object: &Map<String, Value>) -> bool {
    object.is_empty() || !server_lists(object).is_empty() || is_flat(object)
}

/// True where a whole object is a map of launch entries.
pub(super) fn is_flat(object: &Map<String, Value>) -> bool {
    const LAUNCHES: [&str; 5] = ["command", "url", "serverUrl", "httpUrl", "type"];
    let launches = |entry: &Value| LAUNCHES.iter().any(|key| entry.get(key).is_some());
    // Every entry must look like a launch, since any object is a flat map of something.
    !object.is_empty() && object.values().all(launches)
}

/// The lists of servers in a client's file, each with the JSON Pointer to it: maps by name, or arrays of entries that
/// bear their name.
pub(super) fn server_lists(object: &Map<String, Value>) -> Vec<(String, &Value)> {
    const KEYS: [&str; 4] = ["mcpServers", "servers", "mcp_servers", "context_servers"];
    let is_list =
        |list: &&Value| list.is_object() || list.as_array().is_some_and(|entries| entries.iter().all(Value::is_object));
    let mut lists: Vec<(String, &Value)> =
        KEYS.into_iter().filter_map(|key| Some((format!("/{key}"), object.get(key).filter(is_list)?))).collect();
    if let Some(mcp) = object.get("mcp").filter(|mcp| mcp.is_object()) {
        // VS Code's settings have the list one level below; for others `servers` would be the name of one.
        let inner = mcp
            .get("servers")
            .filter(|inner| inner.as_object().is_some_and(|inner| inner.values().all(Value::is_object)));
        lists.push(inner.map_or_else(|| ("/mcp".to_owned(), mcp), |inner| ("/mcp/servers".to_owned(), inner)));
    }
    // A user's own file lists the servers of each project.
    for (project, settings) in object.get("projects").and_then(Value::as_object).into_iter().flatten() {
        let list = settings.get("mcpServers").filter(is_list);
        lists.extend(list.map(|list| (format!("/projects/{}/mcpServers", escape(project)), list)));
    }
    // Goose calls its servers extensions, as others call what else they load: only those that launch something count.
    if let Some(extensions) = object.get("extensions").filter(is_list) {
        let entries = extensions.as_object().map(|map| map.values().collect::<Vec<_>>());
        let entries = entries.or_else(|| extensions.as_array().map(|list| list.iter().collect())).unwrap_or_default();
        let launches = |entry: &&Value| ["cmd", "uri"].iter().any(|key| entry.get(key).is_some_and(Value::is_string));
        if entries.iter().any(launches) {
            lists.push(("/extensions".to_owned(), extensions));
        }
    }
    lists
}

/// Events with their handlers, under `hooks` or bare; modules; or Kiro's hooks, each with its own trigger. Claude Code
/// nests `hooks` in each entry, Cursor and Copilot put the command into the entry itself.
fn is_hooks(object: &Map<String, Value>) -> bool {
    const ACTIONS: [&str; 7] = ["hooks", "command", "bash", "powershell", "prompt", "url", "type"];
    let modules = object.get("modules").and_then(Value::as_array);
    if modules.is_some_and(|modules| !modules.is_empty() && modules.iter().all(Value::is_string)) {
        return true;
    }
    if ["when", "then"].iter().all(|key| object.get(*key).is_some_and(Value::is_object)) {
        return true;
    }
    let acts = |entry: &Value| ACTIONS.iter().any(|key| entry.get(key).is_some());
    let (events, wrapped) = match object.get("hooks") {
        Some(Value::Object(events)) => (events, true),
        Some(Value::Array(hooks)) => {
            return !hooks.is_empty() && hooks.iter().all(|hook| hook.get("action").is_some_and(Value::is_object));
        }
        // `hooks` is there and holds no events: the file is about something else.
        Some(_) => return false,
        None => (object, false),
    };
    // An empty object of hooks is what tools write before the first hook is set.
    if wrapped && events.is_empty() {
        return true;
    }
    // A single handler without a list around it counts only under `hooks`: elsewhere it may be anything.
    let single = |entry: &Value| wrapped && entry.is_object() && acts(entry);
    let mut lists = events
        .values()
        .filter(|entry| single(entry) || entry.as_array().is_some_and(|list| !list.is_empty()))
        .peekable();
    lists.peek().is_some() && lists.all(|entries| entries.as_array().is_none_or(|list| list.iter().all(acts)))
}
