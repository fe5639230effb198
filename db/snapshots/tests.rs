//! Tests of `snapshots` and of how `identities` settles which one is current.

use super::*;
use crate::Store;
use crate::fixtures::{
    Folder, at, day, digest, gap, key, list, listing, locator, not_assessable, record, snapshot, start_run,
};
use capdex_model::listing::Validators;

/// The current snapshots, in the order of their identities: with no rules ever run, all of them are unscanned.
fn current(store: &Store) -> Vec<SnapshotId> {
    store.reader().expect("opens").unscanned(&digest("rules")).expect("reads")
}

#[test]
fn a_bundle_has_the_bytes_the_gaps_and_the_claims_of_today() {
    let folder = Folder::new();
    let store = folder.store();
    list(&store, &listing("a", "1"), 1);
    let mut partial = snapshot("a", "1", &[("b.md", "two"), ("a.md", "one")]);
    partial.completeness = Completeness::from_gaps(vec![gap("z"), gap("c")]);
    let id = record(&store, "a", &partial, 1);
    let mut renewed = listing("a", "1");
    renewed.claims.license = capdex_model::listing::Claim::Known("MIT".into());
    list(&store, &renewed, 2);
    let bundle = store.reader().expect("opens").bundle(id).expect("reads");
    assert_eq!(bundle.identity, "npm:a");
    let files: Vec<_> = bundle.files.iter().map(|(path, file)| (path.as_str(), &*file.bytes)).collect();
    assert_eq!(files, [("a.md", &b"one"[..]), ("b.md", b"two")]);
    assert_eq!(bundle.gaps, [gap("c"), gap("z")]);
    assert_eq!(bundle.claims, renewed.claims);
    assert_eq!(bundle.tree(), partial.tree);
}

#[test]
fn a_snapshot_is_found_by_its_version_while_its_bytes_are_there() {
    let folder = Folder::new();
    let store = folder.store();
    let first = record(&store, "a", &snapshot("a", "1", &[("a.md", "one")]), 1);
    let second = record(&store, "a", &snapshot("a", "2", &[("a.md", "two")]), 2);
    record(&store, "a", &not_assessable("a", "3", "no answer"), 3);
    let kept = |name, version| store.reader().expect("opens").kept_snapshot(name, version).expect("reads");
    assert_eq!(kept("npm:a", Some("1")), Some(first));
    assert_eq!(kept("npm:a", None), Some(second));
    assert_eq!((kept("npm:a", Some("3")), kept("npm:b", None)), (None, None));
}

#[test]
fn the_same_bytes_are_recorded_once() {
    let folder = Folder::new();
    let store = folder.store();
    let first = record(&store, "a", &snapshot("a", "1", &[("a.md", "one")]), 1);
    let mut again = snapshot("a", "1", &[("a.md", "one")]);
    again.fetched = at(999);
    assert_eq!(record(&store, "a", &again, 2), first);
    let other = record(&store, "a", &snapshot("a", "1", &[("a.md", "two")]), 2);
    assert_ne!(other, first);
    assert_eq!(store.reader().expect("opens").totals().expect("counts").snapshots, 2);
}

#[test]
fn what_could_not_be_assessed_gives_way_to_what_could_and_not_the_other_way() {
    let folder = Folder::new();
    let store = folder.store();
    let reader = store.reader().expect("opens");
    let failed = record(&store, "a", &not_assessable("a", "1", "no answer"), 1);
    assert_eq!(current(&store), [failed]);
    assert!(!reader.has_artifact(&locator("a", "1")).expect("reads"));
    assert_eq!(reader.bundle(failed).expect("reads").gaps, [gap("no answer")]);
    let fetched = record(&store, "a", &snapshot("a", "1", &[("a.md", "one")]), 1);
    assert_eq!(current(&store), [fetched]);
    assert!(reader.has_artifact(&locator("a", "1")).expect("reads"));
    assert!(!reader.has_artifact(&locator("a", "2")).expect("reads"));
    record(&store, "a", &not_assessable("a", "1", "refused"), 2);
    assert_eq!(current(&store), [fetched], "a later failure takes nothing away");
    let newer = record(&store, "a", &not_assessable("a", "2", "refused"), 3);
    assert_eq!(current(&store), [newer], "of a newer artifact nothing is known");
    assert_eq!(reader.totals().expect("counts").snapshots, 4, "all of them are kept");
}

#[test]
fn the_latest_run_decides_whatever_the_versions_are_called() {
    let folder = Folder::new();
    let store = folder.store();
    start_run(&store, 1);
    record(&store, "a", &snapshot("a", "9", &[("a.md", "nine")]), 1);
    start_run(&store, 1);
    let second = record(&store, "a", &snapshot("a", "10", &[("a.md", "ten")]), 1);
    assert_eq!(current(&store), [second], "also at the same as-of instant");
}

#[test]
fn a_listing_that_goes_back_to_an_earlier_version_needs_no_fetching() {
    let folder = Folder::new();
    let store = folder.store();
    let mut ids = Vec::new();
    for (night, version) in [(1, "1"), (2, "2")] {
        start_run(&store, night);
        list(&store, &listing("a", version), night);
        ids.push(record(&store, "a", &snapshot("a", version, &[("a.md", version)]), night));
    }
    assert_eq!(current(&store), ids[1..]);
    start_run(&store, 3);
    list(&store, &listing("a", "1"), 3);
    assert_eq!(current(&store), ids[..1]);
}

#[test]
fn the_order_of_writing_within_a_run_does_not_matter() {
    let versions = ["1", "3", "2"];
    let mut trees = Vec::new();
    for shift in 0..versions.len() {
        let folder = Folder::new();
        let store = folder.store();
        start_run(&store, 1);
        for step in 0..versions.len() {
            let version = versions[(step + shift) % versions.len()];
            // Two directories that list the same package in different versions.
            let mut listed = listing("a", version);
            listed.key = ListingKey::new(format!("source_{version}"), "a");
            let recorded = snapshot("a", version, &[("a.md", version)]);
            let key = listed.key.clone();
            store
                .write(move |writer| {
                    writer.upsert_listing(&listed, &Validators::default(), day(1))?;
                    crate::fixtures::put_files(writer, &recorded)?;
                    writer.record_snapshot(&key, &recorded, day(1))
                })
                .expect("written");
        }
        let reader = store.reader().expect("opens");
        trees.push(reader.bundle(current(&store)[0]).expect("reads").tree());
    }
    assert_eq!(trees, vec![snapshot("a", "3", &[("a.md", "3")]).tree; versions.len()]);
}

#[test]
fn snapshots_that_cannot_be_read_back_are_refused() {
    let folder = Folder::new();
    let store = folder.store();
    let unstored = snapshot("a", "1", &[("a.md", "never put")]);
    let result = store.write(move |writer| writer.record_snapshot(&key("a"), &unstored, day(1)));
    assert!(matches!(result, Err(StoreError::Unknown { what: "blob", .. })));
    let mut contradiction = not_assessable("a", "1", "x");
    contradiction.files = snapshot("a", "1", &[("a.md", "one")]).files;
    let result = store.write(move |writer| writer.record_snapshot(&key("a"), &contradiction, day(1)));
    assert!(matches!(result, Err(StoreError::Refused { what: "snapshot", .. })));
    let result = store.reader().expect("opens").bundle(SnapshotId(7));
    assert!(matches!(result, Err(StoreError::Unknown { what: "snapshot", .. })));
    assert_eq!(store.reader().expect("opens").listings(None).expect("reads"), [], "nothing was left behind");
}
