//! `BlobStore`: the few things that a store of objects has to be able to do. A folder can, and so can a bucket.

/// Objects larger than this are refused: no pack is.
pub const MAX_BYTES: u64 = 4 << 30;

/// Objects by name. Whoever creates a name first wins, on any machine.
pub trait BlobStore: Send + Sync {
    /// The address, as a person wrote it, without secrets.
    fn address(&self) -> &str;

    /// The bytes of an object; none where there is none.
    ///
    /// # Errors
    /// A store that does not answer, or refuses.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError>;

    /// True where an object is there.
    ///
    /// # Errors
    /// See [`Self::get`].
    fn has(&self, name: &str) -> Result<bool, BlobError>;

    /// Puts an object where none is. False where there is one, which stays as it is.
    ///
    /// # Errors
    /// See [`Self::get`].
    fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, BlobError>;

    /// The names that begin with a folder, sorted.
    ///
    /// # Errors
    /// See [`Self::get`].
    fn list(&self, folder: &str) -> Result<Vec<String>, BlobError>;

    /// Removes an object; nothing happens where there is none.
    ///
    /// # Errors
    /// See [`Self::get`].
    fn delete(&self, name: &str) -> Result<(), BlobError>;
}

/// A store of objects that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store {store} failed to {doing} {name}: {detail}")]
pub struct BlobError {
    /// Its address.
    pub store: String,
    /// What was tried.
    pub doing: &'static str,
    /// The object.
    pub name: String,
    /// What went wrong.
    pub detail: String,
}
