//! Checks a folder against the manifest in it: every file by its digest, and what lies there beside them.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::files_there::{Entry, MAX_MANIFEST_BYTES, is_path_of_ours};
use super::{OutputKind, UNFINISHED, scratch};
use crate::export::file;
use crate::signature;

/// What a check of a folder found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedFolder {
    /// Files whose digest was checked.
    pub files: u64,
    /// Every difference, one sentence each that names the file, in the order of the files.
    pub differences: Vec<String>,
    /// Files that the manifest does not name, sorted. Nothing vouches for them.
    pub beside: Vec<String>,
    /// True where a writing into the folder was cut short, or goes on.
    pub is_unfinished: bool,
}

/// Checks every file that the manifest of a folder names. A manifest that is none of ours is a difference, and nothing is looked
/// at behind it.
///
/// # Errors
/// When there is no manifest, or the folder cannot be read.
pub fn check(dir: &Path, kind: &OutputKind) -> anyhow::Result<CheckedFolder> {
    let path = dir.join(kind.manifest);
    let failed = || format!("failed to read {}", path.display());
    let is_readable = matches!(Entry::at(dir, kind.manifest), Entry::File(about) if about.len() <= MAX_MANIFEST_BYTES);
    anyhow::ensure!(is_readable, "{} is no file of {MAX_MANIFEST_BYTES} bytes at most", path.display());
    let mut checked = CheckedFolder::default();
    let named = match (kind.named)(&fs::read(&path).with_context(failed)?) {
        Ok(named) => named,
        Err(why) => {
            checked.differences.push(format!("{} {why}", kind.manifest));
            return Ok(checked);
        }
    };
    for (path, digest) in &named {
        // A stranger's path would make us read files outside the folder.
        if !is_path_of_ours(path) {
            checked.differences.push(format!("{} names {path:?}, which is no path of a file in it", kind.manifest));
            continue;
        }
        checked.files += 1;
        let found = match Entry::at(dir, path) {
            Entry::File(_) => file::hash(&dir.join(path)).map_err(|error| format!("cannot be read: {error}")),
            Entry::Nothing => Err("is missing".to_owned()),
            Entry::Other => Err("is no regular file".to_owned()),
        };
        match found {
            Ok((found, _)) if !digest.is_empty() && found.starts_with(digest.as_str()) => {}
            Ok(_) => checked.differences.push(format!("{path} has other bytes than {} says", kind.manifest)),
            Err(why) => checked.differences.push(format!("{path} {why}")),
        }
    }
    let own = [kind.manifest.to_owned(), format!("{}{}", kind.manifest, signature::ENDING)];
    for path in all_files(dir)? {
        if path == UNFINISHED {
            checked.is_unfinished = true;
        } else if !named.contains_key(&path) && !own.contains(&path) && path != scratch::LOCK {
            checked.beside.push(path);
        }
    }
    Ok(checked)
}

/// The paths of all that is no folder below a folder, sorted; links are not followed.
fn all_files(dir: &Path) -> anyhow::Result<Vec<String>> {
    let (mut folders, mut found) = (vec![dir.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let failed = || format!("failed to read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(failed)? {
            let entry = entry.with_context(failed)?;
            if entry.file_type().with_context(failed)?.is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path();
            found.push(path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
}
