//! `StoreError`: what went wrong with the store, named by what the caller must do about it.
//!
//! Untrusted bytes inside blobs never make an error here; an untrusted file given as the store does.

use std::path::PathBuf;

use capdex_model::time::AsOf;
use rusqlite::ErrorCode;

/// Why the store could not be opened, read or written. A failed write has left nothing behind.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another handle is writing to this store. Wait for it to end, or use another store.
    #[error("store locked: {} is being written to by another process", path.display())]
    Locked {
        /// The store's file.
        path: PathBuf,
    },
    /// There is no such file, and the command only reads.
    #[error("there is no store at {}", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// The file is something else. It was not touched.
    #[error("{} is not a capdex store", path.display())]
    NotAStore {
        /// The path as given.
        path: PathBuf,
    },
    /// The file is a store whose content is destroyed. Restore a backup.
    #[error("the store {} is damaged: {detail}", path.display())]
    Damaged {
        /// The store's file.
        path: PathBuf,
        /// The defect.
        detail: String,
    },
    /// The store was written by a newer program. Use that one; this one did not touch it.
    #[error("the store {} has schema version {found}, this program knows only {known}", path.display())]
    TooNew {
        /// The store's file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// The store was written by an older program, and the command only reads. Any command that writes migrates it.
    #[error("the store {} has schema version {found} and must be migrated to {known} by a command that writes", path.display())]
    TooOld {
        /// The store's file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The schema version that this program reads.
        known: i64,
    },
    /// Writes wait in the log beside the store, and its folder cannot be written: SQLite reads them only with a file of shared
    /// memory beside them. Without them the answers would be old.
    #[error("the log {} holds writes that cannot be read where nothing can be written", path.display())]
    LogUnreadable {
        /// The log's file.
        path: PathBuf,
    },
    /// The system refused something about the store's files.
    #[error("could not {what} {}", path.display())]
    Io {
        /// The operation that was tried, as a verb phrase.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// SQLite refused a statement: the disk is full, the file is read-only, a constraint does not hold.
    #[error("could not {what}")]
    Sql {
        /// The operation that was tried, as a verb phrase.
        what: &'static str,
        /// SQLite's error.
        #[source]
        source: rusqlite::Error,
    },
    /// A stored value is not what the schema promises: someone else wrote to the file, or it is damaged.
    #[error("the stored {what} cannot be read: {detail}")]
    Corrupt {
        /// Which value.
        what: &'static str,
        /// Its defect.
        detail: String,
    },
    /// The bytes were pruned. Their facts and scores stay; they cannot be computed again until the bytes are fetched again.
    #[error("the bytes of {what} were pruned on {at}")]
    Pruned {
        /// The package and its version.
        what: String,
        /// The as-of instant of the pruning.
        at: AsOf,
    },
    /// The caller names something that the store does not hold.
    #[error("the store holds no {what} {key}")]
    Unknown {
        /// The noun.
        what: &'static str,
        /// Its key.
        key: String,
    },
    /// The caller gives something that the store does not take.
    #[error("the store does not take this {what}: {detail}")]
    Refused {
        /// The noun.
        what: &'static str,
        /// The rule that refuses.
        detail: String,
    },
    /// The job is not held any more: its lease ran out and another worker finished it. Drop the work.
    #[error("job {0} is not held any more")]
    NotHeld(i64),
    /// The caller's own work decided not to commit. Never made by the store itself.
    #[error("the work was abandoned: {0}")]
    Abandoned(String),
    /// The work panicked inside its transaction, which was rolled back, or the writer could not take it.
    #[error("the write was cut short before it was committed")]
    CutShort,
    /// The work itself called [`crate::Store::write`], which would wait for itself for ever.
    #[error("a write was asked for inside a write")]
    WriteInsideWrite,
}

impl StoreError {
    /// What a person can do about it, as words for the end of a sentence; none where the error says it, where the system's own
    /// error does, or where nobody knows.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::Locked { .. } => "wait until it ends, or name another store with --db",
            Self::NotAStore { .. } => "name a store, or a file that is not there yet, with --db",
            Self::Damaged { .. } => "put a copy in its place: `capdex restore FILE`",
            Self::TooNew { .. } => "use the program that wrote it, or a newer one",
            Self::LogUnreadable { .. } => {
                "copy the store and its `-wal` file where they can be written, or run any capdex command once where the store is"
            }
            Self::Sql { source, .. } => match source.sqlite_error_code()? {
                ErrorCode::DiskFull => "make room on the disk of the store",
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                    "this command writes: change the rights of the store's folder, or name another store with --db"
                }
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    "wait until the other process has written, and try again"
                }
                ErrorCode::DatabaseCorrupt => "put a copy in its place: `capdex restore FILE`",
                _ => return None,
            },
            _ => return None,
        })
    }
}
