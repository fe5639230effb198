//! The store's knowledge of a listing, asked for one listing at a time by sources while they walk.
//!
//! Nothing is kept in memory: a directory of any size is walked in the same memory.

use std::sync::{Mutex, PoisonError};

use capdex_crawlers::ValidatorLookup;
use capdex_db::{Reader, StoreError};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Locator, Validators};
use capdex_model::source_role::Ecosystem;
use tracing::error;

/// The store, as sources may ask it.
pub(super) struct StoredValidators {
    reader: Mutex<Reader>,
    /// True where it keeps what it knows to itself.
    is_silent: bool,
    /// True where listings are of a kind that an earlier program read in part.
    has_earlier_forms: bool,
}

impl StoredValidators {
    /// The store as a source of `kind` may ask it.
    pub(super) fn new(reader: Reader, is_silent: bool, kind: &str) -> Self {
        let ecosystem = capdex_crawlers::source(kind).and_then(|source| source.meta().role.ecosystem());
        Self { reader: Mutex::new(reader), is_silent, has_earlier_forms: ecosystem == Some(Ecosystem::Pypi) }
    }

    /// What is known of a listing; nothing where it was read by a program that did not look at every file of a version.
    /// The server would say "not modified" of it for ever.
    fn known(&self, reader: &Reader, key: &ListingKey) -> Result<Option<Validators>, StoreError> {
        let is_earlier = |locator: &Locator| matches!(locator, Locator::PypiPackage { others: None, .. });
        if self.has_earlier_forms {
            let listing = reader.listing(key)?.and_then(|stored| stored.listing);
            if listing.is_some_and(|listing| listing.locators.iter().any(is_earlier)) {
                return Ok(None);
            }
        }
        reader.validators(key)
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
        match self.known(&reader, key) {
            Ok(validators) => validators,
            Err(error) => {
                // Without validators the listing is read in full, which is dearer and never wrong.
                error!(listing = %key, %error, "the store does not say what it knows of a listing");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use capdex_db::Store;
    use capdex_model::listing::{Claims, Listing};
    use capdex_model::time::{AsOf, Timestamp};

    use super::*;

    #[test]
    fn a_listing_that_an_earlier_program_read_in_part_is_asked_for_as_if_nothing_were_known() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(&folder.path().join("capdex.db"), &capdex_rules::INDEX).expect("opens");
        let listing = |name: &str, others| {
            let locator = Locator::PypiPackage {
                registry: None,
                name: name.into(),
                version: "1".into(),
                url: String::new(),
                filename: format!("{name}-1.tar.gz"),
                integrity: Vec::new(),
                others,
            };
            let key = ListingKey::new("pypi", name);
            Listing { key, locators: vec![locator], claims: Claims::default(), references: Vec::new() }
        };
        let validators = Validators { etag: Some("\"1\"".into()), ..Validators::default() };
        let (held, at) = (validators.clone(), AsOf(Timestamp::from_unix_seconds(0)));
        let (earlier, now) = (listing("earlier", None), listing("now", Some(Vec::new())));
        let (old, new) = (earlier.key.clone(), now.key.clone());
        store
            .write(move |writer| {
                writer.upsert_listing(&earlier, &held, at)?;
                writer.upsert_listing(&now, &held, at)
            })
            .expect("stored");
        let known = |kind: &str, key: &ListingKey| {
            StoredValidators::new(store.reader().expect("opens"), false, kind).validators(key)
        };
        assert_eq!(known("pypi", &old), None);
        assert_eq!(known("pypi", &new), Some(validators.clone()));
        assert_eq!(known("npm", &old), Some(validators), "other kinds have no earlier form");
    }
}
