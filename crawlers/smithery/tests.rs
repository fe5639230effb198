//! Smithery by hand: no data of its own is at hand.

use serde_json::json;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server};
use crate::{ListedEntry, SourceSettings, WalkScope, testing};

fn answer(servers: &[Value], asked: &Asked) -> Sent {
    let page = asked.path.strip_prefix("/servers?page=").and_then(|rest| rest.strip_suffix("&pageSize=100"));
    let page: usize = page.and_then(|page| page.parse().ok()).expect("a page");
    let rows: Vec<_> = servers.iter().skip((page - 1) * 100).take(100).collect();
    let pages = servers.len().div_ceil(100);
    Sent::ok(
        json!({"servers": rows, "pagination": {"currentPage": page, "pageSize": 100, "totalPages": pages,
        "totalCount": servers.len()}})
        .to_string(),
    )
}

fn server(name: &str, uses: u64) -> Value {
    json!({"id": "1", "qualifiedName": name, "displayName": name, "description": "does things", "iconUrl": null,
        "homepage": "https://github.com/Owner/Name", "verified": false, "useCount": uses, "isDeployed": true,
        "remote": true, "createdAt": "2026-01-01T00:00:00.000Z"})
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("@owner/server-{number:03}"),
        settings: |_, base_url| SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() },
        answer: |world, asked, _| {
            let servers = world.entries.iter().map(|(name, revision)| {
                let mut server = server(name, 1);
                server["description"] = json!(format!("revision {revision}"));
                server
            });
            answer(&servers.collect::<Vec<_>>(), asked)
        },
        entries: 230,
    })
    .await;
}

#[tokio::test]
async fn an_entry_carries_its_text_and_its_uses_are_no_change() {
    let listed = |uses: u64| async move {
        let server = Server::start(move |asked, _| answer(&[server("@o/s", uses)], asked));
        let (mut listed, _) = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect("a walk");
        assert_eq!(server.paths(), ["/servers?page=1&pageSize=100"]);
        let Some(ListedEntry::Changed { listing, validators }) = listed.pop() else { panic!("one") };
        (listing, validators)
    };
    let (listing, validators) = listed(1).await;
    let [Locator::Inline { identity, version: None, files }] = listing.locators.as_slice() else { panic!("inline") };
    let text: Value = serde_json::from_str(&files["listing.json"]).expect("JSON");
    assert_eq!(identity.as_str(), "smithery:@o/s");
    assert_eq!(&text["remote"], &json!(true));
    assert_eq!(text.get("useCount"), None);
    assert_eq!(listing.references, [ListingKey::new("github", "owner/name")]);
    assert_eq!(listing.claims.created, Claim::Known("2026-01-01T00:00:00Z".parse().expect("an instant")));
    assert_eq!(listing.claims.repository, Claim::Unknown);
    let (again, still) = listed(1_000).await;
    assert_eq!(listing.claims.popularity, Some(1));
    assert_eq!(again.claims.popularity, Some(1_000));
    assert_eq!(still, validators);
    assert_eq!(serde_json::to_value(&again).expect("text"), serde_json::to_value(&listing).expect("text"));
}

#[tokio::test]
async fn a_list_that_stops_early_or_has_another_shape_is_no_end() {
    let pagination = |page: u64, pages: u64| json!({"currentPage": page, "totalPages": pages});
    let fails = |body: Value| async move {
        let server = Server::start(move |_, _| Sent::ok(body.to_string()));
        testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect_err("no walk")
    };
    let stopped = fails(json!({"servers": [], "pagination": pagination(1, 192)})).await;
    assert!(
        matches!(&stopped, CrawlError::Denied { detail, .. } if detail.contains("CAPDEX_SMITHERY_KEY")),
        "{stopped}"
    );
    for body in [
        json!({"servers": []}),
        json!({"pagination": pagination(1, 1)}),
        json!({"servers": [server("a", 1)], "pagination": pagination(2, 3)}),
        json!({"servers": [{"displayName": "x"}], "pagination": pagination(1, 1)}),
    ] {
        let error = fails(body).await;
        assert!(matches!(error, CrawlError::Malformed { .. }), "{error}");
    }
}
