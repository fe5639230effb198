//! Files that are put in place as a whole.
//!
//! The bytes are whatever the caller gives.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Puts a file in place as a whole: readers see the old or the new one, also after a crash. Leaves one that is the same as it
/// is. The bytes first go into a file of its own: a link that somebody left under that name is taken away.
///
/// # Errors
/// Errors of the file system.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The same bytes leave the time of change as it was, which others may watch.
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // Never through a link: `create_new` refuses whatever stands there.
    let mut file = File::create_new(&beside)?;
    file.write_all(bytes)?;
    // On the disk before the rename, or a crash could leave an empty file in place.
    file.sync_all()?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        for text in ["one", "two", "two"] {
            replace(&path, text.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("readable"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
        assert!(replace(&folder.path().join("nowhere/a.json"), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_under_the_name_beside_leads_nowhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("a.json"), folder.path().join("other"));
        fs::write(&other, "mine").expect("written");
        std::os::unix::fs::symlink(&other, folder.path().join("a.json.new")).expect("linked");
        replace(&path, b"new").expect("written");
        assert_eq!(fs::read_to_string(&other).expect("readable"), "mine");
        assert_eq!(fs::read_to_string(&path).expect("readable"), "new");
    }
}
