//! Signals by entity, over a world on loopback: packages of npm, their repositories, rows of the official registry, and a
//! stranger who names a famous repository. What each says reaches the rubrics of all listings of its entity, nothing is
//! asked twice, and only what a change concerns is scanned again.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::facts::SparseFacts;
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

fn manifest(number: usize) -> String {
    json!({
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

/// npm's counts of downloads; all names are scoped, and so are asked for one by one.
fn downloads(path: &str) -> (u16, String) {
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
        }
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
                 [sources.github]\nbase_url = \"{}\"\nsignals = 100\n{pace}\n",
                registry.url(),
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
    println!("AgentScore completes three checks for {answered} of {} servers", scores.len());
    assert!(answered * 10 >= scores.len() * 7, "{scores:?}");
    let stranger = &scores["npm:notes-pro"];
    let said = stranger.caps.iter().map(|cap| cap.to_string()).collect::<String>();
    assert!(&*stranger.grade != "ALLOW" || completed(stranger) >= 3, "{stranger:?}");
    println!("the stranger: {} {said}", stranger.grade);

    let explained = world.capdex.run(&["explain", "npm:notes-pro"]);
    let text = explained.stdout + &explained.stderr;
    assert!(text.contains("claimed by one side, so it does not count"), "{text}");

    let asked = |world: &World| {
        let graphql = world.github.paths().iter().filter(|path| path.starts_with("/graphql")).count();
        (graphql, world.counts.paths().len())
    };
    assert_eq!(asked(&world), (SERVERS, SERVERS + 1));
    world.npm.clear_requests();
    world.github.change(github(5_410));
    world.counts.change(downloads);
    let second = world.night(NIGHTS[1]);
    assert_eq!(asked(&world), (0, 0), "nothing is asked twice: {:?}", world.github.paths());
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
