//! Which places outside a named folder its links may lead to.
//!
//! Operators keep skills in one place and link them into the folders of their clients. Those links are followed where the
//! operator named the folder, and as far as the same project goes: a link of a stranger must not bring private files of
//! this machine into the input.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Folders in which agents keep what they load.
const AGENT_FOLDERS: [&str; 14] = [
    ".agents",
    ".agent",
    ".augment",
    ".claude",
    ".codex",
    ".continue",
    ".cursor",
    ".factory",
    ".gemini",
    ".goose",
    ".kiro",
    ".opencode",
    ".roo",
    ".windsurf",
];

/// The surroundings of a named folder.
pub(super) struct Beside {
    /// The named folder.
    named: PathBuf,
    /// The project around it: the repository, or the folder in which the agent's folder lies.
    root: PathBuf,
    /// True where only agents' folders of `root` belong to it, because `root` is no project but a home.
    is_home: bool,
}

impl Beside {
    /// The surroundings of a folder, which is given without links. None where it belongs to nothing.
    pub(super) fn of(named: &Path) -> Option<Self> {
        let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
        let above = || named.ancestors().skip(1);
        let repository = above().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        let agent = named.ancestors().find(|folder| is_agent_folder(folder.file_name()));
        let (root, is_home) = match (repository, agent.and_then(Path::parent)) {
            (Some(root), _) if home.as_ref() != Some(&root) => (root, false),
            (_, Some(parent)) => (parent.to_path_buf(), true),
            _ => return None,
        };
        Some(Self { named: named.to_path_buf(), root, is_home })
    }

    /// True where a link may lead to `target`, which is given without links.
    pub(super) fn allows(&self, target: &Path) -> bool {
        let Ok(inside) = target.strip_prefix(&self.root) else { return false };
        let mut parts = inside.components().map(Component::as_os_str).peekable();
        let first = parts.peek().copied();
        // Hidden folders hold keys and settings of other programs.
        let is_hidden = |part: &OsStr| part.as_encoded_bytes().starts_with(b".");
        first.is_some()
            && (!self.is_home || is_agent_folder(first))
            && parts.all(|part| !is_hidden(part) || is_agent_folder(Some(part)))
            // A folder around the named one would hold the named one again.
            && !self.named.starts_with(target)
    }
}

fn is_agent_folder(name: Option<&OsStr>) -> bool {
    name.and_then(OsStr::to_str).is_some_and(|name| AGENT_FOLDERS.contains(&name))
}
