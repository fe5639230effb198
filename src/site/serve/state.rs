//! The state of the service: the site as it was loaded last, and readers for the rest.
//!
//! A load never holds up an answer: the new site takes the old one's place as a whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use capdex_db::Reader;

use super::Options;
use super::night_metrics::NightMetrics;
use crate::report::site::Site;

/// The site of one state of the store.
pub(super) struct LoadedSite {
    /// Grows with every load.
    pub(super) generation: u64,
    /// The data of pages and the API.
    pub(super) site: Site,
    /// The figures of the last night.
    pub(super) night: NightMetrics,
}

/// The data shared between the loader and those who answer.
#[derive(Default)]
pub(super) struct ServeState {
    loaded: RwLock<Option<Arc<LoadedSite>>>,
    readers: Mutex<ReaderPool>,
}

/// Readers that lie ready.
#[derive(Default)]
struct ReaderPool {
    /// Grows when another file takes the store's place.
    epoch: u64,
    readers: Vec<Reader>,
}

impl ServeState {
    /// The site; none before the first load.
    pub(super) fn loaded(&self) -> Option<Arc<LoadedSite>> {
        // A thread that panicked with the lock left a whole value: it is only ever exchanged.
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn put(&self, loaded: LoadedSite) {
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(loaded));
    }

    fn ready(&self) -> MutexGuard<'_, ReaderPool> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the readers, those that are lent when they come back.
    pub(super) fn forget_readers(&self) {
        let mut ready = self.ready();
        ready.epoch += 1;
        ready.readers.clear();
    }

    /// Lends a reader; one is opened where none lies ready. There are as many open as answers are made at once.
    pub(super) fn with_reader<T>(
        &self,
        options: &Options,
        work: impl FnOnce(&Reader) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // The lock is held only to take one out, never while the store is read.
        let (ready, epoch) = {
            let mut ready = self.ready();
            (ready.readers.pop(), ready.epoch)
        };
        let reader = match ready {
            Some(reader) => reader,
            None => Reader::open(&options.store, options.rules)?,
        };
        let result = work(&reader);
        // One that failed may be broken, and is not lent again.
        let mut ready = self.ready();
        if result.is_ok() && ready.epoch == epoch {
            ready.readers.push(reader);
        }
        result
    }
}
