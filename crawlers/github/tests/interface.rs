//! What octocrab's interface carries, and what not: each limit that `github/interface.rs` works around has its test here.

use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use serde_json::{Value, json};

use super::*;
use crate::github::interface::Interface;
use crate::github::sender::{GithubDraft, GithubSender};
use crate::http::Http;
use crate::http::testing::Sent;

/// octocrab over our client as its documentation wires it: its own calls send, and read the answer by themselves.
fn straight(http: &Http, base_url: &str) -> Octocrab {
    let base = BaseUriLayer::new(base_url.parse().expect("an address"));
    let builder = OctocrabBuilder::new_empty().with_service(GithubSender { http: http.clone() }).with_layer(&base);
    let Ok(octocrab) = builder.with_auth(AuthState::None).build();
    octocrab
}

fn validators(etag: &str) -> Validators {
    Validators { etag: Some(etag.to_owned()), ..Validators::default() }
}

#[tokio::test]
async fn octocrab_s_own_calls_carry_no_validators_and_read_whole_documents_only() {
    let server = serve(&GitHub::with([Repo::new(12, "octo/weather")]));
    let (http, _) = client(settings(&[&server.base_url]));
    let octocrab = straight(&http, &server.base_url);
    // A forge with GitHub's interface need not say where a repository's own document is. octocrab insists on it.
    let error = octocrab.repos("octo", "weather").get().await.expect_err("a member is missing");
    assert!(matches!(&error, octocrab::Error::Json { source, .. } if source.to_string().contains("missing field `")));
    // One such entry spoils its whole page.
    let error = octocrab.all_repositories().since(1u64).send().await.expect_err("a member is missing");
    assert!(matches!(&error, octocrab::Error::Serde { source, .. } if source.to_string().contains("missing field `")));
    assert!(server.asked().iter().all(|asked| asked.header("if-none-match").is_none()));

    let github = Interface::new(&http, &server.base_url);
    let call = || github.calls().repos("octo", "weather");
    let told = github.document(call().get(), None).await.expect("an answer").expect("a document");
    assert_eq!(Repository::read(&told.document).expect("a repository").id, 12);
    let again = github.document(call().get(), Some(&told.validators)).await.expect("an answer");
    assert!(again.is_none(), "it was asked for with its validators");
    assert!(server.asked().last().is_some_and(|asked| asked.header("if-none-match").is_some()));
}

#[tokio::test]
async fn some_addresses_of_octocrab_s_are_not_those_that_are_asked() {
    let server = Server::start(|_, _| Sent::ok("{}"));
    let (http, _) = client(settings(&[&server.base_url]));
    let octocrab = straight(&http, &server.base_url);
    // Each ends with an error, because the answer is empty; the address is what counts.
    let search =
        octocrab.search().repositories("x").sort("stars").order("desc").per_page(100u8).page(1u32).send().await;
    let branch = octocrab.commits("octo", "weather").get("feature/x").await;
    let below = straight(&http, &format!("{}/repo", server.base_url)).repos("octo", "weather").get().await;
    assert!(search.is_err());
    assert!(branch.is_err());
    assert!(below.is_err());
    let expected = [
        "/search/repositories?q=x&per_page=100&page=1&sort=stars&order=desc",
        "/repos/octo/weather/commits/feature/x",
        "/repos/octo/weather",
    ];
    assert_eq!(server.paths(), expected);
}

#[tokio::test]
async fn requests_are_those_that_the_client_always_sent() {
    let server = serve(&GitHub::with([Repo::new(12, "octo/weather")]));
    let (http, _) = client(settings(&[&server.base_url]));
    walk(&of_source(&server, &["octo/weather"], &[]), &Known::new()).await.expect("rows");
    let github = Interface::new(&http, &server.base_url);
    let known = validators("\"never\"");
    github.document(github.calls().repos("octo", "weather").get(), Some(&known)).await.expect("an answer");
    let expected = [
        ("/repos/octo/weather", &["accept", "host", "user-agent"][..]),
        ("/repos/octo/weather/commits/main", &["accept", "host", "user-agent"]),
        ("/repos/octo/weather", &["accept", "host", "if-none-match", "user-agent"]),
    ];
    assert_eq!(server.asked().len(), expected.len());
    // octocrab's own headers, such as the version of the interface, are in no recorded crawl.
    for (asked, (path, headers)) in server.asked().iter().zip(expected) {
        let mut names: Vec<&str> = asked.headers.keys().map(String::as_str).collect();
        names.retain(|name| *name != "accept-encoding");
        assert_eq!(asked.method.as_str(), "GET");
        assert_eq!(asked.path.as_str(), path);
        assert_eq!(names.as_slice(), headers);
    }
}

#[tokio::test]
async fn a_base_address_with_a_path_and_a_branch_with_a_slash_are_kept() {
    let server = Server::start(|_, _| Sent::ok("{}"));
    let (http, _) = client(settings(&[&server.base_url]));
    let github = Interface::new(&http, &format!("{}/api/v3/", server.base_url));
    let list = github.calls().orgs("octo");
    github.document(list.list_repos().per_page(9u8).send(), None).await.expect("an answer");
    let branch = github.below(["repos", "octo", "weather", "commits", "feature/a b"]).expect("an address");
    github.document(github.calls()._get(branch.as_str()), None).await.expect("an answer");
    let expected = ["/api/v3/orgs/octo/repos?per_page=9", "/api/v3/repos/octo/weather/commits/feature%2Fa%20b"];
    assert_eq!(server.paths(), expected);
}

#[tokio::test]
async fn the_client_s_own_errors_come_through_octocrab() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/repos/octo/gone" => Sent::answer(404, &[], json!({"message": "Not Found"}).to_string()),
        "/repos/octo/large" => Sent::raw(200, &[("content-length", "9000000")], b"{"),
        "/repos/octo/late" => Sent::answer(429, &[("retry-after", "86400")], "{}"),
        "/repos/octo/unasked" => Sent::answer(304, &[], ""),
        _ => Sent::ok("{"),
    });
    let (http, _) = client(settings(&[&server.base_url]));
    let github = Interface::new(&http, &server.base_url);
    let error = async |name: &str| {
        let call = github.calls().repos("octo", name);
        github.document(call.get(), None).await.err().expect("an error")
    };
    assert!(matches!(error("gone").await, CrawlError::Gone { .. }));
    assert!(matches!(error("large").await, CrawlError::TooLarge { .. }));
    assert!(matches!(error("unasked").await, CrawlError::Malformed { .. }));
    let broken = error("broken").await;
    assert_eq!(broken.subject(), format!("{}/repos/octo/broken", server.base_url));
    let page = github.page::<Value>(github.calls().all_repositories().send()).await.err().expect("an error");
    assert!(matches!(page, CrawlError::Malformed { .. }), "{page}");
    assert!(page.to_string().contains("EOF"), "{page}");
    assert!(matches!(error("late").await, CrawlError::RetryAt { wait_s: 86_400.., .. }));
}

#[tokio::test]
async fn octocrab_never_holds_a_credential() {
    let server = serve(&GitHub::with([Repo::new(12, "octo/weather")]));
    let mut settings = settings(&[&server.base_url]);
    let token = Secret::new("Bearer a-secret".to_owned());
    settings.credentials = vec![Credential::authorization(server.base_url.clone(), token)];
    let (http, _) = client(settings);
    let github = Interface::new(&http, &server.base_url);
    let drafted = github.calls().repos("octo", "weather").get().await;
    let Err(octocrab::Error::Service { source, .. }) = drafted else { panic!("a draft") };
    let GithubDraft(parts) = *source.downcast::<GithubDraft>().expect("a draft");
    assert!(server.asked().is_empty(), "{parts:?}");
    assert!(!format!("{parts:?}").contains("a-secret"), "{parts:?}");
    github.document(github.calls().repos("octo", "weather").get(), None).await.expect("an answer");
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer a-secret"));
}
