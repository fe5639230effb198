//! What installers get beside the latest version of a package, and rows that are about the artifact that they name:
//! pinned versions, dist-tags, back-ports, and the verdict of a package at the row that hands it out.

use serde_json::{Value, json};

use crate::nightly::night;
use crate::packages::HOSTILE_SKILL;
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::Registry;

/// A skill that nobody minds.
const HONEST_SKILL: &str =
    "---\nname: notes\ndescription: Writes notes. Use when a meeting ends.\n---\n\n# Notes\n\nList what was decided.\n";

/// Publishes a version of a package with one skill.
fn publish(registry: &Registry, name: &str, version: &str, skill: &str) {
    let manifest = json!({"name": name, "version": version, "description": "Notes for agents", "license": "MIT",
        "repository": "https://git.example.test/acme/notes"});
    let manifest = manifest.to_string();
    let files = [("package.json", manifest.as_bytes()), ("skills/notes/SKILL.md", skill.as_bytes())];
    registry.npm_package(name, version, &files);
}

/// A row of the official registry that hands out these packages.
fn row(name: &str, packages: &Value) -> Value {
    json!({
        "server": {"name": name, "description": "Keeps notes for a team.", "version": "3.0.0", "packages": packages,
                   "repository": {"url": "https://git.example.test/acme/notes", "source": "git"}},
        "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active", "isLatest": true,
                  "publishedAt": "2026-10-01T00:00:00Z", "updatedAt": "2026-10-01T00:00:00Z"}},
    })
}

fn npm(identifier: &str, version: &str) -> Value {
    json!({"registryType": "npm", "identifier": identifier, "version": version, "transport": {"type": "stdio"}})
}

const CLIENT: &str = "[http]\nrequests_per_second = 1000\nmax_tries = 2\nbackoff_ms = 1\nidle_deadline_ms = 400\ntotal_deadline_ms = 2000\n";

/// A folder whose nights list a directory of these rows and follow them to the registry.
fn following(registry: &Registry, rows: Vec<Value>, more: &str) -> (Capdex, Directory) {
    let directory = Directory::start(crate::directory::serve(rows));
    let capdex = Capdex::with(registry);
    let url = directory.url();
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"lines\"\n{CLIENT}[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n\
             full_walk_days = 0\n[sources.npm]\n{more}\n[sources.pypi]\n"
        ),
    );
    (capdex, directory)
}

/// A folder whose nights list these packages.
fn listing(registry: &Registry, packages: &[&str], more: &str) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex
        .write("schedule.toml", format!("name = \"lines\"\n{CLIENT}[sources.npm]\npackages = {packages:?}\n{more}\n"));
    capdex
}

fn capabilities(capdex: &Capdex) -> Vec<Value> {
    rows(&capdex.path().join("out"), "capabilities")
}

/// The strictest band over the rows of a package or of a listing; empty where there is none.
fn band(capdex: &Capdex, of: &str) -> String {
    const ORDER: [&str; 5] = ["ok", "watch", "unknown", "caution", "block"];
    let all = capabilities(capdex);
    let of = all.iter().filter(|row| text(row, "package") == of || text(row, "listing") == of);
    let bands = of.map(|row| text(row, "band").to_owned());
    bands.max_by_key(|band| ORDER.iter().position(|known| known == band)).unwrap_or_default()
}

/// The packages of the ranked table with their versions, each once.
fn packages(capdex: &Capdex) -> Vec<String> {
    let all = capabilities(capdex);
    let mut named: Vec<String> =
        all.iter().map(|row| format!("{} {}", text(row, "package"), text(row, "version"))).collect();
    named.sort();
    named.dedup();
    named
}

/// The reasons for which the rows of a listing were not analysed in full.
fn reasons(capdex: &Capdex, listing: &str) -> String {
    let all = capabilities(capdex);
    let of = all.iter().filter(|row| text(row, "listing") == listing);
    of.map(|row| row["incomplete_reasons"].to_string()).collect::<Vec<_>>().join(" ")
}

fn alerts(capdex: &Capdex) -> Vec<Value> {
    let listed = capdex.run(&["alerts", "list", "--all", "--format", "jsonl"]);
    listed.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A night later nothing is fetched, scanned or told.
fn a_second_night_is_quiet(registry: &Registry, capdex: &Capdex) {
    registry.clear_requests();
    let second = night(capdex, "2026-11-21T01:00:00Z");
    assert!(registry.tarball_requests().is_empty());
    assert!(second.stdout.contains("nothing scanned"), "{}", second.stdout);
    assert!(alerts(capdex).is_empty(), "{:?}", alerts(capdex));
}

#[test]
fn a_row_is_about_the_version_that_it_pins() {
    let registry = Registry::start();
    publish(&registry, "@acme/notes", "0.9.9", HOSTILE_SKILL);
    publish(&registry, "@acme/notes", "1.0.0", HONEST_SKILL);
    let pinned = vec![
        row("io.test/old", &json!([npm("@acme/notes", "0.9.9")])),
        row("io.test/new", &json!([npm("@acme/notes", "1.0.0")])),
        row("io.test/range", &json!([npm("@acme/notes", "^0.9")])),
        row("io.test/behind", &json!([{"registryType": "npm", "identifier": "@acme/notes@0.9.9"}])),
        row("io.test/none", &json!([npm("@acme/notes", "7.7.7")])),
    ];
    let (capdex, _directory) = following(&registry, pinned, "release_lines = 0");
    night(&capdex, "2026-11-20T01:00:00Z");
    let of = |name: &str| band(&capdex, &format!("official-registry:io.test/{name}"));
    assert_eq!(of("old"), "block");
    assert_eq!(of("range"), "block");
    assert_eq!(of("behind"), "block");
    assert!(["ok", "watch"].contains(&&*of("new")), "{}", of("new"));
    assert_eq!(of("none"), "unknown");
    assert!(reasons(&capdex, "official-registry:io.test/none@3.0.0").contains("7.7.7"));
    assert_eq!(band(&capdex, "npm:@acme/notes@0.9.9"), "block");
    assert!(["ok", "watch"].contains(&&*band(&capdex, "npm:@acme/notes")), "the package is its latest version");
    let purl = capabilities(&capdex).into_iter().find(|row| text(row, "package") == "npm:@acme/notes@0.9.9");
    assert_eq!(text(&purl.expect("a row"), "purl"), "pkg:npm/%40acme/notes@0.9.9");
    assert_eq!(registry.tarball_requests().len(), 2, "one for each version, however many rows name it");

    a_second_night_is_quiet(&registry, &capdex);
}

#[test]
fn a_row_whose_package_nobody_looked_at_is_unknown() {
    let registry = Registry::start();
    publish(&registry, "notes", "1.0.0", HONEST_SKILL);
    let pypi = |version: &str| json!([{"registryType": "pypi", "identifier": "fetch-server", "version": version}]);
    registry.pypi_package("fetch-server", "1.0", crate::packages::FETCHER);
    let named = vec![
        row("io.test/npm", &json!([npm("notes", "1.0.0")])),
        row("io.test/same", &pypi("1.0.0")),
        row("io.test/older", &pypi("0.9.9")),
        row("io.test/ranged", &pypi(">=0.9")),
        row("io.test/remote", &json!([])),
    ];
    let (capdex, _directory) = following(&registry, named, "follow = false");
    night(&capdex, "2026-11-20T01:00:00Z");
    let of = |name: &str| band(&capdex, &format!("official-registry:io.test/{name}"));
    assert_eq!(of("npm"), "unknown");
    assert_eq!(of("older"), "unknown");
    let reason = reasons(&capdex, "official-registry:io.test/older@3.0.0");
    assert!(reason.contains("names pypi:fetch-server@0.9.9, which was not looked at"), "{reason}");
    assert_eq!(of("remote"), "unknown", "a row without a package says nothing about what it leads to");
    let reason = reasons(&capdex, "official-registry:io.test/remote@3.0.0");
    assert!(reason.contains("nothing of the server itself was looked at"), "{reason}");
    assert_ne!(of("same"), "unknown");
    assert_ne!(of("ranged"), "unknown", "a range leads to the newest");
}

/// The package of a row of the registry of servers that is published in an index of Python.
fn pypi(identifier: &str, version: &str) -> Value {
    json!({"registryType": "pypi", "identifier": identifier, "version": version, "transport": {"type": "stdio"}})
}

/// Publishes a version of a Python project with one skill.
fn publish_python(registry: &Registry, version: &str, skill: &str) {
    let manifest = format!(
        "[project]\nname = \"notes-kit\"\nversion = \"{version}\"\nlicense = \"MIT\"\ndescription = \"Notes for agents\"\n"
    );
    let files = [("pyproject.toml", manifest.as_bytes()), ("skills/notes/SKILL.md", skill.as_bytes())];
    registry.pypi_package("notes-kit", version, &files);
}

#[test]
fn a_row_is_about_the_version_of_a_python_project_that_it_pins() {
    let registry = Registry::start();
    publish_python(&registry, "0.9.9", HOSTILE_SKILL);
    publish_python(&registry, "1.0", HONEST_SKILL);
    let pinned = vec![
        row("io.test/old", &json!([pypi("notes_kit", "0.9.9")])),
        row("io.test/equals", &json!([pypi("Notes-Kit", "==0.9.9")])),
        row("io.test/new", &json!([pypi("notes-kit", "1.0.0")])),
        row("io.test/none", &json!([pypi("notes-kit", "7.7.7")])),
    ];
    let (capdex, _directory) = following(&registry, pinned, "");
    night(&capdex, "2026-11-20T01:00:00Z");
    let of = |name: &str| band(&capdex, &format!("official-registry:io.test/{name}"));
    assert_eq!(of("old"), "block");
    assert_eq!(of("equals"), "block");
    assert!(["ok", "watch"].contains(&&*of("new")), "{}", of("new"));
    assert_eq!(of("none"), "unknown");
    assert!(reasons(&capdex, "official-registry:io.test/none@3.0.0").contains("7.7.7"));
    assert_eq!(
        packages(&capdex).iter().filter(|name| name.starts_with("pypi:")).collect::<Vec<_>>(),
        ["pypi:notes-kit 1.0", "pypi:notes-kit@0.9.9 0.9.9",]
    );
    assert_eq!(band(&capdex, "pypi:notes-kit@0.9.9"), "block");
    assert!(["ok", "watch"].contains(&&*band(&capdex, "pypi:notes-kit")), "the project is its newest version");
    let purl = capabilities(&capdex).into_iter().find(|row| text(row, "package") == "pypi:notes-kit@0.9.9");
    assert_eq!(text(&purl.expect("a row"), "purl"), "pkg:pypi/notes-kit@0.9.9");
    assert_eq!(registry.tarball_requests().len(), 2, "one for each version, however many rows name it");

    a_second_night_is_quiet(&registry, &capdex);
    assert_eq!(of("old"), "block");
}

#[test]
fn a_pinned_version_of_an_index_with_pages_alone_is_fetched() {
    let registry = Registry::start();
    registry.html_only();
    publish_python(&registry, "0.9.9", HOSTILE_SKILL);
    publish_python(&registry, "1.0", HONEST_SKILL);
    let (capdex, _directory) = following(&registry, vec![row("io.test/old", &json!([pypi("notes-kit", "0.9.9")]))], "");
    night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(band(&capdex, "official-registry:io.test/old"), "block");
    assert_eq!(band(&capdex, "pypi:notes-kit@0.9.9"), "block");
}

#[test]
fn a_dist_tag_that_moves_to_a_bad_version_is_told() {
    let registry = Registry::start();
    publish(&registry, "notes", "1.0.0", HONEST_SKILL);
    registry.npm_tag("notes", "latest", "1.0.0").npm_tag("notes", "next", "1.0.0");
    publish(&registry, "notes", "1.1.0-beta.1", HONEST_SKILL);
    registry.npm_tag("notes", "beta", "1.1.0-beta.1");
    let capdex = listing(&registry, &["notes"], "");
    night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 1.0.0", "npm:notes@beta 1.1.0-beta.1"], "next leads to what is known");
    assert!(alerts(&capdex).is_empty());

    publish(&registry, "notes", "1.1.0-beta.2", HOSTILE_SKILL);
    registry.npm_tag("notes", "beta", "1.1.0-beta.2").npm_tag("notes", "next", "1.1.0-beta.2");
    night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 1.0.0", "npm:notes@beta 1.1.0-beta.2"]);
    assert_eq!(band(&capdex, "npm:notes@beta"), "block");
    let told = alerts(&capdex);
    assert!(told.iter().any(|alert| text(alert, "subject").starts_with("npm-notes-beta")), "{told:?}");

    registry.clear_requests();
    let third = night(&capdex, "2026-11-22T01:00:00Z");
    assert!(registry.tarball_requests().is_empty());
    assert!(third.stdout.contains("nothing scanned"), "{}", third.stdout);
    assert_eq!(alerts(&capdex).len(), told.len());
}

#[test]
fn a_tag_that_parts_from_the_package_is_compared_with_it() {
    let registry = Registry::start();
    publish(&registry, "notes", "1.0.0", HONEST_SKILL);
    registry.npm_tag("notes", "latest", "1.0.0").npm_tag("notes", "next", "1.0.0");
    let capdex = listing(&registry, &["notes"], "");
    night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 1.0.0"]);

    publish(&registry, "notes", "1.1.0-rc.1", HOSTILE_SKILL);
    registry.npm_tag("notes", "next", "1.1.0-rc.1");
    night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 1.0.0", "npm:notes@next 1.1.0-rc.1"]);
    let told = alerts(&capdex);
    assert!(told.iter().any(|alert| text(alert, "subject").starts_with("npm-notes-next")), "{told:?}");
}

#[test]
fn a_bad_back_port_is_told_and_what_ends_is_gone() {
    let registry = Registry::start();
    publish(&registry, "notes", "1.0.0", HONEST_SKILL);
    let capdex = listing(&registry, &["notes"], "");
    night(&capdex, "2026-11-20T01:00:00Z");
    publish(&registry, "notes", "2.0.0", HONEST_SKILL);
    publish(&registry, "notes", "1.0.99", HOSTILE_SKILL);
    registry.npm_tag("notes", "latest", "2.0.0");
    night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 2.0.0", "npm:notes@1 1.0.99"]);
    assert_eq!(band(&capdex, "npm:notes@1"), "block");
    assert!(["ok", "watch"].contains(&&*band(&capdex, "npm:notes")));
    let told = alerts(&capdex);
    assert!(told.iter().all(|alert| text(alert, "subject").starts_with("npm-notes-1-")), "{told:?}");
    assert!(!told.is_empty());
    let typosquats = rows(&capdex.path().join("out"), "typosquats");
    assert!(typosquats.is_empty(), "{typosquats:?}");

    // The registry takes the version back, and all of its major with it.
    registry.remove("notes");
    publish(&registry, "notes", "2.0.0", HONEST_SKILL);
    night(&capdex, "2026-11-22T01:00:00Z");
    let listings = rows(&capdex.path().join("out"), "listings");
    let line = listings.iter().find(|listing| text(listing, "listing") == "npm:notes@1").expect("its listing");
    assert_eq!(text(line, "state"), "gone");
    assert_eq!(alerts(&capdex).len(), told.len(), "the end of a line is no takedown of the package");
}

#[test]
fn lines_beyond_the_budget_are_counted() {
    let registry = Registry::start();
    for major in 1..=5 {
        publish(&registry, "notes", &format!("{major}.0.0"), HONEST_SKILL);
    }
    let capdex = listing(&registry, &["notes"], "release_lines = 1");
    night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(packages(&capdex), ["npm:notes 5.0.0", "npm:notes@4 4.0.0"]);
    let listings = rows(&capdex.path().join("out"), "listings");
    let package = listings.iter().find(|listing| text(listing, "listing") == "npm:notes").expect("its listing");
    assert_eq!(package["lines_beyond"], 3);
    assert!(listings.iter().all(|listing| text(listing, "listing") != "npm:notes@3"));
}
