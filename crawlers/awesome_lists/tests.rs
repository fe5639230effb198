//! Lists by hand, and the three that `awesome-lists` records (2025-06-01, 2026-03-01, 2026-07-13).

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Sent, Server};
use crate::{SourceSettings, WalkScope, testing};

const LIST: &str = "\
# Awesome things

[![Badge](https://badge.test/x.svg)](https://badge.test)

- [Contents](#contents)

## Servers `new`

- **[One](https://www.github.com/Owner/One/)** - does *one* thing, see [docs](https://docs.test)
- [![logo](https://img.test/x.png) Two](https://two.test/mcp?x=1#y): the `second`
  goes on
- [Here](docs/here.md) and [there](https://there.test)
- plain text
- [Group](https://group.test)
  - [Inner](https://gitlab.com/a/inner) – inside
- [One again](https://github.com/Owner/One)
";

#[test]
fn items_are_read_with_link_text_and_heading() {
    let items = items::of(LIST);
    let found: Vec<_> =
        items.iter().map(|item| (item.title.as_str(), item.place(), item.description.as_str())).collect();
    assert_eq!(
        found,
        [
            ("One", "github.com/Owner/One".to_owned(), "does one thing, see docs"),
            ("Two", "two.test/mcp?x=1".to_owned(), "the second goes on"),
            ("Inner", "gitlab.com/a/inner".to_owned(), "inside"),
            ("Group", "group.test".to_owned(), ""),
            ("One again", "github.com/Owner/One".to_owned(), ""),
        ]
    );
    assert!(items.iter().all(|item| item.heading.as_deref() == Some("Servers new")));
}

fn document(text: &str) -> SourceDocument {
    SourceDocument {
        id: "awesome-lists".into(),
        name: "o/r".into(),
        url: "https://x.test/o/r/x".into(),
        bytes: text.into(),
        forges: Vec::new(),
    }
}

#[test]
fn an_item_is_a_listing_that_refers_to_its_repository() {
    let listed = read(&document(LIST)).expect("a list");
    let [ListedEntry::Changed { listing, .. }, ListedEntry::Changed { listing: two, .. }, ..] = listed.as_slice()
    else {
        panic!("two")
    };
    assert_eq!(listed.len(), 4, "a link that comes twice is listed once");
    assert_eq!(listing.key.name, "o/r/github.com/Owner/One");
    assert_eq!(listing.references, [ListingKey::new("github", "owner/one")]);
    assert_eq!(listing.claims.description, Claim::Known("does one thing, see docs".into()));
    assert_eq!(listing.claims.keywords, Claim::Known(vec!["Servers new".into()]));
    assert_eq!(two.references.len(), 0);
    assert_eq!(&two.claims.repository, &Claim::Unknown);
}

#[test]
fn a_page_that_is_no_list_and_a_link_that_is_no_name_are_found_out() {
    for text in ["", "<html>Just a moment...</html>", "- [a](#a)\n", "# Title\n\ntext [x](https://x.test)\n"] {
        assert!(read(&document(text)).is_err(), "{text}");
    }
    let long = format!("- [x](https://x.test/{})\n", "x".repeat(300));
    assert!(matches!(read(&document(&long)).expect("a list").as_slice(), [ListedEntry::Failed { .. }]));
}

/// Listings and references of a recorded list.
fn recorded(file: &str) -> Option<(usize, usize, BTreeMap<String, Validators>)> {
    let listed = read(&document(&testing::recorded(&format!("awesome-lists/{file}.md"))?)).expect("a list");
    let listings: Vec<_> = listed
        .into_iter()
        .map(|listed| match listed {
            ListedEntry::Changed { listing, validators } => (listing, validators),
            other => panic!("{other:?}"),
        })
        .collect();
    let referring = listings.iter().filter(|(listing, _)| !listing.references.is_empty()).count();
    let count = listings.len();
    Some((count, referring, listings.into_iter().map(|(listing, known)| (listing.key.name, known)).collect()))
}

#[test]
fn recorded_lists_are_read_and_compared() {
    let Some((count, referring, _)) = recorded("voltagent-skills-2026-03-01") else { return };
    assert_eq!(count, 416);
    assert_eq!(referring, 413);
    let (Some((_, _, before)), Some((count, referring, now))) =
        (recorded("wong2-2025-06-01"), recorded("wong2-2026-07-13"))
    else {
        return;
    };
    let new = now.keys().filter(|key| !before.contains_key(*key)).count();
    let gone = before.keys().filter(|key| !now.contains_key(*key)).count();
    let changed = before.iter().filter(|(key, known)| now.get(*key).is_some_and(|now| now != *known)).count();
    // Two lines of the same links differ, in white space alone.
    assert_eq!(before.len(), 345);
    assert_eq!(count, 532);
    assert_eq!(referring, 499);
    assert_eq!(new, 198);
    assert_eq!(changed, 0);
    assert_eq!(gone, 11);
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("owner/list-{}/github.com/o/repo-{number:03}", number % 3),
        settings: |_, base_url| {
            let watchlist = (0..3).map(|list| format!("{base_url}/owner/list-{list}/main/README.md")).collect();
            SourceSettings { watchlist, ..SourceSettings::default() }
        },
        answer: |world, asked, _| {
            let list = asked.path.trim_start_matches('/').trim_end_matches("main/README.md");
            let items = world.entries.iter().filter_map(|(name, revision)| {
                Some(format!("- [x](https://{}) - revision {revision}\n", name.strip_prefix(list)?))
            });
            Sent::ok(items.collect::<String>())
        },
        entries: 30,
    })
    .await;
}

#[tokio::test]
async fn each_document_is_asked_for_once() {
    let server = Server::start(|_, _| Sent::ok(LIST));
    let watchlist = vec![format!("{}/o/r/main/README.md", server.base_url)];
    let of_source = SourceSettings { watchlist, ..SourceSettings::default() };
    let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 4);
    assert_eq!(server.paths(), vec!["/o/r/main/README.md".to_owned()]);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "[-*#!\\[\\]()<>`: a-z/.\\n]{0,200}") {
        let _ = read(&document(&text));
    }
}
