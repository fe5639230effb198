//! A night in which nothing changed takes the tables of the last dataset over: what it leaves is, byte for byte, what an export
//! makes from the store.

use std::fs;
use std::path::Path;

use crate::packages;
use crate::rows::bytes_of;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

/// What is logged where tables are taken over.
const SAID: &str = "tables of the last dataset are taken over";

/// A night that says what it does; whether it took tables over.
fn night(capdex: &Capdex, as_of: &str) -> bool {
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--verbose", "--as-of", as_of]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stderr.contains(SAID)
}

/// That the dataset is what an export by hand makes, compared with a copy of the dataset of before.
fn is_what_an_export_makes(capdex: &Capdex, before: &str, as_of: &str) {
    let run = capdex.run(&["export", "by-hand", "--since", before, "--as-of", as_of]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (out, by_hand) = (bytes_of(&capdex.path().join("out")), bytes_of(&capdex.path().join("by-hand")));
    let differ: Vec<&String> = out.keys().filter(|name| out.get(*name) != by_hand.get(*name)).collect();
    assert!(differ.is_empty() && out.len() == by_hand.len(), "{as_of}: {differ:?}");
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));
}

fn copy(capdex: &Capdex, to: &str) {
    let (from, to) = (capdex.path().join("out"), capdex.path().join(to));
    fs::create_dir(&to).expect("a folder");
    for name in bytes_of(&from).keys() {
        fs::copy(from.join(name), Path::new(&to).join(name)).expect("copied");
    }
}

fn world() -> (Registry, Capdex) {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["agent-pack", "weather-mcp"], &["fetch-server"]));
    (registry, capdex)
}

#[test]
fn nights_without_news_leave_what_an_export_by_hand_makes() {
    let (registry, capdex) = world();
    assert!(!night(&capdex, "2026-11-20T01:00:00Z"), "there was nothing to take over");
    copy(&capdex, "first");
    assert!(night(&capdex, "2026-11-21T01:00:00Z"));
    is_what_an_export_makes(&capdex, "first", "2026-11-21T01:00:00Z");
    // The same night once more is compared with what it was compared with.
    assert!(!night(&capdex, "2026-11-21T01:00:00Z"));
    copy(&capdex, "second");
    registry.npm_package("weather-mcp", "9.0.0", &[("SKILL.md", b"---\nname: weather\ndescription: Says it\n---\n")]);
    assert!(!night(&capdex, "2026-11-22T01:00:00Z"), "a package changed");
    is_what_an_export_makes(&capdex, "second", "2026-11-22T01:00:00Z");
    copy(&capdex, "third");
    // Years later every age has passed every threshold.
    assert!(!night(&capdex, "2036-11-22T01:00:00Z"), "scores changed with the day");
    is_what_an_export_makes(&capdex, "third", "2036-11-22T01:00:00Z");
}

#[test]
fn a_dataset_that_is_not_the_last_one_is_not_taken_over() {
    let (_registry, capdex) = world();
    assert!(!night(&capdex, "2026-11-20T01:00:00Z"));
    copy(&capdex, "first");
    assert!(night(&capdex, "2026-11-21T01:00:00Z"));
    // An older dataset was put back in its place.
    fs::remove_dir_all(capdex.path().join("out")).expect("removed");
    fs::rename(capdex.path().join("first"), capdex.path().join("out")).expect("moved");
    copy(&capdex, "before");
    assert!(!night(&capdex, "2026-11-22T01:00:00Z"));
    is_what_an_export_makes(&capdex, "before", "2026-11-22T01:00:00Z");
    // The operator's word may end with any day.
    let schedule = fs::read_to_string(capdex.path().join("schedule.toml")).expect("a schedule");
    capdex.write("schedule.toml", format!("{schedule}[verdict]\nvotes = [\"saferskills\"]\n"));
    assert!(!night(&capdex, "2026-11-23T01:00:00Z"));
    assert!(!night(&capdex, "2026-11-24T01:00:00Z"));
}
