//! OAuth metadata that offers what attackers ask for.
//!
//! Reads the documents of RFC 8414 and RFC 9728 where a bundle ships them.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::manifest::{is_foreign, place_of, read_json5};
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;

/// Larger files are no metadata.
const MAX_BYTES: usize = 256 * 1024;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| may_be_metadata(document)) {
        let Ok(value) = read_json5(&document.text) else { continue };
        for (pointer, words) in weaknesses(&value) {
            facts.found(place_of(document, pointer), &words);
        }
    }
}

fn may_be_metadata(document: &Document) -> bool {
    let small = document.text.len() <= MAX_BYTES;
    let named = document.language == Language::Json || document.path.contains(".well-known/oauth");
    let says = |key: &str| document.text.contains(key);
    // By words of the text first: parsing every JSON file of a bundle would cost far more.
    let endpoints = || says("_endpoint\"") && (says("\"authorization_endpoint\"") || says("\"token_endpoint\""));
    let here = || !matches!(document.role, FileRole::Test | FileRole::Lock) && !is_foreign(&document.path);
    small && named && (endpoints() || says("\"authorization_servers\"")) && here()
}

fn weaknesses(metadata: &Value) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let texts = |key: &str| -> Vec<&str> {
        metadata.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let text = |key: &str| metadata.get(key).and_then(Value::as_str);
    if texts("response_types_supported").iter().any(|of| of.split(' ').any(|part| part == "token")) {
        found.push(("/response_types_supported", "offers the implicit flow".to_owned()));
    }
    let challenges = texts("code_challenge_methods_supported");
    // An empty list says nothing of challenges, and one safe method is enough for a client to choose it.
    if !challenges.is_empty() && challenges.iter().all(|method| *method == "plain") {
        found.push(("/code_challenge_methods_supported", "offers plain code challenges only".to_owned()));
    }
    let servers = texts("authorization_servers").into_iter().map(|url| ("/authorization_servers", url));
    let endpoints = [
        ("/issuer", "issuer"),
        ("/authorization_endpoint", "authorization_endpoint"),
        ("/token_endpoint", "token_endpoint"),
    ];
    let endpoints = endpoints.into_iter().filter_map(|(pointer, key)| Some((pointer, text(key)?)));
    for (pointer, url) in servers.chain(endpoints) {
        // Examples run on the machine itself, where nobody listens on the way.
        if url.starts_with("http://") && !is_local(host_of(url)) {
            found.push((pointer, format!("without encryption: {url}")));
        }
    }
    let hosts =
        [text("authorization_endpoint"), text("token_endpoint")].map(|url| url.map(|url| site_of(host_of(url))));
    if let [Some(asks), Some(gives)] = hosts
        // Tokens from another site than the one that the user saw are how logins are phished.
        && asks != gives
    {
        found.push(("/token_endpoint", format!("authorization at {asks}, tokens at {gives}")));
    }
    found
}

/// The host of an address, without user and port.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[") || host.ends_with(".local") || host.ends_with(".test")
}
