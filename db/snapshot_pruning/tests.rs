//! Tests of which snapshots may lose their bytes, and of what becomes of those that did.

use super::*;
use crate::Store;
use crate::fixtures::{
    Folder, claims_digest, day, digest, list, listing, locator, not_assessable, record, scan, scanned, snapshot,
    start_run,
};

/// A version of a package that is listed, fetched and scanned in a night of its own; a file of it is the same in all.
fn night(store: &Store, number: i64, version: &str) -> SnapshotId {
    start_run(store, number);
    list(store, &listing("a", version), number);
    let id = record(store, "a", &snapshot("a", version, &[("a.md", version), ("LICENSE", "one")]), number);
    scan(store, id, "rules", &claims_digest("a", version), &[scanned("a", "", version, "a")], number);
    id
}

fn compare(store: &Store, number: i64) {
    for pair in store.reader().expect("opens").uncompared_snapshots().expect("reads") {
        store.write(move |writer| writer.compared_snapshots(&pair, day(number))).expect("noted");
    }
}

fn prunable(store: &Store, before: i64) -> Prunable {
    store.reader().expect("opens").prunable(day(before), usize::MAX).expect("reads")
}

/// Prunes as the job does.
fn prune(store: &Store, before: i64) -> Prunable {
    let round = prunable(store, before);
    let kept = round.clone();
    store
        .write(move |writer| {
            writer.mark_pruned(&round.snapshots, day(before))?;
            writer.drop_blobs(&round.blobs)?;
            writer.all_swept()
        })
        .expect("pruned");
    kept
}

#[test]
fn what_was_followed_long_ago_and_compared_may_go_and_nothing_else() {
    let folder = Folder::new();
    let store = folder.store();
    let ids: Vec<SnapshotId> =
        ["1", "2", "3"].into_iter().zip([1, 10, 20]).map(|(version, number)| night(&store, number, version)).collect();
    assert_eq!(prunable(&store, 99), Prunable::default(), "nothing was compared yet");
    compare(&store, 20);
    assert_eq!(prunable(&store, 10), Prunable::default(), "the first was followed on day 10, not before it");
    let found = prunable(&store, 11);
    assert_eq!(found.snapshots, vec![ids[0]], "what others hold too stays");
    assert_eq!(found.blobs, vec![digest("1")], "what others hold too stays");
    assert!(found.stored_bytes > 0);
    assert_eq!(prunable(&store, 99).snapshots, ids[..2]);
}

#[test]
fn the_newest_that_could_be_assessed_stays_for_what_comes_after_a_failure() {
    let folder = Folder::new();
    let store = folder.store();
    let first = night(&store, 1, "1");
    start_run(&store, 2);
    list(&store, &listing("a", "2"), 2);
    record(&store, "a", &not_assessable("a", "2", "refused"), 2);
    assert_eq!(prunable(&store, 99), Prunable::default());
    night(&store, 3, "3");
    let pairs = store.reader().expect("opens").uncompared_snapshots().expect("reads");
    assert_eq!(pairs.iter().map(|pair| pair.before.id).collect::<Vec<_>>(), [first]);
    assert_eq!(prunable(&store, 99), Prunable::default(), "it waits to be compared");
    compare(&store, 3);
    assert_eq!(prunable(&store, 99).snapshots, [first]);
}

#[test]
fn an_artifact_that_a_listing_names_now_keeps_its_bytes() {
    let folder = Folder::new();
    let store = folder.store();
    let first = night(&store, 1, "1");
    night(&store, 2, "2");
    compare(&store, 2);
    let mut other = listing("a", "1");
    other.key = capdex_model::ids::ListingKey::new("mirror", "a");
    let gone = capdex_model::listing::Listing { locators: vec![locator("a", "2")], ..other.clone() };
    list(&store, &other, 2);
    // The mirror names it, so it stands again, and what it took the place of waits to be compared.
    night(&store, 3, "3");
    compare(&store, 3);
    assert!(!prunable(&store, 99).snapshots.contains(&first), "the mirror names it");
    list(&store, &gone, 4);
    compare(&store, 4);
    assert!(prunable(&store, 99).snapshots.contains(&first));
}

#[test]
fn what_was_pruned_says_so_and_is_fetched_again_when_it_is_listed_again() {
    let folder = Folder::new();
    let store = folder.store();
    let first = night(&store, 1, "1");
    let second = night(&store, 2, "2");
    compare(&store, 2);
    assert_eq!(prune(&store, 99).snapshots, [first]);
    let reader = store.reader().expect("opens");
    assert_eq!(prunable(&store, 99), Prunable::default(), "it is done");
    let error = reader.bundle(first).expect_err("its bytes are gone");
    assert!(matches!(&error, StoreError::Pruned { what, .. } if what == "npm:a 1"), "{error}");
    assert_eq!(reader.bundle(second).expect("whole").files.len(), 2);
    assert_eq!(reader.files_of(first).expect("known").len(), 2, "the digests of its files stay");
    assert!(!reader.has_artifact(&locator("a", "1")).expect("reads"), "so that it is fetched again");
    start_run(&store, 3);
    list(&store, &listing("a", "1"), 3);
    let current = || store.reader().expect("opens").unscanned(&digest("other rules")).expect("reads");
    assert_eq!(current(), [second], "what has no bytes cannot stand");
    let again = record(&store, "a", &snapshot("a", "1", &[("a.md", "1"), ("LICENSE", "one")]), 3);
    assert_eq!(again, first);
    assert_eq!(current(), vec![first]);
    let reader = store.reader().expect("opens");
    assert_eq!(reader.bundle(first).expect("whole again").files.len(), 2);
    assert!(reader.has_artifact(&locator("a", "1")).expect("reads"));
    assert!(!prunable(&store, 99).snapshots.contains(&first));
}

#[test]
fn a_failure_to_fetch_what_was_pruned_leaves_it_unknown() {
    let folder = Folder::new();
    let store = folder.store();
    night(&store, 1, "1");
    night(&store, 2, "2");
    compare(&store, 2);
    prune(&store, 99);
    start_run(&store, 3);
    list(&store, &listing("a", "1"), 3);
    let failed = record(&store, "a", &not_assessable("a", "1", "no answer"), 3);
    assert_eq!(store.reader().expect("opens").unscanned(&digest("other rules")).expect("reads"), [failed]);
}

#[test]
fn what_a_kill_left_marked_is_swept_the_next_time() {
    let folder = Folder::new();
    let store = folder.store();
    let first = night(&store, 1, "1");
    night(&store, 2, "2");
    compare(&store, 2);
    store.write(move |writer| writer.mark_pruned(&[first], day(9))).expect("marked");
    assert!(!store.reader().expect("opens").has_artifact(&locator("a", "1")).expect("reads"));
    let left = prunable(&store, 99);
    assert_eq!(left.snapshots.len(), 0);
    assert!(left.has_unswept);
    assert_eq!(left.blobs.len(), 1);
    prune(&store, 99);
    assert!(prunable(&store, 99).is_empty());
    assert_eq!(store.reader().expect("opens").blob(&digest("1")).expect("reads"), None);
}
