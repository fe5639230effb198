//! The order in which the files of a folder are read: capabilities first, and the budget goes round the folders.

use std::collections::{BTreeMap, BTreeSet};

use capdex_evidence::file_role::FileRole;
use capdex_evidence::zones::classify;

use super::survey::FoundFile;
use crate::unpack::UnpackLimits;

/// Folders whose files clients load, at any depth.
const CAPABILITY_FOLDERS: [&str; 18] = [
    ".agents",
    ".claude",
    ".claude-plugin",
    ".clinerules",
    ".codex",
    ".codex-plugin",
    ".cursor",
    ".cursor-plugin",
    ".gemini",
    ".github",
    ".windsurf",
    "agents",
    "commands",
    "hooks",
    "plugins",
    "prompts",
    "rules",
    "skills",
];
/// The largest text that makes a capability; a larger one waits for its turn.
const ANCHOR_BYTES: u64 = 1 << 20;

/// Whose turn a file is: the lower, the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// Texts that make capabilities: `SKILL.md`, rules files, manifests.
    Anchor,
    /// What lies in folders of capabilities.
    Capability,
    /// The rest of the tree.
    Other,
    /// Builds, vendored code, dependencies.
    Bulky,
}

/// A file with its turn, and the folder that is told where its turn never comes.
#[derive(Clone, Debug)]
pub(super) struct PlannedFile {
    pub(super) file: FoundFile,
    pub(super) turn: Turn,
    /// The folder of the capability, else the top folder; empty for a file at the root.
    pub(super) folder: String,
}

/// Sorts files by turn. Within a turn each folder gets the same share of the budget: a file comes the later, the more of
/// the budget its folder has used up with it; the small ones of a folder come first.
pub(super) fn plan(files: Vec<FoundFile>, limits: &UnpackLimits) -> Vec<PlannedFile> {
    let skills: BTreeSet<String> =
        files.iter().filter_map(|file| skill_folder(&file.name)).map(str::to_owned).collect();
    let mut by_folder: BTreeMap<(Turn, String), Vec<FoundFile>> = BTreeMap::new();
    for file in files {
        let (turn, folder) = turn_of(&file, &skills);
        by_folder.entry((turn, folder)).or_default().push(file);
    }
    // A file costs its bytes, and a part of the budget however small it is.
    let members = u64::try_from(limits.members).unwrap_or(u64::MAX).max(1);
    let each = limits.expanded_bytes / members;
    let mut planned = Vec::new();
    for ((turn, folder), mut files) in by_folder {
        files.sort_by(|one, other| (one.size, &one.name).cmp(&(other.size, &other.name)));
        let mut used = 0_u64;
        for file in files {
            used = used.saturating_add(file.size).saturating_add(each);
            planned.push((used, PlannedFile { file, turn, folder: folder.clone() }));
        }
    }
    planned.sort_by(|(used, one), (other_used, other)| {
        (one.turn, used, &one.file.name).cmp(&(other.turn, other_used, &other.file.name))
    });
    planned.into_iter().map(|(_, file)| file).collect()
}

fn turn_of(file: &FoundFile, skills: &BTreeSet<String>) -> (Turn, String) {
    let top = file.name.split_once('/').map_or("", |(top, _)| top);
    if file.is_bulky {
        return (Turn::Bulky, top.to_owned());
    }
    let around = || file.name.rmatch_indices('/').filter_map(|(at, _)| file.name.get(..at));
    let skill = around().find(|folder| skills.contains(*folder));
    let in_folder = around().rev().find(|folder| CAPABILITY_FOLDERS.contains(&name_of(folder)));
    // The folder below one of many capabilities (`skills/a`), so that none of them takes another's share.
    let own = in_folder.map(|folder| {
        let rest = file.name.get(folder.len() + 1..).unwrap_or_default();
        rest.split_once('/').map_or(folder.to_owned(), |(one, _)| format!("{folder}/{one}"))
    });
    let folder = skill.map(str::to_owned).or(own);
    let makes_one = matches!(classify(&file.name, Some("")).0, FileRole::Instruction | FileRole::Manifest);
    match folder {
        folder if makes_one && file.size <= ANCHOR_BYTES => (Turn::Anchor, folder.unwrap_or_else(|| top.to_owned())),
        Some(folder) => (Turn::Capability, folder),
        None => (Turn::Other, top.to_owned()),
    }
}

/// The folder of a skill below the root, by the path of its text.
fn skill_folder(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    name.eq_ignore_ascii_case("skill.md").then_some(folder)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn order(files: &[(&str, u64)]) -> Vec<String> {
        let found = |(name, size): &(&str, u64)| FoundFile {
            path: PathBuf::new(),
            name: (*name).to_owned(),
            size: *size,
            is_bulky: name.starts_with("dist/"),
        };
        let limits = UnpackLimits { expanded_bytes: 1000, members: 100, ..UnpackLimits::default() };
        plan(files.iter().map(found).collect(), &limits).into_iter().map(|planned| planned.file.name).collect()
    }

    #[test]
    fn texts_that_make_capabilities_come_before_their_folders_and_these_before_the_rest() {
        let files = [("dist/a.js", 1), ("src/a.rs", 1), ("z/skills/n/run.sh", 1), ("z/skills/n/SKILL.md", 9)];
        assert_eq!(order(&files), ["z/skills/n/SKILL.md", "z/skills/n/run.sh", "src/a.rs", "dist/a.js"]);
    }

    #[test]
    fn no_folder_takes_the_share_of_another() {
        let files = [("a/1", 400), ("a/2", 500), ("b/1", 30), ("b/2", 40), ("c/1", 395)];
        assert_eq!(order(&files), ["b/1", "b/2", "c/1", "a/1", "a/2"]);
        let skills = [("skills/a/SKILL.md", 1), ("skills/a/x", 900), ("skills/b/SKILL.md", 1), ("skills/b/y", 5)];
        assert_eq!(order(&skills), ["skills/a/SKILL.md", "skills/b/SKILL.md", "skills/b/y", "skills/a/x"]);
    }
}
