//! The feed of changes of npm's replication, from `pouchdb-server`, a real server of CouchDB's protocol on loopback.
//!
//! `tests/run` installs it and names it in `CAPDEX_POUCHDB`; without it the test says that it was skipped.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::nightly::night;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;
use crate::support::rig::{self, Rig};

/// A database `registry` with a document for each package.
struct Feed {
    server: Rig,
    revisions: BTreeMap<String, String>,
}

impl Feed {
    fn start(command: &str, folder: &Path) -> Self {
        let server = Rig::start(command, folder, |port| {
            ["--in-memory", "--host", "127.0.0.1", "--port", &port.to_string()].map(str::to_owned).to_vec()
        });
        let feed = Self { server, revisions: BTreeMap::new() };
        assert_eq!(feed.server.send("PUT", "/registry", "").0, 201);
        feed
    }

    fn url(&self) -> String {
        format!("{}/registry", self.server.url())
    }

    /// Changes a package's document, or makes it.
    fn change(&mut self, name: &str) {
        let body = self.revisions.get(name).map_or(json!({}), |revision| json!({ "_rev": revision }));
        self.write("PUT", name, "", &body.to_string());
    }

    fn delete(&mut self, name: &str) {
        let revision = self.revisions.remove(name).expect("a document");
        self.write("DELETE", name, &format!("?rev={revision}"), "");
    }

    fn write(&mut self, method: &str, name: &str, query: &str, body: &str) {
        let path = format!("/registry/{}{query}", name.replace('@', "%40").replace('/', "%2F"));
        let (status, answer) = self.server.send(method, &path, body);
        assert!(status == 200 || status == 201, "{method} {path}: {status} {answer}");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        self.revisions.insert(name.to_owned(), answer["rev"].as_str().expect("a revision").to_owned());
    }

    /// How often changes were asked for since the start.
    fn asked(&self) -> usize {
        self.server.log().matches("GET /registry/_changes").count()
    }
}

fn publish(registry: &Registry, name: &str, version: &str) {
    let manifest = json!({"name": name, "version": version, "description": "A small package"}).to_string();
    registry.npm_package(name, version, &[("package.json", manifest.as_bytes()), ("AGENTS.md", b"# For agents\n")]);
}

/// The packages whose packuments were asked for, in order, and how many tarballs; forgets both.
fn take_asked(registry: &Registry) -> (Vec<String>, usize) {
    let tarballs = registry.tarball_requests().len();
    let is_packument = |path: &String| !path.contains("/-/");
    let mut names: Vec<String> = registry.requests().into_iter().map(|asked| asked.path).filter(is_packument).collect();
    names.sort();
    registry.clear_requests();
    (names.into_iter().map(|path| path.trim_start_matches('/').replace("%2F", "/")).collect(), tarballs)
}

#[test]
fn a_night_asks_for_what_the_feed_names_and_for_nothing_else() {
    let Some(command) = rig::needed("CAPDEX_POUCHDB") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (registry, mut feed) = (Registry::start(), Feed::start(&command, folder.path()));
    let scoped = (0..10).map(|number| format!("@acme/pack-{number}"));
    let names: Vec<String> = scoped.chain((0..30).map(|number| format!("pack-{number:02}"))).collect();
    for name in &names {
        publish(&registry, name, "1.0.0");
        feed.change(name);
    }
    // The feed is entered ten changes early: these are what the second night reads twice.
    for number in 0..10 {
        feed.change(&format!("watched-by-nobody-{number}"));
    }
    let capdex = Capdex::with(&registry);
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"feed\"\n[http]\nrequests_per_second = 1000\nbackoff_ms = 10\n[sources.npm]\n\
             changes_url = \"{}\"\nwatchlist = {names:?}\n",
            feed.url()
        ),
    );
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(take_asked(&registry), (names, 40), "the first night walks everything");
    assert_eq!(feed.asked(), 0);

    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    assert_eq!(take_asked(&registry), (Vec::new(), 0), "nothing changed");
    assert_eq!(feed.asked(), 1);

    let changed = ["@acme/pack-3", "pack-07", "pack-19", "pack-20"];
    for name in changed {
        publish(&registry, name, "1.0.1");
        feed.change(name);
    }
    feed.change("pack-07");
    feed.change("watched-by-nobody-4");
    assert_eq!(night(&capdex, "2026-11-22T01:00:00Z").code, Some(0));
    assert_eq!(take_asked(&registry), (changed.map(str::to_owned).to_vec(), 4), "four of forty, each once");
    assert_eq!(night(&capdex, "2026-11-23T01:00:00Z").code, Some(0));
    assert_eq!(take_asked(&registry), (Vec::new(), 0), "nothing changed since");

    registry.remove("pack-11");
    feed.delete("pack-11");
    night(&capdex, "2026-11-24T01:00:00Z");
    assert_eq!(take_asked(&registry), (vec!["pack-11".to_owned()], 0), "a deletion is a change");
    let source = crate::directory::source(&capdex);
    assert_eq!(source["listings"].as_u64(), Some(40));
    assert_eq!(source["active"].as_u64(), Some(39));
}
