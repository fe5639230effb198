//! Against nginx: a static Python index, and the rate limit of the official registry.
//!
//! `tests/run` finds or installs it and names it in `CAPDEX_NGINX`; without it the tests say that they were skipped.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::directory::fake::synthetic;
use crate::directory::{list, serve, source};
use crate::nightly::night;
use crate::support::archives;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::rig::{self, Rig};

/// A running nginx in a folder of its own.
struct Nginx {
    server: Rig,
    folder: TempDir,
}

impl Nginx {
    /// Starts it with directives of the level `http` and of its one server.
    fn start(command: &str, http: &str, server: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("tree")).expect("a folder");
        let server = Rig::start(command, folder.path(), |port| {
            let config = format!(
                "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{ worker_connections 64; }}\nhttp {{\n\
                 client_body_temp_path body;\nproxy_temp_path proxy;\nfastcgi_temp_path fastcgi;\n\
                 uwsgi_temp_path uwsgi;\nscgi_temp_path scgi;\n\
                 log_format short '$status $request_uri';\naccess_log access.log short;\n{http}\n\
                 server {{\nlisten 127.0.0.1:{port};\n{server}\n}}\n}}\n"
            );
            std::fs::write(folder.path().join("nginx.conf"), config).expect("writes");
            let prefix = folder.path().display().to_string();
            ["-p", &prefix, "-e", "stderr", "-c", "nginx.conf"].map(str::to_owned).to_vec()
        });
        Self { server, folder }
    }

    /// Writes a file that is served.
    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join("tree").join(path);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("writes");
        std::fs::write(path, content).expect("writes");
    }

    /// Status and path of every request since the last call.
    fn take_asked(&self) -> Vec<(u16, String)> {
        let path = self.folder.path().join("access.log");
        let text = std::fs::read_to_string(&path).expect("a log");
        // It is opened for appending: what is cut here stays cut.
        std::fs::File::create(&path).expect("a log");
        let line = |line: &str| {
            let (status, path) = line.split_once(' ').expect("two fields");
            (status.parse().expect("a status"), path.to_owned())
        };
        text.lines().map(line).collect()
    }
}

/// A Python index of static files.
struct Index {
    nginx: Nginx,
    serials: BTreeMap<String, u64>,
}

impl Index {
    fn start(command: &str) -> Self {
        let server = "root tree;\nindex index.json;\ndefault_type application/octet-stream;\n\
                      types { application/vnd.pypi.simple.v1+json json; }";
        Self { nginx: Nginx::start(command, "", server), serials: BTreeMap::new() }
    }

    fn url(&self) -> String {
        format!("{}/simple/", self.nginx.server.url())
    }

    /// Publishes releases of a project: its page, its files, and the list of all projects with their serials.
    fn publish(&mut self, name: &str, versions: &[&str]) {
        let file = |version: &&str| {
            let filename = format!("{}-{version}.tar.gz", name.replace('-', "_"));
            let notes = format!("# For agents\n\nThis is {version}.\n");
            let bytes = archives::sdist(name, version, &[("AGENTS.md", notes.as_bytes())]);
            self.nginx.write(&format!("files/{filename}"), &bytes);
            let sha256 = capdex_model::digest::Digest::of(&bytes).hex();
            json!({"filename": filename, "url": format!("../../files/{filename}"), "hashes": {"sha256": sha256},
                   "size": bytes.len(), "yanked": false, "upload-time": "2026-01-01T00:00:00Z"})
        };
        let files: Vec<Value> = versions.iter().map(file).collect();
        let page = json!({"meta": {"api-version": "1.1"}, "name": name, "versions": versions, "files": files});
        self.nginx.write(&format!("simple/{name}/index.json"), page.to_string());
        let serial = self.serials.values().max().map_or(1_000, |last| last + 1);
        self.serials.insert(name.to_owned(), serial);
        let projects: Vec<Value> =
            self.serials.iter().map(|(name, serial)| json!({"name": name, "_last-serial": serial})).collect();
        let index = json!({"meta": {"api-version": "1.1", "_last-serial": serial}, "projects": projects});
        self.nginx.write("simple/index.json", index.to_string());
    }

    /// Pages of projects with their status and the number of files asked for, since the last call.
    fn take_asked(&self) -> (Vec<(u16, String)>, usize) {
        let asked = self.nginx.take_asked();
        let files = asked.iter().filter(|(_, path)| path.starts_with("/files/")).count();
        let page = |(status, path): (u16, String)| {
            let name = path.strip_prefix("/simple/")?.trim_end_matches('/').to_owned();
            Some((status, name)).filter(|(_, name)| !name.is_empty())
        };
        let mut pages: Vec<_> = asked.into_iter().filter_map(page).collect();
        pages.sort();
        (pages, files)
    }
}

/// An index of projects, and a working folder that watches them all.
fn index_of(command: &str, names: &[String], changes_url: bool) -> (Index, Capdex) {
    let mut index = Index::start(command);
    for name in names {
        index.publish(name, &["1.0.0"]);
    }
    let capdex = Capdex::offline();
    let feed = if changes_url { format!("changes_url = \"{}\"\n", index.url()) } else { String::new() };
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"index\"\n[http]\nrequests_per_second = 1000\nbackoff_ms = 10\n[sources.pypi]\n\
             base_url = \"{}\"\n{feed}watchlist = {names:?}\n",
            index.url()
        ),
    );
    (index, capdex)
}

fn projects() -> Vec<String> {
    (0..24).map(|number| format!("project-{number:02}")).collect()
}

fn with(status: u16, names: &[String]) -> Vec<(u16, String)> {
    names.iter().map(|name| (status, name.clone())).collect()
}

#[test]
fn pages_of_a_static_index_are_not_modified_on_the_second_night() {
    let Some(command) = rig::needed("CAPDEX_NGINX") else { return };
    let names = projects();
    let (mut index, capdex) = index_of(&command, &names, false);
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(index.take_asked(), (with(200, &names), 24));
    let second = night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(index.take_asked(), (with(304, &names), 0));
    assert!(second.stdout.contains("nothing fetched, nothing unpacked"), "{}", second.stdout);
    index.publish("project-05", &["1.0.0", "1.1.0"]);
    assert_eq!(night(&capdex, "2026-11-22T01:00:00Z").code, Some(0));
    let (pages, files) = index.take_asked();
    let changed: Vec<_> = pages.into_iter().filter(|(status, _)| *status == 200).collect();
    assert_eq!(changed, with(200, &["project-05".to_owned()]));
    assert_eq!(files, 1);
}

#[test]
fn the_serials_of_a_static_index_tell_which_pages_to_ask_for() {
    let Some(command) = rig::needed("CAPDEX_NGINX") else { return };
    let names = projects();
    let (mut index, capdex) = index_of(&command, &names, true);
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    assert_eq!(index.take_asked(), (with(200, &names), 24));
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    assert_eq!(index.nginx.take_asked(), [(200, "/simple/".to_owned())], "one request tells that nothing changed");
    let changed = ["project-03", "project-04", "project-20"].map(str::to_owned);
    for name in &changed {
        index.publish(name, &["1.0.0", "1.1.0"]);
    }
    assert_eq!(night(&capdex, "2026-11-22T01:00:00Z").code, Some(0));
    assert_eq!(index.take_asked(), (with(200, &changed), 3));
}

/// The official registry's limit (180 requests a minute, status 429) in front of a fake of it. Its burst of 540 would take
/// 54,000 rows to meet: here it is `burst`. nginx says nothing of when to come again, and a minute is waited then; here it
/// says a second, so that the test is short.
fn limited(command: &str, directory: &Directory, burst: u32) -> Nginx {
    let http = "limit_req_zone $binary_remote_addr zone=registry:1m rate=180r/m;\nlimit_req_status 429;\n\
                map $status $later { 429 1; default ''; }";
    let server = format!(
        "location / {{\nlimit_req zone=registry burst={burst} nodelay;\nadd_header Retry-After $later always;\n\
         proxy_pass {};\n}}",
        directory.url()
    );
    Nginx::start(command, http, &server)
}

/// Lists 3,000 rows through the limit and gives how many requests were refused.
fn refused(command: &str, burst: u32, more: &str) -> usize {
    let directory = Directory::start(serve(synthetic(3_000).collect()));
    let nginx = limited(command, &directory, burst);
    let capdex = Capdex::offline();
    let address = nginx.server.url();
    capdex.write(
        "schedule.toml",
        format!("name = \"limit\"\n[sources.official-registry]\nbase_url = \"{address}\"\n{more}"),
    );
    let run = list(&capdex, "2026-11-20T00:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let listed = source(&capdex);
    assert_eq!(listed["listings"].as_u64(), Some(3_000));
    assert_eq!(listed["last_outcome"].as_str(), Some("complete"));
    assert!(directory.paths().len() <= 31, "no page is asked for twice");
    nginx.take_asked().into_iter().filter(|(status, _)| *status == 429).count()
}

#[test]
fn the_pace_of_the_official_registry_stays_within_its_limit() {
    let Some(command) = rig::needed("CAPDEX_NGINX") else { return };
    // The source's own burst is 20: one more than that is all that the limit needs to allow.
    assert_eq!(refused(&command, 21, ""), 0);
}

#[test]
fn a_backfill_that_goes_too_fast_obeys_the_refusals_and_ends_complete() {
    let Some(command) = rig::needed("CAPDEX_NGINX") else { return };
    let refusals = refused(&command, 5, "requests_per_minute = 100000\n");
    assert!((1..=31).contains(&refusals), "{refusals} of 31 requests were refused");
}
