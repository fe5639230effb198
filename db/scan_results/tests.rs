//! Tests of `revisions`.

use super::*;
use crate::fixtures::{
    Folder, capability_id, claims_digest, day, digest, facts, list, listing, record, scan, scan_of, scanned, snapshot,
};
use capdex_model::listing::Claim;

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
    assert_eq!(stands.len(), 1);
    assert_eq!(stands[0].facts, facts("a").digest());
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
        let sql = "SELECT count(*) FROM json_documents";
        store.write(move |writer| id_of(writer.connection(), "count", sql, ())).expect("counted")
    };
    let before = documents();
    scan(&store, id, "rules 2", &claims_digest("a", "1"), &[scanned("a", "", "1", "a")], 2);
    assert_eq!(documents(), before);
    assert_eq!(store.reader().expect("opens").totals().expect("counts").facts, 1);
}

#[test]
fn two_names_that_fold_to_one_slug_are_told_apart_whichever_is_written_first() {
    let slugs = |nights: &[(&str, i64)]| {
        let folder = Folder::new();
        let store = folder.store();
        for (name, night) in nights {
            scan_of(&store, name, "1", *night);
        }
        let current = store.reader().expect("opens").current().expect("reads");
        let slugs = current.into_iter().map(|one| (one.identity, one.capability.slug));
        slugs.collect::<std::collections::BTreeMap<_, _>>()
    };
    let (victim, twin) = ("postmark-mcp", "postmark_mcp");
    let plain = "npm-postmark-mcp-package";
    // Who was there keeps it, whatever the newcomer's id is.
    for (first, later) in [(victim, twin), (twin, victim)] {
        let told = slugs(&[(first, 1), (later, 2)]);
        assert_eq!(told[&format!("npm:{first}")], plain);
        let id = capability_id(&format!("npm:{later}"), "");
        assert_eq!(told[&format!("npm:{later}")], format!("{plain}--{}", &id.to_string()[..8]));
    }
    assert_eq!(
        slugs(&[(victim, 1), (twin, 1)]),
        slugs(&[(twin, 1), (victim, 1)]),
        "in one night the order is no matter"
    );
}

#[test]
fn a_scan_of_an_unknown_snapshot_is_refused() {
    let folder = Folder::new();
    let result = folder
        .store()
        .write(|writer| writer.record_scan(SnapshotId(7), &digest("rules"), &digest("claims"), &[], day(1)));
    assert!(matches!(result, Err(StoreError::Unknown { what: "snapshot", .. })));
}
