//! Who may ask an address on this machine: the source that it was configured for, and nobody else.

use super::super::testing::{Sent, Server, client, settings};
use super::super::{AllowedBaseUrl, HttpRequest, HttpResponse, HttpSettings};
use super::{ask, body};
use crate::CrawlError;

fn is_refused(answer: &Result<HttpResponse, CrawlError>) -> bool {
    matches!(answer, Err(CrawlError::Refused { .. }))
}

#[tokio::test]
async fn the_base_address_of_one_source_serves_no_other() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let allowed_base_urls = vec![AllowedBaseUrl::new("corp", &server.base_url)];
    let (http, _) = client(HttpSettings { allowed_base_urls, ..settings(&[]) });
    for (id, kind) in [("public", "npm"), ("npm", "npm"), ("", ""), ("", "corp")] {
        let http = http.acting_for(id, kind);
        assert!(is_refused(&http.send(ask(&server.base_url)).await), "{id} {kind}");
        assert!(is_refused(&http.visiting("corp", &server.base_url).send(ask(&server.base_url)).await));
    }
    assert_eq!(server.asked().len(), 0);
    // Its own artifacts may lie anywhere on its host.
    body(http.acting_for("corp", "npm").send(ask(&format!("{}/files/a.tgz", server.base_url))).await);
    assert!(is_refused(&http.acting_for("corp", "npm").send(ask("http://127.0.0.1:9/a.tgz")).await));
}

#[tokio::test]
async fn a_name_of_the_operators_leads_to_its_own_origin_and_a_strangers_nowhere() {
    let elsewhere = Server::start(|_, _| Sent::ok("x"));
    let away = elsewhere.base_url.clone();
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/list" => Sent::answer(302, &[("location", "/list/")], ""),
        "/away" => Sent::answer(302, &[("location", &away)], ""),
        _ => Sent::ok("x"),
    });
    let at = |path: &str| format!("{}{path}", server.base_url);
    let own_names = vec![("docs".to_owned(), at("/list")), ("docs".to_owned(), at("/away"))];
    let (http, _) = client(HttpSettings { own_names, ..settings(&[]) });
    let visit = |id: &str, name: String| {
        let http = http.acting_for(id, "docs").visiting(&name, &name);
        async move { http.send(HttpRequest { url: &name, max_bytes: 10, ..HttpRequest::default() }).await }
    };
    assert_eq!(body(visit("docs", at("/list")).await), b"x");
    assert_eq!(server.paths(), ["/list", "/list/"]);
    // Neither another name at that host, nor another source, nor another origin has the right.
    for (id, path) in [("docs", "/list/"), ("docs", "/admin?delete=all"), ("other", "/list"), ("docs", "/away")] {
        assert!(is_refused(&visit(id, at(path)).await), "{id} {path}");
    }
    assert_eq!(server.paths().len(), 3);
    assert_eq!(elsewhere.asked().len(), 0);
}

#[tokio::test]
async fn what_a_stranger_names_is_asked_over_tls_alone() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let allowed_base_urls = vec![AllowedBaseUrl::new("corp", "http://mirror.test/")];
    let own_names = vec![("docs".to_owned(), "http://docs.test:8080/list".to_owned())];
    let (http, _) = client(HttpSettings { allowed_base_urls, own_names, ..settings(&[]) });
    let over = |http: &crate::http::Http, address: &str| {
        http.encrypted(super::super::address::parse(address).expect("an address")).map(String::from)
    };
    let (corp, other) = (http.acting_for("corp", "npm"), http.acting_for("other", "npm"));
    // What the operator wrote stays as it is, for that source alone.
    assert_eq!(over(&corp, "http://mirror.test/a").expect("an address"), "http://mirror.test/a");
    assert_eq!(over(&other, "http://mirror.test/a").expect("an address"), "https://mirror.test/a");
    assert_eq!(over(&corp, "http://mirror.test/a?b=1").expect("an address"), "http://mirror.test/a?b=1");
    assert_eq!(over(&corp, "https://else.test:8443/a").expect("an address"), "https://else.test:8443/a");
    let docs = http.acting_for("docs", "docs");
    let listed = docs.visiting("http://docs.test:8080/list", "http://docs.test:8080/list");
    assert_eq!(over(&listed, "http://docs.test:8080/b").expect("an address"), "http://docs.test:8080/b");
    // A port of its own says nothing about the port of TLS.
    assert!(matches!(over(&docs, "http://docs.test:8080/b"), Err(CrawlError::Refused { .. })));
    assert!(is_refused(&http.send(ask(&server.base_url)).await));
    assert_eq!(server.asked().len(), 0);
}
