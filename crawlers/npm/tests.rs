//! Packuments by hand, recorded and from a server on loopback.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Integrity, Listing, Locator, Validators};
use capdex_model::snapshot::GapReason;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Sent, Server, client, request, settings};
use crate::package_lines::Wanted;
use crate::{ListPage, ListedEntry, NextPage, SourceSettings, WalkCursor};

fn packument(name: &str) -> Value {
    json!({
        "_id": name, "name": name, "description": "one", "readme": "long", "users": {"somebody": true},
        "dist-tags": {"latest": "1.1.0"},
        "maintainers": [{"name": "zoe", "email": "zoe@mail.test"}, "adam <adam@mail.test>"],
        "time": {"created": "2020-01-02T03:04:05.678Z", "modified": "2021-01-01T00:00:00Z",
                 "1.0.0": "2020-01-02T03:04:05Z", "1.1.0": "2020-02-02T03:04:05Z", "0.9.0": "2019-01-01T00:00:00Z"},
        "versions": {
            "1.0.0": {"name": name, "version": "1.0.0", "dist": {"tarball": "http://registry.example/a-1.0.0.tgz"}},
            "1.1.0": {
                "name": name, "version": "1.1.0", "license": "MIT", "_npmUser": {"name": "zoe"},
                "repository": {"type": "git", "url": "git+https://forge.test/a/b.git", "directory": "x"},
                "keywords": ["mcp", "agent"],
                "scripts": {"test": "true", "postinstall": "node p.js", "preinstall": "node a.js"},
                "dependencies": {"b": "1", "a": "2"}, "optionalDependencies": {"c": "1"}, "peerDependencies": {"d": "1"},
                "dist": {"tarball": "http://registry.example/a/-/a-1.1.0.tgz", "shasum": "ABCD",
                         "integrity": "sha512-AAAA", "attestations": {"url": "http://registry.example/x"}}
            }
        }
    })
}

/// Reads a packument for the package alone.
fn read(name: &str, subject: &str, bytes: &[u8]) -> Result<(Listing, capdex_model::digest::Digest), CrawlError> {
    let wanted = Wanted { name: name.to_owned(), ..Wanted::default() };
    super::listing::read(&wanted, subject, bytes).map(|read| (read.package, read.digest))
}

fn listing(value: &Value) -> Result<Listing, CrawlError> {
    let name = value.get("name").and_then(Value::as_str).unwrap_or("a");
    read(name, "subject", value.to_string().as_bytes()).map(|(listing, _)| listing)
}

fn digest(value: &Value) -> capdex_model::digest::Digest {
    let name = value.get("name").and_then(Value::as_str).unwrap_or("a");
    read(name, "subject", value.to_string().as_bytes()).expect("a packument").1
}

fn with(mut value: Value, pointer: &str, key: &str, member: Value) -> Value {
    value.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object").insert(key.to_owned(), member);
    value
}

fn without(mut value: Value, pointer: &str, key: &str) -> Value {
    value.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object").remove(key).expect("it is there");
    value
}

#[test]
fn a_packument_gives_a_locator_and_all_its_claims() {
    let listing = listing(&packument("@scope/a")).expect("a packument");
    let locator = Locator::NpmPackage {
        registry: None,
        name: "@scope/a".into(),
        version: "1.1.0".into(),
        url: "http://registry.example/a/-/a-1.1.0.tgz".into(),
        integrity: vec![Integrity::Sha512("AAAA".into()), Integrity::Sha1("abcd".into())],
    };
    assert_eq!(listing.key, ListingKey::new("npm", "@scope/a"));
    assert_eq!(listing.locators, [locator]);
    let claims = listing.claims;
    assert_eq!(claims.description, Claim::Known("one".into()));
    assert_eq!(claims.license, Claim::Known("MIT".into()));
    assert_eq!(claims.repository, Claim::Known("git+https://forge.test/a/b.git".into()));
    assert_eq!(claims.keywords, Claim::Known(vec!["mcp".into(), "agent".into()]));
    assert_eq!(claims.maintainers, Claim::Known(vec!["adam".into(), "zoe".into()]));
    assert_eq!(claims.created, Claim::Known("2020-01-02T03:04:05Z".parse().expect("valid")));
    assert_eq!(claims.published, Claim::Known("2020-02-02T03:04:05Z".parse().expect("valid")));
    assert_eq!(claims.version_count, Claim::Known(3));
    assert_eq!(claims.deprecated, Claim::Absent);
    assert_eq!(claims.downloads_monthly, Claim::Unknown);
    assert_eq!(claims.provenance, Claim::Known(true));
    let scripts = vec![("preinstall".into(), "node a.js".into()), ("postinstall".into(), "node p.js".into())];
    assert_eq!(claims.install_scripts, Claim::Known(scripts));
    assert_eq!(claims.dependencies, Claim::Known(vec!["a".into(), "b".into(), "c".into()]));
}

#[test]
fn what_a_proxy_strips_is_unknown_and_what_the_registry_lacks_is_absent() {
    let bare = without(packument("a"), "/versions/1.1.0", "license");
    assert_eq!(listing(&bare).expect("a packument").claims.license, Claim::Absent);
    let stripped = without(without(bare, "", "time"), "", "maintainers");
    let claims = listing(&without(stripped, "/versions/1.1.0", "scripts")).expect("a packument").claims;
    assert_eq!(claims.license, Claim::Unknown);
    assert_eq!(claims.maintainers, Claim::Unknown);
    assert_eq!(claims.install_scripts, Claim::Unknown);
    assert_eq!(claims.created, Claim::Unknown);
    assert_eq!(claims.published, Claim::Unknown);
    assert_eq!(claims.version_count, Claim::Known(2));
    let rewritten = without(without(packument("a"), "/time", "created"), "/versions/1.1.0", "license");
    let claims = listing(&rewritten).expect("a packument").claims;
    assert_eq!(claims.license, Claim::Unknown);
    assert_eq!(claims.published, Claim::Unknown);
    assert_eq!(claims.version_count, Claim::Known(3));
    let unattested = without(packument("a"), "/versions/1.1.0/dist", "attestations");
    assert_eq!(listing(&unattested).expect("a packument").claims.provenance, Claim::Unknown);
}

#[test]
fn a_trusted_publisher_a_person_and_nothing_said_are_told_apart() {
    let trusted = |value: &Value| listing(value).expect("a packument").claims.repository_signals.trusted_publisher;
    let version = "/versions/1.1.0";
    let whole = without(packument("a"), version, "_npmUser");
    let by = |user: Value| with(whole.clone(), version, "_npmUser", user);
    let person = json!({"name": "ann", "email": "ann@example.test"});
    let workflow = json!({"name": "GitHub Actions", "trustedPublisher": {"id": "github", "oidcConfigId": "oidc:1"}});
    assert_eq!(trusted(&by(workflow)), Claim::Known(true));
    assert_eq!(trusted(&by(person.clone())), Claim::Known(false));
    assert_eq!(trusted(&whole), Claim::Unknown, "nobody is named");
    let proxied = without(by(person), "", "time");
    assert_eq!(trusted(&proxied), Claim::Unknown, "a proxy may have left it out");
}

#[test]
fn old_forms_are_read() {
    let of = |key: &str, value: Value| {
        let old = with(without(packument("a"), "/versions/1.1.0", "license"), "/versions/1.1.0", key, value);
        listing(&old).expect("a packument").claims
    };
    assert_eq!(of("license", json!({"type": "BSD"})).license, Claim::Known("BSD".into()));
    let both = json!([{"type": "MIT"}, {"type": "BSD"}]);
    assert_eq!(of("licenses", both).license, Claim::Known("MIT OR BSD".into()));
    assert_eq!(of("license", json!(7)).license, Claim::Unknown);
    assert_eq!(of("repository", json!("owner/name")).repository, Claim::Known("owner/name".into()));
    assert_eq!(of("repository", json!({})).repository, Claim::Absent);
    assert_eq!(of("keywords", json!("a, b")).keywords, Claim::Known(vec!["a".into(), "b".into()]));
    assert_eq!(of("deprecated", json!("use b")).deprecated, Claim::Known("use b".into()));
    assert_eq!(of("deprecated", json!(false)).deprecated, Claim::Absent);
    assert_eq!(of("deprecated", json!(true)).deprecated, Claim::Known("true".into()));
}

#[test]
fn without_a_usable_tag_the_release_published_last_is_listed() {
    let version = |value: &Value| {
        let listing = listing(value).expect("a packument");
        listing.locators.first().and_then(Locator::version).map(str::to_owned)
    };
    let dist = json!({"dist": {"tarball": "http://registry.example/a.tgz"}});
    let mut value = with(packument("a"), "/dist-tags", "latest", json!("3.0.0"));
    assert_eq!(version(&value).as_deref(), Some("1.1.0"));
    value = with(value, "/versions", "2.0.0-beta.1", dist.clone());
    value = with(value, "/time", "2.0.0-beta.1", json!("2025-01-01T00:00:00Z"));
    assert_eq!(version(&value).as_deref(), Some("1.1.0"));
    value = with(value, "/time", "1.0.0", json!("2024-01-01T00:00:00Z"));
    assert_eq!(version(&value).as_deref(), Some("1.0.0"));
    value = without(value, "", "time");
    assert_eq!(version(&value).as_deref(), Some("1.1.0"));
    value = without(without(value, "/versions", "1.0.0"), "/versions", "1.1.0");
    assert_eq!(version(&value).as_deref(), Some("2.0.0-beta.1"));
}

#[test]
fn what_is_no_packument_of_this_name_is_malformed_and_an_empty_one_is_gone() {
    let malformed = |value: Value| matches!(listing(&value), Err(CrawlError::Malformed { .. }));
    assert!(malformed(json!([])));
    assert!(malformed(json!({"error": "not found"})));
    assert!(malformed(json!({"name": "a"})));
    assert!(malformed(json!({"name": "a", "versions": []})));
    assert!(malformed(json!({"name": "a", "versions": {"1.0.0": 1}})));
    assert!(malformed(json!({"name": "a", "versions": {"1.0.0": {}}})));
    assert!(malformed(json!({"name": "a", "versions": {"1.0.0": {"dist": {}}}})));
    assert!(matches!(read("b", "s", packument("a").to_string().as_bytes()), Err(CrawlError::Malformed { .. })));
    assert!(matches!(read("a", "s", b"<html>"), Err(CrawlError::Malformed { .. })));
    let gone = |value: Value| matches!(listing(&value), Err(CrawlError::Gone { .. }));
    assert!(gone(json!({"name": "a", "versions": {}})));
    assert!(gone(json!({"name": "a", "time": {"unpublished": {"time": "2020-01-01T00:00:00Z"}}})));
}

#[test]
fn the_digest_ignores_what_proxies_change_and_nothing_else() {
    let base = digest(&packument("a"));
    let tarball = json!("http://127.0.0.1:4873/elsewhere/a-1.1.0.tgz");
    for same in [
        with(packument("a"), "/versions/1.1.0/dist", "tarball", tarball),
        with(packument("a"), "/time", "modified", json!("2026-01-01T00:00:00Z")),
        with(packument("a"), "", "_rev", json!("2-abc")),
        with(packument("a"), "", "users", json!({})),
        with(packument("a"), "", "readmeFilename", json!("README")),
        with(packument("a"), "/versions/1.1.0", "_nodeVersion", json!("20")),
    ] {
        assert_eq!(digest(&same), base);
    }
    for different in [
        with(packument("a"), "/dist-tags", "latest", json!("1.0.0")),
        with(packument("a"), "", "maintainers", json!([])),
        with(packument("a"), "/versions/1.1.0", "deprecated", json!("no")),
        with(packument("a"), "/versions/1.1.0/scripts", "_hidden", json!("x")),
        with(packument("a"), "/versions/1.1.0/dist", "integrity", json!("sha512-BBBB")),
    ] {
        assert_ne!(digest(&different), base);
    }
}

#[test]
fn names_make_addresses_or_errors() {
    let of = |name: &str| address("http://registry.example/base/", name).ok();
    assert_eq!(of("a.b-c_d").as_deref(), Some("http://registry.example/base/a.b-c_d"));
    assert_eq!(of("@s/n").as_deref(), Some("http://registry.example/base/@s%2Fn"));
    for name in
        ["", ".", "..", "@", "@s", "@/n", "@s/", "@s/n/x", "a/b", "@s/..", "a b", "a?b", "a#b", "a%2e", "ä", "a\\b"]
    {
        assert_eq!(of(name), None, "{name}");
    }
    assert!(of(&"a".repeat(214)).is_some());
    assert!(of(&"a".repeat(215)).is_none());
}

#[test]
fn recorded_packuments_are_read() {
    // Without the recorded data there is nothing to check.
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return };
    let folder = Path::new(&data).join("npm-packuments");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("the file is there");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let name = value.get("name").and_then(Value::as_str).expect("a name");
        let (listing, digest) = read(name, "subject", &bytes).expect("a packument");
        let Some(Locator::NpmPackage { version, url, integrity, .. }) = listing.locators.first() else {
            panic!("{name}: an npm locator")
        };
        assert_eq!(value.pointer("/dist-tags/latest").and_then(Value::as_str), Some(version.as_str()), "{name}");
        assert!(url.ends_with(&format!("-{version}.tgz")), "{name}: {url}");
        assert!(matches!(integrity.as_slice(), [Integrity::Sha512(_), Integrity::Sha1(_)]), "{name}");
        assert!(listing.claims.maintainers.known().is_some_and(|names| names.iter().all(|name| !name.contains('@'))));
        assert!(listing.claims.published.known() >= listing.claims.created.known(), "{name}");
        let again = serde_json::to_vec_pretty(&value).expect("JSON");
        assert_eq!(read(name, "subject", &again).expect("a packument").1, digest, "{name}");
        count += 1;
    }
    assert_eq!(count, 13);
}

fn source_settings(base_url: &str, watchlist: &[&str]) -> SourceSettings {
    SourceSettings {
        base_url: base_url.to_owned(),
        watchlist: watchlist.iter().map(|name| (*name).to_owned()).collect(),
        ..SourceSettings::default()
    }
}

async fn list(
    server: &Server,
    settings_of_source: &SourceSettings,
    cursor: Option<&WalkCursor>,
    known: &BTreeMap<ListingKey, Validators>,
) -> Result<ListPage, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    SOURCE.list(ListRequest { cursor, ..request("npm", &http, settings_of_source, known) }).await
}

#[tokio::test]
async fn a_step_lists_each_name_as_the_registry_answers() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/@s%2Fok" => Sent::answer(200, &[("etag", "\"1\"")], packument("@s/ok").to_string()),
        "/denied" => Sent::answer(403, &[], ""),
        "/empty" => Sent::ok(r#"{"name":"empty","versions":{}}"#),
        "/garbage" => Sent::ok("<html>"),
        "/known" => Sent::answer(304, &[], "a body as verdaccio sends it"),
        "/limited" => Sent::answer(429, &[], "<html>"),
        "/broken" => Sent::answer(502, &[], ""),
        _ => Sent::answer(404, &[], ""),
    });
    let names = ["..", "@s/ok", "broken", "denied", "empty", "garbage", "known", "limited", "missing"];
    let known = Validators { etag: Some("\"0\"".into()), ..Validators::default() };
    let known = BTreeMap::from([(ListingKey::new("npm", "known"), known)]);
    let page = list(&server, &source_settings(&server.base_url, &names), None, &known).await.expect("a page");
    assert_eq!(page.next, NextPage::END);
    let key = |name: &str| ListingKey::new("npm", name);
    let reason = |listed: &ListedEntry| match listed {
        ListedEntry::Failed { gap, transient, .. } => Some((gap.reason, *transient)),
        _ => None,
    };
    let [dots, ok, broken, denied, empty, garbage, known, limited, missing] = page.listed.as_slice() else {
        panic!("nine")
    };
    assert_eq!(reason(dots), Some((GapReason::Malformed, false)));
    assert!(matches!(ok, ListedEntry::Changed { listing, validators }
        if listing.key == key("@s/ok") && validators.etag.as_deref() == Some("\"1\"") && validators.digest.is_some()));
    assert_eq!(reason(broken), Some((GapReason::Unreachable, true)));
    assert_eq!(reason(denied), Some((GapReason::Denied, false)));
    assert_eq!(empty, &ListedEntry::Gone(key("empty")));
    assert_eq!(reason(garbage), Some((GapReason::BadAnswer, false)));
    assert_eq!(known, &ListedEntry::Unchanged(key("known")));
    assert_eq!(reason(limited), Some((GapReason::RateLimited, true)));
    assert_eq!(missing, &ListedEntry::Gone(key("missing")));
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.header("accept") == Some("application/json")));
    let with_etag: Vec<_> = asked.iter().filter(|asked| asked.header("if-none-match").is_some()).collect();
    assert!(
        matches!(with_etag.as_slice(), [one] if one.path == "/known" && one.header("if-none-match") == Some("\"0\""))
    );
}

#[tokio::test]
async fn a_proxy_without_validators_is_unchanged_by_digest() {
    let server = Server::start(|_, before| {
        let value = with(packument("a"), "", "_rev", json!(before));
        let tarball = json!(format!("http://127.0.0.1:{before}/a/-/a-1.1.0.tgz"));
        Sent::ok(with(value, "/versions/1.1.0/dist", "tarball", tarball).to_string())
    });
    let of_source = source_settings(&server.base_url, &["a"]);
    let first = list(&server, &of_source, None, &BTreeMap::new()).await.expect("a page");
    let [ListedEntry::Changed { validators, .. }] = first.listed.as_slice() else { panic!("changed") };
    assert_eq!(&validators.etag, &None);
    assert_eq!(&validators.last_modified, &None);
    let key = ListingKey::new("npm", "a");
    let known = BTreeMap::from([(key.clone(), validators.clone())]);
    let second = list(&server, &of_source, None, &known).await.expect("a page");
    assert_eq!(second.listed, [ListedEntry::Unchanged(key)]);
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn names_in_a_scope_are_asked_for_where_the_scope_is() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/private/@s%2Fa" => Sent::ok(packument("@s/a").to_string()),
        "/public/@t%2Fa" => Sent::ok(packument("@t/a").to_string()),
        _ => Sent::answer(404, &[], ""),
    });
    let mut of_source = source_settings(&format!("{}/public", server.base_url), &["@s/a", "@t/a"]);
    of_source.scopes.insert("@s".into(), format!("{}/private/", server.base_url));
    let page = list(&server, &of_source, None, &BTreeMap::new()).await.expect("a page");
    assert!(page.listed.iter().all(|listed| matches!(listed, ListedEntry::Changed { .. })), "{:?}", page.listed);
}

fn any_json() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "name",
        "versions",
        "dist-tags",
        "latest",
        "time",
        "1.0.0",
        "dist",
        "tarball",
        "integrity",
        "shasum",
        "license",
        "licenses",
        "type",
        "repository",
        "url",
        "keywords",
        "maintainers",
        "scripts",
        "install",
        "deprecated",
        "dependencies",
        "created",
        "unpublished",
        "attestations",
        "a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["a", "1.0.0", "", "sha512-AA==", "2020-01-01T00:00:00Z"]).prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_is_read_without_panic(whole in any_json(), manifest in any_json(), dist in any_json()) {
        let _ = read("a", "subject", whole.to_string().as_bytes());
        let mut manifest = manifest;
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.insert("dist".into(), dist);
        }
        let value = json!({"name": "a", "versions": {"1.0.0": manifest}, "time": whole});
        let _ = read("a", "subject", value.to_string().as_bytes());
    }
}

/// An npm registry that holds the packages of a world.
const ORIGIN: Origin = Origin {
    source: SOURCE,
    name: |number| format!("pkg-{number:03}"),
    settings: |world, base_url| SourceSettings {
        base_url: base_url.to_owned(),
        watchlist: world.entries.keys().cloned().collect(),
        ..SourceSettings::default()
    },
    answer: |world, asked, base_url| {
        let name = asked.path.trim_start_matches('/');
        let Some(revision) = world.entries.get(name) else { return Sent::answer(404, &[], "{}") };
        let etag = format!("\"{revision}\"");
        if asked.header("if-none-match") == Some(&etag) {
            return Sent::answer(304, &[], "");
        }
        let version = format!("{revision}.0.0");
        let tarball = format!("{base_url}/{name}/-/{name}-{version}.tgz");
        let body = json!({"name": name, "dist-tags": {"latest": version}, "versions": {
            (version.clone()): {"name": name, "version": version, "dist": {"tarball": tarball, "shasum": "00"}}}});
        Sent::answer(200, &[("etag", &etag)], body.to_string())
    },
    entries: 35,
};

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(ORIGIN).await;
}
