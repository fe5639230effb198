//! `FileSizes`: how many bytes there are to read in a capability, from the list of files of its snapshot.

use std::collections::VecDeque;

use capdex_db::{Reader, SnapshotId, StoreError};

/// Lists that are kept: capabilities of one package often come together, and a list may name thousands of files.
const KEPT: usize = 32;

/// The sizes of the files of some snapshots.
#[derive(Default)]
pub struct FileSizes(VecDeque<(SnapshotId, Vec<(String, u64)>)>);

impl FileSizes {
    /// The bytes of some files of a snapshot together. A file that its list does not name counts for nothing.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(&mut self, reader: &Reader, snapshot: SnapshotId, files: &[String]) -> Result<u64, StoreError> {
        if !self.0.iter().any(|(known, _)| *known == snapshot) {
            let sizes = reader.file_sizes(snapshot)?;
            self.0.truncate(KEPT - 1);
            self.0.push_front((snapshot, sizes));
        }
        let sizes = self.0.iter().find(|(known, _)| *known == snapshot).map(|(_, sizes)| sizes.as_slice());
        // Sorted by path, so that each is found in a few steps.
        let size = |path: &String| {
            let sizes = sizes?;
            let at = sizes.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
            sizes.get(at).map(|(_, size)| *size)
        };
        Ok(files.iter().filter_map(size).sum())
    }
}
