//! Manifests: the files by which packages, servers, skills, hooks and plugins describe themselves, as JSON values.
//!
//! `decompose` tells by them where a capability is; `tools` and `signals` read their content.

use std::sync::Arc;

use serde_json::Value;

use capdex_model::snapshot::{Gap, GapReason};

use super::document::Document;
use super::file_role::FileRole;
use super::formats::{self, FormatReader};
use super::recorded::{self, ReadingReason, RecordedLists};

mod command;
mod frontmatter;
pub(crate) mod json;
mod json5;
mod kinds;
mod metadata;
mod path;
mod place;
mod servers;
mod sources;
#[cfg(test)]
mod tests;

pub use capdex_model::foreign::is_foreign;
pub use command::words_of;
pub use json::escape;
pub(crate) use json::value_at;
pub use json5::read as read_json5;
pub(crate) use path::ASIDE;
pub use path::{around, folder_of, is_within, join, name_of};
pub use place::{locate, place_of};
pub use servers::{ConfiguredServer, launches};
pub use sources::{NamedSource, addresses, named_sources};

/// The largest JSON or TOML file that is read as a manifest, in bytes; a larger one is a gap.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The most entries of one list of servers, sources or addresses that are read: a prepared file would have a million of them
/// read again by every rule. More are told as a gap.
pub const MAX_ENTRIES: usize = 2_000;

/// Which file format a manifest follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ManifestKind {
    /// npm's `package.json`.
    PackageJson,
    /// Python's `pyproject.toml`, or an sdist's or wheel's core metadata (`PKG-INFO`, `METADATA`) as a value. It has
    /// one key for each header, in lower case with dashes; headers that may repeat are arrays.
    PythonProject,
    /// The MCP registry's `server.json`.
    ServerJson,
    /// A client's list of servers: `mcp.json`, `.mcp.json`, `opencode.json`, a recipe's extensions.
    McpJson,
    /// A DXT or MCPB `manifest.json`.
    Mcpb,
    /// A plugin's `plugin.json`.
    PluginJson,
    /// A plugin marketplace's `marketplace.json`.
    MarketplaceJson,
    /// What an agent or a host says of itself to other agents: an A2A card, an AI catalogue, an index of skills.
    Card,
    /// The skills that `npx skills` installed, with their sources.
    SkillsLock,
    /// A plugin's or project's `hooks.json`.
    HooksJson,
    /// An agent's settings with hooks or servers in it, in JSON or TOML.
    SettingsJson,
    /// The front matter of a Markdown file (SKILL.md, rules, commands, agents).
    Frontmatter,
    /// Recorded lists of a server or of several: tools, prompts, resources, the server's own description.
    ToolsList,
}

/// A manifest that parses.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Its path.
    pub path: String,
    /// Its format.
    pub kind: ManifestKind,
    /// Its content; YAML and TOML as the equal JSON. An object, but for recorded lists: one of those may be a bare array,
    /// and a text of several messages is an array of them.
    pub value: Arc<Value>,
    /// True where it is known that no key stands twice in one object: JSON in which each stands once.
    pub keys_are_unique: bool,
    /// Where strict YAML refuses front matter that clients read all the same, and so did we; none for all else.
    pub strict_refusal: Option<StrictRefusal>,
    /// The recorded lists in it; none in most manifests.
    pub recorded: RecordedLists,
}

/// The place and the reason for which strict YAML refuses front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictRefusal {
    /// The line of the file, from 1.
    pub line: u32,
    /// The parser's reason, as a fragment.
    pub reason: String,
}

impl Manifest {
    /// A manifest with this content. Of a tools list all is read that may be a recorded list.
    pub fn new(path: impl Into<String>, kind: ManifestKind, value: impl Into<Arc<Value>>) -> Self {
        let (path, value) = (path.into(), value.into());
        let recorded = match kind {
            ManifestKind::ToolsList => RecordedLists::of(&value, &path, ReadingReason::Named),
            _ => RecordedLists::default(),
        };
        Self { path, kind, value, keys_are_unique: false, strict_refusal: None, recorded }
    }

    /// A text of the manifest by its key, trimmed; none where it is missing, empty or no text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Reads a document as a manifest, if its name and content say that it is one. A file that should be one and does not
/// parse becomes a gap. So does a key that stands twice, because readers differ on which one counts. In vendored code
/// and test fixtures nothing becomes a gap.
///
/// A file that its user named is read more freely, and one that looks like data and is no manifest becomes a gap.
pub fn read(document: &Document, reason: ReadingReason, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    if document.role == FileRole::Binary {
        return None;
    }
    let mut found = Vec::new();
    let is_named = reason == ReadingReason::Named;
    let name = name_of(&document.path);
    let reader = formats::of(&document.path).map(|format| format.reader);
    let manifest = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("md" | "mdc" | "markdown" | "MD") => frontmatter::read(document, &mut found),
        Some("json" | "jsonc") => read_json(document, reason, &mut found),
        // A few clients give their JSON an ending of its own.
        _ if reader.is_some_and(FormatReader::is_json) => read_json(document, reason, &mut found),
        Some("toml") if reader == Some(FormatReader::TomlSettings) => read_settings(document, &mut found),
        Some("yaml" | "yml") if matches!(reader, Some(FormatReader::YamlServers | FormatReader::Recipe)) => {
            read_yaml(document, &mut found)
        }
        _ if name == "pyproject.toml" => metadata::read_project(document, MAX_BYTES, &mut found),
        _ if metadata::is_core_metadata(&document.path) => metadata::read_headers(document, &mut found),
        Some("jsonl" | "ndjson" | "sse") => read_recording(document, reason, &mut found),
        // A log or a saved answer has any name; source and documents stay what they are.
        _ if is_named && kinds::may_be_saved(document) => read_recording(document, reason, &mut found),
        _ => None,
    };
    found.extend(manifest.as_ref().and_then(beyond));
    // Broken samples are what tests of parsers are made of.
    if is_named || !is_foreign(&document.path) {
        gaps.append(&mut found);
    }
    manifest
}

/// The gap of a manifest that lists more than is read.
fn beyond(manifest: &Manifest) -> Option<Gap> {
    let object = manifest.value.as_object()?;
    let size = |list: &Value| list.as_array().map(Vec::len).or_else(|| list.as_object().map(serde_json::Map::len));
    let named = |keys: &[&str]| keys.iter().filter_map(|key| size(object.get(*key)?)).max();
    // Only a list of servers has them without a key around them.
    let flat = || (manifest.kind == ManifestKind::McpJson && kinds::is_flat(object)).then_some(object.len());
    let most = match manifest.kind {
        ManifestKind::McpJson | ManifestKind::SettingsJson | ManifestKind::PluginJson => {
            kinds::server_lists(object).into_iter().filter_map(|(_, list)| size(list)).max().or_else(flat)
        }
        ManifestKind::MarketplaceJson => named(&["plugins"]),
        ManifestKind::SkillsLock => named(&["skills"]),
        ManifestKind::ServerJson => named(&["remotes"]),
        ManifestKind::Card => named(&["skills", "entries", "supportedInterfaces", "additionalInterfaces"]),
        _ => None,
    };
    let most = most.filter(|most| *most > MAX_ENTRIES)?;
    let detail = format!("lists {most} entries, of which the first {MAX_ENTRIES} are read");
    Some(Gap::new(&manifest.path, GapReason::BudgetExhausted, detail))
}

/// Reads a client's settings in TOML.
fn read_settings(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let value = metadata::toml_of(document, MAX_BYTES, gaps)?;
    let kind = kinds::recognise_other(&document.path, &value)?;
    Some(Manifest::new(&document.path, kind, value))
}

/// Reads a client's list of servers in YAML.
fn read_yaml(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let value = frontmatter::yaml_of(document, gaps)?;
    let kind = kinds::recognise_other(&document.path, &value)?;
    Some(Manifest::new(&document.path, kind, value))
}

fn read_json(document: &Document, reason: ReadingReason, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let (path, text) = (&document.path, &document.text);
    let is_named = reason == ReadingReason::Named;
    let expected = kinds::expected(path);
    // Most JSON is data; parsing all of it would cost more than every rule.
    if !is_named && expected.is_none() && !kinds::deserves_look(path, text) {
        return None;
    }
    if text.len() > MAX_BYTES {
        gaps.push(Gap::new(path, GapReason::BudgetExhausted, format!("a manifest of more than {MAX_BYTES} bytes")));
        return None;
    }
    let parsed = match json::parse(text, kinds::dialect(path)) {
        Ok(parsed) => parsed,
        Err(message) => {
            // Several messages in one file are no JSON, and read as a recording all the same.
            let mut found = Vec::new();
            if let Some(recording) = read_messages(document, reason, &mut found) {
                gaps.append(&mut found);
                return Some(recording);
            }
            // A name that promises nothing and a text that shows nothing is just broken data.
            if is_named || expected.is_some() || kinds::looks_like_one(text) {
                gaps.push(Gap::new(path, GapReason::Malformed, message));
            }
            return None;
        }
    };
    of_value(document, parsed, reason, gaps)
}

/// The manifest that a parsed value is.
fn of_value(
    document: &Document,
    mut parsed: json::ParsedJson,
    reason: ReadingReason,
    gaps: &mut Vec<Gap>,
) -> Option<Manifest> {
    let (path, is_named) = (&document.path, reason == ReadingReason::Named);
    // In a folder only what shows an answer inside a text is worth the walk.
    if is_named || document.text.contains("\\\"jsonrpc") {
        recorded::unfold(&mut parsed.value);
    }
    let Some((kind, recorded)) = kinds::recognise(path, &parsed.value, reason) else {
        if kinds::expected(path).is_some() && !parsed.value.is_object() {
            gaps.push(Gap::new(path, GapReason::Malformed, "not an object"));
        } else if is_named && document.role != FileRole::Lock && !kinds::is_other_format(path, &parsed.value) {
            gaps.push(Gap::new(path, GapReason::Unsupported, recorded::KNOWN));
        }
        return None;
    };
    gaps.extend(kinds::defects(&parsed.value, &recorded).map(|text| Gap::new(path, GapReason::Malformed, text)));
    // Known here at no cost; it lets the search for places end early.
    let keys_are_unique = parsed.doubled.is_none();
    gaps.extend(parsed.doubled.map(|key| doubled(path, &key)));
    Some(Manifest {
        path: path.clone(),
        kind,
        value: Arc::new(parsed.value),
        keys_are_unique,
        strict_refusal: None,
        recorded,
    })
}

/// A client may take the first value and a reviewer the last: that hides one from the other.
fn doubled(path: &str, key: &str) -> Gap {
    Gap::new(path, GapReason::Malformed, format!("the key {key:?} stands twice in one object"))
}

/// Reads a text that is no JSON by its name: JSON lines, an event stream, a log.
fn read_recording(document: &Document, reason: ReadingReason, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let (path, text) = (&document.path, &document.text);
    let is_named = reason == ReadingReason::Named;
    let is_data = kinds::is_of_messages(path);
    let looks = recorded::looks_recorded(text);
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
    if !looks && !(is_named && (is_data || is_json)) {
        return None;
    }
    if text.len() > MAX_BYTES {
        // Large files of lines are logs and training data; only a named one was meant to be read.
        let detail = format!("a recording of more than {MAX_BYTES} bytes");
        gaps.extend(is_named.then(|| Gap::new(path, GapReason::BudgetExhausted, detail)));
        return None;
    }
    // A saved answer without the ending of JSON is one value; files of messages are so even with one.
    if !is_data && let Ok(parsed) = json::parse_message(text.trim_start_matches('\u{feff}')) {
        return of_value(document, parsed, reason, gaps);
    }
    let manifest = read_messages(document, reason, gaps);
    if manifest.is_none() && is_named && gaps.is_empty() {
        gaps.push(Gap::new(path, GapReason::Unsupported, recorded::KNOWN));
    }
    manifest
}

/// Reads a text as messages one behind the other; none where they hold no recorded list.
fn read_messages(document: &Document, reason: ReadingReason, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let path = &document.path;
    let is_named = reason == ReadingReason::Named;
    if !is_named && !recorded::looks_recorded(&document.text) {
        return None;
    }
    let messages = recorded::messages::read(&document.text);
    let mut value = Value::Array(messages.values);
    recorded::unfold(&mut value);
    let recorded = RecordedLists::of_messages(&value, path, reason, messages.ranges);
    let is_recording = !recorded.is_empty();
    // Of other data nothing is missing, whatever in it does not parse.
    if is_recording || is_named {
        if messages.broken > 0 {
            let detail = format!("{} messages of the recording do not parse", messages.broken);
            gaps.push(Gap::new(path, GapReason::Malformed, detail));
        }
        if messages.is_cut {
            gaps.push(Gap::new(path, GapReason::BudgetExhausted, "the search for messages ended before the text"));
        }
    }
    if !is_recording {
        return None;
    }
    gaps.extend(kinds::defects(&value, &recorded).map(|text| Gap::new(path, GapReason::Malformed, text)));
    let keys_are_unique = messages.doubled.is_none();
    gaps.extend(messages.doubled.map(|key| doubled(path, &key)));
    let (path, kind, value) = (path.clone(), ManifestKind::ToolsList, Arc::new(value));
    Some(Manifest { path, kind, value, keys_are_unique, strict_refusal: None, recorded })
}
