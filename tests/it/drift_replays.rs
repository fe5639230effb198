//! Drift over what real publishers changed between recorded nights: nothing in it is known to be an attack, so that an alert
//! at medium or above is a false one unless a person who read it says otherwise.

use std::path::Path;

use serde_json::{Value, json};

use crate::directory::{fake::Fake, recorded};
use crate::drift::alerts;
use crate::packages;
use crate::rows::rows;
use crate::support::archives;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::Registry;

fn night(capdex: &Capdex, as_of: &str) {
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of]);
    assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
}

fn events(capdex: &Capdex) -> usize {
    rows(&capdex.path().join("out"), "drift").len()
}

/// At most so many alerts at medium or above, of all passes; those that there are stand in the message.
fn at_most(count: usize, capdex: &Capdex) {
    let alerts = alerts(capdex);
    assert!(alerts.len() <= count, "{} events, {} alerts: {alerts:#?}", events(capdex), alerts.len());
}

#[test]
fn fifteen_versions_of_one_server_raise_nothing() {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let folder = Path::new(&data).join("tools-by-version");
    let entries = std::fs::read_dir(&folder).expect("the recorded versions");
    let mut versions: Vec<(Vec<u64>, String, Value)> = entries
        .map(|entry| {
            let text = std::fs::read_to_string(entry.expect("readable").path()).expect("readable");
            let recorded: Value = serde_json::from_str(&text).expect("JSON");
            let version = recorded["version"].as_str().expect("a version").to_owned();
            let number = version.split('.').map(|part| part.parse().expect("a number")).collect();
            (number, version, recorded)
        })
        .collect();
    versions.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(versions.len(), 15);
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["server-filesystem"], &[]));
    for (night_of, (_, version, recorded)) in versions.iter().enumerate() {
        let manifest = format!(
            r#"{{"name": "server-filesystem", "version": "{version}", "bin": {{"x": "index.js"}}, "keywords": ["mcp"]}}"#
        );
        let tools = serde_json::to_string_pretty(
            &json!({ "server": recorded["initialize"]["serverInfo"], "tools": recorded["tools"] }),
        );
        let tools = tools.expect("JSON");
        let files: [(&str, &[u8]); 2] = [("package.json", manifest.as_bytes()), ("tools.json", tools.as_bytes())];
        registry.npm_package("server-filesystem", version, &files);
        night(&capdex, &format!("2026-11-{:02}T01:00:00Z", night_of + 1));
    }
    assert!(events(&capdex) >= 14);
    at_most(0, &capdex);
}

/// Rows that carry no bundle: those lie at strangers' addresses.
fn without_bundles(rows: Vec<Value>) -> Vec<Value> {
    let strip = |mut row: Value| {
        if let Some(packages) = row["server"]["packages"].as_array_mut() {
            packages.retain(|package| package["registryType"] != "mcpb" && package["registry_type"] != "mcpb");
        }
        row
    };
    rows.into_iter().map(strip).collect()
}

#[test]
fn seven_weeks_of_the_official_registry_raise_next_to_nothing() {
    let Some(data) = std::env::var("CAPDEX_DATA").ok() else { return println!("skipped: no CAPDEX_DATA") };
    let (before, after) = (recorded(&data, "2025-11-01"), recorded(&data, "2025-12-18"));
    let (before, after) = (Fake::of(without_bundles(before)), Fake::of(without_bundles(after)));
    let directory = Directory::start(move |path| before.answer(path));
    let capdex = Capdex::offline();
    let url = directory.url();
    capdex.write(
        "schedule.toml",
        format!("name = \"r\"\n[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n"),
    );
    night(&capdex, "2025-11-01T12:00:00Z");
    directory.change(move |path| after.answer(path));
    night(&capdex, "2025-12-18T12:00:00Z");
    assert!(events(&capdex) > 50);
    at_most(1, &capdex);
}

/// The archive of one recorded day, without the commits that entries pin: those lie at a forge.
fn catalogue(data: &std::ffi::OsStr, day: &str) -> Vec<u8> {
    let lines = crate::directory::lines(&Path::new(data).join(format!("docker-mcp-registry/servers-{day}.jsonl.gz")));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for mut row in lines {
        let id = row["id"].as_str().expect("an id").to_owned();
        if let Some(source) = row["server"]["source"].as_object_mut() {
            source.remove("commit");
        }
        files.push((format!("servers/{id}/server.yaml"), row["server"].to_string().into_bytes()));
        if row["tools"].is_array() {
            files.push((format!("servers/{id}/tools.json"), row["tools"].to_string().into_bytes()));
        }
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
    archives::sdist("mcp-registry", "main", &files)
}

#[test]
fn half_a_year_of_dockers_catalogue_raises_next_to_nothing() {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let (before, after) = (catalogue(&data, "2026-01-01"), catalogue(&data, "2026-07-08"));
    let directory = Directory::start(move |_| (200, before.clone()));
    let capdex = Capdex::offline();
    let url = directory.url();
    capdex.write(
        "schedule.toml",
        format!("name = \"d\"\n[sources.docker-mcp-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n"),
    );
    night(&capdex, "2026-01-01T12:00:00Z");
    directory.change(move |_| (200, after.clone()));
    night(&capdex, "2026-07-08T12:00:00Z");
    assert!(events(&capdex) > 5);
    at_most(1, &capdex);
}

#[test]
fn installs_that_come_and_go_are_no_drift() {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let of_day = |day: &str| -> Vec<Value> {
        let lines = crate::directory::lines(&Path::new(&data).join(format!("skills-sh/top-owners-{day}.jsonl.gz")));
        let mut skills: Vec<Value> = Vec::new();
        for mut skill in lines.into_iter().filter(|skill| skill["skillId"].is_string()) {
            let (source, id) = (skill["source"].as_str().expect("a source"), skill["skillId"].as_str().expect("an id"));
            skill["id"] = format!("{source}/{id}").into();
            skill["name"] = skill["skillId"].clone();
            skills.push(skill);
        }
        skills
    };
    let serve = |skills: Vec<Value>| {
        move |path: &str| {
            if path.starts_with("/api/download/") {
                let skill = "---\nname: x\ndescription: Does one thing. Use when it is needed.\n---\n\n# X\n";
                return (200, json!({ "files": [{ "path": "SKILL.md", "contents": skill }] }).to_string());
            }
            let found: Vec<&Value> =
                skills.iter().filter(|skill| skill["id"].as_str().is_some_and(|id| id.contains("react"))).collect();
            (200, json!({ "skills": found }).to_string())
        }
    };
    let directory = Directory::start(serve(of_day("2026-02-28")));
    let capdex = Capdex::offline();
    let url = directory.url();
    capdex.write("schedule.toml", format!("name = \"s\"\n[sources.skills-sh]\nbase_url = \"{url}\"\nqueries = [\"re\", \"ve\"]\nrequests_per_minute = 100000\n"));
    night(&capdex, "2026-02-28T12:00:00Z");
    assert!(!rows(&capdex.path().join("out"), "capabilities").is_empty());
    directory.change(serve(of_day("2026-03-02")));
    night(&capdex, "2026-03-02T12:00:00Z");
    at_most(0, &capdex);
}
