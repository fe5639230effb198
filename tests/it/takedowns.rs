//! What a registry says when it takes a package away: placeholders, quarantine, deletion, words of malice, and silence.

use serde_json::{Value, json};

use crate::drift::{alerts, night};
use crate::packages;
use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::Registry;

const SKILL: &[u8] = b"---\nname: tides\ndescription: Tells the tides of a harbour. Use when asked for tides.\n---\n\nRead the table and answer.\n";

fn manifest(version: &str) -> Vec<u8> {
    let repository = "\"repository\": {\"type\": \"git\", \"url\": \"https://forge.test/acme/tides\"}";
    format!("{{\"name\": \"tides-kit\", \"version\": \"{version}\", \"license\": \"MIT\", {repository}}}").into_bytes()
}

fn publish(registry: &Registry, version: &str) {
    let manifest = manifest(version);
    registry.npm_package("tides-kit", version, &[("package.json", &manifest), ("skills/tides/SKILL.md", SKILL)]);
}

/// A night with a package that nobody complains of.
fn start() -> (Registry, Capdex) {
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["tides-kit"], &[]));
    publish(&registry, "1.2.0");
    night(&capdex, 1);
    assert!(alerts(&capdex).is_empty());
    assert!(bands(&capdex).iter().any(|(_, band)| matches!(band.as_str(), "ok" | "watch")), "{:?}", bands(&capdex));
    (registry, capdex)
}

/// The bands of the capabilities, each with its version.
fn bands(capdex: &Capdex) -> Vec<(String, String)> {
    let of = |row: &Value| (text(row, "version").to_owned(), text(row, "band").to_owned());
    rows(&capdex.path().join("out"), "capabilities").iter().map(of).collect()
}

/// The alerts as severity and class, all of which name the version.
fn raised(capdex: &Capdex, version: &str) -> Vec<(String, String)> {
    let found = alerts(capdex);
    assert!(found.iter().all(|row| text(row, "title").contains(version)), "{found:#?}");
    found.iter().map(|row| (text(row, "severity").to_owned(), text(row, "class").to_owned())).collect()
}

fn one(severity: &str, class: &str) -> Vec<(String, String)> {
    vec![(severity.to_owned(), class.to_owned())]
}

/// Every row is of the version that people have, and none of them looks harmless.
fn assert_unknown(capdex: &Capdex, version: &str) {
    let bands = bands(capdex);
    assert!(!bands.is_empty());
    assert!(bands.iter().all(|(of, band)| of == version && band == "unknown"), "{bands:?}");
}

/// Every row is of this version and blocked, with one finding that quotes the registry.
fn assert_blocked(capdex: &Capdex, version: &str, words: &str) {
    let bands = bands(capdex);
    assert!(!bands.is_empty());
    assert!(bands.iter().all(|(of, band)| of == version && band == "block"), "{bands:?}");
    let findings = findings(capdex, "sighted-takedown");
    assert_eq!(findings.len(), bands.len(), "one finding on each row: {findings:#?}");
    for finding in &findings {
        assert_eq!(text(finding, "severity"), "critical", "{finding:#?}");
        assert!(text(finding, "evidence").contains(words), "{finding:#?}");
    }
}

/// The findings of a rule in the dataset.
fn findings(capdex: &Capdex, rule: &str) -> Vec<Value> {
    rows(&capdex.path().join("out"), "findings").into_iter().filter(|row| text(row, "rule") == rule).collect()
}

#[test]
fn a_placeholder_of_the_registry_is_a_takedown_and_no_release() {
    for (version, owner) in [("0.0.1-security", "npm"), ("0.0.1-security.3", "someone")] {
        let (registry, capdex) = start();
        registry.remove("tides-kit");
        let manifest = format!(
            "{{\"name\": \"tides-kit\", \"version\": \"{version}\", \"description\": \"security holding package\", \"repository\": \"npm/security-holder\"}}"
        );
        let readme: &[u8] = b"# Security holding package\n";
        registry.npm_package("tides-kit", version, &[("package.json", manifest.as_bytes()), ("README.md", readme)]);
        registry.npm_owners("tides-kit", &[owner]);
        registry.clear_requests();
        night(&capdex, 2);
        assert!(registry.tarball_requests().is_empty(), "the placeholder is nobody's release");
        assert_eq!(raised(&capdex, "1.2.0"), one("high", "taken_down"), "and nobody took it over");
        assert_blocked(&capdex, "1.2.0", "security holding package");
        night(&capdex, 3);
        assert_eq!(alerts(&capdex).len(), 1, "told once");
        assert_blocked(&capdex, "1.2.0", version);
        // Given back to its people, it is as any other package.
        registry.remove("tides-kit");
        publish(&registry, "1.2.1");
        night(&capdex, 4);
        night(&capdex, 5);
        assert_is_of_the_next_version(&capdex);
    }
}

/// Every row is of the version that came after, and judged by what it is.
fn assert_is_of_the_next_version(capdex: &Capdex) {
    let bands = bands(capdex);
    assert!(!bands.is_empty());
    assert!(bands.iter().all(|(of, band)| of == "1.2.1" && !matches!(&**band, "unknown" | "block")), "{bands:?}");
    assert!(findings(capdex, "sighted-takedown").is_empty());
}

#[test]
fn a_placeholder_under_a_watched_name_at_first_sight_is_a_blocked_row_and_told_once() {
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["tides-kit"], &[]));
    let manifest = br#"{"name": "tides-kit", "version": "0.0.1-security", "repository": "npm/security-holder"}"#;
    registry.npm_package("tides-kit", "0.0.1-security", &[("package.json", manifest)]);
    for day in [1, 2] {
        night(&capdex, day);
        assert!(registry.tarball_requests().is_empty(), "the placeholder is nobody's release");
        assert_blocked(&capdex, "", "security holding package");
        assert_eq!(bands(&capdex).len(), 1);
        assert_told_at_first_sight(&capdex);
    }
    // It may go without a word, or be given to somebody.
    registry.remove("tides-kit");
    night(&capdex, 3);
    assert_told_at_first_sight(&capdex);
    publish(&registry, "1.2.1");
    night(&capdex, 4);
    night(&capdex, 5);
    assert_is_of_the_next_version(&capdex);
    assert_told_at_first_sight(&capdex);
}

/// One alert, critical: whoever names a thing has it or means to have it, and no night will see it change.
fn assert_told_at_first_sight(capdex: &Capdex) {
    let found = alerts(capdex);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((text(&found[0], "severity"), text(&found[0], "class")), ("critical", "block"), "{found:#?}");
    let title = text(&found[0], "title");
    assert!(title.contains("stands at block: Its registry calls it malicious"), "{title}");
}

#[test]
fn a_deprecation_that_speaks_of_malice_at_first_sight_is_a_finding_and_told_once() {
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["tides-kit"], &[]));
    publish(&registry, "1.2.0");
    registry.npm_deprecate("tides-kit", "1.2.0", "This version contains malware. Remove it.");
    night(&capdex, 1);
    assert_blocked(&capdex, "1.2.0", "This version contains malware. Remove it.");
    assert_told_at_first_sight(&capdex);
    let explained = capdex.run(&["explain", "npm:tides-kit#skill:skills/tides"]);
    assert!(explained.stdout.contains("sighted-takedown"), "{}{}", explained.stdout, explained.stderr);
    assert!(explained.stdout.contains("This version contains malware."), "{}", explained.stdout);
}

#[test]
fn a_package_that_only_speaks_of_placeholders_is_as_any_other() {
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["security-holding-notes"], &[]));
    let manifest = br#"{"name": "security-holding-notes", "version": "0.0.1", "license": "MIT", "description": "Notes on each security holding package.", "repository": {"type": "git", "url": "https://forge.test/acme/notes"}}"#;
    let files: [(&str, &[u8]); 2] = [("package.json", manifest), ("skills/tides/SKILL.md", SKILL)];
    registry.npm_package("security-holding-notes", "0.0.1", &files);
    night(&capdex, 1);
    assert!(bands(&capdex).iter().all(|(_, band)| matches!(&**band, "ok" | "watch")), "{:?}", bands(&capdex));
    assert!(findings(&capdex, "sighted-takedown").is_empty());
}

#[test]
fn a_name_that_is_gone_is_withdrawn_and_told_once() {
    let (registry, capdex) = start();
    registry.remove("tides-kit");
    night(&capdex, 2);
    night(&capdex, 3);
    assert_eq!(raised(&capdex, "1.2.0"), one("medium", "withdrawn"));
    assert_unknown(&capdex, "1.2.0");
}

#[test]
fn a_registry_that_says_of_everything_that_it_is_gone_is_not_believed() {
    let names: Vec<String> = (0..7).map(|number| format!("tides-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let registry = Registry::start();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&names, &[]));
    for name in &names {
        registry.npm_package(name, "1.2.0", &[("skills/tides/SKILL.md", SKILL)]);
    }
    night(&capdex, 1);
    for name in &names {
        registry.remove(name);
    }
    let out = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-02T01:00:00Z"];
    let run = capdex.run(&out);
    assert!(run.stderr.contains("so many names are gone at once"), "{}", run.stderr);
    assert!(alerts(&capdex).is_empty(), "{:#?}", alerts(&capdex));
    for name in names.iter().skip(1) {
        registry.npm_package(name, "1.2.0", &[("skills/tides/SKILL.md", SKILL)]);
    }
    night(&capdex, 3);
    let found = alerts(&capdex);
    assert_eq!(found.len(), 1, "the one that is still gone: {found:#?}");
    assert!(text(&found[0], "title").contains("tides-0"), "{found:#?}");
}

#[test]
fn a_package_that_was_unpublished_is_withdrawn() {
    let tarball = {
        let manifest = manifest("1.2.0");
        archives::npm_tarball("tides-kit", "1.2.0", &[("package.json", &manifest), ("skills/tides/SKILL.md", SKILL)])
    };
    let directory = Directory::start(|_| (404, Vec::new()));
    let url = directory.url();
    let capdex = Capdex::offline();
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"u\"\n[http]\nmax_tries = 1\n[sources.npm]\nbase_url = \"{url}\"\nwatchlist = [\"tides-kit\"]\n"
        ),
    );
    let packument = json!({
        "name": "tides-kit", "dist-tags": {"latest": "1.2.0"},
        "versions": {"1.2.0": {"name": "tides-kit", "version": "1.2.0", "dist": {"tarball": format!("{url}/t.tgz")}}},
        "time": {"created": "2025-01-01T00:00:00Z", "1.2.0": "2025-01-01T00:00:00Z"},
    });
    directory.change(move |path| match path {
        "/tides-kit" => (200, packument.to_string().into_bytes()),
        "/t.tgz" => (200, tarball.clone()),
        _ => (404, Vec::new()),
    });
    night(&capdex, 1);
    assert!(!bands(&capdex).is_empty());
    let left = json!({"name": "tides-kit", "time": {"created": "2025-01-01T00:00:00Z", "unpublished": {"time": "2026-11-01T00:00:00Z", "versions": ["1.2.0"]}}});
    directory.change(move |_| (200, left.to_string()));
    night(&capdex, 2);
    assert_eq!(raised(&capdex, "1.2.0"), one("medium", "withdrawn"));
}

#[test]
fn a_deprecation_that_speaks_of_malice_is_a_takedown_and_another_is_not() {
    let (registry, capdex) = start();
    registry.npm_deprecate("tides-kit", "1.2.0", "Use tide-tables instead; fixes a security issue.");
    night(&capdex, 2);
    assert!(alerts(&capdex).is_empty(), "{:#?}", alerts(&capdex));
    assert!(findings(&capdex, "sighted-takedown").is_empty());
    assert!(bands(&capdex).iter().all(|(_, band)| band != "block"), "{:?}", bands(&capdex));
    let (registry, capdex) = start();
    registry.npm_deprecate("tides-kit", "1.2.0", "This version contains malware. Remove it.");
    night(&capdex, 2);
    assert_eq!(raised(&capdex, "1.2.0"), one("high", "taken_down"));
    assert_blocked(&capdex, "1.2.0", "This version contains malware. Remove it.");
}

#[test]
fn a_version_that_was_called_compromised_after_the_next_came_is_told_of_that_version() {
    let (registry, capdex) = start();
    registry.npm_deprecate("tides-kit", "1.2.0", "1.2.0 was compromised, use 1.2.1");
    publish(&registry, "1.2.1");
    night(&capdex, 2);
    assert_eq!(raised(&capdex, "1.2.0"), one("high", "taken_down"));
    assert_is_of_the_next_version(&capdex);
}

/// A project of a Python index with one version, as its JSON.
fn project(url: &str, versions: &[(&str, Option<&str>)]) -> String {
    let files = |version: &str, yanked: Option<&str>| {
        json!([{
            "filename": format!("tides_kit-{version}.tar.gz"), "url": format!("{url}/files/{version}"),
            "digests": {}, "yanked": yanked.is_some(), "yanked_reason": yanked,
        }])
    };
    let releases: serde_json::Map<String, Value> =
        versions.iter().map(|(version, yanked)| ((*version).to_owned(), files(version, *yanked))).collect();
    let last = versions.last().map(|(version, _)| *version);
    json!({"info": {"name": "tides-kit", "version": last}, "releases": releases, "urls": []}).to_string()
}

fn of_index() -> (Directory, String, Capdex) {
    let directory = Directory::start(|_| (404, Vec::new()));
    let url = directory.url();
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", format!("name = \"p\"\n[http]\nmax_tries = 1\n[sources.pypi]\nbase_url = \"{url}/simple\"\nwatchlist = [\"tides-kit\"]\n"));
    (directory, url, capdex)
}

fn index(directory: &Directory, json: Option<String>, simple: Option<String>) {
    directory.change(move |path| match path {
        "/pypi/tides-kit/json" if json.is_some() => (200, json.clone().unwrap_or_default().into_bytes()),
        "/simple/tides-kit/" if simple.is_some() => (200, simple.clone().unwrap_or_default().into_bytes()),
        path if path.starts_with("/files/") => {
            let version = path.trim_start_matches("/files/");
            (200, archives::sdist("tides_kit", version, &[("skills/tides/SKILL.md", SKILL)]))
        }
        _ => (404, Vec::new()),
    });
}

#[test]
fn a_project_in_quarantine_was_taken_down() {
    let (directory, url, capdex) = of_index();
    index(&directory, Some(project(&url, &[("1.0", None)])), None);
    night(&capdex, 1);
    assert!(!bands(&capdex).is_empty());
    let status = json!({"status": "quarantined", "reason": "reported"});
    let simple = json!({"name": "tides-kit", "files": [], "project-status": status}).to_string();
    index(&directory, None, Some(simple));
    night(&capdex, 2);
    assert_eq!(raised(&capdex, "1.0"), one("high", "taken_down"));
    assert_blocked(&capdex, "1.0", "quarantined by the registry: reported");
}

#[test]
fn a_project_in_quarantine_at_first_sight_is_a_blocked_row_and_told_once() {
    let (directory, _, capdex) = of_index();
    let status = json!({"status": "quarantined", "reason": "reported"});
    let simple = json!({"name": "tides-kit", "files": [], "project-status": status}).to_string();
    index(&directory, None, Some(simple));
    night(&capdex, 1);
    assert_blocked(&capdex, "", "quarantined by the registry: reported");
    assert_told_at_first_sight(&capdex);
}

#[test]
fn a_version_that_is_all_there_is_and_was_yanked_as_malicious_is_blocked_and_another_yank_is_not() {
    for (words, is_blocked) in [("malicious release by a stranger", true), ("broken wheel metadata", false)] {
        let (directory, url, capdex) = of_index();
        index(&directory, Some(project(&url, &[("1.0", Some(words))])), None);
        night(&capdex, 1);
        if is_blocked {
            assert_blocked(&capdex, "1.0", words);
            assert_told_at_first_sight(&capdex);
        } else {
            assert!(findings(&capdex, "sighted-takedown").is_empty());
            assert!(bands(&capdex).iter().all(|(_, band)| band != "block"), "{:?}", bands(&capdex));
            assert!(alerts(&capdex).is_empty(), "{:#?}", alerts(&capdex));
        }
    }
}

#[test]
fn a_version_that_was_yanked_as_malicious_is_told_though_another_is_listed() {
    let (directory, url, capdex) = of_index();
    index(&directory, Some(project(&url, &[("1.0", None), ("1.1", None)])), None);
    night(&capdex, 1);
    index(&directory, Some(project(&url, &[("1.0", None), ("1.1", Some("broken wheel metadata"))])), None);
    night(&capdex, 2);
    assert!(alerts(&capdex).is_empty(), "{:#?}", alerts(&capdex));
    index(&directory, Some(project(&url, &[("1.0", None), ("1.1", Some("malicious release by a stranger"))])), None);
    night(&capdex, 3);
    let found = alerts(&capdex);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(text(&found[0], "class"), "taken_down");
    assert!(text(&found[0], "title").contains("1.1"), "{found:#?}");
}

/// A registry of servers, and a schedule that walks it, with a setting of its own.
fn of_servers(setting: &str) -> (Directory, Capdex) {
    let directory = Directory::start(|_| (404, Vec::new()));
    let url = directory.url();
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", format!("name = \"r\"\n[http]\nmax_tries = 1\n[sources.official-registry]\nbase_url = \"{url}\"\nfull_walk_days = 0\n{setting}"));
    (directory, capdex)
}

/// Its page of one row with a status, and what it says of it.
fn page_of_servers(status: &str, message: Option<&str>) -> String {
    let mut official = json!({"status": status, "isLatest": true, "publishedAt": "2025-10-01T00:00:00Z", "updatedAt": "2025-10-01T00:00:00Z"});
    if let Some(message) = message {
        official["statusMessage"] = message.into();
    }
    let server = json!({"name": "test.acme/tides", "description": "Tells the tides.", "version": "1.0.0"});
    let row = json!({"server": server, "_meta": {"io.modelcontextprotocol.registry/official": official}});
    json!({"servers": [row], "metadata": {"count": 1}}).to_string()
}

#[test]
fn a_row_of_a_directory_that_was_deleted_before_it_was_met_is_told_to_nobody() {
    for setting in ["", "tell_verdicts = true\n"] {
        let (directory, capdex) = of_servers(setting);
        let page = page_of_servers("deleted", Some("This server is malicious."));
        directory.change(move |_| (200, page.clone()));
        night(&capdex, 1);
        night(&capdex, 2);
        assert!(alerts(&capdex).is_empty(), "{setting}: {:#?}", alerts(&capdex));
    }
}

#[test]
fn a_row_that_a_registry_of_servers_deletes_is_taken_down() {
    for (message, severity) in [(None, "medium"), (Some("This server is malicious."), "high")] {
        let (directory, capdex) = of_servers("");
        let page = move |status: &str| page_of_servers(status, message);
        directory.change(move |_| (200, page("active")));
        night(&capdex, 1);
        assert!(!bands(&capdex).is_empty());
        directory.change(move |_| (200, page("deleted")));
        night(&capdex, 2);
        assert_eq!(raised(&capdex, "1.0.0"), one(severity, "taken_down"));
        if let Some(message) = message {
            assert_blocked(&capdex, "1.0.0", message);
            assert!(findings(&capdex, "sighted-removal").is_empty());
        } else {
            let bands = bands(&capdex);
            assert!(!bands.is_empty());
            assert!(bands.iter().all(|(of, band)| of == "1.0.0" && band == "caution"), "{bands:?}");
            let found = findings(&capdex, "sighted-removal");
            assert!(!found.is_empty());
            assert!(found.iter().all(|row| text(row, "severity") == "high"), "{found:#?}");
        }
    }
}
