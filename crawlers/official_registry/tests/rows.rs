//! Single rows: what a listing carries, what its digest depends on, and rows of every envelope and of none.

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Integrity, Listing, Locator};
use proptest::prelude::*;

use super::*;

fn read(row: Value) -> OfficialRegistryRow {
    let Value::Object(row) = row else { panic!("an object") };
    OfficialRegistryRow::read(row, &[OFFICIAL], true).expect("a row")
}

fn listed(row: Value) -> ListedEntry {
    let row = read(row);
    let key = ListingKey::new("official-registry", row.key.clone());
    listing::listed(row, key, true)
}

fn listing(row: Value) -> Listing {
    let ListedEntry::Changed { listing, .. } = listed(row) else { panic!("changed") };
    *listing
}

fn whole() -> Value {
    json!({
        "server": {
            "$schema": "2025-12-11", "name": "io.test/x", "version": "2.0.0", "description": "a server",
            "repository": {"url": "https://github.com/Owner/Name", "source": "github", "id": "891584339"},
            "packages": [
                {"registryType": "npm", "identifier": "@scope/x", "version": "2.0.0"},
                {"registryType": "pypi", "identifier": "Left_Pad", "version": "2.0.0"},
                {"registryType": "oci", "identifier": "ghcr.io/a/b:2"},
                {"registryType": "nuget", "identifier": "X"},
                {"registryType": "mcpb", "identifier": "https://forge.test/x-1.mcpb", "fileSha256": "AB".repeat(32)},
                {"registryType": "mcpb", "identifier": "https://forge.test/y", "version": "7"},
                {"registryType": "mcpb", "identifier": "file:///etc/passwd"},
            ],
            "remotes": [{"type": "sse", "url": "https://x.test/sse"}, {"type": "sse", "url": "https://{tenant}.x.test/"}],
            "_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"tools": ["a"]}},
            "own": {"kept": 1},
        },
        "_meta": {OFFICIAL: {"status": "active", "isLatest": true,
            "publishedAt": "2026-03-01T00:00:00Z", "updatedAt": "2026-03-01T00:00:00Z"}},
    })
}

#[test]
fn the_latest_row_carries_its_text_its_bundles_and_its_references() {
    let listing = listing(whole());
    assert_eq!(listing.key, ListingKey::new("official-registry", "io.test/x@2.0.0"));
    let references: Vec<_> = listing.references.iter().map(ToString::to_string).collect();
    assert_eq!(
        references,
        [
            "github:owner/name",
            "mcp:https://x.test/sse",
            "npm:@scope/x@2.0.0",
            "oci:ghcr.io/a/b:2",
            "pypi:left-pad@2.0.0"
        ]
    );
    let [Locator::Inline { identity, version, files }, one, two] = listing.locators.as_slice() else { panic!("three") };
    assert_eq!(identity.as_str(), "official-registry:io.test/x");
    assert_eq!(version.as_deref(), Some("2.0.0"));
    let text: Value = serde_json::from_str(&files["server.json"]).expect("JSON");
    assert_eq!(&text["repository"]["id"], &json!("891584339"));
    assert_eq!(&text["own"]["kept"], &json!(1));
    assert_eq!(&text["$schema"], &json!(null));
    let file = |identity: &str, version: &str, url: &str, filename: &str, integrity| Locator::HttpFile {
        identity: identity.into(),
        version: Some(version.into()),
        url: url.into(),
        filename: filename.into(),
        integrity,
    };
    let digest = vec![Integrity::Sha256("ab".repeat(32))];
    assert_eq!(*one, file("mcpb:io.test/x", "2.0.0", "https://forge.test/x-1.mcpb", "x-1.mcpb", digest));
    assert_eq!(*two, file("mcpb:io.test/x#2", "7", "https://forge.test/y", "y", vec![]));
    let claims = listing.claims;
    assert_eq!(claims.repository, Claim::Known("https://github.com/Owner/Name".into()));
    assert_eq!(claims.published, Claim::Known("2026-03-01T00:00:00Z".parse().expect("an instant")));
    assert_eq!(claims.deprecated, Claim::Absent);
    assert_eq!(claims.repository_signals.official, Claim::Known(true));
    assert_eq!(claims.license, Claim::Unknown);
    assert_eq!(claims.maintainers, Claim::Unknown);
}

#[test]
fn an_older_row_carries_claims_only() {
    let mut row = whole();
    row["_meta"][OFFICIAL]["isLatest"] = json!(false);
    let listing = listing(row);
    assert_eq!(listing.locators, vec![]);
    assert_eq!(listing.references, vec![]);
    assert!(listing.claims.description.known().is_some());
}

#[test]
fn a_status_is_told_with_its_message() {
    let mut row = whole();
    row["_meta"][OFFICIAL]["status"] = json!("deprecated");
    assert_eq!(listing(row.clone()).claims.deprecated, Claim::Known("deprecated".into()));
    row["_meta"][OFFICIAL]["statusMessage"] = json!("use y");
    assert_eq!(listing(row.clone()).claims.deprecated, Claim::Known("use y".into()));
    row["_meta"][OFFICIAL]["status"] = json!("deleted");
    assert!(matches!(listed(row.clone()), ListedEntry::TakenDown { detail, .. } if detail.ends_with("deleted: use y")));
    row["_meta"][OFFICIAL]["status"] = json!("frozen");
    assert_eq!(listing(row).claims.deprecated, Claim::Unknown);
}

#[test]
fn what_is_decided_about_a_row_is_in_its_digest_and_when_is_not() {
    let with = |pointer: &str, value: Value| {
        let mut row = whole();
        *row.pointer_mut(pointer).expect("there") = value;
        read(row).digest()
    };
    let before = read(whole()).digest();
    let meta = "/_meta/io.modelcontextprotocol.registry~1official";
    assert_eq!(with(&format!("{meta}/updatedAt"), json!("2026-04-01T00:00:00Z")), before);
    assert_eq!(with("/server/$schema", json!("2026-01-01")), before);
    for (pointer, value) in [
        (format!("{meta}/status"), json!("deprecated")),
        (format!("{meta}/isLatest"), json!(false)),
        ("/server/description".to_owned(), json!("another")),
        ("/server/own/kept".to_owned(), json!(2)),
        ("/server/packages/0/version".to_owned(), json!("2.0.1")),
        ("/server/_meta/io.modelcontextprotocol.registry~1publisher-provided/tools".to_owned(), json!(["b"])),
    ] {
        assert_ne!(with(&pointer, value), before, "{pointer}");
    }
}

#[test]
fn envelopes_of_before_2025_09_29_are_read() {
    let flat = json!({
        "name": "io.test/x", "description": "a server", "status": "deprecated", "version": "1.0.0",
        "website_url": "https://x.test/", "packages": [{"registry_type": "npm", "identifier": "x", "version": "1.0.0"}],
        "_meta": {OFFICIAL: {"id": "550e8400", "published_at": "2025-08-01T00:00:00Z",
            "updated_at": "2025-08-02T00:00:00Z", "is_latest": true}},
    });
    let row = read(flat.clone());
    assert_eq!(row.key.as_str(), "io.test/x@1.0.0");
    assert_eq!(row.status.as_deref(), Some("deprecated"));
    assert!(row.is_latest);
    assert_eq!(row.updated, Some("2025-08-02T00:00:00Z".parse().expect("an instant")));
    let later = json!({
        "server": {"name": "io.test/x", "description": "a server", "version": "1.0.0", "websiteUrl": "https://x.test/",
            "packages": [{"registryType": "npm", "identifier": "x", "version": "1.0.0"}]},
        "_meta": {OFFICIAL: {"serverId": "550e8400", "versionId": "773f9b2e", "status": "deprecated",
            "publishedAt": "2025-08-01T00:00:00Z", "updatedAt": "2025-09-20T00:00:00Z", "isLatest": true}},
    });
    assert_eq!(read(later).digest(), row.digest());
    let mut oldest = flat;
    let version = oldest["version"].take();
    oldest.as_object_mut().expect("an object").remove("version");
    oldest["version_detail"] = json!({"version": version, "release_date": "2025-06-01"});
    assert_eq!(read(oldest.clone()).key.as_str(), "io.test/x@1.0.0");
    assert_eq!(read(oldest).digest(), row.digest());
}

#[test]
fn a_row_with_a_bad_name_or_none_for_its_version_fails_by_itself() {
    for (name, version) in [
        ("io.test/x".to_owned(), json!("1\u{7}")),
        ("x".repeat(300), json!("1")),
        ("io.test/x".to_owned(), json!(null)),
    ] {
        let mut row = whole();
        row["server"]["name"] = json!(name);
        row["server"]["version"] = version;
        let ListedEntry::Failed { key, transient, .. } = listed(row) else { panic!("failed") };
        assert!(!transient);
        assert!(crate::names::is_usable(&key.name));
    }
}

#[test]
fn the_facts_of_another_registry_are_found_under_its_own_name() {
    let row = json!({
        "server": {"name": "io.test/x", "version": "1"},
        "_meta": {"com.pulsemcp/server": {"isOfficial": true, "visitorsEstimateTotal": 7},
            "com.pulsemcp/server-version": {"status": "deprecated", "isLatest": false, "updatedAt": "2026-03-01T00:00:00Z"},
            OFFICIAL: {"status": "active", "isLatest": true}},
    });
    let Value::Object(row) = row else { panic!("an object") };
    let read = OfficialRegistryRow::read(row, &["com.pulsemcp/server-version", OFFICIAL], false).expect("a row");
    assert_eq!(read.status.as_deref(), Some("deprecated"));
    assert!(!read.is_latest);
    assert!(read.updated.is_some());
    let bare = OfficialRegistryRow::read(
        json!({"name": "io.test/x", "version": "1"}).as_object().expect("one").clone(),
        &[OFFICIAL],
        false,
    );
    assert!(bare.expect("a row").is_latest);
}

fn any_row() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "server",
        "_meta",
        OFFICIAL,
        "name",
        "version",
        "version_detail",
        "packages",
        "registryType",
        "registry_type",
        "identifier",
        "registryBaseUrl",
        "fileSha256",
        "remotes",
        "url",
        "repository",
        "status",
        "isLatest",
        "updatedAt",
        "variables",
        "description",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["oci", "mcpb", "npm", "a/b", "ghcr.io/a/b:1@x", "https://a.test/", "", "deleted"])
            .prop_map(Value::from),
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
    fn any_row_is_read_without_panic_and_its_form_is_final(row in any_row(), package in any_row()) {
        let mut row = json!({"server": row, "_meta": {OFFICIAL: {"isLatest": true}}});
        if let Some(server) = row["server"].as_object_mut() {
            server.insert("name".into(), json!("io.test/x"));
            server.insert("version".into(), json!("1"));
            server.insert("packages".into(), json!([package]));
            let once = canonical::server(server.clone());
            prop_assert_eq!(canonical::server(once.clone()), once);
        }
        if let Ok(row) = OfficialRegistryRow::read(row.as_object().expect("an object").clone(), &[OFFICIAL], true) {
            let key = ListingKey::new("official-registry", row.key.clone());
            let _ = listing::listed(row, key, true);
        }
    }
}
