//! Manifests: the files by which packages, servers, skills, hooks and plugins describe themselves, as JSON values.
//!
//! Must not decide what a capability is (`decompose` does).

use serde_json::Value;

use crate::snapshot::Gap;

use super::document::Document;

/// Which file format a manifest follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ManifestKind {
    /// npm's `package.json`.
    PackageJson,
    /// Python's `pyproject.toml`, or an sdist's or wheel's core metadata (`PKG-INFO`, `METADATA`) as a value.
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
    /// Its content; YAML and TOML as the equal JSON.
    pub value: Value,
}

/// Reads a document as a manifest, if its name and content say that it is one. A file that should be one and does
/// not parse becomes a gap.
pub fn read(_document: &Document, _gaps: &mut Vec<Gap>) -> Option<Manifest> {
    None
}
