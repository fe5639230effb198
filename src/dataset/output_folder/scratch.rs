//! `Scratch`: a folder of a name that nobody else has, for files that are not finished.
//!
//! It lies beside the output folder, or inside it where the parent may not be written or is another file system. What a killed
//! process left is known by a mark that names the output folder, and is swept away by the next writing.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The beginning of the name of everything here.
const PREFIX: &str = ".capdex-";
/// Hex digits after it.
const DIGITS: usize = 16;
/// The lock of a folder where folders cannot be locked themselves.
pub(super) const LOCK: &str = ".capdex-lock";
/// The file by which a scratch folder is known; it holds the path of the output folder.
const MARK: &str = ".capdex-scratch-of";
/// How often another name is tried.
const TRIES: usize = 8;

/// A scratch folder. Dropping it removes it with all that it holds.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    is_kept: bool,
}

impl Scratch {
    /// Makes one for an output folder.
    pub(super) fn make(dir: &Path) -> anyhow::Result<Self> {
        let beside = dir.parent().filter(|parent| is_one_file_system(parent, dir));
        // Beside it first: readers of the folder never see what is not finished.
        if let Some(Ok(scratch)) = beside.map(|parent| Self::make_in(parent, dir)) {
            return Ok(scratch);
        }
        Self::make_in(dir, dir).with_context(|| format!("failed to write into {}", dir.display()))
    }

    fn make_in(parent: &Path, dir: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let path = parent.join(random_name());
            match fs::create_dir(&path) {
                Ok(()) => {
                    let mut scratch = Self { path, is_kept: false };
                    match fs::write(scratch.path.join(MARK), dir.as_os_str().as_encoded_bytes()) {
                        Ok(()) => return Ok(scratch),
                        // Empty for a moment, it was swept away by a writing of another folder beside it.
                        Err(error) if error.kind() == ErrorKind::NotFound => scratch.keep(),
                        Err(error) => return Err(error),
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// The one of this name that a killed process left for an output folder; none where there is none.
    pub(super) fn found(dir: &Path, name: &str) -> Option<Self> {
        let places = [dir.parent(), Some(dir)].into_iter().flatten();
        let path = places.map(|place| place.join(name)).find(|path| is_scratch_of(path, dir))?;
        Some(Self { path, is_kept: true })
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// It stays when the value is dropped.
    pub(super) const fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Removes it. One that cannot be removed is swept away by the next writing.
    pub(super) fn discard(&mut self) {
        self.is_kept = true;
        if let Err(error) = remove(&self.path) {
            tracing::warn!(folder = %self.path.display(), %error, "a scratch folder could not be removed");
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept {
            self.discard();
        }
    }
}

/// Removes a scratch folder, its mark last: killed on the way, what is left can still be told for ours.
fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)?.flatten().filter(|entry| entry.file_name() != MARK) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
    }
    fs::remove_dir_all(path)
}

/// A name that nobody has: sixteen random hex digits after our prefix.
pub fn random_name() -> String {
    // The keys of the standard library's hasher are random for each process, and counted on for each hasher.
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("{PREFIX}{random:0DIGITS$x}")
}

/// True for a name that [`random_name`] may have given.
pub(super) fn is_random_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
    })
}

/// True for a folder that one of our processes made to write into `dir`.
pub(super) fn is_scratch_of(path: &Path, dir: &Path) -> bool {
    let has_name = path.file_name().and_then(|name| name.to_str()).is_some_and(is_random_name);
    // Its own links are not followed: a user may have put one there.
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    let mark = path.join(MARK);
    has_name
        && is_folder(path)
        && fs::symlink_metadata(&mark).is_ok_and(|about| about.is_file() && about.len() < 1 << 16)
        && fs::read(&mark).is_ok_and(|of| of == dir.as_os_str().as_encoded_bytes())
}

/// Removes what killed processes left for an output folder, whose lock is held.
pub(super) fn sweep(dir: &Path) {
    for place in [dir.parent(), Some(dir)].into_iter().flatten() {
        let Ok(entries) = fs::read_dir(place) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let has_name = path.file_name().and_then(|name| name.to_str()).is_some_and(is_random_name);
            if is_scratch_of(&path, dir) {
                Scratch { path, is_kept: true }.discard();
            } else if has_name && fs::remove_dir(&path).is_ok() {
                // A process that is killed before it writes its mark leaves an empty folder; one that holds anything stays.
                tracing::debug!(folder = %path.display(), "an empty scratch folder was removed");
            }
        }
    }
}

/// Moves a file into the place of another. Where the place cannot be renamed to (another file system, a mounted file), its bytes
/// are copied: beside the place first, and into the file that stands there where even that cannot be renamed.
///
/// # Errors
/// Errors of the file system. The place holds the old or the new bytes, but for a mounted file on a disk that is full.
pub fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if cannot_be_renamed(&error) => {}
        done => return done,
    }
    let beside = to.with_file_name(random_name());
    let copied = copy_to_new(from, &beside).and_then(|()| fs::rename(&beside, to));
    match copied {
        Ok(()) => {}
        Err(error) => {
            let _ = fs::remove_file(&beside);
            if !cannot_be_renamed(&error) {
                return Err(error);
            }
            fs::copy(from, to)?;
            File::open(to)?.sync_all()?;
        }
    }
    fs::remove_file(from)
}

/// True where a place must be written in another way than by renaming.
pub fn cannot_be_renamed(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::CrossesDevices | ErrorKind::ResourceBusy)
}

fn copy_to_new(from: &Path, to: &Path) -> io::Result<()> {
    let mut target = File::create_new(to)?;
    io::copy(&mut File::open(from)?, &mut target)?;
    target.flush()
}

#[cfg(unix)]
fn is_one_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_one_file_system(_one: &Path, _other: &Path) -> bool {
    true
}
