//! A feed of changes whose numbers began anew: it is noticed although the feed says nothing of it, and everything is walked.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::directory::source;
use crate::nightly::night;
use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::packument;

const PACKAGES: usize = 12;

fn name(number: usize) -> String {
    format!("tides-{number:02}")
}

/// An npm registry and its feed: where the feed stands, what it has after a place, and the packages of a newer version.
struct World {
    url: String,
    stands: u64,
    changes: Vec<(u64, String)>,
    updated: BTreeSet<String>,
}

impl World {
    fn answer(&self, path: &str) -> (u16, Vec<u8>) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        if path == "/feed/" {
            return (200, json!({"db_name": "feed", "update_seq": self.stands}).to_string().into_bytes());
        }
        if path == "/feed/_changes" {
            let asked = query.split('&').find_map(|pair| pair.strip_prefix("since=")?.parse::<u64>().ok());
            let since = asked.expect("a place");
            let found = self.changes.iter().filter(|(seq, _)| *seq > since);
            let results: Vec<Value> =
                found.map(|(seq, id)| json!({"seq": seq, "id": id, "changes": [{"rev": "1-x"}]})).collect();
            // As CouchDB 1 has it: a page without changes says what it was asked.
            let last = results.last().map_or(json!(since), |last| last["seq"].clone());
            return (200, json!({"results": results, "last_seq": last}).to_string().into_bytes());
        }
        let name = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let version = if self.updated.contains(name) { "1.1.0" } else { "1.0.0" };
        let manifest = json!({"name": name, "version": version, "license": "MIT", "description": "Tells the tides"});
        let archive = archives::npm_tarball(name, version, &[("package.json", manifest.to_string().as_bytes())]);
        let at = format!("{}/{name}/-/{name}-{version}.tgz", self.url);
        (200, if path.ends_with(".tgz") { archive } else { packument(name, version, &archive, &at) })
    }
}

/// The packages whose documents were asked for.
fn listed(server: &Directory) -> BTreeSet<String> {
    let paths = server.paths();
    let documents = paths.iter().filter(|path| !path.starts_with("/feed/") && !path.ends_with(".tgz"));
    documents.map(|path| path.trim_start_matches('/').to_owned()).collect()
}

/// The version of each package in the dataset.
fn versions(capdex: &Capdex) -> BTreeSet<(String, String)> {
    let listings = rows(&capdex.path().join("out"), "capabilities");
    listings.iter().map(|row| (text(row, "package").to_owned(), text(row, "version").to_owned())).collect()
}

#[test]
fn a_feed_that_began_anew_is_noticed_and_nothing_is_lost() {
    let server = Directory::start(|_: &str| (503, ""));
    let set = |stands: u64, changes: &[(u64, usize)], updated: &[usize]| {
        let changes = changes.iter().map(|(seq, number)| (*seq, name(*number))).collect();
        let updated = updated.iter().map(|number| name(*number)).collect();
        let world = World { url: server.url(), stands, changes, updated };
        server.change(move |path| world.answer(path));
    };
    let all: Vec<String> = (0..PACKAGES).map(name).collect();
    let everything: BTreeSet<String> = all.iter().cloned().collect();
    let capdex = Capdex::offline();
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"feed\"\n[http]\nrequests_per_second = 1000\nbackoff_ms = 1\n[sources.npm]\nbase_url = \"{0}\"\n\
             changes_url = \"{0}/feed\"\nwatchlist = {all:?}\n",
            server.url()
        ),
    );
    set(1_000, &[], &[]);
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(listed(&server), everything);
    set(1_002, &[(1_001, 3), (1_002, 3)], &[3]);
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    assert_eq!(listed(&server), BTreeSet::from([name(3)]), "while it goes on, what changed and nothing else");

    // Two changed, and the feed that knows of it counts from one.
    set(7, &[(6, 5), (7, 8)], &[3, 5, 8]);
    let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-22T01:00:00Z"];
    let run = capdex.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stderr.contains("made anew"), "and it is told: {}", run.stderr);
    assert_eq!(listed(&server), everything, "everything is walked");
    let expected: BTreeSet<(String, String)> = (0..PACKAGES)
        .map(|number| {
            (format!("npm:{}", name(number)), if [3, 5, 8].contains(&number) { "1.1.0" } else { "1.0.0" }.to_owned())
        })
        .collect();
    assert_eq!(versions(&capdex), expected);
    let state = source(&capdex);
    assert_eq!((state["active"].as_u64(), state["last_outcome"].as_str()), (Some(12), Some("complete")), "{state}");

    // From here on the new numbers count.
    set(30, &[(6, 5), (7, 8), (30, 9)], &[3, 5, 8, 9]);
    assert_eq!(night(&capdex, "2026-11-23T01:00:00Z").code, Some(0));
    let again = listed(&server);
    assert!(again.contains(&name(9)) && again.len() <= 3, "{again:?}");
    assert!(versions(&capdex).contains(&(format!("npm:{}", name(9)), "1.1.0".to_owned())));
}
