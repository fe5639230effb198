//! The walk over a directory: sorted, never through a link, and counted like an archive.
//!
//! The tree is untrusted input: it may hold links out of itself, devices, and more entries than fit in memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use capdex_model::snapshot::GapReason;

use crate::unpack::intake::{Intake, IntakeScope};
use crate::unpack::{Refusal, UnpackLimits, Unpacked, read_at_most};

/// The folder of git's own files, which are not part of the input. Anything else that lies there is part of it: hooks
/// that git runs, and files that somebody hides there.
const GIT: &str = ".git";
/// Names that git and its usual companions make in their folder.
const GITS_OWN: [&str; 34] = [
    "AUTO_MERGE",
    "BISECT_LOG",
    "CHERRY_PICK_HEAD",
    "COMMIT_EDITMSG",
    "EDIT_DESCRIPTION",
    "FETCH_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "SQUASH_MSG",
    "TAG_EDITMSG",
    "annex",
    "branches",
    "commondir",
    "config",
    "config.worktree",
    "description",
    "gc.log",
    "gc.pid",
    "gitdir",
    "index",
    "index.lock",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "worktrees",
];
/// More of them, whose names vary or that hold only numbers.
const GITS_OWN_STARTS: [&str; 6] = ["rebase-", "rr-cache", "sharedindex.", "shallow", "sequencer", "fsmonitor"];

/// Returns true if an entry of a folder is git's own.
fn is_gits_own(folder: &Path, entry: &fs::DirEntry) -> io::Result<bool> {
    let own = entry.file_name();
    if own == GIT {
        // A `.git` that is a file belongs to a worktree or a submodule, and only says where the folder is.
        return Ok(!entry.file_type()?.is_dir());
    }
    let name = own.to_string_lossy();
    let is_git = |folder: Option<&Path>| folder.and_then(Path::file_name).is_some_and(|name| name == GIT);
    if is_git(Some(folder)) {
        return Ok(GITS_OWN.contains(&name.as_ref()) || GITS_OWN_STARTS.iter().any(|start| name.starts_with(start)));
    }
    // git fills this folder with samples that it never runs; any other hook runs on the user's machine.
    let in_hooks = folder.file_name().is_some_and(|name| name == "hooks") && is_git(folder.parent());
    Ok(in_hooks && name.ends_with(".sample"))
}

/// Reads everything below `root`. An error only when `root` itself cannot be listed.
pub(super) fn read_directory(root: &Path, limits: &UnpackLimits) -> io::Result<Unpacked> {
    // A folder has no compressed size yet: each file adds its own when it is taken.
    let mut intake = Intake::new(*limits, 0);
    let mut inside = intake.outermost();
    let below = entries(root, "", &inside)?;
    if let Err(refusal) = walk(below, &mut inside) {
        inside.refuse(refusal);
    }
    intake.open_nested();
    Ok(intake.finish())
}

/// Takes all of `below` and what is below that, sorted by name in each directory. An error means that a budget is spent.
fn walk(below: Result<Vec<DirectoryEntry>, Refusal>, inside: &mut IntakeScope<'_>) -> Result<(), Refusal> {
    // The last is next.
    let mut open = below?;
    while let Some(entry) = open.pop() {
        inside.budget().count_member()?;
        open.extend(visit(&entry, inside)?);
    }
    Ok(())
}

/// Something in a directory: where it is, and its name below the root.
struct DirectoryEntry {
    path: PathBuf,
    name: Vec<u8>,
}

/// The entries of a directory, last first. A directory with more entries than may still be counted is refused whole.
/// The system lists in any order, so a part of it would be another part on another machine.
fn entries(directory: &Path, name: &str, inside: &IntakeScope<'_>) -> io::Result<Result<Vec<DirectoryEntry>, Refusal>> {
    let left = inside.budget().members_left();
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let own = entry.file_name();
        if is_gits_own(directory, &entry)? {
            continue;
        }
        // Checked before the entry is kept, so that a directory of millions of entries costs no memory.
        if entries.len() == left {
            return Ok(Err(Refusal::too_many_members(inside.limits().members)));
        }
        let own = own.as_encoded_bytes();
        let name = if name.is_empty() { own.to_vec() } else { [name.as_bytes(), b"/", own].concat() };
        entries.push(DirectoryEntry { path: entry.path(), name });
    }
    // In reverse, because `walk` pops from the end.
    entries.sort_by(|one, other| other.name.cmp(&one.name));
    Ok(Ok(entries))
}

/// Takes one entry; gives what is below a directory. An error means that a budget is spent.
fn visit(entry: &DirectoryEntry, inside: &mut IntakeScope<'_>) -> Result<Vec<DirectoryEntry>, Refusal> {
    match try_visit(entry, inside) {
        Ok(below) => below,
        Err(error) => {
            inside.member_gap(&entry.name, GapReason::Unreadable, error.to_string());
            Ok(Vec::new())
        }
    }
}

fn try_visit(entry: &DirectoryEntry, inside: &mut IntakeScope<'_>) -> io::Result<Result<Vec<DirectoryEntry>, Refusal>> {
    // Not `metadata`: a link out of the tree would put files of this machine into the input.
    let metadata = fs::symlink_metadata(&entry.path)?;
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(&entry.path)?;
        inside.member_gap(&entry.name, GapReason::LinkRefused, format!("a symbolic link to {}", target.display()));
    } else if !kind.is_dir() && !kind.is_file() {
        // Opening a FIFO would wait for a writer that never comes.
        inside.member_gap(&entry.name, GapReason::SpecialRefused, "a device, FIFO or socket");
    } else if let Some(path) = inside.admit(&entry.name) {
        if kind.is_dir() {
            return entries(&entry.path, &path, inside);
        }
        match take(&path, File::open(&entry.path)?, metadata.len(), inside) {
            // A spent budget ends the walk; a file that cannot be read costs only itself.
            Err(refusal) if refusal.is_cap() => return Ok(Err(refusal)),
            Err(refusal) => inside.member_gap(&entry.name, GapReason::Unreadable, refusal.detail),
            Ok(()) => {}
        }
    }
    Ok(Ok(Vec::new()))
}

/// Takes a file under an admitted path. A file above the cap on one file is recorded here; the error says why the bytes
/// could not be had.
pub(super) fn take(path: &str, file: impl Read, size: u64, inside: &mut IntakeScope<'_>) -> Result<(), Refusal> {
    let limits = inside.limits();
    // What is read as it is counts on both sides of the ratio.
    inside.budget().add_compressed(size.min(limits.file_bytes));
    let content =
        if size > limits.file_bytes { Ok(None) } else { read_at_most(inside.capped(file), limits.file_bytes) };
    match content {
        Ok(Some(content)) => inside.keep(path.to_owned(), content),
        Ok(None) => {
            let detail = format!("{size} bytes, more than {} bytes", limits.file_bytes);
            inside.member_gap(path.as_bytes(), GapReason::FileTooLarge, detail);
        }
        Err(error) => return Err(Refusal::of(&error, false)),
    }
    Ok(())
}
