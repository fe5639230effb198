//! A folder that is replaced as a whole: written beside its place, then renamed, so that nobody sees half of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// Makes an empty folder beside `out`, in which everything is written before it takes that place. `mark` is the file by which a
/// folder of ours is known; `what` names its kind in the error.
///
/// # Errors
/// When `out` is somebody else's: a file, or a folder that is not empty and lacks the mark.
pub fn stage(out: &Path, mark: &str, what: &str) -> anyhow::Result<PathBuf> {
    // Only a folder with our own manifest may be replaced; an empty one holds nothing to lose.
    let occupied = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if (occupied && !out.join(mark).is_file()) || out.is_file() {
        return Err(crate::Refused(format!("{} is there and is not {what}; name another folder", out.display())).into());
    }
    let staging = beside(out, "new");
    // What a killed export left is rubbish: it never became a dataset.
    clear(&staging)?;
    fs::create_dir_all(&staging).with_context(|| format!("failed to create {}", staging.display()))?;
    Ok(staging)
}

fn beside(out: &Path, suffix: &str) -> PathBuf {
    let name = out.file_name().map_or_else(|| "export".into(), |name| name.to_string_lossy().into_owned());
    // Beside it and hidden: a rename works only within one file system.
    out.with_file_name(format!(".{name}.{suffix}"))
}

fn clear(path: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(path) {
        // Not there is as good as removed.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Puts the new folder in the old one's place: two renames, so that a reader finds the whole old or the whole new one.
pub fn replace(staging: &Path, out: &Path) -> anyhow::Result<()> {
    let old = beside(out, "old");
    clear(&old)?;
    // Moved away rather than deleted, so that readers lose the old one only for the time of one rename.
    match fs::rename(out, &old) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            bail!("failed to move {} away: {error}", out.display())
        }
        _ => {}
    }
    fs::rename(staging, out).with_context(|| format!("failed to put {} in place", out.display()))?;
    // Last: until here the old dataset can be put back by hand.
    clear(&old)
}
