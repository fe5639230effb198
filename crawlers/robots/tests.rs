//! robots.txt: the standard's own examples, what sites write, and any text at all.

use proptest::prelude::*;

use super::*;
use crate::http::testing::{Sent, Server, client, settings};

fn robots(text: &str) -> Robots {
    Robots::read(text.as_bytes())
}

#[test]
fn the_longest_rule_decides_and_allow_among_equals() {
    let rules = robots(
        "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /x\nAllow: /x\n",
    );
    assert!(rules.allows("/example/page/allowed.gif"));
    assert!(rules.allows("/elsewhere"));
    assert!(rules.allows("/x/y"));
    assert!(!rules.allows("/example/page/disallowed.gif"));
    let closed = robots("user-agent: *\ndisallow: /\n");
    assert!(!closed.allows("/"));
    assert!(!closed.allows("/a"));
    assert!(closed.allows("/robots.txt"));
    assert!(robots("user-agent: *\ndisallow:\n").allows("/a"));
}

#[test]
fn stars_and_ends_are_patterns() {
    for (pattern, fitting, other) in [
        ("/a", vec!["/a", "/ab", "/a/b"], vec!["/", "/b"]),
        ("/a/*/c", vec!["/a/b/c", "/a/b/b/cd"], vec!["/a/c", "/a/b/d"]),
        ("/*.php$", vec!["/x.php", "/x.php.php"], vec!["/x.php5", "/x.php?a"]),
        ("/a$", vec!["/a"], vec!["/ab"]),
        ("/a*b$", vec!["/ab", "/axb", "/abb"], vec!["/a", "/abc"]),
        ("*/private", vec!["/private", "/x/private/y"], vec!["/privat"]),
        ("/%7Ejoe/%c3%a9", vec!["/~joe/%C3%A9", "/~joe/é"], vec!["/~joe/e"]),
        ("/a%2Fb", vec!["/a%2fb"], vec!["/a/b"]),
    ] {
        let rules = robots(&format!("User-agent: *\nDisallow: {pattern}"));
        assert!(fitting.iter().all(|path| !rules.allows(path)), "{pattern}");
        assert!(other.iter().all(|path| rules.allows(path)), "{pattern}");
    }
}

#[test]
fn our_own_groups_are_joined_and_come_before_those_for_all() {
    let text = "\u{feff}User-agent: *\nDisallow: /\nCrawl-delay: 9\n\nUser-agent: other\nUser-Agent: Capdex/2.0 # us\n\
                Disallow: /a\nCrawl-delay: 1.5\n\nuser-agent: CAPDEX\ndisallow: /b\nSitemap: https://x.test/s.xml\nnonsense\n";
    let rules = robots(text);
    assert!(rules.allows("/c"));
    assert!(!rules.allows("/a"));
    assert!(!rules.allows("/b"));
    assert_eq!(rules.delay(), Some(Duration::from_millis(1_500)));
    let ours_is_empty = robots("User-agent: capdex\n\nUser-agent: x\nUser-agent: *\nDisallow: /\n");
    assert!(!ours_is_empty.allows("/a"), "names without rules between them are one group");
    assert!(robots("User-agent: capdexbot\nDisallow: /").allows("/a"));
    assert!(
        robots("Disallow: /\nUser-agent: x\nDisallow: /").allows("/a"),
        "rules outside of any group of ours are none"
    );
    assert_eq!(robots("User-agent: *\nCrawl-delay: soon\nCrawl-delay: -1\n").delay(), None);
}

#[tokio::test]
async fn a_site_without_rules_allows_and_one_that_cannot_say_does_not() {
    let ask = |status: u16| async move {
        let server = Server::start(move |_, _| Sent::answer(status, &[], "User-agent: *\nDisallow: /a"));
        let (http, _) = client(settings(&[&server.base_url]));
        let asked = Robots::fetch(&http, &format!("{}/sub", server.base_url)).await;
        assert!(server.paths().iter().all(|path| path == "/robots.txt"));
        asked.map(|rules| rules.allows("/a"))
    };
    assert_eq!(ask(200).await, Ok(false));
    assert_eq!(ask(404).await, Ok(true));
    assert_eq!(ask(410).await, Ok(true));
    assert!(ask(503).await.is_err_and(|error| error.is_transient()));
    assert!(matches!(ask(403).await, Err(CrawlError::Denied { .. })));
}

/// The same question answered the plain way, by trying every place.
fn fits_plainly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((b'$', [])) => path.is_empty(),
        Some((b'*', rest)) => (0..=path.len()).any(|place| fits_plainly(rest, &path[place..])),
        Some((byte, rest)) => path.first() == Some(byte) && fits_plainly(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn patterns_fit_as_their_definition_says(pattern in "[ab*/]{0,8}\\$?", path in "[ab/]{0,10}") {
        prop_assert_eq!(fits(pattern.as_bytes(), path.as_bytes()), fits_plainly(pattern.as_bytes(), path.as_bytes()));
    }

    #[test]
    fn any_file_is_read_without_panic(text in "\\PC{0,80}", lines in prop::collection::vec("(user-agent|allow|disallow|crawl-delay): ?[*a-z/$%0-9.]{0,10}", 0..12)) {
        let rules = robots(&format!("{}\n{text}", lines.join("\n")));
        let _ = (rules.allows(&text), rules.delay());
    }

    #[test]
    fn an_escaped_path_is_the_path(path in "/[a-z0-9~._-]{0,12}") {
        let escaped: String = path.bytes().map(|byte| if byte == b'/' { "/".into() } else { format!("%{byte:02x}") }).collect();
        prop_assert_eq!(normal(&escaped), normal(&path));
    }
}
