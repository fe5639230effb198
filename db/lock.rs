//! The lock that makes one process the writer: an OS lock on `<store>.lock`, freed by the system when its holder dies.
//!
//! SQLite's own locks are per transaction; a second writing process would only be noticed when it writes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Held as long as it lives.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the store at `store`, or says who cannot: [`StoreError::Locked`]. The file stays when the
    /// lock is freed: deleting it would let two processes lock two files of one name.
    pub(crate) fn take(store: &Path) -> Result<Self, StoreError> {
        let path = lock_path(store);
        let io = |what| {
            let path = path.clone();
            move |source| StoreError::Io { what, path, source }
        };
        // Opening changes nothing in the file: another process may hold it.
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(io("open the lock file"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: store.to_owned() }),
            Err(TryLockError::Error(source)) => Err(io("lock")(source)),
        }
    }
}

/// True while another process writes to the store at `store`. Makes the lock's file where there is none.
pub fn is_locked(store: &Path) -> Result<bool, StoreError> {
    // As [`crate::Store::open`] does: a link and its target must meet at one lock.
    let store = std::fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    match Lock::take(&store) {
        // Held for a moment only: the lock is freed as this value is dropped.
        Ok(_) => Ok(false),
        Err(StoreError::Locked { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn lock_path(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
