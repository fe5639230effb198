//! Files that are put in place as a whole.
//!
//! The bytes are whatever the caller gives.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use capdex_dataset::output_folder::scratch;

/// Puts a file in place as a whole: readers see the old or the new one, also after a crash. Leaves one that is the same as it
/// is. The bytes first go into a file of a name of its own beside it. A file that cannot be renamed to, because it is mounted
/// or its folder may not be written, is written in place. Who may read the file stays as it was.
///
/// # Errors
/// Errors of the file system. A file that is written in place on a full disk has lost its bytes.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The same bytes leave the time of change as it was, which others may watch.
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let beside = path.with_file_name(scratch::random_name());
    let permissions = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|about| about.permissions());
    let replaced = write_new(&beside, bytes, permissions).and_then(|()| fs::rename(&beside, path));
    let Err(error) = replaced else { return Ok(()) };
    // Whatever it is, it is not finished: on a full disk it would keep it full.
    let _ = fs::remove_file(&beside);
    let may_be_written = scratch::cannot_be_renamed(&error)
        || matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
    // Only what is a file already: never through a link, and never half a new one.
    if may_be_written && fs::symlink_metadata(path).is_ok_and(|about| about.is_file()) {
        return write_in_place(path, bytes);
    }
    Err(error)
}

/// The same below folders that need not be there yet.
///
/// # Errors
/// Errors of the file system.
pub fn replace_below(path: &Path, bytes: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    replace(path, bytes)
}

fn write_new(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    // Never through a link: `create_new` refuses whatever stands there.
    let mut file = File::create_new(path)?;
    // Before the bytes, which may be a secret.
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    // On the disk before the rename, or a crash could leave an empty file in place.
    file.sync_all()
}

fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
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
        assert!(replace(folder.path(), b"").is_err(), "a folder is no file");
    }

    #[test]
    fn what_the_user_has_beside_it_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, theirs) = (folder.path().join("a.json"), folder.path().join("a.json.new"));
        fs::write(&theirs, "mine").expect("written");
        replace(&path, b"new").expect("written");
        assert_eq!(fs::read_to_string(&theirs).expect("readable"), "mine");
        assert_eq!(fs::read_to_string(&path).expect("readable"), "new");
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_it_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        fs::write(&path, "one").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        replace(&path, b"two").expect("written");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("a.json"), folder.path().join("other"));
        fs::write(&other, "mine").expect("written");
        std::os::unix::fs::symlink(&other, &path).expect("linked");
        replace(&path, b"new").expect("written");
        assert_eq!(fs::read_to_string(&other).expect("readable"), "mine");
        assert_eq!(fs::read_to_string(&path).expect("readable"), "new");
    }
}
