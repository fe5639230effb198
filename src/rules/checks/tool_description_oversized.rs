//! tool-description-oversized: a description is as long as a page.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

/// See the file's first line.
pub(super) struct ToolDescriptionOversized;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-description-oversized"
version = 1
title = "A description is very long"
why = "Every word of it is in every conversation, and nobody reads to the end, which is where orders hide."
fix = "Keep descriptions under 2,000 characters; move manuals to resources."
cannot_see = "What the text says."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["owasp-llm:LLM01"]
[codes]
saferskills = ["SS-MCP-POISON-DESCRIPTION-CREEP-01"]
[[examples.fires]]
note = "Two thousand characters."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "x", "description": "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a ", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Short."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "x", "description": "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a ", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for ToolDescriptionOversized {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for tool in subject.tools() {
            let length = tool.description.as_deref().map_or(0, |text| text.chars().count());
            if length >= LIMIT {
                let severity = if length >= 4 * LIMIT { Severity::Low } else { Severity::Info };
                let place = Place { pointer: format!("{}/description", tool.place.pointer), ..tool.place.clone() };
                facts.found_as(severity, Confidence::High, place, &format!("{}: {length} characters", tool.name));
            }
        }
    }
}

/// From how many characters on, as SaferSkills counts.
const LIMIT: usize = 2_000;
