//! The registry itself, by a client that is as simple as it is.

use std::io::{Read, Write};

use capdex_model::digest::Digest;
use serde_json::Value;

use super::*;

/// Sends one request on a connection of its own; gives the head and the body.
fn get(registry: &Registry, path: &str, headers: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(registry.address).expect("connects");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", registry.address).expect("sends");
    stream.shutdown(std::net::Shutdown::Write).expect("ends the requests");
    let mut bytes = Vec::new();
    // A connection that is cut is an answer too.
    let _ = stream.read_to_end(&mut bytes);
    let split = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(bytes.len());
    let body = bytes.get(split + 4..).unwrap_or_default().to_vec();
    (String::from_utf8_lossy(&bytes[..split]).into_owned(), body)
}

fn json(registry: &Registry, path: &str) -> Value {
    serde_json::from_slice(&get(registry, path, "").1).expect("is JSON")
}

const FILES: &[(&str, &[u8])] = &[("package.json", br#"{"description":"d","license":"MIT"}"#), ("SKILL.md", b"S")];

#[test]
fn npm_packages_are_served_with_digests_that_fit() {
    let registry = Registry::start();
    registry.npm_package("@s/p", "1.0.0", FILES).npm_package("@s/p", "1.1.0", FILES);
    let packument = json(&registry, "/@s%2fp");
    assert_eq!(packument["dist-tags"]["latest"], "1.1.0");
    assert_eq!(packument["license"], "MIT");
    assert_eq!(packument["time"]["1.1.0"], "2026-01-02T00:00:00.000Z");
    let dist = &packument["versions"]["1.1.0"]["dist"];
    let path = Registry::npm_tarball_path("@s/p", "1.1.0");
    assert_eq!(dist["tarball"], format!("{}{path}", registry.url()));
    let (_, tarball) = get(&registry, &path, "");
    assert_eq!(dist["integrity"], digests::sha512_integrity(&tarball));
    let paths: Vec<String> = registry.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/@s%2fp", path.as_str()]);
    assert_eq!(registry.tarball_requests().len(), 1);
    registry.clear_requests();
    assert!(registry.requests().is_empty());
}

#[test]
fn python_projects_are_served_in_all_three_forms() {
    let registry = Registry::start();
    registry.pypi_package("My_Tool", "1.0", FILES).pypi_wheel("My_Tool", "1.0", FILES);
    let project = json(&registry, "/pypi/my-tool/json");
    assert_eq!(project["urls"].as_array().map(Vec::len), Some(2));
    let filename = project["urls"][0]["filename"].as_str().expect("a name");
    let (_, bytes) = get(&registry, &format!("/packages/{filename}"), "");
    assert_eq!(project["urls"][0]["digests"]["sha256"], Digest::of(&bytes).hex());
    let (head, body) = get(&registry, "/simple/my-tool/", "Accept: application/vnd.pypi.simple.v1+json\r\n");
    assert!(head.contains("application/vnd.pypi.simple.v1+json"));
    let simple: Value = serde_json::from_slice(&body).expect("is JSON");
    assert_eq!(simple["files"][1]["filename"], "My_Tool-1.0-py3-none-any.whl");
    let (_, html) = get(&registry, "/simple/my-tool/", "");
    assert!(String::from_utf8_lossy(&html).contains(&format!("#sha256={}", Digest::of(&bytes).hex())));
    registry.html_only();
    assert!(get(&registry, "/pypi/my-tool/json", "").0.contains("404"));
    let (head, _) = get(&registry, "/simple/my-tool/", "Accept: application/vnd.pypi.simple.v1+json\r\n");
    assert!(head.contains("text/html"));
}

#[test]
fn an_unchanged_answer_is_confirmed_unless_it_acts_as_a_proxy() {
    let registry = Registry::start();
    registry.npm_package("p", "1.0.0", FILES);
    let (head, _) = get(&registry, "/p", "");
    let tag = head.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("has a tag").to_owned();
    let condition = format!("If-None-Match: {tag}\r\n");
    let (head, body) = get(&registry, "/p", &condition);
    assert!(head.contains("304"));
    assert!(body.is_empty());
    registry.npm_package("p", "1.0.1", FILES);
    assert!(get(&registry, "/p", &condition).0.contains("200"));
    registry.without_validators();
    assert!(!get(&registry, "/p", "").0.contains("ETag"));
}

#[test]
fn faults_go_as_they_came() {
    let registry = Registry::start();
    registry.npm_package("p", "1.0.0", FILES);
    let whole = get(&registry, "/p", "").1;
    let with = |fault| {
        registry.fault("/p", fault);
        get(&registry, "/p", "")
    };
    assert!(with(Fault::NotFound).0.contains("404"));
    assert!(with(Fault::ServerError).0.contains("500"));
    assert!(with(Fault::TooManyRequests(7)).0.contains("Retry-After: 7"));
    assert!(serde_json::from_slice::<Value>(&with(Fault::Garbage).1).is_err());
    assert_eq!(with(Fault::Empty).1, b"");
    let (head, body) = with(Fault::Truncated);
    assert!(head.contains(&format!("Content-Length: {}", whole.len())));
    assert!(body.len() < whole.len());
    assert_eq!(with(Fault::Closed), (String::new(), Vec::new()));
    assert_eq!(with(Fault::WrongDigest).1.len(), whole.len());
    assert_ne!(with(Fault::WrongDigest).1, whole);
    registry.fault_times("/p", Fault::ServerError, 1);
    assert!(get(&registry, "/p", "").0.contains("500"));
    assert_eq!(get(&registry, "/p", "").1, whole);
    registry.fault("/p", Fault::NotFound).mend("/p");
    assert_eq!(get(&registry, "/p", "").1, whole);
    registry.remove("p");
    assert!(get(&registry, "/p", "").0.contains("404"));
}

#[test]
fn dropping_ends_silent_and_endless_answers() {
    let registry = Registry::start();
    registry.npm_package("p", "1.0.0", FILES).fault("/p", Fault::Silent).fault("/q", Fault::Endless);
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(registry.address).expect("connects");
        write!(stream, "GET {path} HTTP/1.1\r\n\r\n").expect("sends");
        stream
    };
    let (mut silent, mut endless) = (ask("/p"), ask("/q"));
    let mut start = [0; 64 << 10];
    endless.read_exact(&mut start).expect("there is always more");
    while registry.requests().len() < 2 {
        std::thread::yield_now();
    }
    drop(registry);
    let mut rest = Vec::new();
    let _ = silent.read_to_end(&mut rest);
    assert_eq!(rest, b"");
    let _ = endless.read_to_end(&mut rest);
}

#[test]
fn one_connection_carries_several_requests() {
    let registry = Registry::start();
    registry.npm_package("p", "1.0.0", FILES);
    let mut stream = TcpStream::connect(registry.address).expect("connects");
    write!(stream, "GET /p HTTP/1.1\r\n\r\nHEAD /none?x=1 HTTP/1.1\r\nX-A: b\r\n\r\n").expect("sends");
    stream.shutdown(std::net::Shutdown::Write).expect("ends the requests");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("is text");
    assert_eq!(text.matches("HTTP/1.1 ").count(), 2);
    let requests = registry.requests();
    let last = requests.last().expect("two came");
    assert_eq!(last.method.as_str(), "HEAD");
    assert_eq!(last.query.as_str(), "x=1");
    assert_eq!(last.header("x-a"), Some("b"));
}
