//! `SnapshotId`: the number by which a snapshot is named in this store.

/// A snapshot in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(pub i64);
