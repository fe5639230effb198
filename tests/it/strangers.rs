//! What a stranger's listing may not bring about: a request to what the operator configured for another source, a request of
//! a proxy to the network inside, and a walk without end.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::directory::{fake::synthetic, list, serve, source};
use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::{Registry, packument};

const FILES: &[(&str, &[u8])] = &[("package.json", br#"{"name": "tides", "version": "1.0.0", "license": "MIT"}"#)];

fn night(capdex: &Capdex) -> Run {
    capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"])
}

/// Listing, reason and detail of each gap.
fn gaps(capdex: &Capdex) -> Vec<[String; 3]> {
    let of = |row: &Value| ["listing", "reason", "detail"].map(|column| text(row, column).to_owned());
    rows(&capdex.path().join("out"), "gaps").iter().map(of).collect()
}

#[test]
fn an_archive_of_a_public_package_is_not_fetched_from_an_operators_own_registry() {
    let corp = Registry::start();
    corp.npm_package("tides", "1.0.0", FILES);
    let inside = [format!("{}/tides/-/tides-1.0.0.tgz", corp.url()), format!("{}/admin/delete?all=1", corp.url())];
    let at = inside.clone();
    let public = Directory::start(move |path: &str| {
        let tarball = if path == "/mallory-file" { &at[0] } else { &at[1] };
        (200, packument(path.trim_start_matches('/'), "1.0.0", b"", tarball))
    });
    let capdex = Capdex::offline();
    let schedule = |names: &[&str]| {
        format!(
            "name = \"deputy\"\n[http]\nmax_tries = 1\n[sources.npm]\nbase_url = \"{}\"\nwatchlist = {names:?}\n\
             [sources.corp]\nkind = \"npm\"\nbase_url = \"{}\"\nwatchlist = [\"tides\"]\n",
            public.url(),
            corp.url()
        )
    };
    capdex.write("schedule.toml", schedule(&["mallory-file", "mallory-order"]));
    let run = night(&capdex);
    assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
    let asked: Vec<String> = corp.requests().into_iter().map(|asked| asked.path).collect();
    assert_eq!(
        asked,
        ["/tides", "/tides/-/tides-1.0.0.tgz"],
        "its own source asks for its own package, and nobody else"
    );
    let gaps = gaps(&capdex);
    for name in ["mallory-file", "mallory-order"] {
        let of = |gap: &&[String; 3]| gap[0] == format!("npm:{name}");
        let gap = gaps.iter().find(of).unwrap_or_else(|| panic!("{name}: {gaps:?}"));
        assert!(gap[2].contains("loopback"), "{gap:?}");
    }
}

#[test]
fn a_proxy_is_not_asked_for_names_of_the_network_inside() {
    let inside = [
        ("localhost", "http://localhost/tides.tgz"),
        ("corp", "http://metadata.internal.corp/latest/"),
        ("intranet", "http://intranet/tides.tgz"),
        ("number", "http://127.0.0.1:81/tides.tgz"),
    ];
    // Registry and proxy in one: requests to a proxy name the whole address (RFC 9112).
    let proxy = Directory::start(move |address: &str| {
        let archive = archives::npm_tarball("outside", "1.0.0", FILES);
        if address.ends_with(".tgz") {
            return (200, archive);
        }
        let name = address.rsplit('/').next().unwrap_or_default();
        let tarball =
            inside.iter().find(|(known, _)| *known == name).map_or("http://registry.test/outside.tgz", |it| it.1);
        (200, packument(name, "1.0.0", &archive, tarball))
    });
    let capdex = Capdex::offline();
    let mut names: Vec<&str> = inside.iter().map(|(name, _)| *name).collect();
    names.push("outside");
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"proxy\"\n[http]\nmax_tries = 1\n[sources.npm]\nbase_url = \"http://registry.test\"\nwatchlist = {names:?}\n"
        ),
    );
    let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"];
    let mut command = capdex.command(&arguments);
    let run = Run::of(&command.env("HTTP_PROXY", proxy.url()).env("http_proxy", proxy.url()).output().expect("starts"));
    assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
    let mut asked = proxy.paths();
    asked.sort();
    let mut expected: Vec<String> = names.iter().map(|name| format!("http://registry.test/{name}")).collect();
    expected.push("http://registry.test/outside.tgz".to_owned());
    expected.sort();
    assert_eq!(asked, expected);
    let mut told: Vec<String> = gaps(&capdex).into_iter().map(|[listing, _, _]| listing).collect();
    told.sort();
    assert_eq!(told, ["npm:corp", "npm:intranet", "npm:localhost", "npm:number"]);
}

/// A directory that has new rows on every page, and no last page.
fn endless() -> Directory {
    let (number, template) = (AtomicUsize::new(0), synthetic(100).collect::<Vec<Value>>());
    Directory::start(move |_: &str| {
        let page = number.fetch_add(1, Ordering::SeqCst);
        let mut servers = template.clone();
        for (row, server) in servers.iter_mut().enumerate() {
            server["server"]["name"] = format!("io.test.page-{page:06}/server-{row:03}").into();
        }
        let cursor = format!("io.test.page-{page:06}/server-099:1.0.0");
        (200, json!({"servers": servers, "metadata": {"nextCursor": cursor, "count": 100}}).to_string())
    })
}

#[test]
fn a_directory_without_end_stops_at_its_caps_and_says_so() {
    for (cap, word, later) in [("max_pages = 3", "max_pages", 3), ("max_rows = 300", "max_rows", 0)] {
        let directory = endless();
        let capdex = Capdex::offline();
        capdex.write(
            "schedule.toml",
            format!(
                "name = \"endless\"\n[sources.official-registry]\nbase_url = \"{}\"\nrequests_per_minute = 60000\n{cap}\n",
                directory.url()
            ),
        );
        let arguments = ["backfill", "official-registry", "--config", "schedule.toml", "--list-only"];
        let first = capdex.run(&arguments);
        assert_eq!(first.code, Some(3), "{cap}: {} {}", first.stdout, first.stderr);
        assert_eq!(directory.paths().len(), 3, "{cap}");
        let state = source(&capdex);
        assert_eq!(state["listings"].as_u64(), Some(300), "{cap}: what came is kept");
        assert_ne!(state["last_outcome"].as_str(), Some("complete"), "{cap}");
        let status = capdex.run(&["status", "--format", "json"]);
        assert!(status.stdout.contains(word), "{cap}: {}", status.stdout);
        let second = capdex.run(&arguments);
        assert_eq!(second.code, Some(3), "{cap}: {}", second.stdout);
        assert_eq!(directory.paths().len(), 3 + later, "{cap}: requests of the next night");
    }
}

#[test]
fn a_directory_that_grows_by_more_than_the_operator_allows_stops_and_says_so() {
    for (more, code) in [(250, 0), (700, 3)] {
        let rows = |count: usize| -> Vec<Value> {
            let row = |(number, mut row): (usize, Value)| {
                row["server"]["name"] = format!("io.test.row-{number:06}/server").into();
                let meta = &mut row["_meta"]["io.modelcontextprotocol.registry/official"];
                meta["isLatest"] = true.into();
                if number >= 600 {
                    meta["updatedAt"] = "2026-11-20T12:00:00Z".into();
                }
                row
            };
            synthetic(count).enumerate().map(row).collect()
        };
        let directory = Directory::start(serve(rows(600)));
        let capdex = Capdex::offline();
        capdex.write(
            "schedule.toml",
            format!(
                "name = \"growing\"\n[sources.official-registry]\nbase_url = \"{}\"\nrequests_per_minute = 60000\n\
                 max_growth_percent = 50\n",
                directory.url()
            ),
        );
        let first = list(&capdex, "2026-11-20T01:00:00Z");
        assert_eq!(first.code, Some(0), "a directory is new once: {} {}", first.stdout, first.stderr);
        assert_eq!(source(&capdex)["listings"].as_u64(), Some(600));
        directory.change(serve(rows(600 + more)));
        let second = list(&capdex, "2026-11-21T01:00:00Z");
        assert_eq!(second.code, Some(code), "{more}: {} {}", second.stdout, second.stderr);
        let status = capdex.run(&["status", "--format", "json"]);
        assert_eq!(status.stdout.contains("max_growth_percent"), code == 3, "{more}: {}", status.stdout);
        let listings = source(&capdex)["listings"].as_u64().expect("a number");
        assert!(if code == 0 { listings == 850 } else { listings < 1_300 }, "{more}: {listings}");
    }
}
