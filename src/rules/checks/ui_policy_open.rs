//! ui-policy-open: a server's user interface may load from or talk to any host.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::kept_texts::{directive, kept_texts};
use super::tool_texts::{place_of, quoted};

/// Entries of a policy that let every host in.
const ANY: [&str; 10] =
    ["*", "*:*", "http:", "https:", "ws:", "wss:", "http://*", "https://*", "https://*:*", "wss://*"];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (surface, text, pointer) in kept_texts(subject) {
        let entry = text.raw().trim().trim_end_matches('/').to_ascii_lowercase();
        if ANY.contains(&entry.as_str())
            && let Some(directive) = directive(&pointer)
        {
            facts.found(place_of(surface, text), &quoted(surface, &format!("{directive} {entry}")));
        }
    }
}
