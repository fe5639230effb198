//! Exchanges with the real GitHub, as octokit recorded them, served again on loopback.

use super::*;
use crate::fetch;
use crate::github::interface::Interface;
use crate::http::testing::Sent;
use crate::http::{HttpRequest, is_status};
use crate::unpack::UnpackLimits;
use serde_json::Value;

/// A server that answers as recorded; addresses of GitHub in headers lead to the server itself. None without the data.
fn replay(scenario: &str) -> Option<Server> {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else {
        println!("skipped: no CAPDEX_DATA");
        return None;
    };
    let path =
        std::path::Path::new(&data).join("github-octokit-fixtures").join(scenario).join("normalized-fixture.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let exchanges: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    Some(Server::start(move |asked, _| {
        let is_asked = |exchange: &&Value| {
            exchange["method"] == asked.method.to_ascii_lowercase().as_str() && exchange["path"] == asked.path.as_str()
        };
        let Some(exchange) = exchanges.iter().find(is_asked) else { return Sent::answer(404, &[], "{}") };
        let headers = exchange["headers"].as_object().expect("headers");
        let own = |value: &str| {
            let host = asked.header("host").unwrap_or_default();
            ["https://api.github.com", "https://codeload.github.com"]
                .iter()
                .fold(value.to_owned(), |text, base| text.replace(base, &format!("http://{host}")))
        };
        let kept = ["location", "link", "etag", "last-modified", "x-ratelimit-remaining", "content-type"];
        let kept: Vec<(&str, String)> =
            kept.iter().filter_map(|name| Some((*name, own(headers.get(*name)?.as_str()?)))).collect();
        let kept: Vec<(&str, &str)> = kept.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = match &exchange["response"] {
            // Recorded bytes are written in hex.
            Value::String(hex) => capdex_model::digest::bytes_of_hex(hex).unwrap_or_else(|| hex.clone().into_bytes()),
            value => value.to_string().into_bytes(),
        };
        let status = exchange["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
        Sent::answer(status, &kept, body)
    }))
}

#[tokio::test]
async fn the_recorded_repository_is_read_whole() {
    let Some(server) = replay("get-repository") else { return };
    let name = "octokit-fixture-org/hello-world";
    let rows = walk(&of_source(&server, &[name], &[]), &Known::new()).await.expect("rows");
    let all = listings(&rows);
    let [listing] = all.as_slice() else { panic!("{rows:?}") };
    let (claims, standing) = (&listing.claims, &listing.claims.repository_signals);
    assert_eq!(listing.key, key(name));
    assert_eq!(&claims.license, &Claim::Absent);
    assert_eq!(&claims.description, &Claim::Absent);
    assert_eq!(claims.keywords, Claim::Known(["fixtures", "hello", "hello-world"].map(str::to_owned).to_vec()));
    assert_eq!(claims.maintainers, Claim::Known(vec!["octokit-fixture-org".into()]));
    assert_eq!(&standing.stars, &Claim::Known(42));
    assert_eq!(&standing.forks, &Claim::Known(42));
    assert_eq!(&standing.repository_id, &Claim::Known(1_000));
    assert_eq!(&standing.archived, &Claim::Known(false));
    // No commit of it was recorded.
    assert!(listing.locators.is_empty());
}

#[tokio::test]
async fn the_recorded_rename_is_a_move() {
    let Some(server) = replay("rename-repository") else { return };
    let rows = walk(&of_source(&server, &["octokit-fixture-org/rename-repository"], &[]), &Known::new()).await;
    let rows = rows.expect("rows");
    let [ListedEntry::Moved { to, .. }, ListedEntry::Changed { listing, .. }] = rows.as_slice() else {
        panic!("{rows:?}")
    };
    assert_eq!(to, "octokit-fixture-org/rename-repository-newname");
    assert_eq!(listing.key, key(to));
    let expected = ["/repos/octokit-fixture-org/rename-repository", "/repositories/1000"];
    assert_eq!(server.paths()[..2], expected);
}

#[tokio::test]
async fn the_recorded_archive_is_fetched_over_its_redirect() {
    let Some(server) = replay("get-archive") else { return };
    let (http, _) = client(settings(&[&server.base_url]));
    let locator = Locator::GitArchive {
        repository: "github:octokit-fixture-org/get-archive".into(),
        commit: "main".into(),
        url: format!("{}/repos/octokit-fixture-org/get-archive/tarball/main", server.base_url),
    };
    let fetched = fetch::fetch(&http, &locator, &UnpackLimits::default()).await;
    assert_eq!(server.asked().len(), 2, "{:?}", server.paths());
    let fetched = fetched.expect("an archive");
    assert!(fetched.files.contains_key("README.md"), "{:?}", fetched.files.keys());
}

#[tokio::test]
async fn the_recorded_pages_lead_to_their_end() {
    let Some(server) = replay("paginate-issues") else { return };
    let (http, _) = client(settings(&[&server.base_url]));
    let mut next = Some(format!("{}/repos/octokit-fixture-org/paginate-issues/issues?per_page=3", server.base_url));
    let mut pages = Vec::new();
    let github = Interface::new(&http, &server.base_url);
    while let Some(url) = next {
        let page = github.page::<Value>(github.calls()._get(url.as_str())).await.expect("a page").document;
        let issues: Vec<_> = page.items.iter().filter_map(|issue| issue["number"].as_u64()).collect();
        pages.push((issues.len(), page.number_of_pages()));
        next = page.next.map(|next| next.to_string());
    }
    let full = (3, Some(5));
    assert_eq!(pages, [full, full, full, full, (1, None)]);
}

#[tokio::test]
async fn the_recorded_refusal_is_final() {
    let Some(server) = replay("errors") else { return };
    let (http, _) = client(settings(&[&server.base_url]));
    let url = format!("{}/repos/octokit-fixture-org/errors/labels", server.base_url);
    let body = br#"{"name":"foo","color":"invalid"}"#;
    let error =
        http.send(HttpRequest { url: &url, body: Some(body), max_bytes: 1 << 20, ..HttpRequest::default() }).await;
    let error = error.expect_err("it was refused");
    assert!(is_status(&error, 422), "{error}");
    assert!(!error.is_transient(), "{error}");
    assert_eq!(server.asked().len(), 1);
}
