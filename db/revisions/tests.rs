//! Tests of `revisions`.

use super::*;
use crate::fixtures::{
    Folder, capability_id, claims_digest, day, digest, facts, list, listing, not_assessable, record, scan, scan_of,
    scanned, snapshot, start_run,
};
use capdex_core::listing::Claim;

#[test]
fn a_snapshot_is_unscanned_until_this_rule_set_saw_it_under_these_claims() {
    let folder = Folder::new();
    let store = folder.store();
    let reader = store.reader().expect("opens");
    list(&store, &listing("a", "1"), 1);
    let id = record(&store, "a", &snapshot("a", "1", &[("a.md", "1")]), 1);
    let unscanned = |rules: &str| reader.unscanned(&digest(rules)).expect("reads");
    assert_eq!(unscanned("rules"), [id]);
    let claims = claims_digest("a", "1");
    scan(&store, id, "rules", &claims, &[scanned("a", "", "1", "a")], 1);
    assert_eq!(unscanned("rules"), []);
    assert_eq!(unscanned("rules 2"), [id], "other rules");
    let mut renewed = listing("a", "1");
    renewed.claims.license = Claim::Known("MIT".into());
    list(&store, &renewed, 2);
    assert_eq!(unscanned("rules"), [id], "other claims");
    scan(&store, id, "rules", &Digest::of_json(&renewed.claims), &[scanned("a", "", "1", "b")], 2);
    assert_eq!(unscanned("rules"), []);
    list(&store, &listing("a", "1"), 3);
    assert_eq!(unscanned("rules"), [], "the first claims again: nothing is scanned twice");
    assert_eq!(reader.current().expect("reads").remove(0).facts, facts("a").digest());
}

#[test]
fn going_back_to_earlier_rules_shows_their_facts_again() {
    let folder = Folder::new();
    let store = folder.store();
    let id = scan_of(&store, "a", "1", 1);
    let claims = claims_digest("a", "1");
    scan(&store, id, "rules 2", &claims, &[scanned("a", "", "1", "b")], 2);
    let reader = store.reader().expect("opens");
    assert_eq!(reader.current().expect("reads").remove(0).facts, facts("b").digest());
    assert_eq!(reader.unscanned(&digest("rules")).expect("reads"), [id]);
    scan(&store, id, "rules", &claims, &[scanned("a", "", "1", "a")], 3);
    assert_eq!(reader.current().expect("reads").remove(0).facts, facts("a").digest());
    let history = reader.capability_history(&capability_id("npm:a", "")).expect("reads");
    assert_eq!(history.len(), 2, "no scan was recorded twice");
}

#[test]
fn a_scan_recorded_again_changes_nothing() {
    let folder = Folder::new();
    let store = folder.store();
    let id = scan_of(&store, "a", "1", 1);
    scan(&store, id, "rules", &claims_digest("a", "1"), &[scanned("a", "", "1", "other facts")], 2);
    let reader = store.reader().expect("opens");
    let stands = reader.current().expect("reads");
    assert_eq!((stands.len(), stands[0].facts), (1, facts("a").digest()));
    assert_eq!(reader.totals().expect("counts").facts, 1);
}

#[test]
fn unscanned_snapshots_come_in_the_order_of_their_identities() {
    let folder = Folder::new();
    let store = folder.store();
    let [c, a, b] = ["c", "a", "b"].map(|name| record(&store, name, &snapshot(name, "1", &[("a.md", name)]), 1));
    assert_eq!(store.reader().expect("opens").unscanned(&digest("rules")).expect("reads"), [a, b, c]);
}

#[test]
fn the_same_facts_and_pins_are_stored_once() {
    let folder = Folder::new();
    let store = folder.store();
    let id = scan_of(&store, "a", "1", 1);
    let documents = || {
        let sql = "SELECT count(*) FROM documents";
        store.write(move |writer| id_of(writer.connection(), "count", sql, ())).expect("counted")
    };
    let before = documents();
    scan(&store, id, "rules 2", &claims_digest("a", "1"), &[scanned("a", "", "1", "a")], 2);
    assert_eq!(documents(), before);
    assert_eq!(store.reader().expect("opens").totals().expect("counts").facts, 1);
}

#[test]
fn pairs_show_what_was_before_and_what_is_now() {
    let folder = Folder::new();
    let store = folder.store();
    let reader = store.reader().expect("opens");
    scan_of(&store, "alone", "1", 1);
    let found = [("1", vec!["kept", "lost"]), ("2", vec!["kept", "won"]), ("3", vec!["kept", "won"])];
    for (night, (version, paths)) in (1..).zip(found) {
        start_run(&store, night);
        let id = record(&store, "a", &snapshot("a", version, &[("a.md", version)]), night);
        let revisions: Vec<_> = paths.iter().map(|path| scanned("a", path, version, "a")).collect();
        scan(&store, id, "rules", &digest("claims"), &revisions, night);
        let pairs = reader.revision_pairs().expect("reads");
        let seen: Vec<_> = pairs
            .iter()
            .map(|(before, after)| {
                let version = |side: &Option<Revision>| side.as_ref().and_then(|revision| revision.version.clone());
                let either = before.as_ref().or(after.as_ref()).expect("one side at least");
                (either.capability, version(before), version(after))
            })
            .collect();
        let of = |path: &str| capability_id("npm:a", path);
        let text = |version: &str| Some(version.to_owned());
        let mut expected = match night {
            1 => vec![],
            2 => vec![(of("kept"), text("1"), text("2")), (of("lost"), text("1"), None), (of("won"), None, text("2"))],
            _ => vec![(of("kept"), text("2"), text("3")), (of("won"), text("2"), text("3"))],
        };
        expected.sort();
        assert_eq!(seen, expected, "night {night}");
    }
    let (before, after) = reader.revision_pairs().expect("reads").remove(0);
    let (before, after) = (before.expect("there"), after.expect("there"));
    assert_ne!(before.pins, after.pins);
    assert_ne!(before.content, after.content);
}

#[test]
fn what_could_not_be_assessed_is_neither_gone_nor_new() {
    let folder = Folder::new();
    let store = folder.store();
    start_run(&store, 1);
    scan_of(&store, "a", "1", 1);
    start_run(&store, 2);
    let failed = record(&store, "a", &not_assessable("a", "2", "no answer"), 2);
    scan(&store, failed, "rules", &digest("claims"), &[], 2);
    let reader = store.reader().expect("opens");
    assert_eq!(reader.revision_pairs().expect("reads"), []);
    start_run(&store, 3);
    scan_of(&store, "a", "2", 3);
    assert_eq!(reader.revision_pairs().expect("reads").len(), 1, "from the first to the third night");
}

#[test]
fn a_scan_of_an_unknown_snapshot_is_refused() {
    let folder = Folder::new();
    let result = folder
        .store()
        .write(|writer| writer.record_scan(SnapshotId(7), &digest("rules"), &digest("claims"), &[], day(1)));
    assert!(matches!(result, Err(StoreError::Unknown { what: "snapshot", .. })));
}
