//! `FilesThere`: the files of ours in an output folder, as they stand now.
//!
//! A file is ours where the manifest of the last writing names it and it has the bytes that the manifest says.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path};
use std::time::SystemTime;

use anyhow::Context as _;
use capdex_model::digest::Digest;

use super::journal::{self, Journal};
use super::{FileDigests, OutputKind, refused, scratch};
use crate::export::file;
use crate::signature;

/// The most bytes of a manifest: that of a site of a million pages has a hundred million.
pub const MAX_MANIFEST_BYTES: u64 = 256 << 20;
/// Hex digits of a digest that a manifest gives at least: too many for anybody to make a file that has them.
const MIN_DIGITS: usize = 32;
/// The folder that some file systems have at their root.
const LOST_AND_FOUND: &str = "lost+found";

/// What stands at a path.
#[derive(Debug)]
pub(super) enum Entry {
    /// Nothing; the folders above it may be missing too.
    Nothing,
    /// A regular file in regular folders.
    File(Metadata),
    /// Something else: a folder, a link, a pipe, or something below a link or a file.
    Other,
}

impl Entry {
    /// Looks at a path of ours below a folder, without following links.
    pub(super) fn at(dir: &Path, path: &str) -> Self {
        let mut whole = dir.to_owned();
        let mut parts = Path::new(path).components().peekable();
        while let Some(part) = parts.next() {
            whole.push(part);
            let about = match fs::symlink_metadata(&whole) {
                Ok(about) => about,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Nothing,
                Err(_) => return Self::Other,
            };
            match parts.peek() {
                None if about.is_file() => return Self::File(about),
                Some(_) if about.is_dir() => {}
                _ => return Self::Other,
            }
        }
        Self::Other
    }

    /// True for a regular file.
    pub(super) const fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

/// How a file looked when its bytes were read: another look tells whether somebody changed it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(about);
        #[cfg(not(unix))]
        let inode = 0;
        Self { bytes: about.len(), modified: about.modified().ok(), inode }
    }
}

/// The files of ours by path, each with its whole digest.
#[derive(Debug)]
pub(super) struct FilesThere(BTreeMap<String, (String, Stamp)>);

impl FilesThere {
    /// Looks at a folder. What a journal names is ours as well.
    ///
    /// # Errors
    /// [`crate::Refused`] where the folder holds anything and no manifest of ours, or where a file of ours is not as we wrote it.
    pub(super) fn look(dir: &Path, kind: &OutputKind, unfinished: Option<&Journal>) -> anyhow::Result<Self> {
        let named = named(dir, kind)?;
        if named.is_none() && unfinished.is_none() {
            expect_empty(dir, kind)?;
        }
        let written = unfinished.map(|journal| [&journal.files, &journal.before]).into_iter().flatten();
        let mut known: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, digest) in named.iter().chain(written).flatten() {
            if !is_path_of_ours(path) || digest.len() < MIN_DIGITS {
                let (path, dir) = (crate::escape::escape(path), dir.display());
                return Err(refused(format!(
                    "the manifest in {dir} names {path}, which no export or site has; name another folder"
                )));
            }
            known.entry(path).or_default().push(digest);
        }
        let mut there = BTreeMap::new();
        for (path, digests) in known {
            let about = match Entry::at(dir, path) {
                // The user may take away what he likes.
                Entry::Nothing => continue,
                Entry::File(about) => about,
                Entry::Other => return Err(in_the_way(dir, path)),
            };
            let whole = dir.join(path);
            let (digest, _) = file::hash(&whole).with_context(|| format!("failed to read {}", whole.display()))?;
            if !digests.iter().any(|known| digest.starts_with(known)) {
                return Err(in_the_way(dir, path));
            }
            there.insert(path.to_owned(), (digest, Stamp::of(&about)));
        }
        there.extend(own_signature(dir, kind)?);
        Ok(Self(there))
    }

    /// Their paths, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Each with its digest.
    pub(super) fn digests(&self) -> FileDigests {
        self.0.iter().map(|(path, (digest, _))| (path.clone(), digest.clone())).collect()
    }

    /// True where a file is there with these bytes.
    pub(super) fn has(&self, path: &str, digest: &str) -> bool {
        self.0.get(path).is_some_and(|(there, _)| there.starts_with(digest))
    }

    /// Refuses where something stands at a path that is not ours, or was changed since it was looked at.
    pub(super) fn expect_room_for(&self, dir: &Path, path: &str) -> anyhow::Result<()> {
        match Entry::at(dir, path) {
            Entry::Nothing => Ok(()),
            Entry::File(about) if self.0.get(path).is_some_and(|(_, seen)| *seen == Stamp::of(&about)) => Ok(()),
            _ => Err(in_the_way(dir, path)),
        }
    }
}

/// The signature of the manifest, where it is one of ours: no manifest can name it, since it is made of the manifest. One that the
/// operator's own tool made is the operator's.
fn own_signature(dir: &Path, kind: &OutputKind) -> anyhow::Result<Option<(String, (String, Stamp))>> {
    let name = format!("{}{}", kind.manifest, signature::ENDING);
    let Entry::File(about) = Entry::at(dir, &name) else { return Ok(None) };
    if about.len() > signature::MAX_BYTES {
        return Ok(None);
    }
    let path = dir.join(&name);
    let bytes = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
    let is_own = signature::is_own(&bytes);
    Ok(is_own.then(|| (name, (Digest::of(&bytes).hex(), Stamp::of(&about)))))
}

fn in_the_way(dir: &Path, path: &str) -> anyhow::Error {
    let (path, dir) = (crate::escape::escape(path), dir.display());
    refused(format!(
        "{path} in {dir} is not as capdex wrote it, and was left as it is: move it away, or name another folder"
    ))
}

/// The files that the manifest of a folder names, itself included; none where there is no manifest.
fn named(dir: &Path, kind: &OutputKind) -> anyhow::Result<Option<FileDigests>> {
    let not_ours = |why: &str| {
        let (manifest, dir, what) = (kind.manifest, dir.display(), kind.what);
        refused(format!("{dir} is there and is not {what}; name another folder ({manifest} {why})"))
    };
    match Entry::at(dir, kind.manifest) {
        Entry::Nothing => return Ok(None),
        Entry::File(about) if about.len() <= MAX_MANIFEST_BYTES => {}
        _ => return Err(not_ours("is none of ours")),
    }
    let path = dir.join(kind.manifest);
    let bytes = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
    let mut named = (kind.named)(&bytes).map_err(|why| not_ours(&why))?;
    // A manifest vouches for itself by its form: it is ours as it stands.
    named.insert(kind.manifest.to_owned(), Digest::of(&bytes).hex());
    Ok(Some(named))
}

/// Refuses a folder that holds anything of somebody else's.
fn expect_empty(dir: &Path, kind: &OutputKind) -> anyhow::Result<()> {
    for entry in fs::read_dir(dir).with_context(|| format!("failed to read {}", dir.display()))? {
        let entry = entry.with_context(|| format!("failed to read {}", dir.display()))?;
        let name = entry.file_name();
        let is_none_of_theirs =
            name == LOST_AND_FOUND || name == scratch::LOCK || scratch::is_scratch_of(&entry.path(), dir);
        if !is_none_of_theirs && name != journal::NAME {
            let (dir, what) = (dir.display(), kind.what);
            return Err(refused(format!("{dir} is there and is not {what}; name another folder")));
        }
    }
    Ok(())
}

/// True for a path that a writing of ours may have: relative, inside, and nothing hidden in it.
pub(super) fn is_path_of_ours(path: &str) -> bool {
    let is_plain =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
    // As text too: a path that is not in its plainest form is none that we write.
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && !path.split('/').any(str::is_empty)
        && Path::new(path).components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_can_name_nothing_outside_and_nothing_hidden() {
        for path in ["a", "a.csv", "c/ab/abc.html"] {
            assert!(is_path_of_ours(path), "{path}");
        }
        for path in ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", ".git/config", "a/.b", "a\\b", "a\0"] {
            assert!(!is_path_of_ours(path), "{path}");
        }
    }
}
