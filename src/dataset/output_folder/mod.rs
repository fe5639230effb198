//! `OutputFolder`: a folder into which a dataset or a site is written, file by file, beside whatever else lies there.
//!
//! The manifest of the last writing says which files are ours: those that it names and that still have the bytes that it says.
//! They are replaced; everything else in the folder is the user's and stays. New files are made in a scratch folder and moved
//! into place one by one, the manifest last. A journal in the folder says so meanwhile: what is killed there is completed by
//! the next writing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::Refused;
use crate::signature::{self, SigningKey};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use files_there::{Entry, FilesThere};
use journal::Journal;
use lock::FolderLock;
use scratch::Scratch;

mod checked;
mod files_there;
mod journal;
mod lock;
pub mod scratch;

pub use checked::{CheckedFolder, check};
pub use files_there::MAX_MANIFEST_BYTES;

/// The name of the journal: a folder that holds it was cut short while its files were replaced, or is being written.
pub const UNFINISHED: &str = journal::NAME;

/// Files by their path in the folder, with the SHA-256 of their bytes in hex: the whole digest, or its first 32 digits at least.
pub type FileDigests = BTreeMap<String, String>;

/// What is written into a folder.
#[derive(Debug)]
pub struct OutputKind {
    /// Its name in a message, such as `an export`.
    pub what: &'static str,
    /// The file that names all others, by which a folder of ours is known. It is written last.
    pub manifest: &'static str,
    /// The files that a manifest names, or why these bytes are no manifest of ours.
    pub named: fn(&[u8]) -> Result<FileDigests, String>,
}

/// A folder that this process alone writes into, as long as the value lives.
#[derive(Debug)]
pub struct OutputFolder {
    kind: &'static OutputKind,
    lock: FolderLock,
    there: FilesThere,
    scratch: Scratch,
}

impl OutputFolder {
    /// Takes the folder, which is made where there is none, and completes a writing that was cut short in it. Dropping the
    /// value leaves the folder as it was.
    ///
    /// # Errors
    /// [`Refused`] where the folder holds files and no manifest of ours, or where a file of ours was changed since. Others
    /// while another process writes into it, and for what the file system refuses.
    pub fn claim(out: &Path, kind: &'static OutputKind) -> anyhow::Result<Self> {
        let lock = FolderLock::take(out)?;
        let dir = lock.dir();
        if let Some(journal) = Journal::read(dir, kind)? {
            complete(dir, kind, &journal)?;
        }
        // After the journal's own scratch folder was used: all that is left was left by writings that changed nothing.
        scratch::sweep(dir);
        let there = FilesThere::look(dir, kind, Journal::read(dir, kind)?.as_ref())?;
        let scratch = Scratch::make(dir)?;
        Ok(Self { kind, lock, there, scratch })
    }

    /// The empty folder in which the new files are made, each under the path that it will have, the manifest too.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// True where a file of ours lies at a path with the bytes of a digest (hex, whole or its first digits): it need not be made again.
    pub fn has(&self, path: &str, digest: &str) -> bool {
        self.there.has(path, digest)
    }

    /// Refuses where something of the user's stands in the place of one of these files.
    ///
    /// # Errors
    /// [`Refused`], naming the file.
    pub fn expect_room_for<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
        paths.into_iter().try_for_each(|path| self.there.expect_room_for(self.lock.dir(), path))
    }

    /// Refuses where a signature of somebody else's stands in the place of ours.
    ///
    /// # Errors
    /// [`Refused`], naming the file.
    pub fn expect_room_for_signature(&self) -> anyhow::Result<()> {
        self.there.expect_room_for(self.lock.dir(), &self.signature())
    }

    /// Signs the manifest that was made in the scratch folder, and adds the signature to the files that are put in place. `digest`
    /// is the one (hex) by which the signature's comment names the whole.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn sign(
        &self,
        key: &SigningKey,
        (what, digest, as_of): (&str, &str, AsOf),
        files: &mut FileDigests,
    ) -> anyhow::Result<()> {
        let manifest = self.scratch.path().join(self.kind.manifest);
        let bytes = fs::read(&manifest).with_context(|| format!("failed to read {}", manifest.display()))?;
        let text = key.sign(&bytes, what, digest, as_of)?;
        let path = self.scratch.path().join(self.signature());
        fs::write(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
        files.insert(self.signature(), Digest::of(text.as_bytes()).hex());
        Ok(())
    }

    /// The name of the manifest's signature.
    fn signature(&self) -> String {
        format!("{}{}", self.kind.manifest, signature::ENDING)
    }

    /// Puts the files that were made in the scratch folder in place, the manifest last, and removes those of before that are
    /// not among them. Files that are there with the same bytes are left alone.
    ///
    /// # Errors
    /// [`Refused`] where something of the user's is in the way: nothing was changed then. Else what the file system refuses; the
    /// next writing completes it.
    pub fn put_in_place(mut self, mut files: FileDigests) -> anyhow::Result<()> {
        let manifest = self.scratch.path().join(self.kind.manifest);
        // On the disk before it has its name, or a power cut could leave an empty manifest over old files.
        File::open(&manifest)
            .and_then(|file| file.sync_all())
            .with_context(|| format!("failed to write {} to the disk", manifest.display()))?;
        let bytes = fs::read(&manifest).with_context(|| format!("failed to read {}", manifest.display()))?;
        files.insert(self.kind.manifest.to_owned(), Digest::of(&bytes).hex());
        place(self.lock.dir(), self.kind, &self.there, &mut self.scratch, &files)?;
        self.lock.keep();
        Ok(())
    }
}

/// Moves files of the scratch folder into place.
fn place(
    dir: &Path,
    kind: &OutputKind,
    there: &FilesThere,
    scratch: &mut Scratch,
    files: &FileDigests,
) -> anyhow::Result<()> {
    // All of it is looked at before any of it is changed.
    for path in files.keys() {
        there.expect_room_for(dir, path)?;
    }
    let stale: Vec<&str> = there.paths().filter(|path| !files.contains_key(*path)).collect();
    for path in &stale {
        there.expect_room_for(dir, path)?;
    }
    let is_news = |path: &str, digest: &str| !there.has(path, digest);
    let news: Vec<&str> =
        files.iter().filter(|(path, digest)| is_news(path, digest)).map(|(path, _)| path.as_str()).collect();
    if !news.is_empty() || !stale.is_empty() {
        let journal = Journal::of(kind, scratch, files, there);
        journal.write(dir, scratch)?;
        // From here on the files in the scratch folder are what completes the writing.
        scratch.keep();
        let is_manifest = |path: &&str| *path == kind.manifest;
        for path in news.iter().filter(|path| !is_manifest(path)) {
            move_into(dir, scratch.path(), path)?;
        }
        for path in stale {
            remove(dir, path)?;
        }
        for path in news.iter().filter(|path| is_manifest(path)) {
            move_into(dir, scratch.path(), path)?;
        }
    }
    Journal::remove(dir)?;
    scratch.discard();
    Ok(())
}

/// Completes a writing that was cut short, where everything for it is still there. Else what it left is ours, as the journal
/// says, and the next writing replaces it.
fn complete(dir: &Path, kind: &'static OutputKind, journal: &Journal) -> anyhow::Result<()> {
    let Some(mut scratch) = Scratch::found(dir, &journal.scratch) else { return Ok(()) };
    let there = FilesThere::look(dir, kind, Some(journal))?;
    let is_made = |path: &str| Entry::at(scratch.path(), path).is_file();
    if !journal.files.iter().all(|(path, digest)| there.has(path, digest) || is_made(path)) {
        return Ok(());
    }
    tracing::info!(folder = %dir.display(), "a writing that was cut short is completed");
    place(dir, kind, &there, &mut scratch, &journal.files)
}

/// Moves one file into place, with the folders above it.
fn move_into(dir: &Path, scratch: &Path, path: &str) -> anyhow::Result<()> {
    let (from, to) = (scratch.join(path), dir.join(path));
    let failed = || format!("failed to put {} in place", to.display());
    if let Some(parent) = to.parent().filter(|parent| !parent.is_dir()) {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    scratch::move_file(&from, &to).with_context(failed)
}

/// Removes a file of ours that is no part of the new writing, and the folders above it that are empty then.
fn remove(dir: &Path, path: &str) -> anyhow::Result<()> {
    let whole: PathBuf = dir.join(path);
    match fs::remove_file(&whole) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("failed to remove {}", whole.display()));
        }
        _ => {}
    }
    let mut above = whole.parent();
    while let Some(folder) = above.filter(|folder| *folder != dir) {
        // One that holds anything stays.
        if fs::remove_dir(folder).is_err() {
            break;
        }
        above = folder.parent();
    }
    Ok(())
}

/// The error for what the user must decide.
fn refused(text: String) -> anyhow::Error {
    Refused(text).into()
}

#[cfg(test)]
mod tests;
