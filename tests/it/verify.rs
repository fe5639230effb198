//! What can be checked of an export with nothing but itself, and of a stored capability with its own bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capdex_dataset::export::manifest::DatasetManifest;
use capdex_dataset::export::verify::check_bytes;
use capdex_db::{Reader, Store};
use capdex_model::points::Points;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;
use serde_json::Value;

use crate::nightly::first_night;
use crate::packages;
use crate::rows::{bytes_of, rows, text};
use crate::seal::seal;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

#[test]
fn an_export_verifies_and_a_changed_one_does_not() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let run = capdex.run(&["verify", "out"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    assert!(run.stdout.contains("no difference"), "{}", run.stdout);
    for file in ["scores.parquet", "facts.jsonl", "capabilities.csv", "capdex.sqlite", "manifest.json"] {
        let path = capdex.path().join("out").join(file);
        let original = std::fs::read(&path).expect("a file");
        let mut changed = original.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&path, changed).expect("writes");
        let run = capdex.run(&["verify", "out"]);
        assert_eq!(run.code, Some(1), "{file}: {}", run.stdout);
        assert_eq!(run.stderr.as_str(), "", "{file}: {}", run.stdout);
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
    let pool = capdex_dataset::bulk::pool(Some(2)).expect("threads");
    let differences = || check_bytes(&out, &pool).expect("an export").verified.differences;
    assert_eq!(differences(), Vec::<String>::new());
    let files = bytes_of(&out);
    assert!(files.len() > 15, "{:?}", files.keys());
    assert!(files.contains_key("manifest.json"), "{:?}", files.keys());
    for (name, original) in &files {
        for (place, change) in places(original.len()).into_iter().zip([0x01, 0x20, 0x80].into_iter().cycle()) {
            let mut changed = original.clone();
            changed[place] ^= change;
            std::fs::write(out.join(name), changed).expect("writes");
            let found = differences();
            assert_eq!(found.len(), 1, "byte {place} of {name}: {found:?}");
            assert!(found[0].starts_with(&format!("{name} ")), "byte {place} of {name}: {found:?}");
        }
        std::fs::write(out.join(name), original).expect("writes");
    }
    for name in ["stranger.csv", "more.parquet", "X.JSONL", "facts.csv.gz", "capdex.sqlite-wal", "train.arrow"] {
        std::fs::write(out.join(name), "x").expect("writes");
        let found = differences();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("{name} ")), "{found:?}");
        std::fs::remove_file(out.join(name)).expect("there");
    }
    std::fs::create_dir(out.join("facts.parquet.csv")).expect("made");
    assert!(differences()[0].starts_with("facts.parquet.csv "), "{:?}", differences());
}

#[test]
fn what_lies_beside_a_dataset_and_is_no_table_is_told_and_is_no_difference() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    for path in
        ["out/.git/HEAD", "out/.gitattributes", "out/LICENSE", "out/.DS_Store", "out/.cache/hub/x", "out/n\u{1b}.txt"]
    {
        capdex.write(path, "x");
    }
    let run = capdex.run(&["verify", "out"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let told =
        "beside the dataset, and no part of it: .DS_Store, .cache, .git, .gitattributes, LICENSE, n\\u{1b}.txt\n";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    capdex.write("out/more.csv", "x");
    let run = capdex.run(&["verify", "out"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("differs: more.csv "), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_never_waited_for() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let out = capdex.path().join("out");
    let file = out.join("scores.csv");
    let kept = std::fs::read(&file).expect("there");
    let replaced_by = |what: &str, make: &dyn Fn()| {
        std::fs::remove_file(&file).expect("there");
        make();
        let run = capdex.run(&["verify", "out"]);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("differs: scores.csv "), "{what}: {}", run.stdout);
    };
    let link = |to: &str| std::os::unix::fs::symlink(to, &file).expect("linked");
    replaced_by("a pipe", &|| {
        let made = std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo runs");
        assert!(made.success());
    });
    replaced_by("a device", &|| link("/dev/zero"));
    replaced_by("a link to the very bytes", &|| {
        std::fs::write(capdex.path().join("kept"), &kept).expect("written");
        link("../kept");
    });
    replaced_by("a file that is longer", &|| {
        std::fs::write(&file, [kept.as_slice(), b"\n"].concat()).expect("written")
    });
    replaced_by("the file", &|| std::fs::write(&file, &kept[1..]).expect("written"));
    std::fs::remove_file(&file).expect("there");
    std::fs::write(&file, &kept).expect("written");
    std::fs::remove_file(out.join("manifest.json")).expect("there");
    let made = std::process::Command::new("mkfifo").arg(out.join("manifest.json")).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(2), "a pipe is no manifest");
}

const AS_OF: &str = "2026-11-20T01:00:00Z";

/// A working folder with these packages and the export `changed` of them, as lines and as CSV.
fn to_be_changed(registry: &Registry, names: &str) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("names.txt", names);
    assert_eq!(capdex.run(&["backfill", "npm", "--watchlist", "names.txt", "--as-of", AS_OF]).code, Some(0));
    assert_eq!(capdex.run(&["export", "changed", "--format", "jsonl,csv", "--as-of", AS_OF]).code, Some(0));
    assert_eq!(capdex.run(&["verify", "changed"]).code, Some(0));
    capdex
}

fn put_back(out: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        std::fs::write(out.join(name), bytes).expect("writes");
    }
}

#[test]
fn what_was_changed_and_sealed_again_is_found_by_computing_it_again() {
    let registry = packages::registry();
    let capdex = to_be_changed(&registry, "weather-mcp\n");
    let out = capdex.path().join("changed");
    let files = bytes_of(&out);
    seal(&out, |_| {});
    assert!(bytes_of(&out) == files, "what was not changed is sealed as it was");
    for (file, from, to) in [
        ("scores.jsonl", "\"grade\":\"Green\"", "\"grade\":\"Red\""),
        ("scores.jsonl", "\"as_of\":\"2026-11-20T01:00:00Z\"", "\"as_of\":\"2026-11-20T02:00:00Z\""),
        ("scores.jsonl", "\"slug\":\"", "\"slug\":\"x"),
        ("scores.jsonl", "\"content_sha256\":\"", "\"content_sha256\":\"0"),
        ("scores.jsonl", "\"capability\":\"", "\"capability\":\"00"),
        ("capabilities.jsonl", "\"band\":\"", "\"band\":\"x"),
        ("capabilities.jsonl", "\"reason\":\"", "\"reason\":\"x"),
        ("capabilities.jsonl", "\"trust\":", "\"trust\":1"),
        ("capabilities.jsonl", "\"rank\":1,", "\"rank\":3,"),
        ("capabilities.jsonl", "\"rank_kind\":1,", "\"rank_kind\":3,"),
        ("scores.jsonl", "\"breakdown\":1,", "\"breakdown\":3,"),
        ("score_breakdowns.jsonl", "\"breakdown\":2,", "\"breakdown\":3,"),
        ("score_breakdowns.jsonl", "\"note\":\"", "\"note\":\"x"),
        ("packages.jsonl", "\"grade\":\"", "\"grade\":\"x"),
        ("packages.jsonl", "\"as_of\":\"2026", "\"as_of\":\"2025"),
        ("facts.jsonl", "\"outcome\":\"true\"", "\"outcome\":\"false\""),
        ("facts.jsonl", "\"unavailable\"", "\"false\""),
        // No facts here are about a hook, and those of the server were computed from the format before.
        ("rule_defaults.jsonl", "{\"kind\":\"hook\",\"rule\":\"", "{\"kind\":\"hook\",\"rule\":\"x"),
        ("rule_defaults.csv", "\nmcp_server,", "\nmcp_server,x"),
        ("rule_defaults.csv", "\nmcp_server,", "\nhook,"),
    ] {
        put_back(&out, &files);
        let text = std::fs::read_to_string(out.join(file)).expect("a table");
        assert!(text.contains(from), "{from} in {file}");
        std::fs::write(out.join(file), text.replacen(from, to, 1)).expect("writes");
        seal(&out, |_| {});
        let run = capdex.run(&["verify", "changed"]);
        assert_eq!(run.code, Some(1), "{file} {to}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(&format!("differs: {file}")), "{file} {to}: {}", run.stdout);
        assert!(!run.stdout.contains("manifest.json"), "it was sealed: {}", run.stdout);
    }
}

/// Changes lines of the scores, and leaves out the last breakdowns where none of them names one any more.
fn change_scores(out: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let lines = |table: &str| -> Vec<String> {
        let text = std::fs::read_to_string(out.join(table)).expect("a table");
        text.lines().map(str::to_owned).collect()
    };
    let write = |table: &str, lines: &[String]| {
        std::fs::write(out.join(table), lines.join("\n") + "\n").expect("writes");
    };
    let mut scores = lines("scores.jsonl");
    change(&mut scores);
    let number = |line: &String| {
        let row: Value = serde_json::from_str(line).ok()?;
        usize::try_from(row["breakdown"].as_u64()?).ok()
    };
    let named = scores.iter().filter_map(number).max().expect("a number");
    write("scores.jsonl", &scores);
    write("score_breakdowns.jsonl", &lines("score_breakdowns.jsonl")[..named]);
}

/// The files that hold no table.
const CARD: [&str; 3] = ["README.md", "croissant.json", "CITATION.cff"];

/// Gives the capability that is ranked last the scores of the first, with everything that they were computed from.
fn lend_scores(scores: &mut [String]) {
    let (from, last) = ("\"facts_sha256\":", scores.len() - RUBRICS.len());
    for at in 0..RUBRICS.len() {
        let (_, lent) = scores[at].split_once(from).expect("facts");
        let (own, given_up) = scores[last + at].split_once(from).expect("facts");
        assert_ne!(lent[..66], given_up[..66], "they have other facts");
        scores[last + at] = format!("{own}{from}{lent}");
    }
}

type Change = Box<dyn Fn(&mut Vec<String>)>;
type Sealing = Box<dyn Fn(&mut DatasetManifest)>;

#[test]
fn what_was_left_out_or_lent_and_sealed_again_is_told() {
    let registry = packages::registry();
    let capdex = to_be_changed(&registry, "weather-mcp\nagent-pack\n");
    let out = capdex.path().join("changed");
    let files = bytes_of(&out);
    let as_it_was = || -> Change { Box::new(|_| {}) };
    let only_sealed = || -> Sealing { Box::new(|_| {}) };
    let cases: [(&str, i32, Change, Sealing); 7] = [
        ("differs: scores.jsonl: the scores of ", 1, Box::new(|scores| lend_scores(scores)), only_sealed()),
        (
            "differs: scores.jsonl: there is more than one score of ",
            1,
            Box::new(|scores| scores.extend(scores.last().cloned())),
            only_sealed(),
        ),
        ("unknown: scores.jsonl: ", 3, Box::new(|scores| drop(scores.pop())), only_sealed()),
        ("differs: manifest.json: ", 1, as_it_was(), Box::new(|manifest| manifest.rubrics.clear())),
        // Under another rubric the order is another one, so that more than this differs.
        ("differs: ", 1, as_it_was(), Box::new(|manifest| manifest.rank_by = "x/seed".into())),
        (
            "differs: facts.csv is missing",
            1,
            as_it_was(),
            Box::new(|manifest| manifest.files.retain(|file| file.path != "facts.csv")),
        ),
        (
            "differs: manifest.json: it names no format",
            1,
            as_it_was(),
            Box::new(|manifest| manifest.files.retain(|file| CARD.contains(&&*file.path))),
        ),
    ];
    for (told, code, change, sealing) in cases {
        put_back(&out, &files);
        change_scores(&out, change);
        seal(&out, sealing);
        let run = capdex.run(&["verify", "changed"]);
        assert_eq!(run.code, Some(code), "{told}: {}{}", run.stdout, run.stderr);
        let lines: Vec<&str> = run.stdout.lines().collect();
        let (sum, lines) = lines.split_last().expect("lines");
        assert!(!sum.contains("no difference"), "{told}: {sum}");
        assert!(!lines.is_empty(), "{told}: {lines:?}");
        assert!(lines.iter().all(|line| line.starts_with(told)), "{told}: {lines:?}");
    }
}

#[test]
fn what_was_never_scored_for_a_day_is_unknown_and_not_clean() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    // Long after: scores hold until an age passes a step.
    let (slug, day) = ("npm-weather-mcp-mcp-server", "2036-11-23T00:00:00Z");
    let by_day = RUBRICS.iter().map(|rubric| rubric.meta()).filter(|meta| meta.by_day);
    let by_day: Vec<&str> = by_day.map(|meta| &*meta.rubric.id).collect();
    assert!(by_day.contains(&"spiderrating/seed"), "{by_day:?}");
    assert_eq!(capdex.run(&["export", "later", "--format", "jsonl", "--as-of", day]).code, Some(0));
    let dataset = capdex.run(&["verify", "later"]);
    assert_eq!(dataset.code, Some(3), "{}", dataset.stdout);
    let one = capdex.run(&["verify", slug, "--as-of", day]);
    assert_eq!(one.code, Some(3), "{}", one.stdout);
    for id in &by_day {
        assert!(
            dataset.stdout.contains(&format!("unknown: scores.jsonl: {id} has no score of ")),
            "{}",
            dataset.stdout
        );
        assert!(one.stdout.contains(&format!("unknown: no score by {id} is stored")), "{}", one.stdout);
    }
    for said in [dataset.stdout, one.stdout] {
        assert_eq!(said.lines().count(), by_day.len() + 1, "{said}");
        assert!(!said.contains("no difference"), "{said}");
        assert!(!said.contains("differs"), "{said}");
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
        assert!(!text(row, "rubric").is_empty());
        assert!(!text(row, "version").is_empty());
    }
}

#[test]
fn an_export_of_a_version_before_is_refused_in_words_and_replaced() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let out = capdex.path().join("out");
    seal(&out, |manifest| {
        manifest.schema = "capdex.export/2".into();
        manifest.nights.clear();
    });
    let told = "is of schema capdex.export/2, which this program does not read any more: export the dataset anew";
    let verified = capdex.run(&["verify", "out"]);
    assert_eq!(verified.code, Some(1), "{}", verified.stdout);
    assert!(verified.stdout.contains(told), "{}", verified.stdout);
    for arguments in
        [&["export", "now", "--since", "out"][..], &["check", "npm:weather-mcp", "--dataset", "out", "--offline"]]
    {
        let run = capdex.run(arguments);
        assert_ne!(run.code, Some(0), "{arguments:?}: {}", run.stdout);
        assert!(run.stderr.contains(told), "{arguments:?}: {}", run.stderr);
    }
    let run = capdex.run(&["export", "out", "--as-of", AS_OF]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));
}

#[test]
fn no_format_may_lack_a_table_that_the_manifest_names_for_another() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let out = capdex.path().join("out");
    for name in ["surfaces.csv", "history-20261120T010000Z.jsonl"] {
        seal(&out, |manifest| {
            assert!(manifest.files.iter().any(|file| file.path == name), "{name}");
            manifest.files.retain(|file| file.path != name);
        });
        let run = capdex.run(&["verify", "out"]);
        assert_eq!(run.code, Some(1), "{}", run.stdout);
        assert!(run.stdout.contains(&format!("differs: {name} is missing")), "{}", run.stdout);
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
    let reader = Reader::open(&path, &capdex_rules::INDEX).expect("opens");
    let current = reader.current().expect("reads").into_iter().find(|current| current.capability.slug == slug);
    let current = current.expect("the capability");
    let facts = reader.facts(&current.facts).expect("reads").expect("stored");
    let rubric = RUBRICS.iter().find(|rubric| rubric.meta().by_day).expect("one depends on the day");
    let mut score = rubric.score(&facts, as_of);
    score.value = Some(Points::whole(9));
    let write = move |writer: &capdex_db::Writer<'_>| writer.record_scores(&current.facts, Some(as_of.day()), &[score]);
    Store::open(&path, &capdex_rules::INDEX).expect("opens").write(write).expect("stored");
    let right = capdex.run(&["verify", slug, "--as-of", "2026-11-20T01:00:00Z"]);
    assert_eq!(right.code, Some(0), "{}", right.stdout);
    let wrong = capdex.run(&["verify", slug, "--as-of", "2026-11-23T00:00:00Z"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
    let told = format!("differs: {} gives another score", rubric.meta().rubric.id);
    assert!(wrong.stdout.contains(&told), "{}", wrong.stdout);
}
