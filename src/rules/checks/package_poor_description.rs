//! Packages whose description says nothing.
//!
//! Quality, not danger. The threshold of ten code points is ours; AgentScore publishes only "no meaningful
//! description".

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The rule.
pub(super) struct PackagePoorDescription;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

/// Fewer code points than this say nothing.
const MEANINGFUL: usize = 10;

impl Rule for PackagePoorDescription {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        let signals = signals::of(subject);
        match &signals.description {
            Claim::Known(text) if text.chars().count() >= MEANINGFUL => {}
            Claim::Known(text) => facts.found(manifest_place(&signals), text),
            Claim::Absent => facts.found(manifest_place(&signals), "no description"),
            Claim::Unknown => facts.unavailable("neither manifest nor listing speaks of a description"),
        }
    }
}

const TEXT: &str = r#"
id = "package-poor-description"
version = 1
title = "Has no meaningful description"
why = "People and agents choose by the description. One that is missing or a word long leaves them to guess what they install."
fix = "Say in one sentence in the manifest what the package does."
cannot_see = "Whether the description is true."
severity = "low"
confidence = "medium"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["agentscore:poor_description"]
codes = { agentscore = ["poor_description"] }

[[examples.fires]]
note = "none"
files = { "package.json" = '{"name": "a"}' }

[[examples.fires]]
note = "a word"
files = { "package.json" = '{"name": "a", "description": "tool"}' }

[[examples.silent]]
note = "a sentence"
files = { "package.json" = '{"name": "a", "description": "Reads tide tables."}' }

[[examples.silent]]
note = "nothing is known of it"
files = { "README.md" = "A folder." }
"#;
