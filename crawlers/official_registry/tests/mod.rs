//! The registries: what every source must do, the requests that are sent, and recorded rows from a fake of the official
//! one.

mod recorded;
mod rows;

use std::collections::BTreeMap;

use capdex_model::listing::{Claim, Validators};
use serde_json::{Value, json};

use super::fake::{Fake, synthetic};
use super::*;
use crate::conformance::{self, Origin, World};
use crate::http::testing::{Sent, Server};
use crate::{ListedEntry, SourceSettings, testing};

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

fn serve(fake: Fake) -> Server {
    Server::start(move |asked, _| {
        let (status, body) = fake.answer(&asked.path);
        Sent::answer(status, &[], body)
    })
}

async fn walk(
    source: &dyn Source,
    server: &Server,
    kind: WalkScope<'_>,
) -> Result<(Vec<ListedEntry>, Option<String>), CrawlError> {
    testing::walk(source, &testing::at(server), kind).await
}

fn row(name: &str, version: &str, status: &str, updated: &str) -> Value {
    json!({
        "server": {"name": name, "version": version, "description": "a server"},
        "_meta": {OFFICIAL: {"status": status, "isLatest": true, "publishedAt": updated, "updatedAt": updated}},
    })
}

fn world_answer(world: &World, asked: &crate::http::testing::Asked, _: &str) -> Sent {
    let rows = world.entries.iter().map(|(key, revision)| {
        let (name, version) = key.split_once('@').expect("a name and a version");
        let mut row = row(name, version, "active", "2026-01-01T00:00:00Z");
        row["server"]["description"] = format!("revision {revision}").into();
        row
    });
    let (status, body) = Fake::of(rows).answer(&asked.path);
    Sent::answer(status, &[], body)
}

const ORIGIN: Origin = Origin {
    source: SOURCE,
    name: |number| format!("io.test/server-{number:03}@1.0.0"),
    settings: |_, base_url| SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() },
    answer: world_answer,
    entries: 230,
};

#[tokio::test]
async fn each_registry_does_what_every_source_must() {
    conformance::check(ORIGIN).await;
    for source in [PULSEMCP, GITHUB, OTHERS] {
        conformance::check(Origin { source, entries: 105, ..ORIGIN }).await;
    }
}

#[tokio::test]
async fn a_full_walk_asks_for_deleted_rows_and_an_incremental_one_from_before_its_watermark() {
    let rows =
        (0..100).map(|number| row(&format!("io.test/x{number:02}"), "1.0.0", "active", "2026-03-01T00:00:00.5Z"));
    let server = serve(Fake::of(rows.chain([row("io.test/y", "1.0.0", "deleted", "2026-03-02T00:00:00Z")])));
    let (listed, watermark) = walk(SOURCE, &server, WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 101);
    assert_eq!(watermark.as_deref(), Some("2026-03-02T00:00:00Z"));
    assert_eq!(
        listed.last(),
        Some(&ListedEntry::TakenDown {
            key: capdex_model::ids::ListingKey::new("official-registry", "io.test/y@1.0.0"),
            detail: "the registry gives its status as deleted".into(),
        })
    );
    let (listed, watermark) = walk(SOURCE, &server, WalkScope::Since("2026-03-02T00:00:00Z")).await.expect("a walk");
    assert_eq!(listed.len(), 1);
    assert_eq!(watermark.as_deref(), Some("2026-03-02T00:00:00Z"));
    assert_eq!(
        server.paths(),
        [
            "/v0.1/servers?limit=100&include_deleted=true",
            "/v0.1/servers?limit=100&cursor=io.test%2Fx99%3A1.0.0&include_deleted=true",
            "/v0.1/servers?limit=100&updated_since=2026-03-01T23%3A50%3A00Z",
        ]
    );
}

#[tokio::test]
async fn the_watermark_never_passes_the_beginning_of_the_walk_and_never_goes_back() {
    let server = serve(Fake::of([row("io.test/x", "1", "active", "2027-01-01T00:00:00Z")]));
    let (_, watermark) = walk(SOURCE, &server, WalkScope::Full).await.expect("a walk");
    assert_eq!(watermark.as_deref(), Some("2026-11-22T00:00:00Z"));
    let empty = serve(Fake::of([]));
    let (_, watermark) = walk(SOURCE, &empty, WalkScope::Since("2026-05-05T00:00:00Z")).await.expect("a walk");
    assert_eq!(watermark.as_deref(), Some("2026-05-05T00:00:00Z"));
    assert_eq!(walk(SOURCE, &empty, WalkScope::Full).await.expect("a walk").1, None);
}

#[tokio::test]
async fn other_registries_are_asked_for_less() {
    let server = serve(Fake::of([row("io.test/x", "1", "active", "2026-03-01T00:00:00Z")]));
    for source in [GITHUB, PULSEMCP, OTHERS] {
        walk(source, &server, WalkScope::Full).await.expect("a walk");
    }
    assert_eq!(server.paths(), ["/v0/servers?limit=100", "/v0.1/servers?limit=100", "/v0.1/servers?limit=100"]);
}

async fn refusal(source: &dyn Source, body: Value) -> CrawlError {
    let server = Server::start(move |_, _| Sent::ok(body.to_string()));
    walk(source, &server, WalkScope::Full).await.expect_err("no page")
}

#[tokio::test]
async fn a_page_of_another_shape_is_malformed_and_never_empty() {
    let good = row("io.test/x", "1", "active", "2026-03-01T00:00:00Z");
    let nameless = json!({"server": {"version": "1"}, "_meta": good["_meta"]});
    let unmarked = json!({"server": good["server"], "_meta": {}});
    for body in [
        json!({"servers": []}),
        json!({"metadata": {"count": 0}}),
        json!({"servers": {}, "metadata": {}}),
        json!({"servers": ["x"], "metadata": {}}),
        json!({"servers": [good], "metadata": {"count": 2}}),
        json!({"servers": [nameless], "metadata": {}}),
        json!({"servers": [unmarked], "metadata": {}}),
        json!({"servers": [{"server": 1}], "metadata": {}}),
        json!({"servers": vec![&good; 100], "metadata": {"count": 100}}),
        json!({"servers": [good], "metadata": {"nextCursor": 7}}),
    ] {
        let error = refusal(SOURCE, body.clone()).await;
        assert!(matches!(error, CrawlError::Malformed { .. }), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_always_leads_on_to_the_same_page_is_found_out() {
    let error = refusal(OTHERS, json!({"servers": [], "metadata": {"nextCursor": "string"}})).await;
    assert!(error.to_string().contains("leads to itself"), "{error}");
}

#[tokio::test]
async fn an_api_that_was_switched_off_is_denied_and_nothing_is_gone() {
    for status in [404, 410] {
        let server = Server::start(move |_, _| Sent::answer(status, &[], "{\"code\":\"API_SUNSET\"}"));
        let error = walk(PULSEMCP, &server, WalkScope::Full).await.expect_err("no list");
        assert!(matches!(&error, CrawlError::Denied { detail, .. } if detail.contains("switched off")), "{error}");
    }
}

#[tokio::test]
async fn an_empty_list_may_be_null_and_one_row_may_come_twice() {
    let row = row("io.test/x", "1", "active", "2026-03-01T00:00:00Z");
    for (body, count) in [
        (json!({"servers": null, "metadata": {"count": 0}}), 0),
        (json!({"servers": [row, row], "metadata": {"nextCursor": ""}}), 1),
    ] {
        let server = Server::start(move |_, _| Sent::ok(body.to_string()));
        assert_eq!(walk(OTHERS, &server, WalkScope::Full).await.expect("a walk").0.len(), count);
    }
}

#[test]
fn the_fake_keeps_to_the_rules_of_the_api() {
    let fake = Fake::of(synthetic(7));
    let count = |path: &str| -> (u16, usize) {
        let (status, body) = fake.answer(path);
        let body: Value = serde_json::from_str(&body).expect("JSON");
        (status, body["servers"].as_array().map_or(0, Vec::len))
    };
    assert_eq!(count("/v0.1/servers"), (200, 7));
    assert_eq!(count("/v0.1/servers?version=latest"), (200, 3));
    assert_eq!(count("/v0.1/servers?updated_since=2026-10-09T00:00:00.123456Z"), (200, 0));
    assert_eq!(count("/v0.1/servers?updated_since=2026-10-09T00:00:00.123455Z"), (200, 5));
    assert_eq!(count("/v0.1/servers?updated_since=2026-10-01T00:00:00Z&include_deleted=false").0, 400);
    assert_eq!(count("/v0.1/servers?updated_since=yesterday").0, 400);
    assert_eq!(count("/v0.1/servers?limit=0").0, 422);
    assert_eq!(count("/v0.1/servers?limit=101").0, 422);
    assert_eq!(count("/v0/servers/x").0, 404);
    let (_, body) = fake.answer("/v0.1/servers?limit=7");
    let cursor = serde_json::from_str::<Value>(&body).expect("JSON")["metadata"]["nextCursor"].clone();
    let cursor = cursor.as_str().expect("a full page has a cursor").to_owned();
    assert_eq!(count(&format!("/v0.1/servers?limit=7&cursor={cursor}")), (200, 0));
}

#[tokio::test]
async fn many_rows_take_as_many_requests_as_pages() {
    let server = serve(Fake::of(synthetic(13_990)));
    let (listed, watermark) = walk(SOURCE, &server, WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 13_990);
    assert_eq!(server.asked().len(), 140);
    assert_eq!(watermark.as_deref(), Some("2026-10-09T00:00:00Z"));
}
