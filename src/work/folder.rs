//! `FolderStore`: a store of work in a folder, which machines may share (NFS, a volume of a cluster).

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_dataset::output_folder::scratch::random_name;
use capdex_spread::blobs::MAX_BYTES;
use capdex_spread::{BlobError, BlobStore, names};

/// A folder of objects.
pub(super) struct FolderStore {
    folder: PathBuf,
    address: String,
}

impl FolderStore {
    /// Opens a folder, which is made where it is not there.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("failed to make the store of work {}", folder.display()))?;
        Ok(Self { folder: folder.to_owned(), address: folder.display().to_string() })
    }

    fn failed(&self, doing: &'static str, name: &str, error: &io::Error) -> BlobError {
        BlobError { store: self.address.clone(), doing, name: name.to_owned(), detail: error.to_string() }
    }

    /// The file of an object. Names are ours, and yet nothing outside the folder can be named.
    fn path(&self, name: &str) -> io::Result<PathBuf> {
        match names::is_safe(name) {
            true => Ok(self.folder.join(name)),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "no name of an object")),
        }
    }

    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.path(name)?;
        match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Ok(about) if about.len() > MAX_BYTES => {
                return Err(io::Error::other(format!("{} bytes are more than {MAX_BYTES}", about.len())));
            }
            _ => {}
        }
        match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Writes beside the place and links there: the name appears with all its bytes, and only if nobody else has it.
    fn link(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let path = self.path(name)?;
        if path.exists() {
            return Ok(false);
        }
        let Some(folder) = path.parent() else { return Err(ErrorKind::InvalidInput.into()) };
        fs::create_dir_all(folder)?;
        let beside = folder.join(random_name());
        let linked = write_new(&beside, bytes).and_then(|()| fs::hard_link(&beside, &path));
        // Whatever happened, the name beside it is of no use.
        let _ = fs::remove_file(&beside);
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn walk(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let mut folders = vec![folder.trim_end_matches('/').to_owned()];
        while let Some(name) = folders.pop() {
            let entries = match fs::read_dir(self.path(&name)?) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let Ok(last) = entry.file_name().into_string() else { continue };
                // What a killed writer left begins with a dot.
                if last.starts_with('.') {
                    continue;
                }
                let inside = format!("{name}/{last}");
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(inside),
                    _ => names.push(inside),
                }
            }
        }
        names.sort();
        Ok(names)
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    // On the disk before it has its name, or a crash could leave an empty result.
    file.sync_all()
}

impl BlobStore for FolderStore {
    fn address(&self) -> &str {
        &self.address
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        self.read(name).map_err(|error| self.failed("read", name, &error))
    }

    fn has(&self, name: &str) -> Result<bool, BlobError> {
        self.path(name).map(|path| path.exists()).map_err(|error| self.failed("look for", name, &error))
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, BlobError> {
        self.link(name, bytes).map_err(|error| self.failed("create", name, &error))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        self.walk(folder).map_err(|error| self.failed("list", folder, &error))
    }

    fn delete(&self, name: &str) -> Result<(), BlobError> {
        let removed = self.path(name).and_then(fs::remove_file);
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failed("delete", name, &error)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_of_many_creates_a_name_and_all_read_what_it_put() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = FolderStore::open(&folder.path().join("work")).expect("opens");
        let created = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..16_u8 {
                let (store, created) = (&store, &created);
                scope.spawn(move || {
                    if store.create("out/scan/aa", &[number; 100_000]).expect("creates") {
                        created.fetch_add(1, Ordering::Relaxed);
                    }
                    let read = store.get("out/scan/aa").expect("reads").expect("there");
                    assert_eq!(read, vec![read[0]; 100_000], "half a file");
                });
            }
        });
        assert_eq!(created.load(Ordering::Relaxed), 1);
        assert_eq!(store.list("out/").expect("lists"), ["out/scan/aa"]);
    }

    #[test]
    fn what_is_not_there_is_none_and_names_stay_inside() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = FolderStore::open(folder.path()).expect("opens");
        assert_eq!(store.get("a/b"), Ok(None));
        assert_eq!(store.has("a/b"), Ok(false));
        assert_eq!(store.list("a/"), Ok(Vec::new()));
        assert_eq!(store.delete("a/b"), Ok(()));
        assert_eq!(store.create("a/b", b"x"), Ok(true));
        assert_eq!(store.create("a/b", b"y"), Ok(false));
        assert_eq!(store.get("a/b"), Ok(Some(b"x".to_vec())));
        store.delete("a/b").expect("deletes");
        assert_eq!(store.has("a/b"), Ok(false));
        for name in ["../a", "/etc/passwd", "a/../../b", ""] {
            assert!(store.get(name).is_err(), "{name}");
            assert!(store.create(name, b"x").is_err(), "{name}");
        }
    }
}
