//! Manifests: the files by which packages, servers, skills, hooks and plugins describe themselves, as JSON values.
//!
//! `decompose` tells by them where a capability is; `tools` and `signals` read their content.

use std::sync::Arc;

use serde_json::Value;

use capdex_model::snapshot::{Gap, GapReason};

use super::document::Document;
use super::file_role::FileRole;

mod command;
mod frontmatter;
mod json;
mod json5;
mod kinds;
mod metadata;
mod path;
mod place;
mod servers;
#[cfg(test)]
mod tests;

pub use command::words_of;
pub use json::escape;
pub(crate) use json::value_at;
pub use json5::read as read_json5;
pub(crate) use kinds::{PLUGIN_FOLDERS, tools_pointer};
pub use path::{around, folder_of, is_foreign, is_within, join, name_of};
pub use place::{locate, place_of};
pub use servers::{ConfiguredServer, launches};

/// The largest JSON or TOML file that is read as a manifest, in bytes; a larger one is a gap.
const MAX_BYTES: usize = 8 * 1024 * 1024;

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
    /// A client's list of servers: `mcp.json`, `.mcp.json`.
    McpJson,
    /// A DXT or MCPB `manifest.json`.
    Mcpb,
    /// A plugin's `plugin.json`.
    PluginJson,
    /// A plugin marketplace's `marketplace.json`.
    MarketplaceJson,
    /// A plugin's or project's `hooks.json`.
    HooksJson,
    /// An agent's `settings.json` with hooks or servers in it.
    SettingsJson,
    /// The front matter of a Markdown file (SKILL.md, rules, commands, agents).
    Frontmatter,
    /// A recorded answer to `tools/list`, with or without the server's own description.
    ToolsList,
}

/// A manifest that parses.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Its path.
    pub path: String,
    /// Its format.
    pub kind: ManifestKind,
    /// Its content; YAML and TOML as the equal JSON. An object, but for a tools list that is a bare array.
    pub value: Arc<Value>,
    /// True where it is known that no key stands twice in one object: JSON in which each stands once.
    pub keys_are_unique: bool,
    /// Where strict YAML refuses front matter that clients read all the same, and so did we; none for all else.
    pub strict_refusal: Option<StrictRefusal>,
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
    /// A text of the manifest by its key, trimmed; none where it is missing, empty or no text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Reads a document as a manifest, if its name and content say that it is one. A file that should be one and does not
/// parse becomes a gap. So does a key that stands twice, because readers differ on which one counts. In vendored code
/// and test fixtures nothing becomes a gap.
pub fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    if document.role == FileRole::Binary {
        return None;
    }
    let mut found = Vec::new();
    let name = name_of(&document.path);
    let manifest = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("md" | "mdc" | "markdown" | "MD") => frontmatter::read(document, &mut found),
        Some("json" | "jsonc") => read_json(document, &mut found),
        _ if name == "pyproject.toml" => metadata::read_project(document, MAX_BYTES, &mut found),
        _ if metadata::is_core_metadata(&document.path) => metadata::read_headers(document, &mut found),
        _ => None,
    };
    // Broken samples are what tests of parsers are made of.
    if !is_foreign(&document.path) {
        gaps.append(&mut found);
    }
    manifest
}

fn read_json(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let (path, text) = (&document.path, &document.text);
    let expected = kinds::expected(path);
    // Most JSON is data; parsing all of it would cost more than every rule.
    if expected.is_none() && !kinds::deserves_look(path, text) {
        return None;
    }
    if text.len() > MAX_BYTES {
        gaps.push(Gap::new(path, GapReason::BudgetExhausted, format!("a manifest of more than {MAX_BYTES} bytes")));
        return None;
    }
    let parsed = match json::parse(text, kinds::dialect(expected)) {
        Ok(parsed) => parsed,
        Err(message) => {
            // A name that promises nothing and a text that shows nothing is just broken data.
            if expected.is_some() || kinds::looks_like_one(text) {
                gaps.push(Gap::new(path, GapReason::Malformed, message));
            }
            return None;
        }
    };
    let Some(kind) = kinds::recognise(path, &parsed.value) else {
        if expected.is_some() && !parsed.value.is_object() {
            gaps.push(Gap::new(path, GapReason::Malformed, "not an object"));
        }
        return None;
    };
    if let Some(defects) = (kind == ManifestKind::ToolsList).then(|| kinds::defects_of_tools(&parsed.value)).flatten() {
        gaps.push(Gap::new(path, GapReason::Malformed, defects));
    }
    // Known here at no cost; it lets the search for places end early.
    let keys_are_unique = parsed.doubled.is_none();
    // A client may take the first value and a reviewer the last: that hides one from the other.
    if let Some(key) = parsed.doubled {
        gaps.push(Gap::new(path, GapReason::Malformed, format!("the key {key:?} stands twice in one object")));
    }
    Some(Manifest { path: path.clone(), kind, value: Arc::new(parsed.value), keys_are_unique, strict_refusal: None })
}
