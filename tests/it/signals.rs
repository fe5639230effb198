//! Signals by entity, over a world on loopback: packages of npm, their repositories, rows of the official registry, and a
//! stranger who names a famous repository. What each says reaches the rubrics of all listings of its entity, nothing is
//! asked twice, and only what a change concerns is scanned again.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Claim;
use capdex_model::score::Score;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;
use serde_json::{Value, json};

use crate::support::archives::Tar;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::Registry;

/// Servers of the world.
const SERVERS: usize = 10;
const NIGHTS: [&str; 2] = ["2026-11-20T02:00:00Z", "2026-11-21T02:00:00Z"];

fn package(number: usize) -> String {
    format!("@acme{number}/notes")
}

/// Who published the version, as the registry adds it to what it shows: a workflow that it trusts, or a person.
fn published_by(number: usize) -> Value {
    let workflow = json!({"name": "GitHub Actions", "trustedPublisher": {"id": "github", "oidcConfigId": "oidc:1"}});
    if number == 6 { workflow } else { json!({"name": "ann"}) }
}

fn manifest(number: usize) -> String {
    json!({
        "_npmUser": published_by(number),
        "name": package(number), "version": "1.2.3", "license": "MIT", "description": "Reads notes from one folder.",
        "repository": {"type": "git", "url": format!("git+https://github.com/acme{number}/notes.git")},
        "mcpName": format!("io.github.acme{number}/notes"), "bin": {"notes": "index.js"},
    })
    .to_string()
}

const SOURCE: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
import { z } from 'zod';\n\
const server = new McpServer({ name: 'notes', version: '1.2.3' });\n\
server.tool('get_note', 'Reads one note by its name from the folder of notes and returns its text.', \
{ name: z.string().describe('The name of the note, without its ending') }, async ({ name }) => ({ content: [] }));\n";

/// The stars of each repository; the first changes from one night to the next.
fn stars(number: usize, first: u64) -> u64 {
    if number == 0 { first } else { 5_400 }
}

fn document(number: usize, first: u64) -> Value {
    json!({
        "id": 70 + number, "node_id": format!("R_{number}"), "name": "notes", "full_name": format!("acme{number}/notes"),
        "private": false, "owner": {"login": format!("acme{number}")}, "description": "Notes",
        "html_url": format!("https://github.com/acme{number}/notes"), "created_at": "2024-01-01T00:00:00Z",
        "pushed_at": "2026-11-01T00:00:00Z", "stargazers_count": stars(number, first), "forks_count": 40,
        "subscribers_count": 12, "license": {"spdx_id": "MIT", "name": "MIT License"}, "topics": [], "archived": false,
        "default_branch": "main", "fork": false,
    })
}

/// What GitHub answers, GraphQL included; `first` are the stars of the first repository.
fn github(first: u64) -> impl Fn(&str) -> (u16, Vec<u8>) + Send + Sync + 'static {
    move |asked: &str| {
        let parts: Vec<&str> = asked.split(['?', ' ']).next().unwrap_or_default().split('/').skip(1).collect();
        let number = |owner: &str| owner.strip_prefix("acme")?.parse::<usize>().ok().filter(|number| *number < SERVERS);
        let missing = || (404, b"{\"message\": \"Not Found\"}".to_vec());
        let (known, rest) = match parts.as_slice() {
            ["graphql"] => {
                return (200, graphql(asked.split_once(' ').map_or("", |(_, body)| body)).to_string().into_bytes());
            }
            ["users", _, "orgs"] => return (200, b"[{\"login\": \"guild\"}]".to_vec()),
            ["repos", owner, "notes", rest @ ..] => (number(owner), rest),
            _ => return missing(),
        };
        let Some(number) = known else { return missing() };
        match rest {
            [] => (200, document(number, first).to_string().into_bytes()),
            ["commits", _] => (200, format!("{number:040x}").into_bytes()),
            ["tarball", _] => {
                let top = format!("acme{number}-notes");
                let tar = Tar::new().file(&format!("{top}/package.json"), manifest(number).as_bytes());
                (200, tar.file(&format!("{top}/index.js"), SOURCE.as_bytes()).gzipped())
            }
            ["contributors"] => (200, b"[{\"login\": \"ann\"}]".to_vec()),
            ["actions", "workflows"] => (200, b"{\"total_count\": 2, \"workflows\": [{}]}".to_vec()),
            ["actions", "runs"] => {
                let run = |of: &str| json!({"status": "completed", "conclusion": of});
                let runs: Vec<Value> =
                    [["success"; 9].as_slice(), &["failure"]].concat().into_iter().map(run).collect();
                (200, json!({"total_count": runs.len(), "workflow_runs": runs}).to_string().into_bytes())
            }
            ["branches", "main"] => (200, b"{\"name\": \"main\", \"protected\": true}".to_vec()),
            _ => missing(),
        }
    }
}

fn graphql(body: &str) -> Value {
    let asked: Value = serde_json::from_str(body).expect("a query");
    assert!(asked["query"].as_str().is_some_and(|query| query.contains("defaultBranchRef")), "{body}");
    let repository = json!({
        "databaseId": null, "releases": {"totalCount": 5},
        "defaultBranchRef": {"name": "main", "target": {"year": {"totalCount": 120}, "quarter": {"totalCount": 30}}},
        "owner": {"createdAt": "2015-01-02T03:04:05Z", "followers": {"totalCount": 80}, "repositories": {"totalCount": 12}},
    });
    let issue = |hours: u32| {
        let at = |hour: u32| format!("2026-11-01T{hour:02}:00:00Z");
        json!({"createdAt": at(0), "author": {"login": "bob"},
            "comments": {"nodes": [{"createdAt": at(hours), "author": {"login": "ann"}}]}})
    };
    let recent: Vec<Value> = (1..=5).map(issue).collect();
    json!({"data": {"repository": repository, "open": {"issueCount": 4}, "closed": {"issueCount": 30}, "recent": {"nodes": recent}}})
}

/// The official registry: one row a server.
fn registry(path: &str) -> (u16, String) {
    let row = |number: usize| {
        let name = format!("io.github.acme{number}/notes");
        let server = json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": name,
            "description": "Reads notes from one folder.", "version": "1.2.3",
            "repository": {"url": format!("https://github.com/acme{number}/notes"), "source": "github"},
            "packages": [{"registryType": "npm", "identifier": package(number), "version": "1.2.3",
                "transport": {"type": "stdio"}}],
        });
        let official = json!({"status": "active", "publishedAt": "2026-01-05T00:00:00Z", "updatedAt": "2026-01-05T00:00:00Z",
            "isLatest": true});
        json!({"server": server, "_meta": {"io.modelcontextprotocol.registry/official": official}})
    };
    let rows: Vec<Value> = if path.contains("updated_since") { vec![] } else { (0..SERVERS).map(row).collect() };
    (200, json!({"servers": rows, "metadata": {"count": rows.len()}}).to_string())
}

/// npm's counts of downloads; all names are scoped, and so are asked for one by one. The service that counts for PyPI stands
/// beside it.
fn downloads(path: &str) -> (u16, String) {
    if path.starts_with("/api/packages/") {
        return (200, json!({"data": {"last_month": 678}, "package": "x", "type": "recent_downloads"}).to_string());
    }
    let name = path.trim_start_matches("/downloads/point/last-month/");
    (200, json!({"downloads": 12_345, "package": name, "start": "2026-10-20", "end": "2026-11-18"}).to_string())
}

struct World {
    capdex: Capdex,
    npm: Registry,
    github: Directory,
    counts: Directory,
    /// It answers as long as it is there.
    _registry: Directory,
}

impl World {
    fn start() -> Self {
        let npm = Registry::start();
        for number in 0..SERVERS {
            let manifest = manifest(number);
            let files: [(&str, &[u8]); 2] = [("package.json", manifest.as_bytes()), ("index.js", SOURCE.as_bytes())];
            npm.npm_package(&package(number), "1.2.3", &files);
            npm.npm_owner(&package(number), "ann", "2024-02-01T00:00:00.000Z");
            // The second half publishes with attestations.
            if number >= SERVERS / 2 {
                npm.attested(&package(number), &format!("acme{number}/notes"));
            }
        }
        let project = "[project]\nname = \"acme2-notes\"\nversion = \"1.0\"\n";
        let server = "from mcp.server.fastmcp import FastMCP\nserver = FastMCP('notes')\n\n@server.tool()\n\
                      def get_note(name: str) -> str:\n    'Reads one note by its name and returns its text.'\n    return ''\n";
        npm.pypi_package(
            "acme2-notes",
            "1.0",
            &[("pyproject.toml", project.as_bytes()), ("server.py", server.as_bytes())],
        );
        npm.npm_owners("acme2-notes", &["ann", "bob"]).attested("acme2-notes", "acme2/notes");
        let stranger =
            json!({"name": "notes-pro", "version": "1.0.0", "repository": "github:acme1/notes", "bin": "index.js"});
        let stranger = stranger.to_string();
        let files: [(&str, &[u8]); 2] = [("package.json", stranger.as_bytes()), ("index.js", SOURCE.as_bytes())];
        npm.npm_package("notes-pro", "1.0.0", &files).npm_owner("notes-pro", "mallory", "2026-11-01T00:00:00.000Z");
        let (github, counts) = (Directory::start(github(5_400)), Directory::start(downloads));
        let registry = Directory::start(registry);
        let capdex = Capdex::with(&npm);
        let pace = "requests_per_minute = 100000";
        capdex.write(
            "schedule.toml",
            format!(
                "name = \"signals\"\n[http]\nmax_tries = 1\nbackoff_ms = 10\n\
                 [sources.official-registry]\nbase_url = \"{}\"\n{pace}\n\
                 [sources.npm]\npackages = [\"notes-pro\"]\nsignals = 100\ndownloads_url = \"{}\"\n{pace}\n\
                 [sources.pypi]\npackages = [\"acme2-notes\"]\nsignals = 100\ndownloads_url = \"{}\"\n{pace}\n\
                 [sources.github]\nbase_url = \"{}\"\nsignals = 100\n{pace}\n",
                registry.url(),
                counts.url(),
                counts.url(),
                github.url()
            ),
        );
        Self { capdex, npm, github, counts, _registry: registry }
    }

    fn night(&self, as_of: &str) -> Run {
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of];
        let mut command = self.capdex.command(&arguments);
        let run = Run::of(&command.env("CAPDEX_GITHUB_TOKEN", "a-token").output().expect("the binary starts"));
        assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
        run
    }

    /// The facts of every capability of a listing, by the listing's source.
    fn facts(&self) -> Vec<(String, SparseFacts)> {
        let reader = Reader::open(&self.capdex.path().join("capdex.db"), &capdex_rules::INDEX).expect("a store");
        let mut all = Vec::new();
        for one in reader.current().expect("reads") {
            all.push((one.listing.to_string(), reader.facts(&one.facts).expect("reads").expect("stored")));
        }
        all
    }

    /// What is measured of the servers of a listing.
    fn metadata(&self, listing: &str) -> Value {
        let all = self.facts();
        let of: Vec<&SparseFacts> =
            all.iter().filter(|(key, _)| key.starts_with(listing)).map(|(_, facts)| facts).collect();
        assert!(!of.is_empty(), "nothing of {listing}");
        of.iter().find_map(|facts| facts.value("measure-metadata")).cloned().unwrap_or_default()
    }

    /// Whether a workflow that npm trusts published a package, as rules are told.
    fn trusted_publisher(&self, name: &str) -> Claim<bool> {
        let reader = Reader::open(&self.capdex.path().join("capdex.db"), &capdex_rules::INDEX).expect("a store");
        let stored = reader.listing(&ListingKey::new("npm", name)).expect("reads").expect("listed");
        stored.listing.expect("its words").claims.repository_signals.trusted_publisher
    }

    fn scores(&self, rubric: &str) -> BTreeMap<String, Score> {
        let rubric = RUBRICS.iter().find(|one| one.meta().rubric.id == rubric).expect("a rubric");
        let at = AsOf(NIGHTS[0].parse().expect("an instant"));
        let server = capdex_model::capability::Kind::McpServer;
        let servers = self.facts().into_iter().filter(|(_, facts)| facts.kind == server);
        servers.map(|(key, facts)| (key, rubric.score(&facts, at))).collect()
    }
}

#[test]
fn signals_reach_every_listing_of_their_entity_and_nothing_is_asked_twice() {
    let world = World::start();
    world.night(NIGHTS[0]);
    for listing in ["npm:@acme3/notes", "github:acme3/notes", "official-registry:io.github.acme3/notes"] {
        let said = world.metadata(listing);
        assert_eq!(said["stars"], 5_400, "{listing}: {said}");
        assert_eq!(said["downloads_monthly"], 12_000, "{listing}: {said}");
        assert_eq!(said["account_created"], "2015-01-02T03:04:05Z", "{listing}: {said}");
        assert_eq!((&said["commits_year"], &said["contributors"]), (&json!(120), &json!(1)), "{listing}: {said}");
    }
    for listing in ["npm:@acme3/notes", "github:acme3/notes", "official-registry:io.github.acme3/notes"] {
        let said = world.metadata(listing);
        assert_eq!(
            (&said["failing_runs"], &said["account_organizations"]),
            (&json!(10), &json!(1)),
            "{listing}: {said}"
        );
    }
    // Attested, so that the registry proves the link; its own downloads and owners beside what the repository lends.
    let python = world.metadata("pypi:acme2-notes");
    for (signal, value) in [
        ("stars", json!(5_400)),
        ("contributors", json!(1)),
        ("failing_runs", json!(10)),
        ("account_created", json!("2015-01-02T03:04:05Z")),
        ("downloads_monthly", json!(670)),
        ("maintainers", json!(2)),
        ("provenance", json!(true)),
    ] {
        assert_eq!(python[signal], value, "{signal}: {python}");
    }
    let provenance = |listing: &str| world.metadata(listing)["provenance"].clone();
    assert_eq!((provenance("npm:@acme7/notes"), provenance("npm:@acme3/notes")), (json!(true), json!(false)));
    assert_eq!(world.trusted_publisher("@acme6/notes"), Claim::Known(true));
    assert_eq!(world.trusted_publisher("@acme3/notes"), Claim::Known(false));
    assert_eq!(world.trusted_publisher("notes-pro"), Claim::Unknown, "its registry names nobody");
    let stranger = world.metadata("npm:notes-pro");
    assert_eq!((&stranger["stars"], &stranger["account_created"]), (&Value::Null, &Value::Null), "{stranger}");

    let maintenance = |facts: &SparseFacts| {
        let outcome = |rule: &str| facts.all().find(|fact| fact.rule.as_str() == rule).map(|fact| fact.outcome);
        let rules = ["repository-stale", "repository-slow-answers", "repository-open-issues", "repository-unprotected"];
        let all = rules.into_iter().chain(["repository-few-stars", "repository-few-installs", "repository-unlisted"]);
        all.filter(|rule| outcome(rule) == Some(capdex_model::fact::Outcome::Unavailable)).count()
    };
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for (key, facts) in world.facts().iter().filter(|(key, _)| key.contains("acme")) {
        open.insert(key.clone(), maintenance(facts));
    }
    assert!(open.values().all(|open| *open == 0), "no rule of upkeep and popularity lacks its data: {open:?}");

    let scores = world.scores("agentscore/seed");
    let completed = |score: &Score| score.parts.iter().filter(|part| part.note.starts_with("completed")).count();
    let answered = scores.values().filter(|score| completed(score) >= 3).count();
    let by_workflow = |key: &str| scores[key].parts.iter().any(|part| part.note.contains("; published by a workflow"));
    assert_eq!((by_workflow("npm:@acme6/notes"), by_workflow("npm:@acme3/notes")), (true, false));
    println!("AgentScore completes three checks for {answered} of {} servers", scores.len());
    assert!(answered * 10 >= scores.len() * 7, "{scores:?}");
    let stranger = &scores["npm:notes-pro"];
    let said = stranger.caps.iter().map(|cap| cap.to_string()).collect::<String>();
    assert!(&*stranger.grade != "ALLOW" || completed(stranger) >= 3, "{stranger:?}");
    for score in scores.values().filter(|score| completed(score) < 3) {
        let said = score.caps.iter().map(|cap| cap.to_string()).collect::<String>();
        assert_eq!(&*score.grade, "INSUFFICIENT DATA", "{score:?}");
        assert!(said.contains(" lacks "), "it names what is missing and how to supply it: {said}");
    }
    println!("the stranger: {} {said}", stranger.grade);

    let explained = world.capdex.run(&["explain", "npm:notes-pro"]);
    let text = explained.stdout + &explained.stderr;
    assert!(text.contains("claimed by one side, so it does not count"), "{text}");

    let asked = |world: &World| {
        let graphql = world.github.paths().iter().filter(|path| path.starts_with("/graphql")).count();
        (graphql, world.counts.paths().len())
    };
    assert_eq!(asked(&world), (SERVERS, SERVERS + 2));
    let attestations = |world: &World| {
        let all = world.npm.requests();
        let of = |beginning: &str| all.iter().filter(|request| request.path.starts_with(beginning)).count();
        (of("/-/npm/v1/attestations/"), of("/integrity/"), of("/simple/"))
    };
    assert_eq!(attestations(&world), (SERVERS / 2, 1, 1), "asked for where one is said to be, and once");
    world.npm.clear_requests();
    world.github.change(github(5_410));
    world.counts.change(downloads);
    let second = world.night(NIGHTS[1]);
    assert_eq!(asked(&world), (0, 0), "nothing is asked twice: {:?}", world.github.paths());
    assert_eq!(attestations(&world), (0, 0, 0), "nothing is asked twice: {:?}", world.npm.requests());
    // One repository has ten stars more: it alone is scanned again, for to two digits its entity has as many.
    assert!(
        second.stdout.contains("1 snapshot scanned") || second.stdout.contains("nothing scanned"),
        "{}",
        second.stdout
    );
}

#[test]
fn a_signal_that_changes_scans_what_it_concerns() {
    let world = World::start();
    world.night(NIGHTS[0]);
    world.github.change(github(90));
    // Repositories that nothing happened to are asked for seldom: this one is due by then.
    let run = world.night("2026-12-25T02:00:00Z");
    for listing in ["npm:@acme0/notes", "github:acme0/notes", "official-registry:io.github.acme0/notes"] {
        assert_eq!(world.metadata(listing)["stars"], 90, "{listing}");
    }
    assert_eq!(world.metadata("npm:@acme5/notes")["stars"], 5_400);
    let line = run.stdout.lines().find(|line| line.contains("scanned,")).expect("something was scanned");
    let scanned: usize = line.split_whitespace().nth(1).and_then(|count| count.parse().ok()).expect("a number");
    // The package, the repository and the row, of more than thirty.
    assert!((3..=4).contains(&scanned), "{line}");
}

#[test]
fn a_list_of_abuse_changes_only_what_it_names() {
    let world = World::start();
    world.night(NIGHTS[0]);
    let before = world.scores("agentscore/seed");
    let list = json!({"list": "team", "version": 1, "source": "us", "date": "2026-11-20",
        "entries": [{"registry": "npm", "name": "notes-pro", "reason": "sends tokens"}]});
    world.capdex.write("list.json", list.to_string());
    let imported = world.capdex.run(&["abuse", "import", "list.json"]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    world.night(NIGHTS[1]);
    let after = world.scores("agentscore/seed");
    for (key, score) in &before {
        let now = &after[key];
        if key == "npm:notes-pro" {
            assert_eq!(&*now.grade, "BLOCK", "{now:?}");
        } else {
            assert_eq!((&now.grade, now.value), (&score.grade, score.value), "{key}");
        }
    }
}

/// Packages of the large world.
const PACKAGES: usize = 1_000;
/// Repositories of which the schedule names so many.
const REPOSITORIES: usize = 150;
/// What its schedule allows a night.
const NPM_BUDGET: usize = 300;
const GITHUB_BUDGET: usize = 60;

/// Packuments with attestations, and their attestations; no archive is to be had, so that nothing is scanned.
fn many_packages(path: &str) -> (u16, String) {
    let path = path.trim_start_matches('/');
    if let Some(name) = path.strip_prefix("-/npm/v1/attestations/") {
        assert!(name.ends_with("@1.0.0"), "{name}");
        return (200, json!({"attestations": []}).to_string());
    }
    let Some(number) = path.strip_prefix("kit").and_then(|number| number.parse::<usize>().ok()) else {
        return (404, "{}".to_owned());
    };
    let repository = json!({"type": "git", "url": format!("git+https://github.com/maker{number}/kit.git")});
    let dist = json!({"tarball": format!("http://127.0.0.1:1/kit{number}.tgz"), "integrity": "sha512-AA==",
        "attestations": {"url": "x", "provenance": {"predicateType": "https://slsa.dev/provenance/v1"}}});
    let version = json!({"name": path, "version": "1.0.0", "repository": repository, "dist": dist});
    let packument = json!({
        "name": path, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}, "repository": repository,
        "time": {"created": "2026-01-01T00:00:00.000Z", "modified": "2026-01-01T00:00:00.000Z", "1.0.0": "2026-01-01T00:00:00.000Z"},
        "maintainers": [{"name": "ann"}],
    });
    (200, packument.to_string())
}

/// A repository for each, without an archive.
fn many_repositories(asked: &str) -> (u16, Vec<u8>) {
    let parts: Vec<&str> = asked.split(['?', ' ']).next().unwrap_or_default().split('/').skip(1).collect();
    let missing = || (404, b"{\"message\": \"Not Found\"}".to_vec());
    match parts.as_slice() {
        ["graphql"] => (200, graphql(asked.split_once(' ').map_or("", |(_, body)| body)).to_string().into_bytes()),
        ["users", _, "orgs"] => (200, b"[]".to_vec()),
        ["repos", owner, "kit", rest @ ..] => {
            let Some(number) = owner.strip_prefix("maker").and_then(|number| number.parse::<usize>().ok()) else {
                return missing();
            };
            match rest {
                [] => {
                    let mut document = document(number, 3);
                    document["full_name"] = json!(format!("maker{number}/kit"));
                    document["owner"]["login"] = json!(owner);
                    (200, document.to_string().into_bytes())
                }
                ["contributors"] => (200, b"[{\"login\": \"ann\"}]".to_vec()),
                ["actions", "workflows"] => (200, b"{\"total_count\": 1, \"workflows\": [{}]}".to_vec()),
                ["actions", "runs"] => (200, b"{\"total_count\": 0, \"workflow_runs\": []}".to_vec()),
                ["branches", "main"] => (200, b"{\"name\": \"main\", \"protected\": true}".to_vec()),
                // An empty repository has no commit, and so no archive.
                _ => (409, b"{\"message\": \"Git Repository is empty.\"}".to_vec()),
            }
        }
        _ => missing(),
    }
}

fn many_downloads(path: &str) -> (u16, String) {
    let names = path.trim_start_matches("/downloads/point/last-month/").split(',');
    let counts: serde_json::Map<String, Value> =
        names.map(|name| (name.to_owned(), json!({"downloads": 7, "package": name}))).collect();
    (200, Value::Object(counts).to_string())
}

#[test]
fn a_night_over_a_thousand_packages_keeps_to_its_budgets_and_asks_nothing_twice() {
    let (npm, github, counts) =
        (Directory::start(many_packages), Directory::start(many_repositories), Directory::start(many_downloads));
    let names: Vec<String> = (0..PACKAGES).map(|number| format!("\"kit{number}\"")).collect();
    let repositories: Vec<String> = (0..REPOSITORIES).map(|number| format!("\"maker{number}/kit\"")).collect();
    let capdex = Capdex::offline();
    let pace = "requests_per_minute = 1000000";
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"many\"\n[http]\nmax_tries = 1\nbackoff_ms = 1\n\
             [sources.npm]\nbase_url = \"{}\"\npackages = [{}]\nsignals = {NPM_BUDGET}\ndownloads_url = \"{}\"\n{pace}\n\
             [sources.github]\nbase_url = \"{}\"\npackages = [{}]\nsignals = {GITHUB_BUDGET}\n{pace}\n",
            npm.url(),
            names.join(", "),
            counts.url(),
            github.url(),
            repositories.join(", ")
        ),
    );
    let mut seen: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    for (night, as_of) in NIGHTS.into_iter().enumerate() {
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of];
        let mut command = capdex.command(&arguments);
        let run = Run::of(&command.env("CAPDEX_GITHUB_TOKEN", "a-token").output().expect("the binary starts"));
        assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
        let of =
            |paths: &[String], what: &str| paths.iter().filter(|path| path.contains(what)).cloned().collect::<Vec<_>>();
        let attestations = of(&npm.paths(), "/attestations/");
        assert_eq!(attestations.len(), NPM_BUDGET, "night {night}");
        // A hundred and twenty-eight names are one request.
        assert_eq!(counts.paths().len(), NPM_BUDGET.div_ceil(128), "{:?}", counts.paths());
        let asked = github.paths();
        let queries = of(&asked, "/graphql");
        assert_eq!(queries.len(), GITHUB_BUDGET, "night {night}");
        let beside: usize =
            ["/contributors", "/actions/", "/branches/", "/orgs"].iter().map(|what| of(&asked, what).len()).sum();
        assert_eq!(beside, 5 * GITHUB_BUDGET, "five requests a repository beside its query");
        for one in attestations.into_iter().chain(counts.paths()).chain(queries).chain(of(&asked, "/contributors")) {
            assert!(seen.insert(one.clone()), "asked twice: {one}");
        }
        npm.change(many_packages);
        github.change(many_repositories);
        counts.change(many_downloads);
    }
}
