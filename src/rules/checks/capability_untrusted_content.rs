//! capability-untrusted-content: tools that return what strangers wrote.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

/// See the file's first line.
pub(super) struct CapabilityUntrustedContent;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "capability-untrusted-content"
version = 1
title = "Its tools return content of strangers"
why = "What strangers write can carry orders to the model."
fix = "Nothing to fix: weigh it when tools are combined."
cannot_see = "Tools whose names and first sentences do not say what they do."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W015@C", "mcp-scan:W016@C", "SAFE-T1102"]
[codes]
mcpbundles = ["W015"]
[[examples.fires]]
note = "A tool that does."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One that does not."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "add", "description": "Adds numbers.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for CapabilityUntrustedContent {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        measure(subject, facts, &[("W015", Tags::UNTRUSTED), ("W016", Tags::STRUCTURED)]);
    }
}
