//! `StoredPage`: the store as the saving of one page asks it. A listing is asked for by several steps and read once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

use capdex_db::{Reader, StoreError};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator};

/// The store, with the listings that were read for a page.
pub(super) struct StoredPage<'a> {
    reader: &'a Reader,
    listings: RefCell<BTreeMap<ListingKey, Option<Rc<Listing>>>>,
    locators: RefCell<BTreeMap<ListingKey, Option<Rc<[Locator]>>>>,
}

impl<'a> StoredPage<'a> {
    /// The store for one page: what a page writes is not seen.
    pub(super) fn of(reader: &'a Reader) -> Self {
        Self { reader, listings: RefCell::default(), locators: RefCell::default() }
    }

    /// What the source said of a listing last; none where it never said anything.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn last_word(&self, key: &ListingKey) -> Result<Option<Rc<Listing>>, StoreError> {
        if let Some(known) = self.listings.borrow().get(key) {
            return Ok(known.clone());
        }
        let listing = self.reader.listing(key)?.and_then(|stored| stored.listing).map(Rc::new);
        self.listings.borrow_mut().insert(key.clone(), listing.clone());
        Ok(listing)
    }
}

impl StoredPage<'_> {
    /// The artifacts that the source named in a listing last; none where it never said anything. Of an entry that is unchanged,
    /// as most are, nothing else is asked for.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn locators(&self, key: &ListingKey) -> Result<Option<Rc<[Locator]>>, StoreError> {
        if let Some(known) = self.locators.borrow().get(key) {
            return Ok(known.clone());
        }
        let locators: Option<Rc<[Locator]>> = self.reader.locators(key)?.map(Into::into);
        self.locators.borrow_mut().insert(key.clone(), locators.clone());
        Ok(locators)
    }
}

impl Deref for StoredPage<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
    }
}
