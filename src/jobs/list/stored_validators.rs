//! The store's knowledge of a listing, asked for one listing at a time by sources while they walk.
//!
//! Nothing is kept in memory: a directory of any size is walked in the same memory.

use std::sync::{Mutex, PoisonError};

use capdex_crawlers::ValidatorLookup;
use capdex_db::Reader;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;
use tracing::error;

/// The store, as sources may ask it.
pub(super) struct StoredValidators {
    reader: Mutex<Reader>,
    /// True where it keeps what it knows to itself.
    is_silent: bool,
}

impl StoredValidators {
    pub(super) const fn new(reader: Reader, is_silent: bool) -> Self {
        Self { reader: Mutex::new(reader), is_silent }
    }
}

impl ValidatorLookup for StoredValidators {
    fn validators(&self, key: &ListingKey) -> Option<Validators> {
        // Asked anew: with a validator a host that lies could answer "not modified" for bytes that changed.
        if self.is_silent {
            return None;
        }
        // A walk that panicked while it read has changed nothing here, so the reader is still good.
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        match reader.validators(key) {
            Ok(validators) => validators,
            Err(error) => {
                // Without validators the listing is read in full, which is dearer and never wrong.
                error!(listing = %key, %error, "the store does not say what it knows of a listing");
                None
            }
        }
    }
}
