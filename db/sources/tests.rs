//! Walks by hand: cursors, watermarks, and what is missing when.

use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;

use super::*;
use crate::Store;
use crate::fixtures::{Folder, day, gap, listing};

fn state(store: &Store) -> SourceState {
    store.reader().expect("opens").source_state("npm").expect("reads").expect("was walked")
}

/// A full walk that sees these names and ends.
fn walk(store: &Store, names: &'static [&'static str], number: i64) {
    store
        .write(move |writer| {
            writer.begin_walk("npm", WalkMode::Full)?;
            for name in names {
                writer.upsert_listing(&listing(name, "1"), &Validators::default(), day(number))?;
                writer.mark_seen(&ListingKey::new("npm", *name))?;
            }
            writer.complete_walk("npm", None, day(number))
        })
        .expect("written");
}

#[test]
fn a_source_keeps_its_kind_from_its_first_walk_on() {
    let folder = Folder::new();
    let store = folder.store();
    let kinds = || store.reader().expect("opens").source_kinds().expect("reads").into_iter().collect::<Vec<_>>();
    let watched = || store.reader().expect("opens").watched_state().expect("reads");
    store.write(|writer| writer.keep_source_kind("corp", "mcp-registry")).expect("nothing to do");
    assert_eq!(kinds(), []);
    store
        .write(|writer| {
            writer.begin_walk("npm", WalkMode::Full)?;
            writer.begin_walk("corp", WalkMode::Full)
        })
        .expect("begun");
    let before = watched();
    assert_eq!(kinds(), [], "as in a store of before");
    store.write(|writer| writer.keep_source_kind("npm", "npm")).expect("kept");
    assert_eq!(watched(), before, "a source that has the name of its kind is what it was");
    store.write(|writer| writer.keep_source_kind("corp", "mcp-registry")).expect("kept");
    assert_eq!(kinds(), [("corp".into(), "mcp-registry".into()), ("npm".into(), "npm".into())]);
    assert_ne!(watched(), before, "passes run again when they learn what a source is");
}

#[test]
fn a_walk_goes_on_where_it_stopped_and_begins_again_when_complete() {
    let folder = Folder::new();
    let store = folder.store();
    store
        .write(|writer| {
            writer.begin_walk("npm", WalkMode::Full)?;
            writer.save_cursor("npm", "page-2")
        })
        .expect("saved");
    let under_way = state(&store);
    assert_eq!(under_way.cursor.as_deref(), Some("page-2"));
    assert_eq!(under_way.mode, Some(WalkMode::Full));
    assert_eq!(under_way.last_completed, None);
    assert_eq!(under_way.walk, 1);
    store.write(|writer| writer.complete_walk("npm", Some("seq 9"), day(1))).expect("saved");
    let complete = state(&store);
    assert_eq!(complete.cursor, None);
    assert_eq!(complete.mode, None);
    assert_eq!(complete.watermark.as_deref(), Some("seq 9"));
    assert_eq!(complete.last_completed, Some(day(1)));
    assert_eq!(complete.last_whole, Some(day(1)));
    assert_eq!(store.reader().expect("opens").source_state("pypi").expect("reads"), None);
}

#[test]
fn a_walk_of_changes_leaves_the_last_whole_walk_and_a_missing_watermark_the_last_one() {
    let folder = Folder::new();
    let store = folder.store();
    walk(&store, &["a"], 1);
    store
        .write(|writer| {
            writer.complete_walk("npm", Some("1"), day(1))?;
            writer.begin_walk("npm", WalkMode::Since)?;
            writer.complete_walk("npm", None, day(2))
        })
        .expect("saved");
    let after = state(&store);
    assert_eq!(after.walk, 1);
    assert_eq!(after.last_whole, Some(day(1)));
    assert_eq!(after.last_completed, Some(day(2)));
    assert_eq!(after.watermark.as_deref(), Some("1"));
}

#[test]
fn a_listing_is_missing_after_two_whole_walks_and_never_before() {
    let folder = Folder::new();
    let store = folder.store();
    walk(&store, &["a", "b"], 1);
    let missing = || store.reader().expect("opens").missing("npm").expect("reads");
    assert_eq!(missing(), [""; 0]);
    walk(&store, &["a"], 2);
    assert_eq!(missing(), [""; 0], "one absence is not enough");
    // A walk that does not come to its end says nothing about absence, and is none of the two.
    for _ in 0..2 {
        store.write(|writer| writer.begin_walk("npm", WalkMode::Full)).expect("begun");
        assert_eq!(missing(), [""; 0]);
    }
    store.write(|writer| writer.complete_walk("npm", None, day(3))).expect("ended");
    assert_eq!(missing(), ["b"]);
    let gone = store.write(|writer| writer.drop_missing("npm", &gap("b"), day(3))).expect("dropped");
    assert_eq!(gone, 1);
    assert_eq!(missing(), Vec::<String>::new());
    let reader = store.reader().expect("opens");
    assert_eq!(reader.listing_counts("npm").expect("reads"), (1, 2));
}

#[test]
fn sources_are_sorted() {
    let folder = Folder::new();
    let store = folder.store();
    store
        .write(|writer| {
            writer.begin_walk("pypi", WalkMode::Full)?;
            writer.begin_walk("npm", WalkMode::Full)
        })
        .expect("saved");
    let states = store.reader().expect("opens").source_states().expect("reads");
    assert_eq!(states.iter().map(|state| state.id.as_str()).collect::<Vec<_>>(), ["npm", "pypi"]);
}
