//! The epoch of a coordinator: of two over one store of work the later one goes on, and the earlier one stops.

use anyhow::bail;
use capdex_spread::{BlobStore, names};
use serde_json::json;

use crate::clock;

/// Takes the next epoch. Whoever had the one before is told by [`check`].
///
/// # Errors
/// A store that fails.
pub(super) fn take(store: &dyn BlobStore) -> anyhow::Result<u64> {
    let said = json!({ "at": clock::now(), "process": std::process::id() }).to_string();
    loop {
        let before = newest(store)?;
        let epoch = before.map_or(1, |epoch| epoch + 1);
        // Of two that begin at once one creates the name, and the other takes the next.
        if store.create(&names::coordinator(epoch), said.as_bytes())? {
            for earlier in store.list(names::COORDINATORS)? {
                if names::epoch_of(&earlier).is_some_and(|earlier| earlier < epoch) {
                    store.delete(&earlier)?;
                }
            }
            return Ok(epoch);
        }
    }
}

/// Ends the run of a coordinator that is no longer the one.
///
/// # Errors
/// A later epoch, and a store that fails.
pub(super) fn check(store: &dyn BlobStore, epoch: u64) -> anyhow::Result<()> {
    match newest(store)? {
        Some(newest) if newest > epoch => bail!(
            "another night took over the store of work {}: it has epoch {newest}, and this one had {epoch}; give each store of capdex a store of work of its own",
            store.address()
        ),
        _ => Ok(()),
    }
}

fn newest(store: &dyn BlobStore) -> anyhow::Result<Option<u64>> {
    Ok(store.list(names::COORDINATORS)?.iter().filter_map(|name| names::epoch_of(name)).max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::open_store;

    #[test]
    fn the_later_of_two_coordinators_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open_store(&folder.path().display().to_string()).expect("opens");
        let first = take(store.as_ref()).expect("an epoch");
        check(store.as_ref(), first).expect("the only one");
        let second = take(store.as_ref()).expect("an epoch");
        assert!(second > first);
        check(store.as_ref(), second).expect("the later one");
        let error = check(store.as_ref(), first).expect_err("the earlier one").to_string();
        assert!(error.contains("another night took over"), "{error}");
        assert_eq!(store.list(names::COORDINATORS).expect("lists").len(), 1);
    }
}
