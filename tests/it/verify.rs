//! What can be checked of an export with nothing but itself, and of a stored capability with its own bytes.

use std::collections::BTreeSet;

use capdex::export::verify::check_bytes;
use capdex_core::digest::Digest;
use capdex_core::points::Points;
use capdex_core::rubrics::RUBRICS;
use capdex_core::time::AsOf;
use capdex_db::{Reader, Store};

use crate::nightly::first_night;
use crate::packages;
use crate::rows::{bytes_of, rows, text};
use crate::support::capdex::Capdex;

#[test]
fn an_export_verifies_and_a_changed_one_does_not() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let run = capdex.run(&["verify", "out"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("no difference"), "{}", run.stdout);
    for file in ["scores.parquet", "facts.jsonl", "capabilities.csv", "capdex.sqlite", "manifest.json"] {
        let path = capdex.path().join("out").join(file);
        let original = std::fs::read(&path).expect("a file");
        let mut changed = original.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&path, changed).expect("writes");
        let run = capdex.run(&["verify", "out"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{file}: {}", run.stdout);
        assert!(run.stdout.contains(&format!("differs: {file} ")), "{file}: {}", run.stdout);
        std::fs::write(&path, original).expect("writes");
    }
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));
}

/// A byte of each file that is changed: the ends, and places all over it.
fn places(length: usize) -> BTreeSet<usize> {
    let spread = (0..24).map(|step| step * length / 24);
    let near_the_ends = (0..3).flat_map(|step| [step, length.saturating_sub(step + 1)]);
    spread.chain(near_the_ends).filter(|place| *place < length).collect()
}

#[test]
fn one_changed_byte_anywhere_in_an_export_is_named() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let out = capdex.path().join("out");
    let pool = capdex::bulk::pool(Some(2)).expect("threads");
    let differences = || check_bytes(&out, &pool).expect("an export").verified.differences;
    assert_eq!(differences(), Vec::<String>::new());
    let files = bytes_of(&out);
    assert!(files.len() > 15 && files.contains_key("manifest.json"), "{:?}", files.keys());
    for (name, original) in &files {
        for (place, change) in places(original.len()).into_iter().zip([0x01, 0x20, 0x80].into_iter().cycle()) {
            let mut changed = original.clone();
            changed[place] ^= change;
            std::fs::write(out.join(name), changed).expect("writes");
            let found = differences();
            assert!(found.len() == 1 && found[0].starts_with(&format!("{name} ")), "byte {place} of {name}: {found:?}");
        }
        std::fs::write(out.join(name), original).expect("writes");
    }
    std::fs::write(out.join("stranger.txt"), "x").expect("writes");
    assert!(differences()[0].starts_with("stranger.txt "), "{:?}", differences());
}

/// Writes the digests of an export's files into its manifest, and the manifest's own, with nothing but SHA-256.
fn seal(out: &std::path::Path) {
    let path = out.join("manifest.json");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let own = manifest["manifest_sha256"].as_str().expect("a digest");
    let mut sealed = text.replace(own, "");
    for file in manifest["files"].as_array().expect("files") {
        let bytes = std::fs::read(out.join(text_of(file, "path"))).expect("a file");
        sealed = sealed.replace(text_of(file, "sha256"), &Digest::of(&bytes).hex());
        sealed = sealed.replace(&format!("\"bytes\": {},", file["bytes"]), &format!("\"bytes\": {},", bytes.len()));
    }
    let digest = Digest::of(sealed.as_bytes()).hex();
    let empty = "\"manifest_sha256\": \"\"";
    std::fs::write(path, sealed.replace(empty, &format!("\"manifest_sha256\": \"{digest}\""))).expect("writes");
}

fn text_of<'a>(value: &'a serde_json::Value, key: &str) -> &'a str {
    value[key].as_str().expect("a text")
}

#[test]
fn what_was_changed_and_sealed_again_is_found_by_computing_it_again() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("names.txt", "weather-mcp\n");
    let as_of = "2026-11-20T01:00:00Z";
    assert_eq!(capdex.run(&["backfill", "npm", "--watchlist", "names.txt", "--as-of", as_of]).code, Some(0));
    assert_eq!(capdex.run(&["export", "changed", "--format", "jsonl", "--as-of", as_of]).code, Some(0));
    let out = capdex.path().join("changed");
    let files = bytes_of(&out);
    for (table, from, to) in [
        ("scores", "\"grade\":\"Green\"", "\"grade\":\"Red\""),
        ("scores", "\"as_of\":\"2026-11-20T01:00:00Z\"", "\"as_of\":\"2026-11-20T02:00:00Z\""),
        ("capabilities", "\"band\":\"", "\"band\":\"x"),
        ("capabilities", "\"rank\":1,", "\"rank\":3,"),
        ("scores", "\"breakdown\":1}", "\"breakdown\":3}"),
        ("breakdowns", "\"breakdown\":2,", "\"breakdown\":3,"),
        ("breakdowns", "\"note\":\"", "\"note\":\"x"),
        ("packages", "\"grade\":\"", "\"grade\":\"x"),
        ("facts", "\"outcome\":\"true\"", "\"outcome\":\"false\""),
        ("facts", "\"unavailable\"", "\"false\""),
    ] {
        for (name, bytes) in &files {
            std::fs::write(out.join(name), bytes).expect("writes");
        }
        let file = format!("{table}.jsonl");
        let text = std::fs::read_to_string(out.join(&file)).expect("a table");
        assert!(text.contains(from), "{from} in {file}");
        std::fs::write(out.join(&file), text.replacen(from, to, 1)).expect("writes");
        seal(&out);
        let run = capdex.run(&["verify", "changed"]);
        assert_eq!(run.code, Some(1), "{file} {to}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(&format!("differs: {file}")), "{file} {to}: {}", run.stdout);
    }
}

#[test]
fn every_score_row_names_what_it_was_computed_from() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let scores = rows(&capdex.path().join("out"), "scores");
    assert!(!scores.is_empty());
    for row in &scores {
        for digest in ["text_sha256", "ruleset_sha256", "content_sha256", "facts_sha256"] {
            assert_eq!(text(row, digest).len(), 64, "{digest} in {row}");
        }
        assert_eq!(text(row, "as_of"), "2026-11-20T01:00:00Z");
        assert!(!text(row, "rubric").is_empty() && !text(row, "version").is_empty());
    }
}

#[test]
fn threads_change_nothing() {
    let registry = packages::registry();
    let nights: Vec<_> = ["1", "4"]
        .into_iter()
        .map(|threads| {
            let capdex = Capdex::with(&registry);
            capdex.write("schedule.toml", packages::everything());
            let run = capdex.run(&[
                "--threads",
                threads,
                "nightly",
                "--config",
                "schedule.toml",
                "--out",
                "out",
                "--as-of",
                "2026-11-20T01:00:00Z",
            ]);
            assert_eq!(run.code, Some(0), "{}", run.stdout);
            bytes_of(&capdex.path().join("out"))
        })
        .collect();
    assert_eq!(nights[0], nights[1]);
}

#[test]
fn a_stored_score_that_its_bytes_do_not_give_is_told() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let as_of: AsOf = "2026-11-23T00:00:00Z".parse().expect("an instant");
    let slug = "npm-weather-mcp-mcp-server";
    let path = capdex.path().join("capdex.db");
    let reader = Reader::open(&path).expect("opens");
    let current = reader.current().expect("reads").into_iter().find(|current| current.capability.slug == slug);
    let current = current.expect("the capability");
    let facts = reader.facts(&current.facts).expect("reads").expect("stored");
    let rubric = RUBRICS.iter().find(|rubric| rubric.meta().by_day).expect("one depends on the day");
    let mut score = rubric.score(&facts, as_of);
    score.value = Some(Points::whole(9));
    let write = move |writer: &capdex_db::Writer<'_>| writer.record_scores(&current.facts, Some(as_of.day()), &[score]);
    Store::open(&path).expect("opens").write(write).expect("stored");
    let right = capdex.run(&["verify", slug, "--as-of", "2026-11-20T01:00:00Z"]);
    assert_eq!(right.code, Some(0), "{}", right.stdout);
    let wrong = capdex.run(&["verify", slug, "--as-of", "2026-11-23T00:00:00Z"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
    let told = format!("differs: {} gives another score", rubric.meta().rubric.id);
    assert!(wrong.stdout.contains(&told), "{}", wrong.stdout);
}
