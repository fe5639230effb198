//! Nights: a first one, one in which nothing changed, one in which something did, and what can be checked afterwards.

use std::collections::BTreeSet;

use crate::packages::{self, PACK, WEATHER};
use crate::rows::{bytes_of, rows, text};
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;

/// A night over the schedule of the folder.
pub(crate) fn night(capdex: &Capdex, as_of: &str) -> Run {
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of]);
    assert!(run.is_quiet(), "nothing but results in a pipe: {}", run.stderr);
    run
}

/// A working folder after a first night with everything; its export is `out`.
pub(crate) fn first_night(registry: &Registry) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::everything());
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    capdex
}

#[test]
fn a_night_and_an_export_write_parquet_alone_unless_more_is_asked_for() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    let schedule = packages::schedule(&["weather-mcp"], &[]);
    let formats = |folder: &str| -> BTreeSet<String> {
        let names = bytes_of(&capdex.path().join(folder)).into_keys();
        names.filter_map(|name| name.strip_prefix("capabilities.").map(ToOwned::to_owned)).collect()
    };
    capdex.write("schedule.toml", &schedule);
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(formats("out"), BTreeSet::from(["parquet".to_owned()]));
    assert_eq!(capdex.run(&["export", "again"]).code, Some(0));
    assert_eq!(formats("again"), formats("out"));
    capdex.write("schedule.toml", format!("{schedule}[export]\nformats = [\"csv\", \"jsonl\"]\n"));
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(formats("out"), BTreeSet::from(["csv".to_owned(), "jsonl".to_owned()]));
    capdex.write("schedule.toml", format!("{schedule}[export]\nformats = [\"xml\"]\n"));
    let refused = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("export.formats"), "{}", refused.stderr);
}

#[test]
fn a_first_night_ranks_all_five_kinds() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    let kinds: BTreeSet<&str> = ranked.iter().map(|row| text(row, "kind")).collect();
    assert_eq!(kinds, BTreeSet::from(["hook", "mcp_server", "plugin", "rules", "skill"]));
    let ranks: Vec<u64> = ranked.iter().filter_map(|row| row["rank"].as_u64()).collect();
    assert_eq!(ranks, (1..=ranked.len() as u64).collect::<Vec<_>>());
    let servers: Vec<&str> =
        ranked.iter().filter(|row| text(row, "kind") == "mcp_server").map(|row| text(row, "package")).collect();
    assert!(servers.contains(&"npm:weather-mcp"), "{servers:?}");
    assert!(servers.contains(&"pypi:fetch-server"), "{servers:?}");
    let server = ranked.iter().find(|row| text(row, "package") == "npm:weather-mcp").expect("the server");
    assert_eq!(text(server, "purl"), "pkg:npm/weather-mcp@1.0.0");
    let listings = rows(&capdex.path().join("out"), "listings");
    let listing = listings.iter().find(|row| text(row, "listing") == "npm:weather-mcp").expect("its listing");
    assert_eq!(text(listing, "purl"), "pkg:npm/weather-mcp@1.0.0");
    assert_eq!(text(listing, "spdx"), "MIT");
}

#[test]
fn a_planted_bad_package_ranks_below_all_others() {
    let registry = packages::registry();
    let manifest = br#"{"name":"planted","version":"1.0.0","description":"Prepares machines","license":"MIT"}"#;
    registry.npm_package(
        "planted",
        "1.0.0",
        &[("package.json", manifest), ("SKILL.md", packages::HOSTILE_SKILL.as_bytes())],
    );
    let capdex = Capdex::with(&registry);
    let schedule = packages::schedule(&["agent-pack", "planted", "weather-mcp"], &["fetch-server"]);
    capdex.write("schedule.toml", format!("{schedule}{}", packages::ALL_FORMATS));
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    assert!(ranked.len() > 5, "there are others");
    let last = ranked.iter().max_by_key(|row| row["rank"].as_u64()).expect("a row");
    assert_eq!(text(last, "package"), "npm:planted", "{last}");
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

/// Where the header of a SQLite file holds the version of the schema, four bytes with the highest first.
const SCHEMA_VERSION: std::ops::Range<usize> = 60..64;

#[test]
fn a_store_of_before_release_lines_has_a_quiet_second_night() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let told = |capdex: &Capdex| capdex.run(&["alerts", "list", "--all", "--format", "jsonl"]).stdout;
    let before = told(&capdex);
    // A copy is one file without a log beside it, so its header is all that tells its version.
    assert_eq!(capdex.run(&["backup", "old.db"]).code, Some(0));
    let mut bytes = std::fs::read(capdex.path().join("old.db")).expect("a copy");
    assert!(bytes[SCHEMA_VERSION] >= 17_u32.to_be_bytes()[..], "this store has the migration");
    bytes[SCHEMA_VERSION].copy_from_slice(&16_u32.to_be_bytes());
    capdex.write("old.db", bytes);
    assert_eq!(capdex.run(&["restore", "old.db"]).code, Some(0));
    for as_of in ["2026-11-21T01:00:00Z", "2026-11-22T01:00:00Z"] {
        registry.clear_requests();
        let run = night(&capdex, as_of);
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        // The listings are read in full once more, and what they lead to is the same.
        assert!(registry.tarball_requests().is_empty(), "{as_of}: {:?}", registry.tarball_requests());
        assert!(run.stdout.contains("nothing scanned"), "{as_of}: {}", run.stdout);
        assert_eq!(told(&capdex), before, "{as_of}");
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
    assert_eq!(text(notes, "from_version"), "2.0.0");
    assert_eq!(text(notes, "to_version"), "2.1.0");
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
    // With its tools, since a server of which none can be read is a gap.
    let built_again = [changed[3].1, b"// Built again.\n"].concat();
    changed[3].1 = &built_again;
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
    assert_eq!(run.code, Some(3), "one of a few is more than two percent: {}", run.stdout);
    assert!(run.stderr.starts_with("capdex: incomplete: source npm: 1 of "), "{}", run.stderr);
    assert!(run.stdout.contains("1 gap open"), "{}", run.stdout);
    let out = capdex.path().join("out");
    let state = |name: &str| {
        let listing = rows(&out, "listings").into_iter().find(|row| text(row, "listing") == name).expect("a listing");
        text(&listing, "state").to_owned()
    };
    assert_eq!(state("npm:weather-mcp").as_str(), "gone");
    assert_eq!(state("npm:agent-pack").as_str(), "active");
    let gaps = rows(&out, "gaps");
    assert!(gaps.iter().any(|row| text(row, "listing") == "npm:weather-mcp" && text(row, "reason") == "not_found"));
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
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert!(again.stdout.contains("no request was sent"), "{}", again.stdout);
    assert!(registry.requests().is_empty());
    // Its server claims every file, so that there is no row for a rest.
    assert!(!explained.stdout.contains("  rest  "), "{}", explained.stdout);
    // As the ranked table calls it, by its bare name, and what is only almost its name.
    assert_eq!(capdex.run(&["explain", "npm:weather-mcp"]).stdout, explained.stdout);
    assert_eq!(capdex.run(&["explain", "weather-mcp"]).stdout, explained.stdout);
    for purl in ["pkg:npm/weather-mcp", "pkg:npm/weather-mcp@1.0.0"] {
        assert_eq!(capdex.run(&["explain", purl]).stdout, explained.stdout, "{purl}");
    }
    let other = capdex.run(&["explain", "pkg:npm/weather-mcp@0.0.1"]);
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("the store has version 1.0.0"), "{}", other.stderr);
    assert_eq!(capdex.run(&["explain", "pkg:cargo/serde"]).code, Some(2));
    let almost = capdex.run(&["explain", "weather"]);
    assert_eq!(almost.code, Some(2), "{}", almost.stderr);
    assert!(almost.stderr.contains("npm-weather-mcp-mcp-server"), "{}", almost.stderr);
    // A package of several is told in lines, one of which the next command names.
    let several = capdex.run(&["explain", "npm:agent-pack"]);
    assert_eq!(several.code, Some(0), "{}", several.stderr);
    assert!(several.stdout.starts_with("package npm:agent-pack version "), "{}", several.stdout);
    assert!(several.stdout.contains(": 4 capabilities\n"), "{}", several.stdout);
    let next = several.stdout.lines().last().and_then(|line| line.strip_prefix("Next: capdex explain "));
    assert_eq!(capdex.run(&["explain", next.expect("a next command")]).code, Some(0), "{}", several.stdout);
    let as_json = capdex.run(&["explain", "npm:agent-pack", "--format", "json"]);
    assert_eq!(as_json.code, Some(2), "{}", as_json.stderr);
    assert!(as_json.stderr.contains("means 4 capabilities"), "{}", as_json.stderr);
    let unknown = capdex.run(&["explain", "npm-nothing"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert_eq!(unknown.stderr.lines().count(), 1, "{}", unknown.stderr);
}

#[test]
fn who_depends_on_a_package_can_be_asked_as_of_a_date() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let exposed = |as_of: &str| {
        let package = "npm:@modelcontextprotocol/sdk";
        let run = capdex.run(&["exposure", package, "--format", "jsonl", "--as-of", as_of]);
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
        let rows = run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
        rows.collect::<Vec<serde_json::Value>>()
    };
    let rows = exposed("2026-11-20T01:00:00Z");
    let server = rows.iter().find(|row| text(row, "slug") == "npm-weather-mcp-mcp-server").expect("the server");
    assert_eq!(&server["distance"], &serde_json::json!(1));
    assert_eq!(text(server, "dependent"), "npm:weather-mcp");
    assert_eq!(exposed("2026-11-19T01:00:00Z"), Vec::<serde_json::Value>::new());
    let table = capdex.run(&["exposure", "npm:@modelcontextprotocol/sdk"]);
    assert!(table.stdout.contains("packages state their dependencies"), "{}", table.stdout);
    let by_purl = capdex.run(&["exposure", "pkg:npm/%40modelcontextprotocol/sdk"]);
    assert_eq!(by_purl.stdout, table.stdout);
    assert_eq!(capdex.run(&["exposure", "left-pad"]).code, Some(2));
}

#[test]
fn a_plan_sends_nothing_and_a_backfill_takes_what_it_is_given() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::everything()).write("names.txt", "weather-mcp # a server\n\n");
    let plan = capdex.run(&["nightly", "--config", "schedule.toml", "--plan"]);
    assert_eq!(plan.code, Some(0), "{} {}", plan.stdout, plan.stderr);
    assert!(plan.stdout.contains("Nothing was sent"), "{} {}", plan.stdout, plan.stderr);
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
