//! SkillsMP by hand, and with the skills of 2025-12-28 that `skillsmp/2025-12-28-85e7405-categories` records.

use serde_json::json;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server};
use crate::{ListedEntry, SourceSettings, WalkScope, testing};

/// A search that finds what is asked for in an id.
fn answer(skills: &[Value], asked: &Asked) -> Sent {
    let url = url::Url::parse("http://a.test").and_then(|base| base.join(&asked.path)).expect("a path");
    let param = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let (q, page) =
        (param("q").expect("q"), param("page").and_then(|page| page.parse::<usize>().ok()).expect("a page"));
    let found: Vec<_> = skills.iter().filter(|skill| skill["id"].as_str().is_some_and(|id| id.contains(&q))).collect();
    let rows: Vec<_> = found.iter().skip((page - 1) * 100).take(100).collect();
    let pagination = json!({"page": page, "limit": 100, "total": found.len(), "hasNext": page * 100 < found.len()});
    Sent::ok(json!({"success": true, "data": {"skills": rows, "pagination": pagination}}).to_string())
}

fn skill(id: &str, stars: u64) -> Value {
    json!({"id": id, "name": id, "author": "owner", "description": "does things", "stars": stars, "updatedAt": stars,
        "githubUrl": "https://github.com/Owner/Name/tree/main/skills/x", "skillUrl": "https://skillsmp.test/x"})
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("{}-skill-{number:03}", ["one", "two"][number % 2]),
        settings: |_, base_url| SourceSettings {
            base_url: base_url.to_owned(),
            queries: vec!["one".into(), "two".into()],
            ..SourceSettings::default()
        },
        answer: |world, asked, _| {
            let skills = world.entries.iter().map(|(name, revision)| {
                let mut skill = skill(name, 1);
                skill["description"] = json!(format!("revision {revision}"));
                skill
            });
            answer(&skills.collect::<Vec<_>>(), asked)
        },
        entries: 230,
    })
    .await;
}

#[tokio::test]
async fn each_query_is_asked_to_its_end_and_stars_are_no_change() {
    let listed = |stars: u64| async move {
        let server = Server::start(move |asked, _| answer(&[skill("a+b", stars), skill("c", stars)], asked));
        let of_source = SourceSettings { queries: vec!["a+b".into(), "c".into()], ..testing::at(&server) };
        let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
        let path = |q: &str| format!("/api/v1/skills/search?q={q}&page=1&limit=100&sortBy=recent");
        assert_eq!(server.paths(), [path("a%2Bb"), path("c")]);
        listed
    };
    let first = listed(1).await;
    let [ListedEntry::Changed { listing, .. }, _] = first.as_slice() else { panic!("two") };
    assert_eq!(listing.references, [ListingKey::new("github", "owner/name")]);
    assert_eq!(listing.locators.len(), 0);
    assert_eq!(&listing.claims.repository_signals.stars, &Claim::Unknown);
    assert_eq!(listed(133).await, first);
}

#[tokio::test]
async fn without_queries_nothing_is_asked() {
    let server = Server::start(|_, _| Sent::ok("{}"));
    let (listed, _) = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 0);
    assert_eq!(server.asked().len(), 0);
}

#[tokio::test]
async fn another_shape_is_malformed() {
    let data = |skills: Value, pagination: Value| json!({"success": true, "data": {"skills": skills, "pagination": pagination}});
    for body in [
        json!({"success": false, "data": {"skills": [], "pagination": {"page": 1, "hasNext": false}}}),
        data(json!([]), json!({"page": 1})),
        data(json!([]), json!({"page": 2, "hasNext": false})),
        data(json!([]), json!({"page": 1, "hasNext": true})),
        data(json!([{"name": "x"}]), json!({"page": 1, "hasNext": false})),
    ] {
        let server = Server::start(move |_, _| Sent::ok(body.to_string()));
        let of_source = SourceSettings { queries: vec!["a".into()], ..testing::at(&server) };
        let error = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect_err("no walk");
        assert!(matches!(error, CrawlError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn the_skills_of_2025_12_28_lead_to_their_repositories() {
    let Some(rows) = testing::recorded_lines("skillsmp/2025-12-28-85e7405-categories.jsonl.gz") else { return };
    let skills: Vec<_> = rows.iter().enumerate().map(|(number, row)| {
        let url = format!("https://github.com/{}/tree/main/{}", row["repo"].as_str().unwrap_or_default(), row["path"].as_str().unwrap_or_default());
        json!({"id": format!("skill-{number}"), "name": row["name"], "description": row["description"], "githubUrl": url})
    }).collect();
    assert_eq!(skills.len(), 21_632);
    let server = Server::start(move |asked, _| {
        let page = asked.path.split_once("page=").and_then(|(_, rest)| rest.split('&').next()?.parse::<usize>().ok());
        let page = page.expect("a page");
        let pagination = json!({"page": page, "limit": 100, "hasNext": page * 100 < skills.len()});
        let rows: Vec<_> = skills.iter().skip((page - 1) * 100).take(100).collect();
        Sent::ok(json!({"success": true, "data": {"skills": rows, "pagination": pagination}}).to_string())
    });
    let of_source = SourceSettings { queries: vec!["skill".into()], ..testing::at(&server) };
    let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
    let referring = listed
        .iter()
        .filter(|row| matches!(row, ListedEntry::Changed { listing, .. } if listing.references.len() == 1));
    assert_eq!(listed.len(), 21_632);
    assert_eq!(referring.count(), 21_632);
    assert_eq!(server.asked().len(), 217);
}
