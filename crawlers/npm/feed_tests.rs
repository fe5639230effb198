//! The feed of changes and the text search, from a server on loopback.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use serde_json::json;

use super::*;
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{ListedEntry, SourceSettings};

/// Answers a packument for every name.
fn packument(asked: &Asked) -> Sent {
    let name = asked.path.trim_start_matches('/');
    let body = json!({"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {
        "1.0.0": {"name": name, "version": "1.0.0", "dist": {"tarball": "http://h.test/a.tgz"}}}});
    Sent::ok(body.to_string())
}

/// The document of the database, which says where the feed stands.
fn standing(update_seq: &str) -> Sent {
    Sent::ok(format!(r#"{{"db_name":"registry","update_seq":{update_seq}}}"#))
}

fn settings_of(server: &Server, names: &[&str]) -> SourceSettings {
    SourceSettings {
        base_url: server.base_url.clone(),
        watchlist: names.iter().map(|name| (*name).to_owned()).collect(),
        changes_url: Some(format!("{}/registry", server.base_url)),
        ..SourceSettings::default()
    }
}

async fn step(
    server: &Server,
    settings_of_source: &SourceSettings,
    walk: WalkScope<'_>,
    cursor: Option<&WalkCursor>,
) -> Result<ListPage, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    let known = BTreeMap::new();
    SOURCE.list(ListRequest { walk, cursor, ..request("npm", &http, settings_of_source, &known) }).await
}

fn names(page: &ListPage) -> Vec<String> {
    let name = |listed: &ListedEntry| match listed {
        ListedEntry::Changed { listing, .. } => Some(listing.key.name.clone()),
        _ => None,
    };
    page.listed.iter().filter_map(name).collect()
}

#[tokio::test]
async fn a_whole_walk_leaves_where_the_feed_stood_at_its_beginning() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/registry/" => Sent::ok(r#"{"db_name":"registry","update_seq":500}"#),
        _ => packument(asked),
    });
    let all: Vec<String> = (0..20).map(|number| format!("p{number:02}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let settings = settings_of(&server, &all);
    let first = step(&server, &settings, WalkScope::Full, None).await.expect("a page");
    let NextPage::More(cursor) = first.next else { panic!("twenty names are two steps") };
    let second = step(&server, &settings, WalkScope::Full, Some(&cursor)).await.expect("a page");
    assert_eq!(second.next, NextPage::Complete { watermark: Some("490".into()) });
    assert_eq!(server.paths().iter().filter(|path| *path == "/registry/").count(), 1);
}

#[tokio::test]
async fn only_what_the_feed_has_and_the_watchlist_wants_is_asked_for() {
    let server = Server::start(|asked, _| {
        match asked.path.as_str() {
        "/registry/" => standing("494"),
        "/registry/_changes?since=490&limit=10000" => Sent::ok(
            json!({"results": [{"seq": 491, "id": "b", "changes": [{"rev": "1-x"}]}, {"seq": 492, "id": "zzz", "changes": []},
                {"seq": 493, "id": "b", "changes": []}, {"seq": 494, "id": "@s/c", "changes": [], "deleted": true}],
                "last_seq": 494})
            .to_string(),
        ),
        "/@s%2Fc" => Sent::answer(404, &[], "{}"),
        _ => packument(asked),
    }
    });
    let settings = settings_of(&server, &["@s/c", "a", "b"]);
    let page = step(&server, &settings, WalkScope::Since("490"), None).await.expect("a page");
    assert_eq!(names(&page), ["b"]);
    assert!(page.listed.contains(&ListedEntry::Gone(ListingKey::new("npm", "@s/c"))));
    assert_eq!(page.next, NextPage::Complete { watermark: Some("494".into()) });
    let mut asked = server.paths();
    asked.sort();
    assert_eq!(asked, ["/@s%2Fc", "/b", "/registry/", "/registry/_changes?since=490&limit=10000"]);
}

#[tokio::test]
async fn a_feed_that_was_made_anew_or_leads_nowhere_is_an_error() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/registry/" => standing("490"),
        "/registry/_changes?since=490&limit=10000" => Sent::ok(r#"{"results":[],"last_seq":7}"#),
        _ => {
            let results: Vec<_> = (0..10_000).map(|_| json!({"id": "x"})).collect();
            Sent::ok(json!({"results": results, "last_seq": 5}).to_string())
        }
    });
    let settings = settings_of(&server, &["a"]);
    for since in ["490", "5"] {
        let error = step(&server, &settings, WalkScope::Since(since), None).await.expect_err("no page");
        assert!(matches!(error, CrawlError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_feed_whose_numbers_began_anew_is_noticed_although_it_echoes_what_it_is_asked() {
    for (stands, since, is_anew) in [
        ("7", "490", true),
        ("489", "490", true),
        ("490", "490", false),
        ("\"7-g1AAAA\"", "490-g1ZZZZ", true),
        ("\"491-g1AAAA\"", "490-g1ZZZZ", false),
        ("\"opaque\"", "490", false),
    ] {
        let server = Server::start(move |asked, _| match asked.path.as_str() {
            "/registry/" => standing(stands),
            _ => Sent::ok(json!({"results": [], "last_seq": since}).to_string()),
        });
        let answer = step(&server, &settings_of(&server, &["a"]), WalkScope::Since(since), None).await;
        match answer {
            Err(CrawlError::Malformed { detail, .. }) => assert!(is_anew && detail.contains("made anew"), "{detail}"),
            answer => assert!(!is_anew && answer.is_ok(), "{stands} {since}: {answer:?}"),
        }
        assert_eq!(server.paths().len(), if is_anew { 1 } else { 2 });
    }
}

#[tokio::test]
async fn changes_that_nobody_could_read_are_not_passed() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/registry/" => standing("492"),
        "/registry/_changes?since=490&limit=10000" => Sent::ok(r#"{"results":[{"id":"a"},{"id":"b"}],"last_seq":492}"#),
        _ => Sent::answer(503, &[], ""),
    });
    let settings = settings_of(&server, &["a", "b"]);
    let error = step(&server, &settings, WalkScope::Since("490"), None).await.expect_err("no page");
    assert!(error.is_transient(), "{error}");
}

#[tokio::test]
async fn a_full_page_goes_on_from_its_last_seq() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/registry/" => standing("\"10002-g1CCCC\""),
        "/registry/_changes?since=1&limit=10000" => {
            let results: Vec<_> = (0..10_000).map(|_| json!({"id": "other"})).collect();
            Sent::ok(json!({"results": results, "last_seq": "10001-g1AAAA"}).to_string())
        }
        "/registry/_changes?since=10001-g1AAAA&limit=10000" => {
            Sent::ok(r#"{"results":[{"id":"a"}],"last_seq":"10002-g1BBBB"}"#)
        }
        _ => packument(asked),
    });
    let settings = settings_of(&server, &["a"]);
    let first = step(&server, &settings, WalkScope::Since("1"), None).await.expect("a page");
    let NextPage::More(cursor) = first.next else { panic!("a full page is not the end") };
    let second = step(&server, &settings, WalkScope::Since("1"), Some(&cursor)).await.expect("a page");
    assert_eq!(names(&second), ["a"]);
    assert_eq!(second.next, NextPage::Complete { watermark: Some("10002-g1BBBB".into()) });
}

#[tokio::test]
async fn every_query_is_read_to_its_end_after_the_watchlist() {
    let server = Server::start(|asked, _| {
        let found = |names: &[String], total: u64| {
            let objects: Vec<_> = names.iter().map(|name| json!({"package": {"name": name}})).collect();
            Sent::ok(json!({"objects": objects, "total": total}).to_string())
        };
        let names = |from: usize, to: usize| (from..to).map(|number| format!("f{number:03}")).collect::<Vec<_>>();
        match asked.path.as_str() {
            "/-/v1/search?text=keywords%3Amcp&size=250&from=0" => found(&names(0, 250), 253),
            "/-/v1/search?text=keywords%3Amcp&size=250&from=250" => found(&names(250, 253), 253),
            "/-/v1/search?text=skill&size=250&from=0" => found(&[], 0),
            _ => packument(asked),
        }
    });
    let settings = SourceSettings {
        queries: vec!["keywords:mcp".into(), "skill".into()],
        changes_url: None,
        ..settings_of(&server, &["f001"])
    };
    let (mut cursor, mut found, mut steps) = (None, Vec::new(), 0);
    loop {
        let page = step(&server, &settings, WalkScope::Full, cursor.as_ref()).await.expect("a page");
        found.extend(names(&page));
        steps += 1;
        match page.next {
            NextPage::More(next) => cursor = Some(next),
            NextPage::Complete { watermark } => break assert_eq!(watermark, None),
        }
    }
    found.sort();
    assert_eq!(found.len(), 253);
    assert_eq!(steps, 4);
    found.dedup();
    assert_eq!(found.len(), 253, "what the watchlist has is asked for once");
}

#[tokio::test]
async fn a_cursor_that_is_none_of_ours_is_an_error() {
    let server = Server::start(|asked, _| packument(asked));
    let settings = settings_of(&server, &["a"]);
    for cursor in ["", "watchlist", "search - x 0", "changes", "other 1"] {
        let error = step(&server, &settings, WalkScope::Full, Some(&WalkCursor(cursor.into()))).await;
        assert!(error.is_err(), "{cursor:?}");
    }
    assert_eq!(server.paths(), [""; 0]);
}
