//! Work for a coordinator elsewhere: stores of work, the worker, and the process in which it computes.
//!
//! A worker keeps nothing: what is done lies in the store, and what is not is done by another. Sources: `src/spread/README.md`.

pub mod by_index;
#[cfg(feature = "spread")]
pub mod by_queue;
pub mod child;
mod folder;
mod limits;
pub mod process;
pub mod rows;
pub mod worker;

use std::path::Path;

use capdex_spread::{BlobStore, Versions};

use crate::exit::usage;

/// The scheme of addresses of buckets.
const BUCKET: &str = "s3://";

/// What this program can work on.
pub fn versions() -> Versions {
    Versions { engine: capdex_dataset::program::version().to_owned(), rules: capdex_rules::INDEX.digest() }
}

/// Opens a store of work: a folder, or `s3://BUCKET/PREFIX` where the program was built with the feature `spread`.
///
/// # Errors
/// A folder that cannot be made, and an address that this program cannot open.
pub fn open_store(address: &str) -> anyhow::Result<Box<dyn BlobStore>> {
    if address.starts_with(BUCKET) {
        return open_bucket(address);
    }
    if let Some((scheme, _)) = address.split_once("://") {
        return Err(usage(format!("{scheme}:// is no store of work; write a folder, or {BUCKET}BUCKET/PREFIX")));
    }
    Ok(Box::new(folder::FolderStore::open(Path::new(address))?))
}

#[cfg(feature = "spread")]
fn open_bucket(address: &str) -> anyhow::Result<Box<dyn BlobStore>> {
    let bucket = capdex_engines::BucketStore::open(address).map_err(|error| usage(error.to_string()))?;
    Ok(Box::new(bucket))
}

#[cfg(not(feature = "spread"))]
fn open_bucket(address: &str) -> anyhow::Result<Box<dyn BlobStore>> {
    Err(usage(format!("{address}: {WITHOUT_FEATURE}")))
}

/// What somebody is told who asks for what this program was built without.
#[cfg(not(feature = "spread"))]
pub const WITHOUT_FEATURE: &str = "this program knows folders alone; build it with `--features spread` for S3 and NATS";
