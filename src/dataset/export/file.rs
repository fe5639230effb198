//! A file of the dataset, hashed while it is written.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Context as _;
use capdex_model::digest::Hashing;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

/// A file in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRow {
    /// Its name.
    pub path: String,
    /// SHA-256 (hex) of its bytes.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of rows, over all tables in it.
    pub rows: u64,
    /// The instant that its rows name, where it is an earlier one than that of the dataset: the file was taken over from the dataset
    /// of then, since nothing in the table is otherwise now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
}

/// Bytes written at once.
const CHUNK: usize = 128 << 10;

/// A file on its way to the disk.
pub(super) struct HashedFile {
    name: String,
    file: File,
    waiting: Vec<u8>,
    hashing: Hashing,
    bytes: u64,
}

impl HashedFile {
    pub(super) fn create(dir: &Path, name: String) -> anyhow::Result<Self> {
        let file = File::create(dir.join(&name)).with_context(|| format!("failed to make {name}"))?;
        // Small writes of single cells would cost a system call each.
        Ok(Self { name, file, waiting: Vec::new(), hashing: Hashing::default(), bytes: 0 })
    }

    /// Writes what is left; the file's line in the manifest.
    pub(super) fn finish(mut self, rows: u64) -> anyhow::Result<FileRow> {
        // Rows end inside a chunk, and what waits belongs to the digest too.
        self.write_waiting().with_context(|| format!("failed to write {}", self.name))?;
        Ok(FileRow { path: self.name, sha256: self.hashing.digest().hex(), bytes: self.bytes, rows, as_of: None })
    }

    fn write_waiting(&mut self) -> io::Result<()> {
        // Hashed on the way, so that no file is read a second time.
        self.hashing.add(&self.waiting);
        self.bytes += self.waiting.len() as u64;
        self.file.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        // Counted from what waits: a long cell may pass the limit, and goes out at once.
        if self.waiting.len() >= CHUNK {
            self.write_waiting()?;
        }
        Ok(bytes.len())
    }

    /// Nobody needs the bytes on the disk before the end: small pieces would be many writes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens what is a file itself, and not a link to one.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let file = File::open(path)?;
    // Another thing may have taken its name in between.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Hashes a file of which a stranger says that it has so many bytes: read only where that is so, and no further.
pub(super) fn hash_of_size(path: &Path, bytes: u64) -> io::Result<Option<String>> {
    let file = open_regular(path)?;
    if file.metadata()?.len() != bytes {
        return Ok(None);
    }
    // A file that grows while it is read would be read for ever.
    let (digest, read) = hash_all(file.take(bytes.saturating_add(1)))?;
    Ok((read == bytes).then_some(digest))
}

/// Hashes a regular file that is there; gives its digest (hex) and its size in bytes. Never waits: what is no file (a pipe, a
/// device, a link that may lead to one) is an error before it is opened.
pub(crate) fn hash(path: &Path) -> io::Result<(String, u64)> {
    hash_all(open_regular(path)?)
}

pub(crate) fn hash_all(mut file: impl Read) -> io::Result<(String, u64)> {
    let mut hashing = Hashing::default();
    // By chunks, because files may be larger than memory.
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok((hashing.digest().hex(), bytes));
        }
        hashing.add(chunk.get(..read).unwrap_or_default());
        bytes += read as u64;
    }
}
