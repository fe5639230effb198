//! Walks over a site with sitemaps, by the source `mcp-so`.

use std::collections::BTreeMap;

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::mcp_so::SOURCE;
use crate::{SourceSettings, WalkCursor, WalkScope, testing};

/// Two sitemaps of servers, one of something else, and a page for each server; names are `author/name`.
fn answer(world: &conformance::World, asked: &Asked, base: &str) -> Sent {
    let index =
        ["projects_0", "posts", "projects_1"].map(|name| format!("<sitemap><loc>{base}/{name}.xml</loc></sitemap>"));
    let page = |key: &str, revision: &u32| {
        let (author, name) = key.split_once('/').expect("an author and a name");
        format!("<url><loc>{base}/server/{name}/{author}</loc><lastmod>2026-01-{revision:02}</lastmod></url>")
    };
    let part = |number: usize| {
        let own = world.entries.iter().enumerate().filter(|(place, _)| place % 2 == number);
        let pages: String = own.map(|(_, (key, revision))| page(key, revision)).collect();
        Sent::ok(format!("<?xml version=\"1.0\"?><urlset><url><loc>{base}/about</loc></url>{pages}</urlset>"))
    };
    match asked.path.as_str() {
        "/robots.txt" => Sent::ok("User-agent: *\nDisallow: /private"),
        "/sitemap.xml" => Sent::ok(format!("<sitemapindex>{}</sitemapindex>", index.join(""))),
        "/projects_0.xml" => part(0),
        "/projects_1.xml" => part(1),
        path => {
            let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
            let ["server", name, author] = parts.as_slice() else { return Sent::answer(404, &[], "") };
            match world.entries.get(&format!("{author}/{name}")) {
                Some(revision) => Sent::ok(format!(
                    "<a href=https://github.com/chatmcp/mcpso></a>{name} by {author} https://github.com/{author}/v{revision}"
                )),
                None => Sent::answer(404, &[], ""),
            }
        }
    }
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("author-{number}/server-{number:03}"),
        settings: |_, base_url| SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() },
        answer,
        entries: 50,
    })
    .await;
}

fn world(count: usize) -> conformance::World {
    let entries = (0..count).map(|number| (format!("author-{number}/server-{number:04}"), 1)).collect();
    conformance::World { entries, ..conformance::World::default() }
}

fn serve(world: conformance::World) -> Server {
    let base = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&base);
    let server = Server::start(move |asked, _| answer(&world, asked, own.get().map_or("", String::as_str)));
    base.set(server.base_url.clone()).expect("set once");
    server
}

#[tokio::test]
async fn all_pages_are_asked_for_and_later_only_those_that_changed() {
    let server = serve(world(900));
    let (listed, _) = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect("a walk");
    let pages = server.paths().iter().filter(|path| path.starts_with("/server/")).count();
    let sitemaps = server.paths().iter().filter(|path| path.ends_with(".xml")).count();
    assert_eq!(listed.len(), 900);
    assert_eq!(pages, 900);
    assert!(sitemaps <= 9, "a sitemap is asked for once for every few hundred pages: {sitemaps}");
    assert!(!server.paths().contains(&"/posts.xml".to_owned()));
    let known: BTreeMap<_, _> = listed
        .into_iter()
        .map(|listed| match listed {
            ListedEntry::Changed { listing, validators } => (listing.key, validators),
            other => panic!("{other:?}"),
        })
        .collect();
    let mut later = world(900);
    later.entries.insert("author-7/server-0007".to_owned(), 2);
    let server = serve(later);
    let (http, _) = client(settings(&[&server.base_url]));
    let of_source = testing::at(&server);
    let (mut changed, mut unchanged, mut cursor) = (0, 0, None::<WalkCursor>);
    loop {
        let first = request("mcp-so", &http, &of_source, &known);
        let page = SOURCE.list(ListRequest { cursor: cursor.as_ref(), ..first }).await.expect("a page");
        changed += page.listed.iter().filter(|listed| matches!(listed, ListedEntry::Changed { .. })).count();
        unchanged += page.listed.iter().filter(|listed| matches!(listed, ListedEntry::Unchanged(_))).count();
        match page.next {
            NextPage::More(next) => cursor = Some(next),
            NextPage::Complete { .. } => break,
        }
    }
    assert_eq!(changed, 1);
    assert_eq!(unchanged, 899);
    assert_eq!(server.paths().iter().filter(|path| path.starts_with("/server/")).count(), 1);
}

/// A site with one sitemap and these rules.
async fn with_rules(rules: &'static str, status: u16) -> (Result<Vec<ListedEntry>, CrawlError>, Vec<String>) {
    let world = world(3);
    let base = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&base);
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/robots.txt" => Sent::answer(status, &[], rules),
        _ => answer(&world, asked, own.get().map_or("", String::as_str)),
    });
    base.set(server.base_url.clone()).expect("set once");
    let walked = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await;
    (walked.map(|(listed, _)| listed), server.paths())
}

#[tokio::test]
async fn what_robots_txt_forbids_is_not_asked_for() {
    let (listed, paths) = with_rules("User-agent: *\nDisallow: /server/server-0001\nCrawl-delay: 0.01\n", 200).await;
    let listed = listed.expect("a walk");
    let refused: Vec<_> = listed
        .iter()
        .filter(|listed| matches!(listed, ListedEntry::Failed { gap, .. } if gap.reason == GapReason::Denied))
        .collect();
    assert_eq!(listed.len(), 3);
    assert_eq!(refused.len(), 1);
    assert!(!paths.iter().any(|path| path.contains("server-0001")));
    for (rules, status) in
        [("User-agent: capdex\nDisallow: /", 200), ("User-agent: *\nCrawl-delay: 3600", 200), ("", 503), ("", 403)]
    {
        let (listed, paths) = with_rules(rules, status).await;
        assert!(listed.is_err(), "{rules} {status}: {paths:?}");
        assert!(paths.iter().all(|path| path == "/robots.txt"), "{rules} {status}: {paths:?}");
    }
    assert_eq!(with_rules("", 404).await.0.expect("a walk").len(), 3);
}

#[test]
fn sitemaps_are_read_with_their_spellings_and_refused_when_cut() {
    let read = |text: &str| xml::read(text.as_bytes(), "https://x.test");
    let place =
        |path: &str, changed: Option<&str>| SitemapEntry { path: path.into(), changed: changed.map(str::to_owned) };
    let pages = "<urlset xmlns=\"x\"><url>\n<loc> https://x.test/a?b=1&amp;c </loc><lastmod>2026-01-01</lastmod>\
        <image:image><image:loc>https://x.test/i.png</image:loc></image:image></url>\
        <url><loc><![CDATA[https://x.test/c]]></loc></url><url><loc>https://other.test/</loc></url><url><loc>no</loc></url></urlset>";
    let expected = vec![place("/a?b=1&c", Some("2026-01-01")), place("/c", None)];
    assert_eq!(read(pages), Ok(Sitemap::Pages(expected.clone())));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, pages.as_bytes()).expect("in memory");
    assert_eq!(xml::read(&gzip.finish().expect("in memory"), "https://x.test"), Ok(Sitemap::Pages(expected)));
    let index = "<sitemapindex><sitemap><loc>https://x.test/1.xml</loc></sitemap></sitemapindex>";
    assert_eq!(read(index), Ok(Sitemap::Index(vec![place("/1.xml", None)])));
    let many = "<url><loc>https://x.test/</loc></url>".repeat(50_001);
    for text in ["", "<html></html>", &pages[..pages.len() - 9], "{}", "<urlset>", &format!("<urlset>{many}</urlset>")]
    {
        assert!(read(text).is_err());
    }
}

/// The paths that a sitemap with these texts as addresses leads to.
fn paths_of(head: &str, addresses: &[&str]) -> Result<Vec<String>, String> {
    let entries: String = addresses.iter().map(|text| format!("<url><loc>{text}</loc></url>")).collect();
    match xml::read(format!("{head}<urlset>{entries}</urlset>").as_bytes(), "https://x.test")? {
        Sitemap::Pages(places) => Ok(places.into_iter().map(|place| place.path).collect()),
        Sitemap::Index(_) => Err("an index".to_owned()),
    }
}

#[test]
fn cdata_and_references_are_text_of_an_address() {
    let read = paths_of(
        "\u{feff}<?xml version=\"1.0\"?>",
        &[
            "https://x.test/<![CDATA[a?b=1&amp;c]]>",
            "<![CDATA[https://x.test/]]>a<![CDATA[?b=<1>]]><!-- not -->",
            "https://x.test/&#97;&#x62;?a=1&amp;b=2&c=3&",
            "https://x.test/&lt;&gt;&apos;&quot;",
        ],
    );
    let paths = ["/a?b=1&amp;c", "/a?b=%3C1%3E", "/ab?a=1&b=2&c=3&", "/%3C%3E'%22"].map(str::to_owned).to_vec();
    assert_eq!(read, Ok(paths));
}

#[test]
fn no_entity_but_those_of_xml_itself_is_expanded() {
    let head = "<!DOCTYPE urlset [<!ENTITY a \"xxxxxxxxxx\"><!ENTITY b \"&a;&a;&a;&a;\">\
        <!ENTITY file SYSTEM \"file:///etc/hostname\">]>";
    let read = paths_of(head, &["https://x.test/&b;", "https://x.test/&file;", "https://x.test/&eacute;&#0;&#xd800;"]);
    let paths = ["/&b;", "/&file;", "/&eacute;&"].map(str::to_owned).to_vec();
    assert_eq!(read, Ok(paths), "the `#` of a reference that is none begins a fragment");
}

#[test]
fn elements_are_balanced_and_nested_to_a_bound() {
    let nested = |depth: usize| paths_of("", &[&format!("{}{}", "<x>".repeat(depth), "</x>".repeat(depth))]);
    // The root, the entry and the address are three.
    assert_eq!(nested(28), Ok(vec![]));
    assert_eq!(nested(29), Ok(vec![]));
    assert_eq!(nested(30), Err("elements more than 32 deep".to_owned()));
    for text in ["<urlset><url></urlset></url>", "</urlset>", "<urlset></urlset x>", "<html><urlset></urlset></html>"] {
        assert!(xml::read(text.as_bytes(), "https://x.test").is_err(), "{text}");
    }
    assert_eq!(xml::read(b"<urlset/>", "https://x.test"), Ok(Sitemap::Pages(vec![])));
}

#[tokio::test]
async fn sitemaps_that_lead_in_circles_end() {
    let base = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&base);
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/robots.txt" => Sent::answer(404, &[], ""),
        _ => {
            let own = own.get().map_or("", String::as_str);
            let entry = format!("<sitemap><loc>{own}/projects.xml</loc></sitemap>");
            Sent::ok(format!("<sitemapindex>{}</sitemapindex>", entry.repeat(2)))
        }
    });
    base.set(server.base_url.clone()).expect("set once");
    let error = testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.expect_err("no end");
    assert!(error.to_string().contains("more than 300 sitemaps"), "{error}");
}

#[tokio::test]
async fn addresses_that_no_cursor_holds_are_an_error_and_one_entry_twice_is_one() {
    let walked = |index: bool| async move {
        let base = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
        let own = std::sync::Arc::clone(&base);
        let server = Server::start(move |asked, _| {
            let own = own.get().map_or("", String::as_str);
            let long = |n| format!("<sitemap><loc>{own}/projects{n}{}</loc></sitemap>", "x".repeat(1_000));
            match asked.path.as_str() {
                "/robots.txt" => Sent::answer(404, &[], ""),
                "/sitemap.xml" if index => {
                    Sent::ok(format!("<sitemapindex>{}</sitemapindex>", (0..100).map(long).collect::<String>()))
                }
                path if path.starts_with("/server/") => Sent::ok("a by b"),
                _ => {
                    let page = |query| format!("<url><loc>{own}/server/a/b{query}</loc></url>");
                    Sent::ok(format!("<urlset>{}{}</urlset>", page(""), page("#x")))
                }
            }
        });
        base.set(server.base_url.clone()).expect("set once");
        testing::walk(SOURCE, &testing::at(&server), WalkScope::Full).await.map(|(listed, _)| listed.len())
    };
    assert!(matches!(walked(true).await, Err(CrawlError::Malformed { .. })));
    assert_eq!(walked(false).await, Ok(1));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(<(urlset|url|loc|/loc|/url|/urlset|lastmod|!\\[CDATA\\[)>|https://x.test/|[a-z&;<]){0,20}") {
        let _ = xml::read(text.as_bytes(), "https://x.test");
        let _ = item::read(&ListingKey::new("s", "a/b"), &text, &[]);
    }
}
