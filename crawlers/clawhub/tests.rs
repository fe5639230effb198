//! ClawHub by hand, and with the skills of 2026-01-31 that `openclaw-skills/all-meta` records.

use capdex_model::listing::Claim;
use serde_json::json;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server};
use crate::{ListedEntry, SourceSettings, testing};

/// What the API answers for skills in the order of its list; a cursor is the place of the next one.
fn answer(items: &[Value], asked: &Asked) -> Sent {
    let place = |text: &str| text.split_once("cursor=").and_then(|(_, place)| place.parse::<usize>().ok());
    let begin = place(&asked.path).unwrap_or(0);
    let page: Vec<_> = items.iter().skip(begin).take(200).collect();
    let end = begin + page.len();
    let next = (end < items.len()).then(|| end.to_string());
    Sent::ok(json!({"items": page, "nextCursor": next}).to_string())
}

fn item(slug: &str, version: &str, updated: i64) -> Value {
    json!({"slug": slug, "displayName": slug, "summary": "does things", "topics": ["Productivity"], "tags": {"latest": version},
        "stats": {"downloads": updated}, "createdAt": 1_769_000_000_000_i64, "updatedAt": updated,
        "latestVersion": {"version": version, "createdAt": 1_769_000_000_500_i64}, "metadata": null})
}

async fn walk(server: &Server, kind: WalkScope<'_>) -> Result<(Vec<ListedEntry>, Option<String>), CrawlError> {
    testing::walk(SOURCE, &testing::at(server), kind).await
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("owner/skill-{number:03}"),
        settings: |_, base_url| SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() },
        answer: |world, asked, _| {
            let items = world.entries.iter().map(|(name, revision)| {
                let mut item = item(name.trim_start_matches("owner/"), &format!("{revision}.0.0"), 1_769_000_001_000);
                item["ownerHandle"] = json!("owner");
                item
            });
            answer(&items.collect::<Vec<_>>(), asked)
        },
        entries: 430,
    })
    .await;
}

#[tokio::test]
async fn a_skill_is_located_as_the_archive_of_its_latest_version() {
    let mut owned = item("a b", "1.2.3", 1_769_000_001_000);
    owned["owner"] = json!({"handle": "@zoe"});
    let mut unhosted = item("elsewhere", "1", 1_769_000_001_000);
    unhosted["latestVersion"] = Value::Null;
    let server = Server::start(move |asked, _| answer(&[owned.clone(), unhosted.clone()], asked));
    let (listed, watermark) = walk(&server, WalkScope::Full).await.expect("a walk");
    assert_eq!(server.paths(), ["/api/v1/skills?limit=200&sort=createdAt"]);
    assert_eq!(watermark.as_deref(), Some("2026-01-21T12:53:21Z"));
    let [ListedEntry::Changed { listing, .. }, ListedEntry::Changed { listing: other, .. }] = listed.as_slice() else {
        panic!("two")
    };
    let locator = Locator::HttpFile {
        identity: "clawhub:zoe/a b".into(),
        version: Some("1.2.3".into()),
        url: format!("{}/api/v1/download?slug=a+b&version=1.2.3&ownerHandle=%40zoe", server.base_url),
        filename: "a b.zip".into(),
        integrity: vec![],
    };
    assert_eq!(listing.locators, [locator]);
    assert_eq!(listing.claims.description, Claim::Known("does things".into()));
    assert_eq!(listing.claims.keywords, Claim::Known(vec!["Productivity".into()]));
    assert_eq!(listing.claims.published, Claim::Known("2026-01-21T12:53:20Z".parse().expect("an instant")));
    assert_eq!(other.key.name.as_str(), "elsewhere");
    assert_eq!(other.locators.len(), 0);
}

#[tokio::test]
async fn between_full_walks_only_what_changed_is_read() {
    // One change a minute, newest first.
    let items: Vec<_> =
        (0..900).map(|age| item(&format!("s{age:03}"), "1", 1_769_100_000_000 - age * 60_000)).collect();
    let server = Server::start(move |asked, _| answer(&items, asked));
    let (listed, watermark) = walk(&server, WalkScope::Since("2026-01-22T13:10:00Z")).await.expect("a walk");
    assert_eq!(watermark.as_deref(), Some("2026-01-22T16:40:00Z"));
    // 210 minutes and ten more lie on two pages of 200.
    assert_eq!(listed.len(), 400);
    assert_eq!(
        server.paths(),
        ["/api/v1/skills?limit=200&sort=updated", "/api/v1/skills?limit=200&sort=updated&cursor=200"]
    );
}

#[tokio::test]
async fn a_list_in_another_order_or_shape_is_malformed() {
    let backwards =
        json!({"items": [item("a", "1", 1_769_000_000_000), item("b", "1", 1_769_000_009_000)], "nextCursor": null});
    let since = WalkScope::Since("2026-01-01T00:00:00Z");
    for (body, kind) in [
        (backwards, since),
        (json!({"items": []}), WalkScope::Full),
        (json!({"items": [{"displayName": "x"}], "nextCursor": null}), WalkScope::Full),
        (json!({"nextCursor": null}), WalkScope::Full),
        (json!({"items": [1], "nextCursor": null}), WalkScope::Full),
    ] {
        let server = Server::start(move |_, _| Sent::ok(body.to_string()));
        assert!(matches!(walk(&server, kind).await, Err(CrawlError::Malformed { .. })));
    }
}

#[tokio::test]
async fn a_short_page_is_no_end_and_statistics_are_no_change() {
    let page = |number: usize, cursor: Value| json!({"items": [item("a", "1", 1_769_000_000_000 + number as i64)], "nextCursor": cursor});
    let server = Server::start(move |asked, _| match asked.path.contains("cursor=") {
        false => Sent::ok(json!({"items": [], "nextCursor": "2"}).to_string()),
        true => Sent::ok(page(1, Value::Null).to_string()),
    });
    let (listed, _) = walk(&server, WalkScope::Full).await.expect("a walk");
    let Some(ListedEntry::Changed { validators, .. }) = listed.first() else { panic!("one") };
    let later = Server::start(move |_, _| Sent::ok(page(9_000, Value::Null).to_string()));
    let (again, _) = walk(&later, WalkScope::Full).await.expect("a walk");
    assert!(matches!(again.as_slice(), [ListedEntry::Changed { validators: same, .. }] if same == validators));
}

#[tokio::test]
async fn the_skills_of_2026_01_31_are_all_listed() {
    let Some(skills) = testing::recorded_lines("openclaw-skills/all-meta.jsonl.gz") else { return };
    let items: Vec<Value> = skills.iter().map(|skill| {
        let latest = skill["versions"].as_array().and_then(|versions| versions.last()).cloned().unwrap_or_default();
        json!({"slug": skill["slug"], "ownerHandle": skill["owner"], "displayName": skill["displayName"],
            "updatedAt": latest["publishedAt"], "latestVersion": {"version": latest["version"], "createdAt": latest["publishedAt"]}})
    }).collect();
    assert_eq!(items.len(), 2_291);
    let server = Server::start(move |asked, _| answer(&items, asked));
    let (listed, _) = walk(&server, WalkScope::Full).await.expect("a walk");
    let located =
        listed.iter().filter(|row| matches!(row, ListedEntry::Changed { listing, .. } if listing.locators.len() == 1));
    assert_eq!(located.count(), 2_291);
    assert_eq!(server.asked().len(), 12);
}
