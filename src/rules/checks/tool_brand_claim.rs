//! tool-brand-claim: text claims to be a publisher's official tool, and the package is not that publisher's.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;
use capdex_evidence::words;

use super::tool_texts::{place_of, prose, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let owner = owner_text(subject);
    // Where nobody says who owns it, a claim can neither be right nor wrong.
    if owner.is_empty() {
        return;
    }
    for surface in surfaces(subject) {
        for text in prose(surface).filter(|text| text.text.lower().contains("official")) {
            for sentence in text.text.sentences() {
                if claimed_publisher(&sentence).is_some_and(|publisher| !owner.contains(publisher)) {
                    facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
                    break;
                }
            }
        }
    }
}

/// Publishers by the word that their own package scopes, organisations and domains hold.
const PUBLISHERS: [&str; 24] = [
    "stripe",
    "github",
    "gitlab",
    "slack",
    "notion",
    "atlassian",
    "linear",
    "figma",
    "cloudflare",
    "vercel",
    "supabase",
    "sentry",
    "paypal",
    "shopify",
    "hubspot",
    "salesforce",
    "microsoft",
    "google",
    "anthropic",
    "openai",
    "mongodb",
    "datadog",
    "twilio",
    "asana",
];

const OFFICIAL: Phrase =
    Phrase::of(&[&["official"], &["server", "tool", "integration", "connector", "mcp", "plugin", "client"]], 4);

/// The publisher whose official server a sentence claims to be.
fn claimed_publisher(sentence: &Sentence<'_>) -> Option<&'static str> {
    let (first, last) = sentence.find(&OFFICIAL)?;
    // "Uses the official SDK" and "via the official API" say truly whose work is used.
    if sentence.negated(first) || sentence.has(words!["unofficial", "using", "uses", "via", "from", "wraps", "through"])
    {
        return None;
    }
    // Within the phrase, or said to be its owner right after it: a publisher elsewhere in the sentence is what the tool works with.
    let owner = matches!(sentence.word(last + 1), "of" | "by").then_some(last + 2);
    (first..=last).chain(owner).find_map(|index| {
        let word = sentence.word(index).trim_end_matches("'s");
        PUBLISHERS.into_iter().find(|publisher| *publisher == word)
    })
}

/// Statements of the package's owner, in lower case: the scope, the owners of the repositories, the hosts, the
/// maintainers. Names of packages and repositories say nothing: anyone can choose them.
fn owner_text(subject: &Subject<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(subject.claims.repository.known().map(|address| without_last(address)));
    parts.extend(subject.claims.maintainers.known().into_iter().flatten().cloned());
    for manifest in subject.evidence.manifests.values() {
        let text = |key: &str| manifest.value.get(key).map(ToString::to_string);
        // A scope belongs to an account; a plain name belongs to whoever came first.
        parts.extend(
            text("name").filter(|name| name.contains('/')).map(|name| account_of(&without_last(&name)).to_owned()),
        );
        parts.extend(text("repository").map(|address| without_last(&address)));
        parts.extend(["homepage", "author", "publisher", "websiteUrl"].into_iter().filter_map(text));
        parts.extend(remote_sites(&manifest.value));
    }
    parts.join(" ").to_lowercase()
}

/// The registrable domains of a server's addresses: whoever has a domain chooses every name below it.
fn remote_sites(manifest: &Value) -> impl Iterator<Item = String> {
    let remotes = manifest.get("remotes").and_then(Value::as_array).into_iter().flatten();
    let addresses = remotes.filter_map(|remote| remote.get("url")?.as_str());
    addresses.filter_map(|address| {
        let host = address.split_once("://")?.1.split(['/', '?', '#']).next()?;
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        Some(site_of(name))
    })
}

/// The account of a registry's namespace: those of a forge (`io.github.ann`) say the forge first, whoever has them.
fn account_of(namespace: &str) -> &str {
    let forge = ["io.github.", "com.github.", "io.gitlab.", "com.gitlab."];
    let bare = namespace.trim_matches('"');
    forge.into_iter().find_map(|forge| bare.strip_prefix(forge)).unwrap_or(namespace)
}

/// A name or address without its last part.
fn without_last(text: &str) -> String {
    text.rsplit_once('/').map_or("", |(before, _)| before).to_owned()
}
