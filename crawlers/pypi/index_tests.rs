//! Serials, from a server on loopback.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{ListedEntry, SourceSettings};

fn project(name: &str, version: &str) -> Sent {
    let file = json!({"filename": format!("{name}-{version}.tar.gz"), "url": "http://h.test/a.tar.gz",
        "digests": {"sha256": "00"}, "packagetype": "sdist", "yanked": false});
    Sent::ok(
        json!({"info": {"name": name, "version": version}, "urls": [file.clone()],
        "releases": {(version): [file]}})
        .to_string(),
    )
}

fn index(asked: &Asked, serial: u64, projects: &[(&str, u64)]) -> Sent {
    assert_eq!(asked.header("accept"), Some("application/vnd.pypi.simple.v1+json"));
    let projects: Vec<_> =
        projects.iter().map(|(name, serial)| json!({"name": name, "_last-serial": serial})).collect();
    Sent::ok(json!({"meta": {"api-version": "1.4", "_last-serial": serial}, "projects": projects}).to_string())
}

async fn list(server: &Server, walk: WalkScope<'_>, names: &[&str]) -> Result<ListPage, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    let settings = SourceSettings {
        base_url: server.base_url.clone(),
        watchlist: names.iter().map(|name| (*name).to_owned()).collect(),
        changes_url: Some(format!("{}/simple", server.base_url)),
        ..SourceSettings::default()
    };
    let known = BTreeMap::new();
    SOURCE.list(ListRequest { walk, ..request("pypi", &http, &settings, &known) }).await
}

#[tokio::test]
async fn only_projects_with_a_greater_serial_are_asked_for() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/simple/" => index(asked, 90, &[("A.b", 81), ("old", 79), ("new", 90), ("other", 88)]),
        "/pypi/a-b/json" => project("a-b", "2"),
        "/pypi/new/json" => project("new", "1"),
        _ => Sent::answer(404, &[], ""),
    });
    let page = list(&server, WalkScope::Since("80"), &["a_b", "new", "old", "nowhere"]).await.expect("a page");
    let keys: Vec<_> = page
        .listed
        .iter()
        .map(|listed| match listed {
            ListedEntry::Changed { listing, .. } => listing.key.name.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(keys, ["a-b", "new"]);
    assert_eq!(page.next, NextPage::Complete { watermark: Some("90".into()) });
    assert_eq!(server.paths().len(), 3);
}

#[tokio::test]
async fn a_whole_walk_leaves_the_serial_of_its_beginning() {
    let server = Server::start(|asked, before| match asked.path.as_str() {
        "/simple/" => index(asked, 90 + before as u64, &[]),
        _ => project(asked.path.split('/').nth(2).unwrap_or_default(), "1"),
    });
    let page = list(&server, WalkScope::Full, &["a", "b"]).await.expect("a page");
    assert_eq!(page.listed.len(), 2);
    assert_eq!(page.next, NextPage::Complete { watermark: Some("90".into()) });
}

#[tokio::test]
async fn an_index_that_went_back_or_has_no_serials_is_an_error() {
    let server = Server::start(|asked, _| index(asked, 5, &[]));
    assert!(matches!(list(&server, WalkScope::Since("80"), &["a"]).await, Err(CrawlError::Malformed { .. })));
    let server = Server::start(|_, _| Sent::ok(r#"{"meta":{"api-version":"1.0"},"projects":[]}"#));
    assert!(matches!(list(&server, WalkScope::Since("80"), &["a"]).await, Err(CrawlError::Malformed { .. })));
}

/// An index that holds the projects of a world.
const ORIGIN: Origin = Origin {
    source: SOURCE,
    name: |number| format!("pkg-{number:03}"),
    settings: |world, base_url| SourceSettings {
        base_url: base_url.to_owned(),
        watchlist: world.entries.keys().cloned().collect(),
        ..SourceSettings::default()
    },
    answer: |world, asked, _| {
        let name = asked.path.trim_start_matches("/pypi/").trim_end_matches("/json");
        match world.entries.get(name) {
            Some(revision) => project(name, &format!("{revision}.0")),
            None => Sent::answer(404, &[], ""),
        }
    },
    entries: 35,
};

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(ORIGIN).await;
}
