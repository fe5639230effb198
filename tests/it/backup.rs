//! A copy of the store, made while it is used, gives the same dataset back and verifies.

use crate::nightly::{first_night, night};
use crate::packages::{self, PACK};
use crate::rows::bytes_of;

#[test]
fn a_restored_store_exports_and_verifies_as_before_and_goes_on() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let expected = bytes_of(&capdex.path().join("out"));
    let run = capdex.run(&["backup", "copy.db"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("checked"), "{}{}", run.stdout, run.stderr);
    assert_eq!(capdex.run(&["backup", "copy.db"]).code, Some(2), "a copy is not overwritten");
    registry.npm_package("agent-pack", "2.1.0", PACK);
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    let run = capdex.run(&["restore", "copy.db"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("capdex.db.before-restore"), "{}{}", run.stdout, run.stderr);
    let formats = "parquet,jsonl,csv,sqlite";
    let again = capdex.run(&["export", "again", "--format", formats, "--as-of", "2026-11-20T01:00:00Z"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let found = bytes_of(&capdex.path().join("again"));
    assert!(found.keys().eq(expected.keys()), "the same dataset, byte for byte");
    assert!(found == expected, "the same dataset, byte for byte");
    assert_eq!(capdex.run(&["verify", "again"]).code, Some(0));
    assert_eq!(capdex.run(&["verify", "npm:weather-mcp#mcp_server:"]).code, Some(0));
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0), "the next night goes on from it");
    let damaged = std::fs::read(capdex.path().join("copy.db")).expect("reads");
    capdex.write("half.db", &damaged[..damaged.len() / 2]);
    let run = capdex.run(&["restore", "half.db", "--db", "other.db"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("damaged"), "{}", run.stderr);
    assert!(!capdex.path().join("other.db").exists());
}
