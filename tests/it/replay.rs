//! A recorded night, played again from its record.

use crate::nightly::night;
use crate::packages;
use crate::support::capdex::Capdex;

const AS_OF: &str = "2026-11-22T01:00:00Z";

/// Every file of the dataset, by name.
fn dataset(capdex: &Capdex) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(capdex.path().join("out"))
        .expect("there")
        .map(|entry| entry.expect("readable").path())
        .map(|path| {
            (path.file_name().expect("a file").to_string_lossy().into_owned(), std::fs::read(path).expect("there"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_recorded_night_is_played_again_byte_for_byte_without_a_registry() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::everything());
    let record = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", AS_OF, "--record", "n.warc.gz"];
    let first = capdex.run(&record);
    assert_eq!(first.code, Some(0), "{}", first.stdout);
    assert_eq!(first.stderr.as_str(), "", "{}", first.stdout);
    let recorded = dataset(&capdex);
    registry.clear_requests();
    for file in ["capdex.db", "capdex.db-wal", "capdex.db-shm"] {
        let _ = std::fs::remove_file(capdex.path().join(file));
    }
    std::fs::remove_dir_all(capdex.path().join("out")).expect("there");
    let again = capdex.run(&[
        "nightly",
        "--config",
        "schedule.toml",
        "--out",
        "out",
        "--as-of",
        AS_OF,
        "--replay",
        "n.warc.gz",
    ]);
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert_eq!(again.stderr.as_str(), "", "{}", again.stdout);
    assert!(registry.requests().is_empty(), "nobody was asked");
    assert!(dataset(&capdex) == recorded, "the same bytes");
    assert_eq!(capdex.run(&record).code, Some(4), "a record is never overwritten");
    night(&capdex, "2026-11-23T01:00:00Z");
}
