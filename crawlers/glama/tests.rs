//! Glama by hand: no data of its own is at hand.

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server};
use crate::{ListedEntry, SourceSettings, WalkScope, testing};

/// A cursor is the place of the next server, as text.
fn answer(servers: &[Value], asked: &Asked) -> Sent {
    let begin = asked.path.split_once("&after=at").and_then(|(_, place)| place.parse::<usize>().ok()).unwrap_or(0);
    let rows: Vec<_> = servers.iter().skip(begin).take(100).collect();
    let end = begin + rows.len();
    let info = json!({"hasNextPage": end < servers.len(), "endCursor": format!("at{end}")});
    Sent::ok(json!({"servers": rows, "pageInfo": info}).to_string())
}

fn server(id: &str) -> Value {
    json!({"id": id, "name": "Server", "namespace": "owner", "slug": "server", "description": "does things",
        "url": format!("https://glama.ai/mcp/servers/{id}"), "repository": {"url": "https://github.com/Owner/Name"},
        "spdxLicense": {"name": "MIT License", "url": "https://spdx.org/licenses/MIT.json"},
        "attributes": ["hosting:local-only"], "scores": {"quality": 1},
        "tools": [{"name": "read", "description": "reads", "inputSchema": {"type": "object"}}]})
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("id{number:03}"),
        settings: |_, base_url| SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() },
        answer: |world, asked, _| {
            let servers = world.entries.iter().map(|(name, revision)| {
                let mut server = server(name);
                server["tools"][0]["description"] = json!(format!("revision {revision}"));
                server
            });
            answer(&servers.collect::<Vec<_>>(), asked)
        },
        entries: 230,
    })
    .await;
}

#[tokio::test]
async fn an_entry_carries_its_text_and_its_tools_and_scores_are_no_change() {
    let listed = |score: u64| async move {
        let mut one = server("abc");
        one["scores"] = json!({"quality": score});
        let mut bare = server("bare");
        bare["tools"] = json!([]);
        bare["repository"] = json!(null);
        bare["spdxLicense"] = json!(null);
        let server = Server::start(move |asked, _| answer(&[one.clone(), bare.clone()], asked));
        let (listed, _) = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect("a walk");
        assert_eq!(server.paths(), ["/api/mcp/v1/servers?first=100"]);
        listed
    };
    let first = listed(1).await;
    let [ListedEntry::Changed { listing, .. }, ListedEntry::Changed { listing: bare, .. }] = first.as_slice() else {
        panic!("two")
    };
    let [Locator::Inline { identity, files, .. }] = listing.locators.as_slice() else { panic!("inline") };
    let text = |name: &str| serde_json::from_str::<Value>(&files[name]).expect("JSON");
    assert_eq!(identity.as_str(), "glama:abc");
    assert_eq!(&text("tools.json")["tools"][0]["name"], &json!("read"));
    assert_eq!(text("listing.json").get("scores"), None);
    assert_eq!(text("listing.json").get("tools"), None);
    assert_eq!(listing.claims.license, Claim::Known("MIT".into()));
    assert_eq!(listing.references, [ListingKey::new("github", "owner/name")]);
    assert_eq!(&bare.claims.license, &Claim::Unknown);
    assert_eq!(&bare.claims.repository, &Claim::Unknown);
    assert!(matches!(bare.locators.as_slice(), [Locator::Inline { files, .. }] if files.len() == 1));
    assert_eq!(listed(2).await, first);
}

#[tokio::test]
async fn only_the_directory_itself_ends_a_walk() {
    for body in [
        json!({"servers": []}),
        json!({"servers": [], "pageInfo": {"endCursor": null}}),
        json!({"servers": [], "pageInfo": {"hasNextPage": true, "endCursor": null}}),
        json!({"servers": [{"slug": "x"}], "pageInfo": {"hasNextPage": false}}),
        json!({"servers": [server("a")], "pageInfo": {"hasNextPage": true, "endCursor": "same"}}),
    ] {
        let server = Server::start(move |_, _| Sent::ok(body.to_string()));
        let error = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect_err("no walk");
        assert!(matches!(error, CrawlError::Malformed { .. }), "{error}");
    }
}

#[test]
fn it_is_not_asked_without_its_key() {
    assert!(META.keys.iter().all(|key| key.is_required && key.variable == "CAPDEX_GLAMA_KEY"));
    assert!(META.terms.contains("attribution"));
}
