//! Retention: a store that was pruned stands, verifies and drifts as one that was not, and gets smaller.

use std::time::Duration;

use serde_json::Value;

use crate::packages;
use crate::rows::{bytes_of, rows, text};
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;

/// Versions of a pack of skills, each with text of its own; only the first has a skill `gone`.
fn publish(registry: &Registry, version: u32) {
    let manifest =
        format!(r#"{{"name":"notes-pack","version":"1.0.{version}","description":"Notes","license":"MIT"}}"#);
    let text = (0..400 * (version + 1)).map(|line| format!("Line {} of {version}.\n", line * 7919)).collect::<String>();
    let skill =
        format!("---\nname: notes\ndescription: Writes notes. Use when asked.\n---\n\n# Notes {version}\n\n{text}");
    let mut files: Vec<(&str, &[u8])> = vec![
        ("package.json", manifest.as_bytes()),
        ("LICENSE", b"MIT License\n"),
        ("skills/notes/SKILL.md", skill.as_bytes()),
    ];
    if version == 0 {
        files.push(("skills/gone/SKILL.md", b"---\nname: gone\ndescription: Leaves. Use once.\n---\n\n# Gone\n"));
    }
    registry.npm_package("notes-pack", &format!("1.0.{version}"), &files);
}

fn night(capdex: &Capdex, day: u32) -> Run {
    let as_of = format!("2026-11-{day:02}T01:00:00Z");
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", &as_of]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    run
}

fn export(capdex: &Capdex, folder: &str) -> std::collections::BTreeMap<String, Vec<u8>> {
    let run = capdex.run(&["export", folder]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    bytes_of(&capdex.path().join(folder))
}

fn json_of(capdex: &Capdex, arguments: &[&str]) -> Value {
    let run = capdex.run(arguments);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", run.stderr))
}

/// Rows that go or went, by table.
fn rows_of(pruned: &Value) -> Vec<(String, u64)> {
    let items = pruned["items"].as_array().expect("items");
    items.iter().map(|item| (text(item, "table").to_owned(), item["rows"].as_u64().expect("a number"))).collect()
}

fn verify_all(capdex: &Capdex) {
    let capabilities = rows(&capdex.path().join("out"), "capabilities");
    assert!(capabilities.len() >= 2, "{capabilities:?}");
    for row in capabilities {
        let run = capdex.run(&["verify", text(&row, "slug")]);
        assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    }
    let run = capdex.run(&["verify", "out"]);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
}

/// Four nights with a release each.
fn four_nights(registry: &Registry) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::schedule(&["notes-pack"], &[]));
    for version in 0..4 {
        publish(registry, version);
        night(&capdex, version + 1);
    }
    capdex
}

/// The same store and dataset in a folder of its own.
fn copy_of(capdex: &Capdex, registry: &Registry) -> Capdex {
    let copy = Capdex::with(registry);
    for name in ["schedule.toml", "capdex.db"] {
        copy.write(name, std::fs::read(capdex.path().join(name)).expect("reads"));
    }
    for (name, bytes) in bytes_of(&capdex.path().join("out")) {
        copy.write(&format!("out/{name}"), bytes);
    }
    copy
}

const PRUNE: &[&str] = &["prune", "--keep-days", "1", "--as-of", "2026-11-04T01:00:00Z", "--format", "json"];

#[test]
fn a_pruned_store_stands_verifies_and_drifts_as_one_that_never_was() {
    let registry = Registry::start();
    let whole = four_nights(&registry);
    let (pruned, killed) = (copy_of(&whole, &registry), copy_of(&whole, &registry));
    let before = export(&pruned, "before");
    let database = || std::fs::read(pruned.path().join("capdex.db")).expect("reads");
    let untouched = database();
    let plan = json_of(&pruned, &[PRUNE, &["--plan"]].concat());
    assert!(database() == untouched, "a plan changes nothing");
    let went = json_of(&pruned, PRUNE);
    assert_eq!(rows_of(&went), rows_of(&plan));
    for (table, rows) in rows_of(&went) {
        assert_eq!(rows > 0, ["blobs", "runs", "walks"].contains(&table.as_str()), "{table}: {rows}");
    }
    assert!(database().len() < untouched.len(), "the file is smaller");
    let nothing = rows_of(&json_of(&pruned, PRUNE));
    assert!(nothing.iter().all(|(_, rows)| *rows == 0), "{nothing:?}");
    verify_all(&pruned);
    assert!(export(&pruned, "after") == before, "the dataset is the same, byte for byte");

    let former = pruned.run(&["verify", "npm:notes-pack#skill:skills/gone"]);
    assert_eq!(former.code, Some(3), "{} {}", former.stdout, former.stderr);
    assert!(former.stdout.contains("unknown, the bytes of npm:notes-pack 1.0.0 were pruned"), "{}", former.stdout);
    let stored = whole.run(&["verify", "npm:notes-pack#skill:skills/gone"]);
    assert_eq!(stored.code, Some(2), "{}", stored.stderr);
    assert!(stored.stderr.contains("not in its package any more"), "{}", stored.stderr);

    let next_nights = |day| {
        let outs = [&pruned, &whole].map(|capdex| {
            night(capdex, day);
            bytes_of(&capdex.path().join("out"))
        });
        assert!(outs[0] == outs[1], "night {day} differs");
        let drift = [&pruned, &whole].map(|capdex| capdex.run(&["drift", "--format", "jsonl"]).stdout);
        assert!(!drift[0].is_empty(), "{drift:?}");
        assert!(drift[0] == drift[1], "{drift:?}");
    };
    a_kill_leaves_a_store_that_stands(&killed, &before);
    publish(&registry, 6);
    next_nights(5);
    // The publisher goes back to the first release, whose bytes are gone here: they are fetched again.
    registry.clear_requests();
    registry.remove("notes-pack");
    publish(&registry, 0);
    next_nights(6);
    assert_eq!(registry.tarball_requests().len(), 1, "the store that holds it still needs no request");
    verify_all(&pruned);
    assert_eq!(pruned.run(&["verify", "npm:notes-pack#skill:skills/gone"]).code, Some(0), "it stands again");

    let retention = format!("{}[retention]\nkeep_days = 3\n", packages::schedule(&["notes-pack"], &[]));
    pruned.write("schedule.toml", retention);
    next_nights(20);
    let status = json_of(&pruned, &["status", "--format", "json"]);
    assert!(status["runs"][0]["summary"]["prune"]["done"].as_u64() > Some(0), "{status}");
    let shown = pruned.run(&["status"]).stdout;
    for stage in ["list ", ", scan ", ", export ", ", alerts ", ", prune "] {
        assert!(shown.contains(stage), "no {stage} in {shown}");
    }
    pruned.write("schedule.toml", "name = \"n\"\n[retention]\nkeep_days = 0\n[sources.npm]\n");
    let mistake = pruned.run(&["nightly", "--config", "schedule.toml"]);
    assert_eq!(mistake.code, Some(2), "{}", mistake.stderr);
    assert!(mistake.stderr.contains("retention.keep_days"), "{}", mistake.stderr);
}

fn a_kill_leaves_a_store_that_stands(killed: &Capdex, before: &std::collections::BTreeMap<String, Vec<u8>>) {
    for moment in [15, 40, 80] {
        let running = killed.spawn(PRUNE);
        std::thread::sleep(Duration::from_millis(moment));
        running.kill();
        let plan = killed.run(&[PRUNE, &["--plan"]].concat());
        assert_eq!(plan.code, Some(0), "after a kill at {moment} ms: {}", plan.stderr);
    }
    assert!(export(killed, "after") == *before);
    killed.run(PRUNE);
    let nothing = rows_of(&json_of(killed, &[PRUNE, &["--plan"]].concat()));
    assert!(nothing.iter().all(|(_, rows)| *rows == 0), "{nothing:?}");
    verify_all(killed);
}
