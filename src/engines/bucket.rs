//! `BucketStore`: a store of work in a bucket that speaks S3, with the keys in AWS's own variables.

use std::time::Duration;

use capdex_spread::blobs::MAX_BYTES;
use capdex_spread::{BlobError, BlobStore, names};
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, S3ConditionalPut};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectStore as _, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig,
};
use tokio::runtime::Runtime;
use tokio::time::Instant;
use tracing::warn;
use url::Url;

use crate::{EngineError, runtime};

/// One request, with all its bytes.
const REQUEST: Duration = Duration::from_secs(180);
/// A store that answers with errors or not at all is asked again for so long.
const RETRIES: Duration = Duration::from_secs(120);
/// The first and the longest pause between two tries.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// See [`FIRST_PAUSE`].
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Variables that name the store's own address.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"];

/// A bucket, below a prefix.
pub struct BucketStore {
    address: String,
    prefix: String,
    store: AmazonS3,
    runtime: Runtime,
}

impl BucketStore {
    /// Opens `s3://BUCKET/PREFIX`. Nothing is sent yet.
    ///
    /// # Errors
    /// An address that is none, and variables that lack what a store needs.
    pub fn open(address: &str) -> Result<Self, EngineError> {
        let wrong = |why: &str| EngineError(format!("{address}: {why}"));
        let url = Url::parse(address).map_err(|_| wrong("write s3://BUCKET/PREFIX"))?;
        let bucket =
            url.host_str().filter(|_| url.scheme() == "s3").ok_or_else(|| wrong("write s3://BUCKET/PREFIX"))?;
        let prefix = url.path().trim_matches('/').to_owned();
        if !prefix.is_empty() && !names::is_safe(&prefix) {
            return Err(wrong("letters, digits, dashes and dots are a prefix"));
        }
        // Whoever comes second is told that it was one of the two providers of one process.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let is_plain =
            ENDPOINTS.iter().filter_map(|name| std::env::var(name).ok()).any(|url| url.starts_with("http://"));
        let backoff = BackoffConfig { max_backoff: LONGEST_PAUSE, ..BackoffConfig::default() };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_allow_http(is_plain)
            // Said outright: without it a second creation would win.
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_retry(RetryConfig { backoff, max_retries: usize::MAX, retry_timeout: RETRIES })
            .with_client_options(ClientOptions::new().with_timeout(REQUEST).with_allow_http(is_plain))
            .build()
            .map_err(|error| wrong(&error.to_string()))?;
        Ok(Self { address: address.to_owned(), prefix, store, runtime: runtime()? })
    }

    fn failed(&self, doing: &'static str, name: &str, error: &Error) -> BlobError {
        BlobError { store: self.address.clone(), doing, name: name.to_owned(), detail: error.to_string() }
    }

    /// Tries again for some time where the store fails. The client's own tries leave out a creation whose answer was lost, since it
    /// may have come to pass; here that is no harm: whoever finds a name taken looks at what lies there.
    fn tried<T, F: Future<Output = Result<T, Error>>>(&self, mut once: impl FnMut() -> F) -> Result<T, Error> {
        self.runtime.block_on(async {
            let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
            loop {
                match once().await {
                    Err(error) if is_passing(&error) && begun.elapsed() < RETRIES => {
                        warn!(store = self.address, "tried again: {error}");
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                    }
                    told => return told,
                }
            }
        })
    }

    fn path(&self, name: &str) -> Path {
        let name = name.trim_end_matches('/');
        if self.prefix.is_empty() { Path::from(name) } else { Path::from(format!("{}/{name}", self.prefix)) }
    }

    /// The name of an object, without the prefix.
    fn name(&self, path: &Path) -> String {
        let path = path.as_ref();
        let below = path.strip_prefix(&self.prefix).filter(|_| !self.prefix.is_empty());
        below.map_or(path, |rest| rest.trim_start_matches('/')).to_owned()
    }
}

/// True for an error that may be over soon.
const fn is_passing(error: &Error) -> bool {
    // Anything else says something of the request.
    matches!(error, Error::Generic { .. } | Error::JoinError { .. })
}

impl BlobStore for BucketStore {
    fn address(&self) -> &str {
        &self.address
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let read = || async {
            let found = match self.store.get(&self.path(name)).await {
                Err(Error::NotFound { .. }) => return Ok(None),
                found => found?,
            };
            if found.meta.size > MAX_BYTES {
                let source = format!("{} bytes are more than {MAX_BYTES}", found.meta.size).into();
                return Err(Error::Generic { store: "S3", source });
            }
            found.bytes().await.map(|bytes| Some(bytes.to_vec()))
        };
        self.tried(read).map_err(|error| self.failed("read", name, &error))
    }

    fn has(&self, name: &str) -> Result<bool, BlobError> {
        match self.tried(|| async { self.store.head(&self.path(name)).await }) {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.failed("look for", name, &error)),
        }
    }

    fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, BlobError> {
        let payload = PutPayload::from(bytes.to_vec());
        let path = self.path(name);
        match self.tried(|| self.store.put_opts(&path, payload.clone(), PutMode::Create.into())) {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(self.failed("create", name, &error)),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let path = self.path(folder);
        let list =
            || async { self.store.list(Some(&path)).map_ok(|about| about.location).try_collect::<Vec<Path>>().await };
        let paths = self.tried(list).map_err(|error| self.failed("list", folder, &error))?;
        let mut names: Vec<String> = paths.iter().map(|path| self.name(path)).collect();
        names.sort();
        Ok(names)
    }

    fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.tried(|| async { self.store.delete(&self.path(name)).await }) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed("delete", name, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_none_are_told_with_what_to_write() {
        for address in ["s3:/a", "https://bucket/x", "s3://", "s3://bucket/a b", "s3://bucket/../x/ä"] {
            let error = BucketStore::open(address).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(address), "{address}: {error}");
        }
    }

    #[test]
    fn names_are_below_the_prefix() {
        for (address, path) in [("s3://bucket/team/work", "team/work/out/scan/ab"), ("s3://bucket", "out/scan/ab")] {
            let store = BucketStore::open(address).expect("opens");
            assert_eq!(store.path("out/scan/ab").as_ref(), path);
            assert_eq!(store.name(&store.path("out/scan/ab")), "out/scan/ab");
        }
    }
}
