//! The operator's own list of what may be used: everything else has a finding of its own (SpiderRating's TS-W011), in `scan`
//! and in nights. What is on the list has none, and without a list nothing has.

use serde_json::Value;

use crate::nightly::night;
use crate::packages;
use crate::rows::rows;
use crate::support::capdex::Capdex;

/// The names of the findings of `scan` that carry TS-W011, one for each capability that has it.
fn scanned(capdex: &Capdex, arguments: &[&str]) -> Vec<String> {
    let run = capdex.run(&[&["scan", "kit", "--format", "jsonl"], arguments].concat());
    assert_eq!(run.stderr, "");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty());
    let of = |line: &Value| line["findings"].as_array().expect("findings").clone();
    let coded =
        |finding: &Value| finding["codes"]["spiderrating"].as_array().expect("codes").contains(&"TS-W011".into());
    let found = lines.iter().flat_map(of).filter(coded);
    found
        .map(|finding| {
            format!("{} {}", finding["severity"].as_str().expect("text"), finding["rule"].as_str().expect("text"))
        })
        .collect()
}

#[test]
fn a_scan_tells_what_the_list_does_not_name() {
    let capdex = Capdex::offline();
    capdex.write("kit/package.json", r#"{"name": "@acme/tides", "version": "1.0.0", "license": "MIT"}"#);
    capdex.write(
        "kit/SKILL.md",
        "---\nname: tides\ndescription: Tells the tides. Use when asked for tides.\n---\nRead the table.\n",
    );
    let none: [String; 0] = [];
    assert_eq!(scanned(&capdex, &[]), none, "without a list nothing is forbidden");
    for name in ["npm:@acme/tides", "npm:@acme/*", "folder:kit", "npm:other,npm:@acme/tides"] {
        assert_eq!(scanned(&capdex, &["--approved", name]), none, "{name}");
    }
    for name in ["npm:other", "pypi:@acme/tides", "npm:@acme/tides-kit"] {
        let found = scanned(&capdex, &["--approved", name]);
        assert!(!found.is_empty(), "{name}");
        assert!(found.iter().all(|found| found == "low name-not-approved"), "{name}: {found:?}");
    }
    // The finding is low: it is the operator's list and no fault of the package.
    let verdict = capdex.run(&["scan", "kit", "--approved", "npm:other", "--fail-on", "watch"]);
    assert_eq!(verdict.code, Some(0), "{}", verdict.stdout);
    let wrong = capdex.run(&["scan", "kit", "--approved", "tides"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("names no source"), "{}", wrong.stderr);
}

/// The packages of a night of which TS-W011 is told, sorted, each once.
fn told(capdex: &Capdex) -> Vec<String> {
    let found = rows(&capdex.path().join("out"), "findings");
    let mut slugs: Vec<String> = found
        .iter()
        .filter(|row| row["rule"] == "name-not-approved")
        .map(|row| row["slug"].as_str().expect("a slug").to_owned())
        .collect();
    slugs.sort();
    slugs.dedup();
    slugs
}

#[test]
fn a_night_tells_what_the_list_does_not_name_and_a_changed_list_scans_what_it_concerns() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    let schedule = |approved: &str| {
        capdex.write(
            "schedule.toml",
            format!("{}{approved}", packages::schedule(&["agent-pack", "weather-mcp"], &["fetch-server"])),
        );
    };
    let none: [String; 0] = [];
    schedule("");
    night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(told(&capdex), none, "without a list nothing is forbidden");

    schedule("[approved]\nnames = [\"npm:weather-mcp\", \"pypi:*\"]\n");
    night(&capdex, "2026-11-21T01:00:00Z");
    let found = told(&capdex);
    assert!(!found.is_empty());
    assert!(found.iter().all(|slug| slug.starts_with("npm-agent-pack")), "{found:?}");
    let explained = capdex.run(&["explain", "npm-agent-pack-plugin"]).stdout;
    assert!(explained.contains("not on the operator's own list"), "{explained}");
    assert!(explained.contains("name-not-approved"), "{explained}");

    schedule("[approved]\nnames = [\"npm:*\", \"pypi:*\"]\n");
    let run = night(&capdex, "2026-11-22T01:00:00Z");
    assert_eq!(told(&capdex), none);
    // The one package that the list names now, and no other.
    assert!(run.stdout.contains("1 snapshot scanned"), "{}", run.stdout);

    schedule("[approved]\nnames = [\"weather-mcp\"]\n");
    let wrong = capdex.run(&["nightly", "--config", "schedule.toml", "--plan"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("names no source"), "{}", wrong.stderr);
}
