//! Images from a registry on loopback that wants an anonymous token.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::http::HttpSettings;
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{ListedEntry, SourceSettings};

fn sha(bytes: &str) -> String {
    format!("sha256:{}", Digest::of(bytes.as_bytes()).hex())
}

fn configuration() -> String {
    json!({"config": {"Labels": {"org.opencontainers.image.source": "https://github.com/o/n",
        "io.modelcontextprotocol.server.name": "io.test/x"}, "Env": ["API_KEY=canary"], "Entrypoint": ["node"]}})
    .to_string()
}

fn manifest() -> String {
    json!({"schemaVersion": 2, "config": {"digest": sha(&configuration())}, "layers": []}).to_string()
}

fn index() -> String {
    json!({"manifests": [{"digest": sha("other"), "platform": {"os": "linux", "architecture": "arm64"}},
        {"digest": sha(&manifest()), "platform": {"os": "linux", "architecture": "amd64"}}]})
    .to_string()
}

fn registry(asked: &Asked, base_url: &str) -> Sent {
    if asked.path.starts_with("/token?") {
        assert_eq!(asked.path, "/token?service=r.test&scope=repository%3Aa%2Fb%3Apull");
        assert_eq!(asked.header("authorization"), None);
        return Sent::ok(r#"{"token":"t0"}"#);
    }
    if asked.header("authorization") != Some("Bearer t0") {
        let challenge = format!("Bearer realm=\"{base_url}/token\",service=\"r.test\"");
        return Sent::answer(401, &[("www-authenticate", &challenge)], "{}");
    }
    let blob = |text: String| Sent::ok(text);
    match asked.path.as_str() {
        "/v2/a/b/manifests/1" => blob(index()),
        path if path == format!("/v2/a/b/manifests/{}", sha(&manifest())) => blob(manifest()),
        path if path == format!("/v2/a/b/blobs/{}", sha(&configuration())) => blob(configuration()),
        path if path == format!("/v2/a/b/manifests/{}", sha("lie")) => blob(manifest()),
        _ => Sent::answer(404, &[], ""),
    }
}

fn start() -> Server {
    Server::start(|asked, _| registry(asked, &format!("http://{}", asked.header("host").expect("a host"))))
}

async fn list(server: &Server, what: &str, known: &BTreeMap<ListingKey, Validators>) -> ListedEntry {
    let fast = RateLimit { per_minute: 1_000_000, burst: 1_000, in_flight: 2 };
    let paces = vec![(server.base_url.clone(), fast)];
    let (http, _) = client(HttpSettings { rate_limits: paces, ..settings(&[&server.base_url]) });
    let name = format!("{}/a/b{what}", server.base_url.trim_start_matches("http://"));
    let settings = SourceSettings { watchlist: vec![name], ..SourceSettings::default() };
    let mut page = SOURCE.list(request("oci", &http, &settings, known)).await.expect("a page");
    assert_eq!(page.listed.len(), 1);
    page.listed.remove(0)
}

#[tokio::test]
async fn an_image_says_what_its_labels_say_and_keeps_its_values_to_itself() {
    let server = start();
    let ListedEntry::Changed { listing, validators } = list(&server, ":1", &BTreeMap::new()).await else {
        panic!("read")
    };
    assert_eq!(
        listing.references,
        [ListingKey::new("github", "o/n"), ListingKey::new("official-registry", "io.test/x")]
    );
    let [Locator::Inline { identity, version, files }] = listing.locators.as_slice() else { panic!("inline") };
    assert!(identity.ends_with("/a/b:1") && version.as_deref() == Some(&sha(&index())));
    assert!(files["image.json"].contains("API_KEY") && !files["image.json"].contains("canary"));
    assert_eq!(server.asked().len(), 5, "a refusal, a token, two manifests, a configuration");
    let known = BTreeMap::from([(listing.key.clone(), validators)]);
    assert_eq!(list(&server, ":1", &known).await, ListedEntry::Unchanged(listing.key));
    assert_eq!(server.asked().len(), 8, "a refusal, a token, a manifest");
}

fn attestation(kind: &str) -> String {
    let layer = json!({"digest": sha("x"), "annotations": {"in-toto.io/predicate-type": kind}});
    json!({"schemaVersion": 2, "config": {"digest": sha("y")}, "layers": [layer]}).to_string()
}

#[tokio::test]
async fn an_attestation_in_the_index_says_of_which_kind_it_is() {
    for (kind, expected) in
        [("https://slsa.dev/provenance/v0.2", Claim::Known(true)), ("https://spdx.dev/Document", Claim::Known(false))]
    {
        let beside = |of: &str| {
            json!({"digest": sha(&attestation(kind)), "platform": {"os": "unknown", "architecture": "unknown"},
                "annotations": {"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": of}})
        };
        let image = json!({"digest": sha(&manifest()), "platform": {"os": "linux", "architecture": "amd64"}});
        let whole = json!({"manifests": [image, beside(&sha(&manifest()))]}).to_string();
        let other = json!({"manifests": [image, beside(&sha("other"))]}).to_string();
        let server = Server::start(move |asked, _| match asked.path.as_str() {
            "/v2/a/b/manifests/2" => Sent::ok(whole.clone()),
            "/v2/a/b/manifests/3" => Sent::ok(other.clone()),
            path if path == format!("/v2/a/b/manifests/{}", sha(&attestation(kind))) => Sent::ok(attestation(kind)),
            path if path == format!("/v2/a/b/manifests/{}", sha(&manifest())) => Sent::ok(manifest()),
            path if path == format!("/v2/a/b/blobs/{}", sha(&configuration())) => Sent::ok(configuration()),
            _ => Sent::answer(404, &[], ""),
        });
        for (tag, expected) in [(":2", expected), (":3", Claim::Unknown)] {
            let ListedEntry::Changed { listing, .. } = list(&server, tag, &BTreeMap::new()).await else {
                panic!("read")
            };
            assert_eq!(listing.claims.provenance, expected, "{kind} {tag}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_gone_and_what_does_not_fit_its_digest_is_refused() {
    let server = start();
    assert!(matches!(list(&server, ":none", &BTreeMap::new()).await, ListedEntry::Gone(_)));
    let lie = format!("@{}", sha("lie"));
    let ListedEntry::Failed { gap, transient, .. } = list(&server, &lie, &BTreeMap::new()).await else {
        panic!("refused")
    };
    assert_eq!((gap.reason.as_str(), transient), ("digest_mismatch", false));
}

#[tokio::test]
async fn a_login_that_is_no_anonymous_token_is_a_refusal() {
    let server = Server::start(|_, _| Sent::answer(401, &[("www-authenticate", "Basic realm=\"x\"")], ""));
    let listed = list(&server, ":1", &BTreeMap::new()).await;
    assert!(matches!(listed, ListedEntry::Failed { transient: false, .. }), "{listed:?}");
}

#[tokio::test]
async fn a_token_address_on_a_private_network_is_refused() {
    let challenge = "Bearer realm=\"http://169.254.169.254/token\"";
    let server = Server::start(move |_, _| Sent::answer(401, &[("www-authenticate", challenge)], ""));
    let ListedEntry::Failed { gap, .. } = list(&server, ":1", &BTreeMap::new()).await else { panic!("refused") };
    assert_eq!(gap.reason.as_str(), "denied");
    assert_eq!(server.asked().len(), 1);
}
