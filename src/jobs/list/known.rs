//! What the store knows of a listing, asked one at a time by sources while they walk.
//!
//! Must not keep anything: a directory of any size is walked in the same memory.

use std::sync::{Mutex, PoisonError};

use capdex_crawlers::Known;
use capdex_db::Reader;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;
use tracing::error;

/// The store, as sources may ask it.
pub(super) struct Stored {
    reader: Mutex<Reader>,
    /// Whether it keeps what it knows to itself.
    is_silent: bool,
}

impl Stored {
    pub(super) const fn new(reader: Reader, is_silent: bool) -> Self {
        Self { reader: Mutex::new(reader), is_silent }
    }
}

impl Known for Stored {
    fn validators(&self, key: &ListingKey) -> Option<Validators> {
        if self.is_silent {
            return None;
        }
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
