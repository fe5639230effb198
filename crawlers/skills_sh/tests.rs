//! skills.sh by hand, and with the skills of 2026-03-02 that `skills-sh/top-owners` records.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server};
use crate::{ListedEntry, SourceSettings, WalkScope, testing};

/// A search that finds what is asked for anywhere in an id, and gives as many as are asked for.
fn answer(skills: &[Value], asked: &Asked) -> Sent {
    let url = url::Url::parse("http://a.test").and_then(|base| base.join(&asked.path)).expect("a path");
    let param = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let (q, limit) = (param("q").expect("q"), param("limit").and_then(|limit| limit.parse().ok()).expect("a limit"));
    let has = |id: &str| id.as_bytes().windows(q.len()).any(|part| part.eq_ignore_ascii_case(q.as_bytes()));
    let found = skills.iter().filter(|skill| skill["id"].as_str().is_some_and(has));
    Sent::ok(json!({"query": q, "skills": found.take(limit).collect::<Vec<_>>()}).to_string())
}

fn skill(id: &str, installs: u64) -> Value {
    let (source, skill_id) = id.rsplit_once('/').expect("a source and a skill");
    json!({"id": id, "skillId": skill_id, "name": skill_id, "installs": installs, "source": source})
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("owner/repo/{}-skill-{number}", ["aa", "bb", "cc"][number % 3]),
        settings: |_, base_url| SourceSettings {
            base_url: base_url.to_owned(),
            queries: vec!["aa".into(), "bb".into(), "cc".into()],
            ..SourceSettings::default()
        },
        answer: |world, asked, _| {
            let named = |(id, revision): (&String, &u32)| {
                let mut skill = skill(id, 1);
                skill["name"] = json!(format!("revision {revision}"));
                skill
            };
            answer(&world.entries.iter().map(named).collect::<Vec<_>>(), asked)
        },
        entries: 20,
    })
    .await;
}

#[tokio::test]
async fn a_skill_is_found_once_and_located_with_its_repository() {
    let skills =
        vec![skill("Owner/Repo/Find-Skills", 7), skill("o/r/x", 1), skill("owner/r/b c", 1), skill("broken/re", 1)];
    let server = Server::start(move |asked, _| answer(&skills, asked));
    let mut of_source = testing::at(&server);
    of_source.queries = vec!["br".into(), "fi".into(), "ow".into(), "re".into()];
    let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
    let search = |q: &str| format!("/api/search?q={q}&limit=100000");
    assert_eq!(server.paths(), [search("br"), search("fi"), search("ow"), search("re")]);
    let [
        ListedEntry::Changed { listing, .. },
        ListedEntry::Changed { listing: other, .. },
        ListedEntry::Failed { key, .. },
    ] = listed.as_slice()
    else {
        panic!("{listed:?}")
    };
    let locator = Locator::FileList {
        identity: "skills-sh:Owner/Repo/Find-Skills".into(),
        version: None,
        url: format!("{}/api/download/Owner/Repo/Find-Skills", server.base_url),
    };
    assert_eq!(listing.locators.as_slice(), [locator].as_slice());
    assert_eq!(listing.references.as_slice(), [ListingKey::new("github", "owner/repo")].as_slice());
    assert_eq!(other.key.name, "owner/r/b c");
    assert_eq!(key.name, "broken/re");
}

#[tokio::test]
async fn installs_are_no_change() {
    let (one, other) = (skill("o/r/find", 1), skill("o/r/find", 1_000));
    let digest = |skill: &Value| {
        read(skill.as_object().expect("an object"), &ListingKey::new("s", "o/r/find"), "http://a.test").expect("read").1
    };
    assert_eq!(digest(&one), digest(&other));
}

#[tokio::test]
async fn a_cut_answer_is_asked_again_with_more_letters() {
    const SMALL: &dyn Source = &SkillsSh { limit: 3 };
    let skills: Vec<_> =
        ["fi", "fi.x", "fia", "fiab", "fib", "find"].map(|name| skill(&format!("o/r/{name}"), 1)).into();
    let server = Server::start(move |asked, _| answer(&skills, asked));
    let mut of_source = testing::at(&server);
    of_source.queries = vec!["fi".into()];
    let (listed, _) = testing::walk(SMALL, &of_source, WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 6);
    assert_eq!(server.asked().len(), 1 + 37);
    let many: Vec<_> = (0..3).map(|number| skill(&format!("o/r/fiii-{number}"), 1)).collect();
    let server = Server::start(move |asked, _| answer(&many, asked));
    of_source.base_url = server.base_url.clone();
    let error = testing::walk(SMALL, &of_source, WalkScope::Full).await.expect_err("too many");
    assert!(matches!(error, CrawlError::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn the_skills_of_2026_03_02_are_all_found() {
    let Some(rows) = testing::recorded_lines("skills-sh/top-owners-2026-03-02.jsonl.gz") else { return };
    let id = |row: &Value| {
        format!("{}/{}", row["source"].as_str().unwrap_or_default(), row["skillId"].as_str().unwrap_or_default())
    };
    let ids: BTreeSet<_> = rows.iter().map(id).collect();
    // Ids by every pair of letters in them: the search of 1,296 pairs through all of them would take long.
    let mut by_pair = BTreeMap::<Vec<u8>, BTreeSet<String>>::new();
    for id in &ids {
        let text = skill(id, 1).to_string();
        for pair in id.to_ascii_lowercase().as_bytes().windows(2) {
            by_pair.entry(pair.to_vec()).or_default().insert(text.clone());
        }
    }
    let server = Server::start(move |asked, _| {
        let pair = asked.path.strip_prefix("/api/search?q=").and_then(|rest| rest.get(..2)).expect("a pair");
        let found: Vec<_> = by_pair.get(pair.as_bytes()).into_iter().flatten().map(String::as_str).collect();
        Sent::ok(format!("{{\"skills\":[{}]}}", found.join(",")))
    });
    let (listed, _) = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect("a walk");
    let found = listed.iter().filter(|row| matches!(row, ListedEntry::Changed { .. })).count();
    assert_eq!(ids.len(), 7_046);
    assert_eq!(listed.len(), 7_046);
    assert_eq!(found, 7_046);
    assert_eq!(server.asked().len(), 1_296);
}
