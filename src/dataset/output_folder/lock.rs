//! `FolderLock`: two writings into one folder exclude each other, by a lock of the system that ends with its holder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::refused;

/// How often a folder that was taken away meanwhile is looked for again.
const TRIES: usize = 3;

/// The lock of a folder, which is made where there is none.
#[derive(Debug)]
pub(super) struct FolderLock {
    dir: PathBuf,
    /// Made by us: an empty one goes again.
    is_made: bool,
    _file: File,
}

impl FolderLock {
    /// Takes the lock of the folder that `out` leads to.
    ///
    /// # Errors
    /// While another process holds it, and for an `out` that is a file.
    pub(super) fn take(out: &Path) -> anyhow::Result<Self> {
        for _ in 0..TRIES {
            let is_made = make(out)?;
            let dir = fs::canonicalize(out).with_context(|| format!("failed to find {}", out.display()))?;
            let file = opened(&dir).with_context(|| format!("failed to open {}", dir.display()))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => bail!(
                    "another process writes into {} at the moment; wait for it to end, or name another folder",
                    out.display()
                ),
                // Some network file systems lock nothing. There the operator must see to it.
                Err(TryLockError::Error(error)) => {
                    tracing::warn!(folder = %dir.display(), %error, "the folder cannot be locked; nothing else may write into it");
                }
            }
            // The holder of before may have taken the folder away before it gave the lock back.
            if is_still(&file, &dir) {
                return Ok(Self { dir, is_made, _file: file });
            }
        }
        bail!("{} comes and goes; wait until nothing else writes there", out.display())
    }

    /// The folder, by its real path.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder stays, because something lies in it now.
    pub(super) const fn keep(&mut self) {
        self.is_made = false;
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if self.is_made {
            // Fails where it is not empty, which is as it should be.
            let _ = fs::remove_dir(&self.dir);
        }
    }
}

/// Makes the folder; true where it was not there.
fn make(out: &Path) -> anyhow::Result<bool> {
    match fs::metadata(out) {
        Ok(about) if about.is_dir() => Ok(false),
        Ok(_) => Err(refused(format!("{} is there and is no folder; name another one", out.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(out).with_context(|| format!("failed to create {}", out.display()))?;
            Ok(true)
        }
        Err(error) => Err(error).with_context(|| format!("failed to look at {}", out.display())),
    }
}

#[cfg(unix)]
fn opened(dir: &Path) -> io::Result<File> {
    // The folder itself is locked, so that nothing has to be put into it.
    File::open(dir)
}

#[cfg(not(unix))]
fn opened(dir: &Path) -> io::Result<File> {
    // Folders cannot be opened there.
    File::options().create(true).truncate(false).write(true).open(dir.join(super::scratch::LOCK))
}

#[cfg(unix)]
fn is_still(file: &File, dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |about: fs::Metadata| (about.dev(), about.ino());
    match (file.metadata(), fs::metadata(dir)) {
        (Ok(held), Ok(there)) => identity(held) == identity(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_file: &File, dir: &Path) -> bool {
    dir.is_dir()
}
