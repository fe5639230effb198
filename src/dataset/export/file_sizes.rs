//! `FileSizes`: how many bytes there are to read in a capability, from the list of files of its snapshot.

use std::collections::{BTreeMap, VecDeque};

use capdex_db::{CurrentCapability, Reader, SnapshotId, StoreError};

/// Lists that are kept: capabilities of one package often come together, and a list may name thousands of files.
const KEPT: usize = 32;

/// The sizes of the files of some snapshots.
#[derive(Default)]
pub struct FileSizes(VecDeque<(SnapshotId, BTreeMap<String, u64>)>);

impl FileSizes {
    /// The bytes of a capability's files together. A file that the list does not name counts for nothing.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(&mut self, reader: &Reader, current: &CurrentCapability) -> Result<u64, StoreError> {
        if !self.0.iter().any(|(known, _)| *known == current.snapshot) {
            let files = reader.files_of(current.snapshot)?;
            self.0.truncate(KEPT - 1);
            let sizes = files.into_iter().map(|file| (file.path, file.size_bytes)).collect();
            self.0.push_front((current.snapshot, sizes));
        }
        let sizes = self.0.iter().find(|(known, _)| *known == current.snapshot).map(|(_, sizes)| sizes);
        let size = |path: &String| sizes.and_then(|sizes| sizes.get(path)).copied().unwrap_or(0);
        Ok(current.capability.files.iter().map(size).sum())
    }
}
