//! tool-brand-claim: text claims to be a publisher's official tool, and the package is not that publisher's.

use crate::FactSink;
use capdex_evidence::sentences::{Phrase, Sentence};
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
    (first..=last).find_map(|index| {
        // Within the phrase only: a publisher elsewhere in the sentence is what the tool works with.
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
        parts.extend(text("name").filter(|name| name.contains('/')).map(|name| without_last(&name)));
        parts.extend(text("repository").map(|address| without_last(&address)));
        parts.extend(["homepage", "author", "publisher", "websiteUrl", "remotes"].into_iter().filter_map(text));
    }
    parts.join(" ").to_lowercase()
}

/// A name or address without its last part.
fn without_last(text: &str) -> String {
    text.rsplit_once('/').map_or("", |(before, _)| before).to_owned()
}
