//! Endpoints on loopback, of both eras and of none.

use serde_json::Value;

use super::*;
use crate::http::HttpSettings;
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{ListPage, ListedEntry, SourceSettings};

/// The method and the id of a question.
pub(super) fn question(asked: &Asked) -> (String, u64) {
    let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
    (body["method"].as_str().expect("a method").to_owned(), body["id"].as_u64().unwrap_or(0))
}

pub(super) fn result(id: u64, result: &Value) -> Sent {
    Sent::answer(
        200,
        &[("content-type", "application/json")],
        json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string(),
    )
}

pub(super) fn unknown_method(id: u64) -> Sent {
    Sent::answer(400, &[], json!({"id": id, "error": {"code": -32601, "message": "unknown"}}).to_string())
}

fn about() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "instructions": "be kind",
           "serverInfo": {"name": "n", "version": "1.2"}})
}

/// A legacy endpoint with a session and two pages of tools, the second one as an event stream.
fn legacy(asked: &Asked) -> Sent {
    let (method, id) = question(asked);
    if method != "initialize" && method != "server/discover" {
        assert_eq!(asked.header("mcp-session-id"), Some("s1"));
        assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
    }
    match method.as_str() {
        "initialize" => {
            let body = json!({"jsonrpc": "2.0", "id": id, "result": about()}).to_string();
            Sent::answer(200, &[("mcp-session-id", "s1"), ("content-type", "application/json")], body)
        }
        "notifications/initialized" => Sent::answer(202, &[], ""),
        "tools/list" if String::from_utf8_lossy(&asked.body).contains("cursor") => {
            let body = json!({"jsonrpc": "2.0", "id": id, "result": {"tools": [{"name": "a"}]}});
            Sent::answer(200, &[("content-type", "text/event-stream")], format!("event: message\ndata: {body}\n\n"))
        }
        "tools/list" => result(id, &json!({"tools": [{"name": "b", "inputSchema": {}}], "nextCursor": "2"})),
        _ => unknown_method(id),
    }
}

pub(super) async fn list(server: &Server, known: &BTreeMap<ListingKey, Validators>) -> ListPage {
    list_of(server, "/mcp", known).await
}

pub(super) async fn list_at(server: &Server, path: &str) -> ListPage {
    list_of(server, path, &BTreeMap::new()).await
}

async fn list_of(server: &Server, path: &str, known: &BTreeMap<ListingKey, Validators>) -> ListPage {
    let fast = RateLimit { per_minute: 1_000_000, burst: 1_000, in_flight: 1 };
    let paces = vec![(server.base_url.clone(), fast)];
    let (http, _) = client(HttpSettings { rate_limits: paces, ..settings(&[&server.base_url]) });
    let settings =
        SourceSettings { watchlist: vec![format!("{}{path}", server.base_url)], ..SourceSettings::default() };
    SOURCE.list(request("mcp", &http, &settings, known)).await.expect("a page")
}

pub(super) fn only(page: ListPage) -> ListedEntry {
    let mut listed = page.listed;
    assert_eq!(listed.len(), 1);
    listed.remove(0)
}

fn methods(server: &Server) -> Vec<String> {
    server.asked().iter().map(|asked| question(asked).0).collect()
}

#[tokio::test]
async fn an_endpoint_of_the_older_revisions_is_asked_in_their_order() {
    let server = Server::start(|asked, _| legacy(asked));
    let ListedEntry::Changed { listing, validators } = only(list(&server, &BTreeMap::new()).await) else {
        panic!("read")
    };
    assert_eq!(
        methods(&server),
        ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/list"]
    );
    assert!(server.asked().iter().all(|asked| asked.header("authorization").is_none() && asked.method == "POST"));
    let [Locator::Inline { identity, version, files }] = listing.locators.as_slice() else { panic!("inline") };
    assert_eq!(identity, &listing.key.to_string());
    assert_eq!(version.as_deref(), Some("1.2"));
    let document: Value = serde_json::from_str(&files["tools.json"]).expect("JSON");
    let names: Vec<_> = document["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(document["instructions"], "be kind");
    let known = BTreeMap::from([(listing.key.clone(), validators)]);
    assert_eq!(only(list(&server, &known).await), ListedEntry::Unchanged(listing.key));
}

#[tokio::test]
async fn an_endpoint_of_the_newest_revision_needs_no_handshake() {
    let server = Server::start(|asked, _| {
        let (method, id) = question(asked);
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        let meta = &body["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-method"), Some(method.as_str()));
        match method.as_str() {
            "server/discover" => result(
                id,
                &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "m", "version": "3"}}}),
            ),
            "tools/list" => result(id, &json!({"resultType": "complete", "tools": []})),
            _ => unknown_method(id),
        }
    });
    let ListedEntry::Changed { listing, .. } = only(list(&server, &BTreeMap::new()).await) else { panic!("read") };
    assert_eq!(methods(&server), ["server/discover", "tools/list"]);
    assert!(matches!(listing.locators.as_slice(), [Locator::Inline { version: Some(version), .. }] if version == "3"));
}

#[tokio::test]
async fn what_is_gated_or_broken_is_unknown_and_never_gone() {
    for status in [401, 403, 404, 405, 400] {
        let server = Server::start(move |_, _| Sent::answer(status, &[], "{}"));
        let listed = only(list(&server, &BTreeMap::new()).await);
        assert!(matches!(listed, ListedEntry::Failed { transient: false, .. }), "{status}: {listed:?}");
    }
}

#[tokio::test]
async fn pages_that_lead_in_a_circle_or_never_end_stop_with_an_error() {
    for is_circle in [true, false] {
        let server = Server::start(move |asked, before| match question(asked) {
            (method, id) if method == "server/discover" => {
                result(id, &json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}))
            }
            (_, id) => {
                let cursor = if is_circle { "same".to_owned() } else { before.to_string() };
                result(id, &json!({"tools": [], "nextCursor": cursor}))
            }
        });
        let listed = only(list(&server, &BTreeMap::new()).await);
        assert!(matches!(listed, ListedEntry::Failed { transient: false, .. }));
        assert!(server.asked().len() <= 202);
    }
}

#[tokio::test]
async fn addresses_with_users_and_other_schemes_are_not_asked() {
    for name in ["ftp://h.test/", "https://user:canary@h.test/", "stdio", "file:///etc/passwd"] {
        let error = address(name).expect_err("none");
        assert!(!error.to_string().contains("canary"));
    }
}

#[tokio::test]
async fn a_fault_that_passes_is_sat_out_and_one_that_stays_is_a_failure_for_now() {
    for status in [429, 503] {
        let server = Server::start(move |asked, before| {
            if before == 1 { Sent::answer(status, &[("retry-after", "1")], "<html>") } else { legacy(asked) }
        });
        assert!(matches!(only(list(&server, &BTreeMap::new()).await), ListedEntry::Changed { .. }), "{status}");
        let server = Server::start(move |_, _| Sent::answer(status, &[("retry-after", "86400")], "<html>"));
        assert!(matches!(only(list(&server, &BTreeMap::new()).await), ListedEntry::Failed { transient: true, .. }));
    }
}
