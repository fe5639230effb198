//! The agents' configurations of this machine: below the user's home folder and in the working folder.
//!
//! Paths are those of `evidence/formats.toml`. A link is followed to what lies in the same folder, and never out of it.
//! Contents are read elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use capdex_evidence::formats::{self, FormatReader, FormatRole};

/// Folders below home in which applications keep their settings, each under a name of its own.
const SETTINGS: [&str; 5] = [".config", ".codeium", ".copilot", "Library/Application Support", "AppData/Roaming"];
/// Levels that are looked through below those: an extension of an editor keeps its settings five levels down.
const SETTINGS_DEPTH: usize = 6;
/// Levels below a folder in which a client takes files from any depth.
const ANY_DEPTH: usize = 4;
/// Entries that are looked at below one folder.
const MAX_ENTRIES: usize = 20_000;
/// Folders of applications that are large and hold no configuration of an agent.
const SKIPPED: [&str; 14] = [
    ".git",
    "node_modules",
    "extensions",
    "logs",
    "Cache",
    "Code Cache",
    "CachedData",
    "GPUCache",
    "Service Worker",
    "IndexedDB",
    "workspaceStorage",
    "History",
    "google-chrome",
    "chromium",
];

/// A configuration that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// The path as it is shown: `~/…` below home, else relative to the working folder.
    pub shown: String,
}

/// The configurations that are there.
#[derive(Debug, Default)]
pub struct FoundHere {
    /// The files, home first, each folder sorted.
    pub files: Vec<FoundFile>,
    /// Folders that have more entries than are looked at, as they are shown.
    pub cut: Vec<String>,
}

/// Finds the configurations below a home folder and in a working folder.
pub fn find(home: Option<&Path>, working: &Path) -> FoundHere {
    let mut found = FoundHere::default();
    let mut met = BTreeSet::new();
    if let Some(home) = home {
        search(home, "~/", &SETTINGS, &mut met, &mut found);
    }
    search(working, "", &[], &mut met, &mut found);
    found
}

/// Looks in one folder: at its own files, into the folders of clients in it, and into those of settings.
fn search(root: &Path, prefix: &str, settings: &[&str], met: &mut BTreeSet<PathBuf>, found: &mut FoundHere) {
    let Ok(root) = root.canonicalize() else { return };
    let mut waiting: VecDeque<(String, usize)> = VecDeque::from([(String::new(), 0)]);
    waiting.extend(client_folders());
    waiting.extend(settings.iter().map(|folder| ((*folder).to_owned(), SETTINGS_DEPTH)));
    let (mut looked, mut entered, mut files) = (0, BTreeSet::new(), BTreeMap::new());
    // Breadth first, so that a large folder takes nothing from what lies higher.
    while let Some((folder, depth)) = waiting.pop_front() {
        let Some(place) = within(&root, &root.join(&folder)) else { continue };
        // Two ways into one folder, or a link back, are walked once, the deeper walk first where both are known.
        if !entered.insert((place.clone(), depth)) {
            continue;
        }
        for entry in std::fs::read_dir(&place).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MAX_ENTRIES {
                found.cut.push(format!("{prefix}{folder}"));
                waiting.clear();
                break;
            }
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_file = is_configuration(&path);
            // Asked of the disk only for what may matter.
            if !is_file && (depth == 0 || SKIPPED.contains(&name.as_str())) {
                continue;
            }
            let Some(target) = within(&root, &entry.path()) else { continue };
            if target.is_dir() {
                if depth > 0 {
                    waiting.push_back((path, depth - 1));
                }
            } else if is_file && target.is_file() && met.insert(target.clone()) {
                // Known by the way that was found first, which is the shortest. The working folder may lie below home, or be it.
                files.insert(path, target);
            }
        }
    }
    let shown = |(path, target)| FoundFile { path: target, shown: format!("{prefix}{path}") };
    found.files.extend(files.into_iter().map(shown));
}

/// Where a path leads, if that lies in `root`.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|target| target.starts_with(root))
}

/// The folders in which clients keep their own files, each with the levels below it that hold any.
fn client_folders() -> BTreeMap<String, usize> {
    let mut folders = BTreeMap::new();
    for format in formats::all().iter().filter(|format| lists_servers(format)) {
        let components: Vec<&str> = format.path.split('/').collect();
        let Some((first, below)) = components.split_first().filter(|(_, below)| !below.is_empty()) else { continue };
        let levels = if below.contains(&"**") { ANY_DEPTH } else { below.len() - 1 };
        let deepest = folders.entry((*first).to_owned()).or_insert(levels);
        *deepest = levels.max(*deepest);
    }
    folders
}

fn lists_servers(format: &formats::Format) -> bool {
    let by_reader = matches!(
        format.reader,
        FormatReader::JsonServers | FormatReader::JsonSettings | FormatReader::TomlSettings | FormatReader::YamlServers
    );
    format.role == FormatRole::Config && by_reader
}

fn is_configuration(path: &str) -> bool {
    // VS Code keeps a user's own servers beside his settings.
    formats::of(path).is_some_and(lists_servers) || path.ends_with("/User/mcp.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("below")).expect("writes");
        std::fs::write(path, "{}").expect("writes");
    }

    #[test]
    fn configurations_of_home_and_of_the_working_folder_are_found_once() {
        let home = tempfile::TempDir::new().expect("a folder");
        for path in [
            ".claude.json",
            ".cursor/mcp.json",
            ".codex/config.toml",
            ".codeium/windsurf/mcp_config.json",
            ".config/Claude/claude_desktop_config.json",
            ".config/Code/User/mcp.json",
            ".config/Code/User/globalStorage/vendor.ext/settings/cline_mcp_settings.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "work/.mcp.json",
            "work/.vscode/mcp.json",
            "work/node_modules/x/.mcp.json",
            "other/.mcp.json",
            ".cursor/notes.json",
        ] {
            write(home.path(), path);
        }
        let found = find(Some(home.path()), &home.path().join("work"));
        let shown: Vec<&str> = found.files.iter().map(|file| file.shown.as_str()).collect();
        assert_eq!(
            shown,
            [
                "~/.claude.json",
                "~/.codeium/windsurf/mcp_config.json",
                "~/.codex/config.toml",
                "~/.config/Claude/claude_desktop_config.json",
                "~/.config/Code/User/globalStorage/vendor.ext/settings/cline_mcp_settings.json",
                "~/.config/Code/User/mcp.json",
                "~/.cursor/mcp.json",
                "~/Library/Application Support/Claude/claude_desktop_config.json",
                ".mcp.json",
                ".vscode/mcp.json",
            ]
        );
        assert!(found.cut.is_empty());
        let at_home = find(Some(home.path()), home.path());
        assert!(at_home.files.iter().all(|file| file.shown.starts_with("~/")), "each once: {:?}", at_home.files);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_within_the_folder_and_never_out_of_it() {
        let (home, elsewhere) =
            (tempfile::TempDir::new().expect("a folder"), tempfile::TempDir::new().expect("a folder"));
        write(home.path(), "dotfiles/cursor/mcp.json");
        write(elsewhere.path(), "config.toml");
        write(elsewhere.path(), "mcp.json");
        std::os::unix::fs::symlink(home.path().join("dotfiles/cursor"), home.path().join(".cursor")).expect("links");
        std::os::unix::fs::symlink(elsewhere.path(), home.path().join(".codex")).expect("links");
        std::os::unix::fs::symlink(elsewhere.path().join("mcp.json"), home.path().join(".mcp.json")).expect("links");
        std::os::unix::fs::symlink(home.path(), home.path().join(".config")).expect("links");
        let found = find(Some(home.path()), elsewhere.path());
        assert_eq!(found.files.iter().map(|file| file.shown.as_str()).collect::<Vec<_>>(), ["~/.cursor/mcp.json"]);
    }
}
