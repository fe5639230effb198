//! How often a source is asked: the rest that GitHub wants in the text of a refusal alone, and the pace that a schedule sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use capdex_crawlers::SOURCES;
use serde_json::{Value, json};

use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// The text of a refusal that tells of a limit, in GitHub's terms.
const LIMIT: &str = r#"{"message": "You have exceeded a secondary rate limit. Wait before you try again."}"#;
/// The text of one that does not.
const PLAIN: &str = r#"{"message": "Resource not accessible by integration"}"#;
/// Repositories of a test: more than may be under way at once.
const REPOSITORIES: usize = 20;

/// A repository, its commit, and its archive.
fn repository(path: &str) -> (u16, Vec<u8>) {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["repos", owner, name] => {
            let id: u64 = 1_000 + name.bytes().map(u64::from).sum::<u64>();
            let document = json!({
                "id": id, "node_id": "R_x", "name": name, "full_name": format!("{owner}/{name}"), "private": false,
                "owner": {"login": owner, "id": 7}, "html_url": format!("https://github.com/{owner}/{name}"),
                "description": null, "fork": false, "created_at": "2025-01-02T03:04:05Z",
                "pushed_at": "2026-01-02T03:04:05Z", "stargazers_count": 3, "watchers_count": 3, "forks_count": 1,
                "license": null, "topics": [], "archived": false, "default_branch": "main", "size": 5,
                "subscribers_count": 2,
            });
            (200, document.to_string().into_bytes())
        }
        ["repos", _, _, "commits", _] => (200, COMMIT.into()),
        ["repos", _, name, "tarball", _] => {
            (200, archives::Tar::new().file(&format!("{name}-0123456/README.md"), b"# Notes\n").gzipped())
        }
        _ => (404, b"{}".to_vec()),
    }
}

/// A night over the repositories, with this rest after a limit.
fn night(capdex: &Capdex, github: &Directory, pause_ms: u64) -> Run {
    let names: Vec<String> = (0..REPOSITORIES).map(|number| format!("acme/tool-{}", char_of(number))).collect();
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"github\"\n[http]\nmax_tries = 3\nbackoff_ms = 1\nlimit_pause_ms = {pause_ms}\n[sources.github]\n\
             base_url = \"{}\"\nrequests_per_minute = 60000\nwatchlist = {names:?}\n",
            github.url()
        ),
    );
    capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"])
}

/// A letter for each number, so that each name has a sum of its own.
fn char_of(number: usize) -> char {
    char::from(b'a' + u8::try_from(number).expect("few"))
}

/// The reasons of the gaps, by listing.
fn gaps(capdex: &Capdex) -> BTreeMap<String, Vec<String>> {
    let mut gaps: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&capdex.path().join("out"), "gaps") {
        gaps.entry(text(&row, "listing").to_owned()).or_default().push(text(&row, "reason").to_owned());
    }
    gaps
}

#[test]
fn a_limit_in_the_text_of_a_refusal_is_sat_out_and_nothing_is_lost() {
    const PAUSE: Duration = Duration::from_secs(3);
    let times = Arc::new(Mutex::new(Vec::new()));
    let (seen, number) = (Arc::clone(&times), AtomicUsize::new(0));
    let github = Directory::start(move |path: &str| {
        let number = number.fetch_add(1, Ordering::SeqCst);
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        // The fifth request is one too many.
        if number == 4 { (403, LIMIT.into()) } else { repository(path) }
    });
    let capdex = Capdex::offline();
    let run = night(&capdex, &github, u64::try_from(PAUSE.as_millis()).expect("short"));
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert_eq!(gaps(&capdex), BTreeMap::new());
    let listed: BTreeSet<String> =
        rows(&capdex.path().join("out"), "listings").iter().map(|row| text(row, "listing").to_owned()).collect();
    assert_eq!(listed.len(), REPOSITORIES, "{listed:?}");
    let times = times.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let refused = times[4];
    // What was under way when the refusal came arrives at first, later on a busy machine.
    let wanted = PAUSE / 3..PAUSE * 3 / 4;
    let meanwhile = times.iter().filter(|at| **at > refused && wanted.contains(&(**at - refused))).count();
    assert!(meanwhile <= 8, "{meanwhile} requests while the host wanted to be left alone");
    let paths = github.paths();
    let again = paths.iter().filter(|path| **path == paths[4]).count();
    assert_eq!(again, 2, "what was refused is asked for again, once");
}

#[test]
fn a_limit_that_stays_ends_the_requests_and_is_told() {
    let github = Directory::start(|_: &str| (403, LIMIT));
    let capdex = Capdex::offline();
    let run = night(&capdex, &github, 200);
    assert!(matches!(run.code, Some(3 | 4)), "{} {}", run.stdout, run.stderr);
    let asked = github.paths().len();
    assert!(asked < REPOSITORIES, "{asked} requests for {REPOSITORIES} repositories");
    let status = capdex.run(&["status", "--format", "json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    let gaps = status["gaps"].as_array().expect("gaps");
    assert!(gaps.iter().any(|gap| gap["reason"] == "rate_limited"), "{gaps:?}");
    assert!(gaps.iter().all(|gap| gap["reason"] != "denied"), "a limit is no refusal for good: {gaps:?}");
    // The next night asks for all of them.
    github.change(repository);
    let run = night(&capdex, &github, 200);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert_eq!(rows(&capdex.path().join("out"), "listings").len(), REPOSITORIES);
}

#[test]
fn a_refusal_that_tells_of_no_limit_is_final() {
    let github =
        Directory::start(|path: &str| if path.contains("tool-c") { (403, PLAIN.into()) } else { repository(path) });
    let capdex = Capdex::offline();
    let run = night(&capdex, &github, 60_000);
    assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
    assert_eq!(gaps(&capdex), BTreeMap::from([("github:acme/tool-c".to_owned(), vec!["denied".to_owned()])]));
    let asked = github.paths().iter().filter(|path| path.contains("tool-c")).count();
    assert_eq!(asked, 1);
}

/// Requests of each source in the test of paces.
const TRIES: u32 = 4;

/// The keys without which some sources are not asked.
const KEYS: [&str; 3] = ["CAPDEX_GLAMA_KEY", "CAPDEX_PULSEMCP_KEY", "CAPDEX_PULSEMCP_TENANT"];

/// The table of a source that is asked at this address.
fn table(id: &str, url: &str) -> String {
    let host = url.replace("http://", "");
    let (base_url, name) = match id {
        "npm" | "pypi" => (Some(url.to_owned()), "acme-tides".to_owned()),
        "github" => (Some(url.to_owned()), "acme/tides".to_owned()),
        "git" => (Some(format!("{url}/api/v4")), "127.0.0.1/acme/tides".to_owned()),
        "catalogue" => (Some(format!("{url}/list.csv")), String::new()),
        "oci" => (None, format!("{host}/acme/tides:1")),
        "mcp" => (None, format!("{url}/mcp")),
        "marketplaces" => (None, format!("{url}/acme/tides/main/.claude-plugin/marketplace.json")),
        "awesome-lists" => (None, format!("{url}/acme/tides/main/README.md")),
        _ => (Some(url.to_owned()), String::new()),
    };
    let base_url = base_url.map_or(String::new(), |url| format!("base_url = \"{url}\"\n"));
    let watchlist = if name.is_empty() { String::new() } else { format!("watchlist = [\"{name}\"]\n") };
    // One that lists nothing but what it is asked for.
    let queries = if id == "skillsmp" { "queries = [\"tides\"]\n" } else { "" };
    format!("[sources.{id}]\nrequests_per_minute = 100\n{base_url}{watchlist}{queries}")
}

#[test]
fn the_pace_of_a_schedule_holds_for_every_source() {
    let ids = SOURCES.iter().map(|source| source.meta()).filter(|meta| !meta.role.is_local()).map(|meta| meta.id);
    let ids: Vec<&str> = ids.collect();
    let times: Arc<Mutex<BTreeMap<&str, Vec<Instant>>>> = Arc::default();
    // Every source has a host of its own, and every answer is a failure that is tried again.
    let servers: BTreeMap<&str, Directory> = ids
        .iter()
        .map(|id| {
            let (times, id) = (Arc::clone(&times), *id);
            let server = Directory::start(move |_: &str| {
                times.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default().push(Instant::now());
                (503, "")
            });
            (id, server)
        })
        .collect();
    let tables: String = servers.iter().map(|(id, server)| table(id, &server.url())).collect();
    let capdex = Capdex::offline();
    capdex.write("s.toml", format!("name = \"pace\"\n[http]\nmax_tries = {TRIES}\nbackoff_ms = 1\n{tables}"));
    let mut command = capdex.command(&["nightly", "--config", "s.toml", "--out", "out"]);
    let run = Run::of(&command.envs(KEYS.map(|key| (key, "x"))).output().expect("the binary starts"));
    assert!(matches!(run.code, Some(3 | 4)), "{} {}", run.stdout, run.stderr);
    let times = times.lock().unwrap_or_else(PoisonError::into_inner);
    for id in &ids {
        let times = times.get(id).unwrap_or_else(|| panic!("{id} was not asked: {}", run.stdout));
        let count = u32::try_from(times.len()).expect("few");
        assert!(count >= TRIES, "{id}: {count} requests");
        let took = times[times.len() - 1] - times[0];
        // A hundred a minute leave 600 ms between two requests; half of it may be lost where one arrives late.
        assert!(took >= Duration::from_millis(300) * (count - 1), "{id}: {count} requests within {took:?}");
        // Sources whose own limit is lower would be as slow without it, but for the first ones, which come at once.
        let closest = times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or_default();
        assert!(closest >= Duration::from_millis(100), "{id}: two requests within {closest:?}");
    }
}

#[test]
fn a_pace_holds_over_all_hosts_of_a_source_together() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let servers = [0; 4].map(|_| {
        let times = Arc::clone(&times);
        Directory::start(move |asked: &str| {
            times.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            let message: Value =
                asked.split_once(' ').and_then(|(_, body)| serde_json::from_str(body).ok()).unwrap_or_default();
            let result = match message["method"].as_str() {
                Some("server/discover") => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
                _ => json!({"tools": []}),
            };
            (200, json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string())
        })
    });
    let capdex = Capdex::offline();
    let names: Vec<String> = servers.iter().map(|server| format!("{}/mcp", server.url())).collect();
    let schedule = format!("name = \"pace\"\n[sources.mcp]\nrequests_per_minute = 100\nwatchlist = {names:?}\n");
    capdex.write("s.toml", schedule);
    let run = capdex.run(&["nightly", "--config", "s.toml", "--out", "out"]);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    let times = times.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(times.len(), 8, "two questions to each of four");
    let took = times[7] - times[0];
    // Four hosts at once would be done within a second, at the source's own pace for each of them.
    assert!(took >= Duration::from_millis(300) * 7, "within {took:?}");
}
