//! Tests of `listings`.

use super::*;
use crate::Store;
use crate::fixtures::{Folder, day, digest, gap, key, listing};

/// Whether it differs from what was there.
fn upsert(store: &Store, listing: &Listing, validators: &Validators, night: i64) -> bool {
    let (listing, validators) = (listing.clone(), validators.clone());
    let upserted = store.write(move |writer| writer.upsert_listing(&listing, &validators, day(night)));
    upserted.expect("written") != Upserted::Same
}

fn mark(store: &Store, name: &str, state: ListingState, gap: Option<Gap>, night: i64) {
    let key = key(name);
    store.write(move |writer| writer.mark_listing(&key, state, gap.as_ref(), day(night))).expect("written");
}

fn validators(etag: &str) -> Validators {
    Validators { etag: Some(etag.into()), last_modified: None, digest: Some(digest(etag)) }
}

#[test]
fn only_what_a_source_says_anew_is_appended() {
    let folder = Folder::new();
    let store = folder.store();
    assert!(upsert(&store, &listing("a", "1"), &validators("x"), 1));
    assert!(!upsert(&store, &listing("a", "1"), &validators("y"), 2));
    assert!(upsert(&store, &listing("a", "2"), &validators("y"), 3));
    assert!(upsert(&store, &listing("a", "1"), &validators("y"), 4), "back to its first word is news too");
    let reader = store.reader().expect("opens");
    let versions = reader.listing_versions(&key("a")).expect("reads");
    let expected = [(day(1), listing("a", "1")), (day(3), listing("a", "2")), (day(4), listing("a", "1"))];
    assert_eq!(versions, expected);
    let stored = reader.listings(None).expect("reads").remove(0);
    assert_eq!(stored.first_seen, day(1));
    assert_eq!(stored.changed, day(4));
    assert_eq!(reader.validators(&key("a")).expect("reads"), Some(validators("y")));
    assert_eq!(reader.validators(&ListingKey::new("pypi", "a")).expect("reads"), None);
}

#[test]
fn listings_are_sorted_by_key_and_found_by_source() {
    let folder = Folder::new();
    let store = folder.store();
    for name in ["b", "B", "a"] {
        upsert(&store, &listing(name, "1"), &Validators::default(), 1);
    }
    let mut other = listing("c", "1");
    other.key.source = "mcp_registry".into();
    upsert(&store, &other, &Validators::default(), 1);
    let reader = store.reader().expect("opens");
    let keys = |source| {
        let listings = reader.listings(source).expect("reads");
        listings.iter().map(|stored| stored.key.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(keys(None), ["mcp_registry:c", "npm:B", "npm:a", "npm:b"]);
    assert_eq!(keys(Some("mcp_registry")), ["mcp_registry:c"]);
}

#[test]
fn a_listing_goes_and_comes_back_and_every_state_is_kept() {
    let folder = Folder::new();
    let store = folder.store();
    upsert(&store, &listing("a", "1"), &validators("x"), 1);
    mark(&store, "a", ListingState::Gone, Some(gap("a")), 2);
    mark(&store, "a", ListingState::Gone, Some(gap("a")), 3);
    let reader = store.reader().expect("opens");
    let gone = reader.listings(None).expect("reads").remove(0);
    assert_eq!(gone.state, ListingState::Gone);
    assert_eq!(gone.gap, Some(gap("a")));
    assert_eq!(gone.changed, day(2));
    assert_eq!(gone.listing, Some(listing("a", "1")), "what was known stands");
    assert_eq!(reader.validators(&key("a")).expect("reads"), None, "it must be read in full");
    assert!(!upsert(&store, &listing("a", "1"), &validators("x"), 4));
    let back = reader.listings(None).expect("reads").remove(0);
    assert_eq!(back.state, ListingState::Active);
    assert_eq!(back.gap, None);
    assert_eq!(back.changed, day(4));
    let states = reader.listing_states(&key("a")).expect("reads");
    let expected = [
        (day(1), ListingState::Active, None),
        (day(2), ListingState::Gone, Some(gap("a"))),
        (day(4), ListingState::Active, None),
    ];
    assert_eq!(states, expected);
}

#[test]
fn an_unknown_listing_can_be_marked() {
    let folder = Folder::new();
    let store = folder.store();
    mark(&store, "a", ListingState::Failed, Some(gap("a")), 1);
    let reader = store.reader().expect("opens");
    let expected = StoredListing {
        key: key("a"),
        listing: None,
        state: ListingState::Failed,
        gap: Some(gap("a")),
        first_seen: day(1),
        changed: day(1),
    };
    assert_eq!(reader.listings(None).expect("reads"), [expected]);
    assert!(upsert(&store, &listing("a", "1"), &Validators::default(), 2), "its first word");
    let stored = reader.listings(None).expect("reads").remove(0);
    assert_eq!(stored.state, ListingState::Active);
    assert_eq!(stored.first_seen, day(2), "a name that was only asked for has no age");
}

#[test]
fn an_unchanged_night_writes_nothing() {
    let folder = Folder::new();
    let store = folder.store();
    upsert(&store, &listing("a", "1"), &validators("x"), 1);
    let changes = store.write(|writer| {
        let before = writer.connection().total_changes();
        writer.upsert_listing(&listing("a", "1"), &validators("x"), day(2))?;
        writer.mark_listing(&key("a"), ListingState::Active, None, day(2))?;
        Ok(writer.connection().total_changes() - before)
    });
    assert_eq!(changes.expect("written"), 0);
}

#[test]
fn every_state_has_its_word() {
    for state in ListingState::ALL {
        assert_eq!(ListingState::of_word(state.as_str()).expect("a state"), state);
    }
    assert!(ListingState::of_word("resting").is_err());
}

#[test]
fn what_listings_said_at_an_instant_can_be_asked() {
    let folder = Folder::new();
    let store = folder.store();
    for (name, version, night) in [("a", "1", 1), ("b", "1", 2), ("a", "22", 3)] {
        upsert(&store, &listing(name, version), &Validators::default(), night);
    }
    mark(&store, "b", ListingState::Gone, None, 4);
    let reader = store.reader().expect("opens");
    let at = |night| reader.listings_at(day(night)).expect("reads");
    assert_eq!(at(0), []);
    assert_eq!(at(1), [listing("a", "1")]);
    assert_eq!(at(2), [listing("a", "1"), listing("b", "1")]);
    assert_eq!(at(3), [listing("a", "22"), listing("b", "1")]);
    assert_eq!(at(4), [listing("a", "22")]);
}
