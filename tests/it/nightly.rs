//! Nights: a first one, one in which nothing changed, one in which something did, and what can be checked afterwards.

use std::collections::BTreeSet;

use capdex::export::verify::check_bytes;
use capdex_core::digest::Digest;

use crate::packages::{self, PACK, WEATHER};
use crate::rows::{bytes_of, rows, text};
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;

fn night(capdex: &Capdex, as_of: &str) -> Run {
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of]);
    assert_eq!(run.stderr, "", "nothing but results in a pipe");
    run
}

fn first_night(registry: &Registry) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::everything());
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    capdex
}

#[test]
fn a_first_night_ranks_all_five_kinds() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    let kinds: BTreeSet<&str> = ranked.iter().map(|row| text(row, "kind")).collect();
    assert_eq!(kinds, BTreeSet::from(["hook", "mcp_server", "package", "plugin", "rules", "skill"]));
    let ranks: Vec<u64> = ranked.iter().filter_map(|row| row["rank"].as_u64()).collect();
    assert_eq!(ranks, (1..=ranked.len() as u64).collect::<Vec<_>>());
    let servers: Vec<&str> =
        ranked.iter().filter(|row| text(row, "kind") == "mcp_server").map(|row| text(row, "package")).collect();
    assert!(servers.contains(&"npm:weather-mcp") && servers.contains(&"pypi:fetch-server"), "{servers:?}");
}

#[test]
fn a_second_night_at_once_asks_and_does_nothing_else() {
    for with_validators in [true, false] {
        let registry = packages::registry();
        if !with_validators {
            registry.without_validators();
        }
        let capdex = first_night(&registry);
        registry.clear_requests();
        let run = night(&capdex, "2026-11-20T01:00:00Z");
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        assert!(registry.tarball_requests().is_empty());
        assert_eq!(registry.requests().len(), 3, "one request for each listing");
        for said in ["nothing fetched, nothing unpacked", "nothing scanned", "nothing scored"] {
            assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
        }
    }
}

#[test]
fn another_night_reports_what_changed_file_by_file() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let mut changed = PACK.to_vec();
    changed[2].1 =
        b"---\nname: notes\ndescription: Writes release notes. Use when a release is tagged.\n---\n\nOther text.\n";
    changed.retain(|(path, _)| *path != "AGENTS.md");
    changed.push((
        "skills/more/SKILL.md",
        b"---\nname: more\ndescription: Another one. Use when needed.\n---\n\n# More\n",
    ));
    registry.npm_package("agent-pack", "2.1.0", &changed);
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    let drift = rows(&capdex.path().join("out"), "drift");
    let events: BTreeSet<(&str, &str)> = drift.iter().map(|row| (text(row, "slug"), text(row, "kind"))).collect();
    for expected in [
        ("npm-agent-pack-skill-skills-notes", "changed"),
        ("npm-agent-pack-skill-skills-more", "new"),
        ("npm-agent-pack-rules-agents-md", "gone"),
    ] {
        assert!(events.contains(&expected), "{expected:?} in {events:?}");
    }
    assert!(!events.iter().any(|(slug, _)| slug.contains("weather") || slug.contains("hook")), "{events:?}");
    let notes = drift.iter().find(|row| text(row, "slug").ends_with("skills-notes")).expect("an event");
    assert_eq!(notes["changes"].to_string(), r#"[{"part":"file","subject":"skills/notes/SKILL.md","what":"changed"}]"#);
    assert_eq!((text(notes, "from_version"), text(notes, "to_version")), ("2.0.0", "2.1.0"));
    let shown = capdex.run(&["drift", "--since", "2026-11-21"]);
    assert!(shown.stdout.contains("changed file skills/notes/SKILL.md"), "{}", shown.stdout);
    let none = capdex.run(&["drift", "--since", "2026-11-22"]);
    assert!(none.stdout.contains("No drift"), "{}", none.stdout);
}

#[test]
fn other_bytes_under_the_same_version_raise_an_alert_once() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let mut changed = WEATHER.to_vec();
    changed[3].1 = b"import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\n";
    registry.npm_package("weather-mcp", "1.0.0", &changed);
    for day in ["2026-11-21T01:00:00Z", "2026-11-22T01:00:00Z"] {
        assert_eq!(night(&capdex, day).code, Some(0));
        let alerts = rows(&capdex.path().join("out"), "alerts");
        assert_eq!(alerts.len(), 1, "{alerts:?}");
        assert_eq!(text(&alerts[0], "severity"), "high");
        assert_eq!(text(&alerts[0], "raised"), "2026-11-21T01:00:00Z");
    }
}

#[test]
fn a_package_that_vanishes_is_gone_and_not_clean() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    registry.remove("weather-mcp");
    let run = night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    let out = capdex.path().join("out");
    let state = |name: &str| {
        let listing = rows(&out, "listings").into_iter().find(|row| text(row, "listing") == name).expect("a listing");
        text(&listing, "state").to_owned()
    };
    assert_eq!((state("npm:weather-mcp").as_str(), state("npm:agent-pack").as_str()), ("gone", "active"));
    let gaps = rows(&out, "gaps");
    assert!(gaps.iter().any(|row| text(row, "listing") == "npm:weather-mcp" && text(row, "reason") == "not_found"));
}

#[test]
fn an_export_verifies_and_a_changed_one_does_not() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let run = capdex.run(&["verify", "out"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("no difference"), "{}", run.stdout);
    for file in ["scores.jsonl", "facts.jsonl", "capabilities.csv", "capdex.sqlite", "manifest.json"] {
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
    let differences = || check_bytes(&out).expect("an export").verified.differences;
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
    let capdex = first_night(&registry);
    for (table, from, to) in [
        ("scores", "\"grade\":\"Green\"", "\"grade\":\"Red\""),
        ("scores", "\"as_of\":\"2026-11-20T01:00:00Z\"", "\"as_of\":\"2026-11-20T02:00:00Z\""),
        ("capabilities", "\"band\":\"", "\"band\":\"x"),
        ("capabilities", "\"rank\":1,", "\"rank\":3,"),
        ("packages", "\"grade\":\"", "\"grade\":\"x"),
        ("facts", "\"outcome\":\"false\"", "\"outcome\":\"true\""),
    ] {
        assert_eq!(
            capdex.run(&["export", "changed", "--format", "jsonl", "--as-of", "2026-11-20T01:00:00Z"]).code,
            Some(0)
        );
        let out = capdex.path().join("changed");
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
fn a_stored_capability_is_explained_verified_and_scored_again() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    registry.clear_requests();
    let explained = capdex.run(&["explain", "npm:weather-mcp#mcp_server:"]);
    assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    let sums =
        ["text sha256:", "under rule set sha256:", "as of     2026-11-20T01:00:00Z", "package score 100", " = 100;"];
    for said in sums {
        assert!(explained.stdout.contains(said), "{said}: {}", explained.stdout);
    }
    for said in ["saferskills/seed", "spiderrating/seed", "mcpbundles/seed", "agentscore/seed", "npm:weather-mcp"] {
        assert!(explained.stdout.contains(said), "{said}: {}", explained.stdout);
    }
    assert_eq!(capdex.run(&["verify", "npm-weather-mcp-mcp-server"]).code, Some(0));
    let again = capdex.run(&["score", "--all"]);
    assert!(again.code == Some(0) && again.stdout.contains("no request was sent"), "{}", again.stdout);
    assert!(registry.requests().is_empty());
    let unknown = capdex.run(&["explain", "npm-nothing"]);
    assert_eq!((unknown.code, unknown.stderr.lines().count()), (Some(2), 1), "{}", unknown.stderr);
}

#[test]
fn a_plan_sends_nothing_and_a_backfill_takes_what_it_is_given() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::everything()).write("names.txt", "weather-mcp # a server\n\n");
    let plan = capdex.run(&["nightly", "--config", "schedule.toml", "--plan"]);
    assert!(plan.code == Some(0) && plan.stdout.contains("Nothing was sent"), "{} {}", plan.stdout, plan.stderr);
    assert!(registry.requests().is_empty());
    assert!(!capdex.path().join("capdex.db").exists(), "a plan makes no store");
    let backfill = capdex.run(&["backfill", "npm", "--watchlist", "names.txt"]);
    assert_eq!(backfill.code, Some(0), "{}", backfill.stderr);
    assert_eq!(registry.tarball_requests().len(), 1);
    let exported = capdex.run(&["export", "ranked", "--format", "jsonl"]);
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    let packages: BTreeSet<String> =
        rows(&capdex.path().join("ranked"), "capabilities").iter().map(|row| text(row, "package").to_owned()).collect();
    assert_eq!(packages, BTreeSet::from(["npm:weather-mcp".to_owned()]));
    assert!(!capdex.path().join("ranked/capabilities.csv").exists(), "only the formats asked for");
    let status = capdex.run(&["status", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
    assert_eq!(status["sources"][0]["id"], "npm");
    assert_eq!(status["runs"][0]["status"], "done");
}

#[test]
fn a_folder_is_a_source_too() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("mine/SKILL.md", "---\nname: mine\ndescription: Mine. Use when testing.\n---\n\n# Mine\n");
    let folder = capdex.path().join("mine").display().to_string();
    capdex.write("schedule.toml", format!("name = \"local\"\n[sources.folder]\nwatchlist = [{folder:?}]\n"));
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    assert!(ranked.iter().any(|row| text(row, "slug") == "folder-mine-skill"), "{ranked:?}");
    assert!(registry.requests().is_empty());
}
