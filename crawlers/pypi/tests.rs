//! Project JSON and simple pages by hand and from a server on loopback.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Distribution, Integrity, Locator};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::http::testing::{Sent, Server, client, request, settings};
use crate::{ListPage, ListedEntry, SourceSettings};

fn file(filename: &str, sha256: &str) -> Value {
    json!({"filename": filename, "url": format!("http://files.registry.example/{sha256}/{filename}"),
           "digests": {"sha256": sha256, "md5": "00"}, "yanked": false, "yanked_reason": null,
           "upload_time_iso_8601": "2024-05-06T07:08:09.123456Z"})
}

fn document() -> Value {
    json!({
        "info": {
            "name": "A.B", "version": "1.1", "summary": "one", "license": "", "license_expression": "MIT",
            "keywords": "mcp,agent tools", "home_page": null, "classifiers": [], "package_url": "http://registry.example/a",
            "project_urls": {"Homepage": "https://a.test", "Source Code": "https://forge.test/a/b"},
            "requires_dist": ["Foo_Bar (>=1)", "baz[x]>=2; python_version > '3'", "qux; extra == 'dev'", ";"]
        },
        "last_serial": 7,
        "releases": {
            "1.0": [file("a_b-1.0.zip", "AA")],
            "1.1": [file("a_b-1.1-py3-none-any.whl", "BB"), file("a_b-1.1.tar.gz", "CC")],
            "2.0rc1": [file("a_b-2.0rc1.tar.gz", "DD")]
        },
        "urls": [file("a_b-1.1-py3-none-any.whl", "BB"), file("a_b-1.1.tar.gz", "CC")],
        "vulnerabilities": []
    })
}

fn read(value: &Value) -> Result<project::PypiProjectDetails, CrawlError> {
    project::read("a-b", &BTreeSet::new(), "http://registry.example/pypi/a-b/json", value.to_string().as_bytes())
}

fn changed(pointer: &str, to: Value) -> Value {
    let mut value = document();
    *value.pointer_mut(pointer).expect("it is there") = to;
    value
}

#[test]
fn project_json_gives_a_locator_and_all_its_claims() {
    let read = read(&document()).expect("a project");
    let locator = Locator::PypiPackage {
        registry: None,
        name: "a-b".into(),
        version: "1.1".into(),
        url: "http://files.registry.example/CC/a_b-1.1.tar.gz".into(),
        filename: "a_b-1.1.tar.gz".into(),
        integrity: vec![Integrity::Sha256("cc".into())],
        others: Some(vec![Distribution {
            filename: "a_b-1.1-py3-none-any.whl".into(),
            url: "http://files.registry.example/BB/a_b-1.1-py3-none-any.whl".into(),
            integrity: vec![Integrity::Sha256("bb".into())],
        }]),
    };
    assert_eq!(read.locator, locator);
    let claims = read.claims;
    let time = "2024-05-06T07:08:09Z".parse().expect("valid");
    assert_eq!(claims.description, Claim::Known("one".into()));
    assert_eq!(claims.license, Claim::Known("MIT".into()));
    assert_eq!(claims.repository, Claim::Known("https://forge.test/a/b".into()));
    assert_eq!(claims.keywords, Claim::Known(vec!["mcp".into(), "agent tools".into()]));
    assert_eq!(claims.created, Claim::Known(time));
    assert_eq!(claims.published, Claim::Known(time));
    assert_eq!(claims.version_count, Claim::Known(3));
    assert_eq!(claims.deprecated, Claim::Absent);
    assert_eq!(claims.dependencies, Claim::Known(vec!["baz".into(), "foo-bar".into()]));
    assert_eq!(claims.maintainers, Claim::Unknown);
    assert_eq!(claims.provenance, Claim::Unknown);
}

#[test]
fn owners_are_the_accounts_with_a_role_and_their_change_is_news() {
    let owned = |ownership: Value| {
        let mut value = document();
        value["ownership"] = ownership;
        read(&value).expect("a project")
    };
    let role = |role: &str, user: &str| json!({"role": role, "user": user});
    let two = owned(
        json!({"organization": "acme", "roles": [role("Owner", "bob"), role("Maintainer", "ann"), role("Owner", "ann")]}),
    );
    assert_eq!(two.claims.maintainers, Claim::Known(vec!["ann".into(), "bob".into(), "org:acme".into()]));
    let other = owned(json!({"organization": null, "roles": [role("Owner", "mallory")]}));
    assert_eq!(other.claims.maintainers, Claim::Known(vec!["mallory".into()]));
    assert_ne!(two.digest, other.digest, "a change of hands is a change");
    let silent = read(&document()).expect("a project");
    assert_eq!(silent.claims.maintainers, Claim::Unknown);
    assert_ne!(silent.digest, other.digest);
}

#[test]
fn an_address_relative_to_the_page_is_resolved() {
    let relative = json!([{"filename": "a_b-1.1.tar.gz", "url": "../../packages/CC/a_b-1.1.tar.gz", "digests": {}}]);
    let locator = read(&changed("/urls", relative)).expect("a project").locator;
    let Locator::PypiPackage { url, .. } = locator else { panic!("{locator:?}") };
    assert_eq!(url, "http://registry.example/packages/CC/a_b-1.1.tar.gz");
}

#[test]
fn other_ways_to_state_things_are_read() {
    let claims = |pointer: &str, to: Value| read(&changed(pointer, to)).expect("a project").claims;
    let licensed = |classifiers: Value| {
        let mut value = changed("/info/license_expression", Value::Null);
        *value.pointer_mut("/info/classifiers").expect("it is there") = classifiers;
        read(&value).expect("a project").claims.license
    };
    assert_eq!(licensed(json!(["License :: OSI Approved :: MIT License"])), Claim::Known("MIT License".into()));
    assert_eq!(licensed(json!(["Topic :: x"])), Claim::Absent);
    let home = json!({"Home": "https://github.com/a/c"});
    assert_eq!(claims("/info/project_urls", home).repository, Claim::Known("https://github.com/a/c".into()));
    let on_forge = json!({"Homepage": "https://github.com/a/b"});
    assert_eq!(claims("/info/project_urls", on_forge).repository, Claim::Known("https://github.com/a/b".into()));
    assert_eq!(claims("/info/project_urls", json!({"Homepage": "https://a.test"})).repository, Claim::Absent);
    assert_eq!(claims("/info/keywords", json!("a b")).keywords, Claim::Known(vec!["a".into(), "b".into()]));
    assert_eq!(claims("/info/requires_dist", Value::Null).dependencies, Claim::Unknown);
    assert_eq!(claims("/info/requires_dist", json!([])).dependencies, Claim::Absent);
    // The dependencies are those of the stated version, not of the one that is chosen instead.
    assert_eq!(claims("/info/version", json!("9.9")).dependencies, Claim::Known(vec!["baz".into(), "foo-bar".into()]));
}

#[test]
fn a_yanked_version_gives_way_and_says_why_where_it_cannot() {
    let mut yanked = file("a_b-1.1.tar.gz", "CC");
    yanked["yanked"] = json!(true);
    yanked["yanked_reason"] = json!("broken");
    let mut value = changed("/urls", json!([yanked]));
    let read_value = read(&value).expect("a project");
    assert_eq!(read_value.locator.version(), Some("1.0"));
    assert_eq!(read_value.claims.dependencies, Claim::Unknown);
    value["releases"] = json!({});
    let only = read(&value).expect("a project");
    assert_eq!(only.locator.version(), Some("1.1"));
    assert_eq!(only.claims.deprecated, Claim::Known("broken".into()));
}

#[test]
fn what_is_not_the_project_is_malformed_and_what_has_no_file_is_gone() {
    assert!(matches!(read(&changed("/info/name", json!("other"))), Err(CrawlError::Malformed { .. })));
    assert!(matches!(read(&json!({"message": "no"})), Err(CrawlError::Malformed { .. })));
    assert!(matches!(read(&json!([])), Err(CrawlError::Malformed { .. })));
    let empty = json!({"info": {"name": "a-b", "version": "1"}, "releases": {"1": []}, "urls": []});
    assert!(matches!(read(&empty), Err(CrawlError::Gone { .. })));
    let strange = json!({"info": {"name": "a-b", "version": "1"}, "urls": [file("a_b-1.exe", "AA")]});
    let error = read(&strange).map(|read| read.locator);
    assert!(matches!(error, Err(CrawlError::Malformed { reason: GapReason::Unsupported, .. })));
}

#[test]
fn the_digest_ignores_addresses_serials_and_times_and_nothing_else() {
    let digest = |value: &Value| read(value).expect("a project").digest;
    let base = digest(&document());
    for same in [
        changed("/last_serial", json!(8)),
        changed("/vulnerabilities", json!([1])),
        changed("/info/package_url", json!("http://127.0.0.1/")),
        changed("/urls/1/url", json!("http://127.0.0.1/x")),
        changed("/urls/1/upload_time_iso_8601", json!("2026-01-01T00:00:00Z")),
    ] {
        assert_eq!(digest(&same), base);
    }
    for different in [
        changed("/info/summary", json!("two")),
        changed("/urls/1/digests/sha256", json!("EE")),
        changed("/urls/1/yanked", json!(true)),
    ] {
        assert_ne!(digest(&different), base);
    }
}

const HTML: &str = r#"<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.3"></head><body>
<a href="../../files/a_b-1.0.zip#sha256=aa&amp;x=y" data-requires-python="&gt;=3">a_b-1.0.zip</a><br/>
<A HREF='/files/a_b-1.1.tar.gz#sha256=cc' data-provenance="https://registry.example/p"> a_b-1.1.tar.gz </A>
<a href="a_b-1.2.tar.gz" data-yanked="broken">a_b-1.2.tar.gz</a><a>no address</a>
<a href="http://[">bad</a><a href="a_b-9.exe">a_b-9.exe</a>"#;

#[test]
fn both_forms_of_the_simple_index_say_the_same() {
    let page = "http://registry.example/simple/a-b/";
    let html = simple::read("a-b", page, Some("Text/HTML; charset=utf-8"), HTML.as_bytes()).expect("a page");
    let json = json!({"meta": {"api-version": "1.1"}, "name": "a-b", "versions": ["1.0", "1.1", "1.2", "0.1"], "files": [
        {"filename": "a_b-1.0.zip", "url": "../../files/a_b-1.0.zip", "hashes": {"sha256": "aa"}, "yanked": false},
        {"filename": "a_b-1.1.tar.gz", "url": "/files/a_b-1.1.tar.gz", "hashes": {"sha256": "cc"},
         "provenance": "https://registry.example/p"},
        {"filename": "a_b-1.2.tar.gz", "url": "a_b-1.2.tar.gz", "hashes": {}, "yanked": "broken"},
        {"filename": 7}, null,
    ]});
    let read = simple::read("a-b", page, None, json.to_string().as_bytes()).expect("a page");
    assert_eq!(read.files, html.files);
    assert_eq!(read.version_count, Some(4));
    assert_eq!(html.version_count, None);
    let file::ChosenFiles { version, main: file, .. } = file::choose(&html.files, None).expect("a file");
    assert_eq!(version, "1.1");
    assert_eq!(file.url.as_str(), "http://registry.example/files/a_b-1.1.tar.gz");
    assert_eq!(file.sha256.as_deref(), Some("cc"));
    assert_eq!(file.has_provenance, Some(true));
    assert!(matches!(simple::read("a-b", page, None, b"{}"), Err(CrawlError::Malformed { .. })));
}

#[test]
fn quarantine_is_read_in_both_forms() {
    let page = "http://registry.example/simple/a-b/";
    let html = br#"<meta name="pypi:project-status" content="quarantined">"#;
    assert!(simple::read("a-b", page, Some("text/html"), html).expect("a page").quarantined.is_some());
    let json = br#"{"files": [], "project-status": {"status": "quarantined"}}"#;
    assert!(simple::read("a-b", page, None, json).expect("a page").quarantined.is_some());
}

#[test]
fn both_addresses_come_from_either_root() {
    let of = |base: &str| {
        let addresses = addresses(base, "a");
        (addresses.project, addresses.simple.join(" "))
    };
    let both = |project: &str, simple: &str| (project.to_owned(), simple.to_owned());
    assert_eq!(of("http://h.test/simple/"), both("http://h.test/pypi/a/json", "http://h.test/simple/a/"));
    assert_eq!(of("http://h.test/r/+simple"), both("http://h.test/r/pypi/a/json", "http://h.test/r/+simple/a/"));
    assert_eq!(of("http://h.test/"), both("http://h.test/pypi/a/json", "http://h.test/simple/a/ http://h.test/a/"));
}

async fn list(
    server: &Server,
    names: &[&str],
    known: &BTreeMap<ListingKey, Validators>,
) -> Result<ListPage, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    let settings = SourceSettings {
        base_url: format!("{}/simple", server.base_url),
        watchlist: names.iter().map(|name| (*name).to_owned()).collect(),
        ..SourceSettings::default()
    };
    SOURCE.list(request("pypi", &http, &settings, known)).await
}

#[tokio::test]
async fn a_step_lists_each_name_as_the_index_answers() {
    let html = [("content-type", "text/html")];
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/pypi/a-b/json" => Sent::answer(200, &[("etag", "\"1\"")], document().to_string()),
        "/pypi/denied/json" => Sent::answer(403, &[], ""),
        "/pypi/garbage/json" => Sent::ok("<html>"),
        "/simple/html/" => Sent::answer(200, &html, HTML.replace("a_b", "html")),
        "/simple/hidden/" => Sent::ok(r#"{"files": [], "project-status": {"status": "quarantined"}}"#),
        _ => Sent::answer(404, &[], ""),
    });
    let names = ["-", "A.B", "a_b", "denied", "garbage", "hidden", "html", "missing"];
    let page = list(&server, &names, &BTreeMap::new()).await.expect("a page");
    let key = |name: &str| ListingKey::new("pypi", name);
    let [dash, a_b, denied, garbage, hidden, html, missing] = page.listed.as_slice() else { panic!("seven") };
    assert!(matches!(dash, ListedEntry::Failed { gap, .. } if gap.reason == GapReason::Malformed));
    assert!(matches!(a_b, ListedEntry::Changed { listing, validators }
        if listing.key == key("a-b") && validators.etag.as_deref() == Some("\"1\"")));
    assert!(matches!(denied, ListedEntry::Failed { gap, transient: false, .. } if gap.reason == GapReason::Denied));
    assert!(matches!(garbage, ListedEntry::Failed { gap, .. } if gap.reason == GapReason::BadAnswer));
    let taken = ListedEntry::TakenDown { key: key("hidden"), detail: "quarantined by the registry".into() };
    assert_eq!(hidden, &taken);
    assert!(matches!(html, ListedEntry::Changed { listing, .. } if listing.claims.version_count == Claim::Unknown));
    assert_eq!(missing, &ListedEntry::Gone(key("missing")));
    let mut paths = server.paths();
    paths.sort();
    assert!(!paths.contains(&"/simple/a-b/".to_owned()), "{paths:?}");
    assert!(!paths.contains(&"/simple/denied/".to_owned()), "{paths:?}");
    let asked = server.asked();
    let simple = asked.iter().find(|asked| asked.path == "/simple/html/").expect("it was asked");
    assert_eq!(simple.header("accept"), Some(simple::ACCEPT));
}

#[tokio::test]
async fn unchanged_is_known_by_304_and_by_digest() {
    let server = Server::start(|asked, _| match asked.header("if-none-match") {
        Some(_) => Sent::answer(304, &[], ""),
        None => Sent::ok(document().to_string()),
    });
    let first = list(&server, &["a-b"], &BTreeMap::new()).await.expect("a page");
    let [ListedEntry::Changed { validators, .. }] = first.listed.as_slice() else { panic!("changed") };
    let key = ListingKey::new("pypi", "a-b");
    let with_etag = Validators { etag: Some("\"1\"".into()), ..validators.clone() };
    for known in [validators.clone(), with_etag] {
        let page = list(&server, &["a-b"], &BTreeMap::from([(key.clone(), known)])).await.expect("a page");
        assert_eq!(page.listed, [ListedEntry::Unchanged(key.clone())]);
    }
}

proptest! {
    #[test]
    fn any_page_is_read_without_panic(
        text in "(<a href=\"|<base href=\"|</a>|#sha256=|data-yanked=|[a-z0-9_./:\"'<> &;-]|\\PC){0,40}"
    ) {
        for content_type in ["text/html", "application/json"] {
            let _ = simple::read("a", "http://h.test/", Some(content_type), text.as_bytes());
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = simple::read("a", "http://h.test/", Some("text/html"), &bytes);
        let _ = project::read("a", &BTreeSet::new(), "subject", &bytes);
    }

    #[test]
    fn any_project_is_read_without_panic(
        filename in "[a-z0-9._-]{0,12}(\\.tar\\.gz|\\.zip|-py3-none-any\\.whl|\\PC)", version in "\\PC{0,8}",
        requirement in "\\PC{0,20}", label in "\\PC{0,12}", address in "\\PC{0,20}"
    ) {
        let value = json!({
            "info": {"name": "a", "version": version.clone(), "requires_dist": [requirement.clone(), 7, null],
                     "project_urls": {label: address.clone()}, "home_page": address, "keywords": requirement},
            "releases": {version: [file(&filename, "AA")]}
        });
        let _ = project::read("a", &BTreeSet::new(), "subject", value.to_string().as_bytes());
    }
}
