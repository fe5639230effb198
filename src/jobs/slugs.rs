//! The slug of an event: that of its capability in the store, which no other capability has.

use capdex_db::{DriftEvent, Reader, StoreError};

/// Names an event as the store names its capability. What was never scanned keeps the name that it would have.
///
/// # Errors
/// Errors of the store.
pub(super) fn settle(reader: &Reader, event: &mut DriftEvent) -> Result<(), StoreError> {
    if let Some(slug) = reader.slug(&event.capability)? {
        event.slug = slug;
    }
    Ok(())
}
