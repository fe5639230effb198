//! Walks over documents with lines for entries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use capdex_model::listing::{Claims, Listing};
use capdex_model::time::AsOf;

use super::*;
use crate::http::testing::{Sent, Server, client, request, settings};

/// Lists every line; an empty document is none.
fn lines(document: &SourceDocument) -> Result<Vec<ListedEntry>, String> {
    let text = std::str::from_utf8(&document.bytes).map_err(|error| error.to_string())?;
    if text.is_empty() {
        return Err("nothing in it".to_owned());
    }
    let listed = |line: &str| {
        let key = capdex_model::ids::ListingKey::new(&document.id, format!("{}/{line}", document.name));
        let listing = Listing { key, locators: Vec::new(), claims: Claims::default(), references: Vec::new() };
        let digest = Some(Digest::of(line.as_bytes()));
        ListedEntry::Changed { listing: Box::new(listing), validators: Validators { digest, ..Validators::default() } }
    };
    Ok(text.lines().map(listed).collect())
}

/// Walks until an end or an error: names, and how it ended.
async fn walk(
    of_source: &SourceSettings,
    bases: &[&str],
    kind: WalkScope<'_>,
    night: &str,
    from: &mut Option<WalkCursor>,
) -> (Vec<String>, Result<Option<String>, CrawlError>) {
    let (http, _) = client(settings(bases));
    let (known, mut names) = (BTreeMap::new(), Vec::new());
    loop {
        let as_of = AsOf(night.parse().expect("an instant"));
        let first = request("docs", &http, of_source, &known);
        let step = step(&ListRequest { walk: kind, cursor: from.as_ref(), as_of, ..first }, 1_000, lines).await;
        match step {
            Err(error) => return (names, Err(error)),
            Ok(page) => {
                names.extend(page.listed.iter().map(|listed| match listed {
                    ListedEntry::Changed { listing, .. } => listing.key.name.clone(),
                    ListedEntry::Failed { .. } => "failed".to_owned(),
                    other => panic!("{other:?}"),
                }));
                match page.next {
                    NextPage::More(next) => *from = Some(next),
                    NextPage::Complete { watermark } => return (names, Ok(watermark)),
                }
            }
        }
    }
}

fn watchlist(server: &Server, paths: &[&str]) -> SourceSettings {
    let watchlist = paths.iter().map(|path| format!("{}{path}", server.base_url)).collect();
    SourceSettings { watchlist, ..SourceSettings::default() }
}

const NIGHT: &str = "2026-11-22T00:00:00Z";

#[tokio::test]
async fn between_full_walks_only_documents_that_changed_are_read() {
    let has_changed = Arc::new(AtomicBool::new(false));
    let changed = Arc::clone(&has_changed);
    let server = Server::start(move |asked, _| {
        let is_new = changed.load(Ordering::SeqCst) && asked.path.starts_with("/b/");
        let etag = if is_new { "\"2\"" } else { "\"1\"" };
        if asked.header("if-none-match") == Some(etag) {
            return Sent::answer(304, &[], "");
        }
        Sent::answer(200, &[("etag", etag)], if is_new { "x\ny" } else { "x" })
    });
    let of_source = watchlist(&server, &["/a/list/main/x", "/b/list/main/x"]);
    let bases = [server.base_url.as_str()];
    let (names, ended) = walk(&of_source, &bases, WalkScope::Full, NIGHT, &mut None).await;
    let watermark = ended.expect("complete").expect("a watermark");
    assert_eq!(names, ["a/list/x", "b/list/x"]);
    let (names, ended) = walk(&of_source, &bases, WalkScope::Since(&watermark), NIGHT, &mut None).await;
    assert_eq!(names.len(), 0);
    assert_eq!(ended, Ok(Some(watermark.clone())));
    has_changed.store(true, Ordering::SeqCst);
    let (names, ended) = walk(&of_source, &bases, WalkScope::Since(&watermark), NIGHT, &mut None).await;
    assert_eq!(names, ["b/list/x", "b/list/y"]);
    assert_ne!(ended, Ok(Some(watermark)));
    // A full walk reads everything, because what it does not list is gone.
    let (names, _) = walk(&of_source, &bases, WalkScope::Full, NIGHT, &mut None).await;
    assert_eq!(names.len(), 3);
}

#[tokio::test]
async fn a_document_that_cannot_be_read_stops_no_other_and_the_walk_is_not_complete() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let mended = Arc::clone(&is_mended);
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/a/list/main/x" if !mended.load(Ordering::SeqCst) => Sent::answer(404, &[], ""),
        "/b/list/main/x" if !mended.load(Ordering::SeqCst) => Sent::ok(""),
        _ => Sent::ok("x"),
    });
    let of_source = watchlist(&server, &["/a/list/main/x", "/b/list/main/x", "/c/list/main/x"]);
    let (bases, mut cursor) = ([server.base_url.as_str()], None);
    let (names, ended) = walk(&of_source, &bases, WalkScope::Full, NIGHT, &mut cursor).await;
    assert_eq!(names, ["failed", "failed", "c/list/x"]);
    assert!(matches!(&ended, Err(error) if error.is_transient() && error.to_string().contains("2 of its documents")));
    let (names, _) = walk(&of_source, &bases, WalkScope::Full, NIGHT, &mut cursor).await;
    assert_eq!(names.len(), 0, "the same night asks no more");
    is_mended.store(true, Ordering::SeqCst);
    let (names, ended) = walk(&of_source, &bases, WalkScope::Full, "2026-11-23T00:00:00Z", &mut cursor).await;
    assert_eq!(names.len(), 3, "the next night begins anew");
    assert!(ended.is_ok(), "the next night begins anew");
}

#[tokio::test]
async fn a_host_that_is_not_there_keeps_nobody_waiting() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let mut of_source = watchlist(&server, &["/b/list/main/x"]);
    of_source.watchlist.insert(0, "http://127.0.0.1:1/a/list/main/x".to_owned());
    let bases = ["http://127.0.0.1:1", server.base_url.as_str()];
    let (names, ended) = walk(&of_source, &bases, WalkScope::Full, NIGHT, &mut None).await;
    assert_eq!(names, ["failed", "b/list/x"]);
    assert!(ended.is_err());
}

#[tokio::test]
async fn nothing_to_read_is_the_end_and_a_base_address_is_a_document() {
    let empty = SourceSettings::default();
    assert_eq!(walk(&empty, &[], WalkScope::Full, NIGHT, &mut None).await, (vec![], Ok(None)));
    let server = Server::start(|_, _| Sent::ok("x"));
    let one = SourceSettings { base_url: format!("{}/o/r/tar.gz", server.base_url), ..SourceSettings::default() };
    let (names, _) = walk(&one, &[&server.base_url], WalkScope::Full, NIGHT, &mut None).await;
    assert_eq!(names, ["o/r/x"]);
}

#[test]
fn a_document_has_a_name_of_its_own() {
    let addresses = ["https://raw.test/o/r/main/a.md", "https://raw.test/o/r/main/b.md", "https://x.test/list.md"]
        .map(str::to_owned);
    let names = addresses.iter().map(|address| name_of(address, &addresses));
    assert_eq!(names.collect::<Vec<_>>(), ["o/r/main/a.md", "o/r/main/b.md", "x.test/list.md"]);
    assert_eq!(name_of(&addresses[0], &addresses[..1]), "o/r");
}

#[test]
fn too_many_validators_are_left_out() {
    let mark = Validators { etag: Some("x".repeat(100)), ..Validators::default() };
    let marks: BTreeMap<_, _> = (0..1_000).map(|number| (format!("https://x.test/{number}"), mark.clone())).collect();
    assert_eq!(watermark(&marks), None);
    let began = NIGHT.parse().expect("an instant");
    let cursor = cursor(DocumentsCursorState { next: 1, failed: 0, marks, began, of: String::new() });
    assert!(cursor.0.len() < 200);
}
