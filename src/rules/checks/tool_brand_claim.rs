//! tool-brand-claim: text claims to be a vendor's official tool, and the package is not that vendor's.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;

use super::tool_texts::{place_of, prose, quoted, surfaces};

/// See the file's first line.
pub(super) struct ToolBrandClaim;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-brand-claim"
version = 1
title = "A tool claims to be official and is published by somebody else"
why = "A borrowed name is how a copy of a trusted server gets installed."
fix = "Say what the server connects to, not whose it is."
cannot_see = "Vendors outside a small table; publishers whose names hide the vendor."
severity = "medium"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1004", "owasp-mcp:MCP09"]
[codes]
mcpbundles = ["SAFE-T1004"]
[[examples.fires]]
note = "Official by a stranger."
[examples.fires.files]
"package.json" = '{"name":"@someone/stripe-tools","repository":"https://github.com/someone/x"}'
"tools.json" = '{"tools": [{"name": "pay", "description": "The official Stripe server for payments.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Unofficial, said so."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "pay", "description": "An unofficial Stripe server.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "The vendor itself."
[examples.silent.files]
"package.json" = '{"name":"@stripe/mcp","repository":"https://github.com/stripe/agent-toolkit"}'
"tools.json" = '{"tools": [{"name": "pay", "description": "The official Stripe server.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for ToolBrandClaim {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let owner = owner_text(subject);
        if owner.is_empty() {
            return;
        }
        for surface in surfaces(subject) {
            for text in prose(surface).filter(|text| text.text.lower().contains("official")) {
                for sentence in text.text.sentences() {
                    if claimed_vendor(&sentence).is_some_and(|vendor| !owner.contains(vendor)) {
                        facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
                        break;
                    }
                }
            }
        }
    }
}

/// Vendors by the word that their own package scopes, organisations and domains hold.
const VENDORS: [&str; 24] = [
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

/// The vendor whose official server a sentence claims to be.
fn claimed_vendor(sentence: &Sentence<'_>) -> Option<&'static str> {
    let (first, last) = sentence.find(&OFFICIAL)?;
    if sentence.negated(first) || sentence.has(words!["unofficial", "using", "uses", "via", "from", "wraps", "through"])
    {
        return None;
    }
    (first..=last).find_map(|index| {
        let word = sentence.word(index).trim_end_matches("'s");
        VENDORS.into_iter().find(|vendor| *vendor == word)
    })
}

/// What says whose package it is, in lower case: the scope, the owners of the repositories, the hosts, the maintainers.
/// Names of packages and repositories say nothing: anyone can choose them.
fn owner_text(subject: &Subject<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(subject.claims.repository.known().map(|address| without_last(address)));
    parts.extend(subject.claims.maintainers.known().into_iter().flatten().cloned());
    for manifest in subject.evidence.manifests.values() {
        let text = |key: &str| manifest.value.get(key).map(ToString::to_string);
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
