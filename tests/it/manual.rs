//! The manual in `docs/` is what `capdex docs` writes today.

use crate::support::capdex::Capdex;

#[test]
fn the_manual_is_fresh() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let run = Capdex::offline().run(&["docs", docs, "--check"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
}

#[test]
fn a_stale_or_missing_page_is_told() {
    let capdex = Capdex::offline();
    assert_eq!(capdex.run(&["docs", "manual"]).code, Some(0));
    assert_eq!(capdex.run(&["docs", "manual", "--check"]).code, Some(0));
    capdex.write("manual/rules.md", "old");
    let run = capdex.run(&["docs", "manual", "--check"]);
    assert!(run.code == Some(1) && run.stdout.contains("stale: manual/rules.md"), "{}", run.stdout);
}

#[test]
fn help_and_version_answer() {
    let capdex = Capdex::offline();
    for arguments in [&["--version"][..], &["--help"], &["nightly", "--help"], &["help", "scan"]] {
        let run = capdex.run(arguments);
        assert!(run.code == Some(0) && !run.stdout.is_empty(), "{arguments:?}");
    }
}
