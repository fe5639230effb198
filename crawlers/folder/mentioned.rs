//! Files in folders that are left out, which the input itself names: what a skill or hook runs there is read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use capdex_model::bundle::BundleFile;

use super::survey::{FoundFile, LeftOutFolder};

/// The most paths that are looked up in one round.
pub(super) const MAX_MENTIONS: usize = 2_000;
/// The longest path that is taken from a text.
const MAX_PATH_BYTES: usize = 512;
/// The largest text that is searched; program text above it is a bundle, which names no files.
const MAX_TEXT_BYTES: usize = 8 << 20;
/// Files of one folder that a pattern such as `hooks/*` names at most.
const MAX_FOLDER_FILES: usize = 64;
/// Files that a program loads where it is given their folder.
const ENTRY_FILES: [&str; 6] = ["package.json", "index.js", "index.mjs", "index.cjs", "__main__.py", "__init__.py"];

/// The paths below a folder of this name that some texts mention, as what follows the folder's name.
pub(super) fn mentions<'a>(texts: impl Iterator<Item = &'a BundleFile>, folder: &str) -> BTreeSet<String> {
    let start = format!("{folder}/");
    let mut found = BTreeSet::new();
    for file in texts.filter(|file| file.bytes.len() <= MAX_TEXT_BYTES) {
        let text = String::from_utf8_lossy(&file.bytes);
        for (at, _) in text.match_indices(&start) {
            // `a.git/` is another folder than `.git/`.
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')) {
                continue;
            }
            let rest = text.get(at + start.len()..).unwrap_or_default();
            let path = path_at_start(rest);
            if !path.is_empty() {
                found.insert(path.to_owned());
            }
            if found.len() > MAX_MENTIONS {
                return found;
            }
        }
    }
    found
}

/// The path that a text begins with.
fn path_at_start(text: &str) -> &str {
    let ends = |letter: char| letter.is_whitespace() || letter.is_control() || "\"'`<>|&;,()[]{}#?$\\".contains(letter);
    let path = text.get(..text.find(ends).unwrap_or(text.len())).unwrap_or_default();
    if path.len() > MAX_PATH_BYTES { "" } else { path.trim_end_matches(['.', ':', '!', '/']) }
}

/// The regular files that a mention names in a folder that was left out.
pub(super) fn files_at(folder: &LeftOutFolder, mention: &str) -> Vec<FoundFile> {
    // A pattern names what lies in the folder before it.
    let (path, is_pattern) = match mention.find('*') {
        Some(at) => (mention.get(..at).and_then(|path| path.rsplit_once('/')).map_or("", |(path, _)| path), true),
        None => (mention, false),
    };
    let relative = Path::new(path);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Vec::new();
    }
    let at = folder.path.join(relative);
    // Through a link the path could lead anywhere.
    let is_inside =
        at.canonicalize().is_ok_and(|real| folder.path.canonicalize().is_ok_and(|own| real.starts_with(own)));
    let Ok(metadata) = fs::metadata(&at) else { return Vec::new() };
    let name = if path.is_empty() { folder.name.clone() } else { format!("{}/{path}", folder.name) };
    let named: Vec<PathBuf> = match (is_inside, metadata.is_dir(), is_pattern) {
        (false, ..) => return Vec::new(),
        (true, false, _) => return found(&at, name).into_iter().collect(),
        (true, true, false) => ENTRY_FILES.iter().map(|entry| at.join(entry)).collect(),
        (true, true, true) => {
            let entries = fs::read_dir(&at).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
            let mut all: Vec<PathBuf> = entries.unwrap_or_default();
            all.sort();
            all.truncate(MAX_FOLDER_FILES);
            all
        }
    };
    let own = |path: &PathBuf| Some(format!("{name}/{}", path.file_name()?.to_str()?));
    named.iter().filter_map(|path| found(path, own(path)?)).collect()
}

fn found(path: &Path, name: String) -> Option<FoundFile> {
    let metadata = fs::symlink_metadata(path).ok()?;
    // What a link names in here is read under its own name, where something names it.
    let metadata = if metadata.is_symlink() { fs::metadata(path).ok()? } else { metadata };
    metadata.is_file().then(|| FoundFile { path: path.to_path_buf(), name, size: metadata.len(), is_bulky: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, folder: &str) -> Vec<String> {
        mentions([BundleFile::new(text.as_bytes())].iter(), folder).into_iter().collect()
    }

    #[test]
    fn paths_end_where_words_end() {
        let text = "Run `sh node_modules/x/a.sh`, then (node \"./node_modules/y\") or node_modules/z/b.js. No node_modules/ alone.";
        assert_eq!(of(text, "node_modules"), ["x/a.sh", "y", "z/b.js"]);
        assert_eq!(
            of("git clone https://git.example/a.git/x && sh .git/description; ls .git/hooks/*", ".git"),
            ["description", "hooks/*"]
        );
    }

    #[test]
    fn a_flood_of_paths_ends() {
        let text: String = (0..MAX_MENTIONS + 50).map(|at| format!("node_modules/{at} ")).collect();
        assert_eq!(of(&text, "node_modules").len(), MAX_MENTIONS + 1);
    }
}
