//! Endpoints that answer a little otherwise: redirects, odd refusals, the older transport, further lists.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::tests::{list, list_at, only, question, result, unknown_method};
use crate::ListedEntry;
use crate::http::testing::{Asked, Sent, Server};
use capdex_evidence::Evidence;
use capdex_evidence::surfaces::SurfaceKind;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::listing::{Listing, Locator};

/// A server without sessions that has one tool.
fn plain(asked: &Asked, capabilities: &Value) -> Sent {
    let (method, id) = question(asked);
    match method.as_str() {
        "initialize" => result(id, &json!({"protocolVersion": "2025-06-18", "capabilities": capabilities})),
        "notifications/initialized" => Sent::answer(202, &[], ""),
        "tools/list" => result(id, &json!({"tools": [{"name": "a"}]})),
        _ => unknown_method(id),
    }
}

fn read(listed: ListedEntry) -> Listing {
    let ListedEntry::Changed { listing, .. } = listed else { panic!("read, and not {listed:?}") };
    *listing
}

fn files(listing: &Listing) -> BTreeMap<String, Value> {
    let [Locator::Inline { files, .. }] = listing.locators.as_slice() else { panic!("inline") };
    let read = |name: &str, text: &str| match name.ends_with(".json") {
        true => serde_json::from_str(text).expect("JSON"),
        false => Value::String(text.to_owned()),
    };
    files.iter().map(|(name, text)| (name.clone(), read(name, text))).collect()
}

/// The names of the surfaces that analysis finds in what is stored.
fn surfaces(listing: &Listing) -> Vec<String> {
    let [Locator::Inline { identity, files, .. }] = listing.locators.as_slice() else { panic!("inline") };
    let files = files.iter().map(|(name, text)| (name.clone(), BundleFile::new(text.as_bytes()))).collect();
    let evidence = Evidence::gather(&Bundle::local(identity, files));
    assert_eq!(evidence.gaps, []);
    evidence.surfaces().iter().filter(|one| one.kind != SurfaceKind::Server).map(|one| one.name.clone()).collect()
}

#[tokio::test]
async fn a_post_follows_redirects_that_keep_it_within_its_origin_and_once() {
    for status in [307, 308] {
        let server = Server::start(move |asked, _| match asked.path.as_str() {
            "/mcp" => Sent::answer(status, &[("location", "/mcp/")], ""),
            _ => plain(asked, &json!({"tools": {}})),
        });
        let listing = read(only(list(&server, &BTreeMap::new()).await));
        assert_eq!(files(&listing)["tools.json"]["tools"], json!([{"name": "a"}]));
        assert!(listing.key.name.ends_with("/mcp"), "it keeps the name under which it is known");
        let to_first = server.asked().iter().filter(|asked| asked.path == "/mcp").count();
        assert!(to_first <= 2, "{:?}", server.paths());
    }
}

#[tokio::test]
async fn a_post_follows_nothing_else() {
    let other = Server::start(|asked, _| plain(asked, &json!({"tools": {}})));
    for (status, to) in [(301, "/mcp/".to_owned()), (302, "/mcp/".to_owned()), (307, other.base_url.clone())] {
        let server = Server::start(move |asked, _| match asked.path.as_str() {
            "/mcp" => Sent::answer(status, &[("location", &to)], ""),
            _ => plain(asked, &json!({"tools": {}})),
        });
        let listed = only(list(&server, &BTreeMap::new()).await);
        assert!(matches!(listed, ListedEntry::Failed { .. }), "{status}: {listed:?}");
        assert!(server.paths().iter().all(|path| path == "/mcp"));
    }
    let circle = Server::start(|_, _| Sent::answer(307, &[("location", "/mcp")], ""));
    assert!(matches!(only(list(&circle, &BTreeMap::new()).await), ListedEntry::Failed { .. }));
    assert!(circle.asked().len() < 20, "{}", circle.asked().len());
    assert_eq!(other.asked().len(), 0);
}

#[tokio::test]
async fn whatever_an_unknown_question_is_answered_with_the_handshake_is_tried() {
    for status in [400, 401, 403, 404, 405, 406, 422, 500, 501, 502] {
        let server = Server::start(move |asked, _| match question(asked).0.as_str() {
            "server/discover" => Sent::answer(status, &[("www-authenticate", "Bearer")], "oops"),
            _ => plain(asked, &json!({"tools": {}})),
        });
        let listing = read(only(list(&server, &BTreeMap::new()).await));
        assert_eq!(files(&listing)["tools.json"]["tools"][0]["name"], "a", "{status}");
    }
}

#[tokio::test]
async fn prompts_and_resources_are_listed_where_an_endpoint_says_that_it_has_them() {
    let server = Server::start(|asked, _| {
        let (method, id) = question(asked);
        let is_second = String::from_utf8_lossy(&asked.body).contains("cursor");
        match (method.as_str(), is_second) {
            ("prompts/list", false) => result(id, &json!({"prompts": [{"name": "p"}], "nextCursor": "2"})),
            ("prompts/list", true) => result(id, &json!({"prompts": [{"name": "q", "description": "Asks."}]})),
            ("resources/list", _) => result(id, &json!({"resources": [{"uri": "ui://clock/face.html", "name": "r"}]})),
            ("resources/read", _) => {
                let page = "<script src=\"https://files.example/a.js\"></script>";
                let rights = json!({"ui": {"csp": {"connectDomains": ["*"]}}});
                result(id, &json!({"contents": [{"uri": "ui://clock/face.html", "text": page, "_meta": rights}]}))
            }
            _ => plain(asked, &json!({"tools": {}, "prompts": {}, "resources": {}})),
        }
    });
    let first = only(list(&server, &BTreeMap::new()).await);
    let ListedEntry::Changed { listing, validators } = first else { panic!("read") };
    let files = files(&listing);
    assert_eq!(files["prompts.json"], json!({"prompts": [{"name": "p"}, {"name": "q", "description": "Asks."}]}));
    let resource = &files["resources.json"]["resources"][0];
    assert_eq!(resource["uri"], "ui://clock/face.html");
    assert!(files["ui/01-clock-face.html"].as_str().is_some_and(|page| page.starts_with("<script")));
    assert_eq!(resource["_meta"]["ui"]["csp"]["connectDomains"][0], "*", "what the page asks for stands in its list");
    assert!(!files.contains_key("resource-templates.json"), "it does not know that method, so it has none");
    assert_eq!(surfaces(&listing), ["a", "p", "q", "r"], "what is stored is read");
    let asked: Vec<String> = server.asked().iter().map(|asked| question(asked).0).collect();
    assert!(asked.contains(&"resources/templates/list".to_owned()));
    let known = BTreeMap::from([(listing.key.clone(), validators)]);
    assert_eq!(only(list(&server, &known).await), ListedEntry::Unchanged(listing.key));

    let without = Server::start(|asked, _| plain(asked, &json!({"tools": {}})));
    read(only(list(&without, &BTreeMap::new()).await));
    let asked: Vec<String> = without.asked().iter().map(|asked| question(asked).0).collect();
    assert!(!asked.iter().any(|method| method.starts_with("prompts") || method.starts_with("resources")), "{asked:?}");
}

/// The stream of an endpoint that says to post at `at`, with the answers to the third and the fourth question.
fn stream(at: &str) -> Sent {
    let about = json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}});
    let answers = [(3, about), (4, json!({"tools": [{"name": "old"}]}))].map(|(id, result)| {
        format!("event: message\r\ndata: {}\r\n\r\n", json!({"jsonrpc": "2.0", "id": id, "result": result}))
    });
    let text = format!(": hello\n\nevent: endpoint\ndata: {at}\n\n{}", answers.concat());
    Sent::raw(200, &[("content-type", "text/event-stream")], text.as_bytes()).then_silence()
}

#[tokio::test]
async fn an_endpoint_of_the_older_transport_is_asked_over_its_stream() {
    for refusal in [400, 404, 405] {
        let server = Server::start(move |asked, _| match (asked.method.as_str(), asked.path.as_str()) {
            ("GET", "/sse") => stream("/messages?session=1"),
            ("POST", "/messages?session=1") => Sent::answer(202, &[], "Accepted"),
            _ => Sent::answer(refusal, &[("allow", "GET")], "no"),
        });
        let listing = read(only(list_at(&server, "/sse").await));
        let document = &files(&listing)["tools.json"];
        assert_eq!(
            (&document["tools"][0]["name"], &document["protocolVersion"]),
            (&json!("old"), &json!("2024-11-05"))
        );
        let posted: Vec<String> =
            server.asked().iter().filter(|it| it.path.starts_with("/messages")).map(|it| question(it).0).collect();
        assert_eq!(posted, ["initialize", "notifications/initialized", "tools/list"], "{refusal}");
    }
}

#[tokio::test]
async fn an_older_endpoint_that_cannot_be_asked_says_by_which_transport() {
    let elsewhere = Server::start(|_, _| Sent::answer(202, &[], ""));
    let at = format!("{}/messages", elsewhere.base_url);
    for (at, post, part) in [
        (at.as_str(), 202, "another origin"),
        ("/messages", 404, "HTTP+SSE"),
        ("/messages", 403, "HTTP+SSE"),
        ("http://", 202, "names is none"),
    ] {
        let at = at.to_owned();
        let server = Server::start(move |asked, _| match (asked.method.as_str(), asked.path.as_str()) {
            ("GET", "/sse") => stream(&at),
            ("POST", "/messages") => Sent::answer(post, &[], ""),
            _ => Sent::answer(405, &[], ""),
        });
        let ListedEntry::Failed { gap, .. } = only(list_at(&server, "/sse").await) else { panic!("not listed") };
        assert!(gap.detail.contains(part), "{gap:?}");
    }
    assert_eq!(elsewhere.asked().len(), 0);
    let silent = Server::start(|asked, _| match asked.method.as_str() {
        "GET" => Sent::raw(200, &[("content-type", "text/event-stream")], b"event: endpoint\ndata: /m\n\n"),
        _ if asked.path == "/m" => Sent::answer(202, &[], ""),
        _ => Sent::answer(405, &[], ""),
    });
    let listed = only(list_at(&silent, "/sse").await);
    assert!(matches!(&listed, ListedEntry::Failed { transient: true, gap, .. } if gap.detail.contains("HTTP+SSE")));
}
