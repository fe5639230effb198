//! Rules files: standing instructions for editors and agents, each file a capability of its own.
//!
//! Name and folder alone decide. Sources: the documentation of Cursor, Windsurf, Cline, Continue, Copilot, Claude Code,
//! Gemini CLI and agents.md as of 2026-07.

use crate::manifest::{folder_of, name_of};
use capdex_model::capability::Kind;

use super::{AnchorFinderInput, CapabilityAnchor};

/// Files that are rules wherever they lie.
const NAMES: [&str; 8] = [
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "CONTINUE.md",
    ".cursorrules",
    ".windsurfrules",
    ".continuerules",
];

/// Folders in which files with one of the endings are rules, at any depth.
const FOLDERS: [(&str, &[&str]); 5] = [
    (".cursor/rules", &[".mdc"]),
    (".windsurf/rules", &[".md", ".mdc", ".txt"]),
    (".clinerules", &[".md", ".mdc", ".txt"]),
    (".claude/rules", &[".md"]),
    (".github/instructions", &[".instructions.md"]),
];

/// One anchor for each rules file.
pub(super) fn anchors(input: &AnchorFinderInput<'_>) -> Vec<CapabilityAnchor> {
    let rules = input.own_paths().filter(|path| is_rules_file(path));
    rules.map(|path| CapabilityAnchor::file(Kind::Rules, path, name_of(path).to_owned())).collect()
}

fn is_rules_file(path: &str) -> bool {
    let name = name_of(path);
    let folder = folder_of(path);
    NAMES.contains(&name)
        || name == ".clinerules"
        || (name == "copilot-instructions.md" && name_of(folder) == ".github")
        || FOLDERS
            .iter()
            .any(|(rules, endings)| endings.iter().any(|end| name.ends_with(end)) && lies_in(folder, rules))
}

/// True where a folder is, or lies below, one whose last components are the given ones.
fn lies_in(folder: &str, components: &str) -> bool {
    // Slashes on both sides, so that `my.cursor/rules` is another folder.
    format!("/{folder}/").contains(&format!("/{components}/"))
}
