//! capability-sensitive-data: tools of a server for mail, messages, money or secrets.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

/// See the file's first line.
pub(super) struct CapabilitySensitiveData;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "capability-sensitive-data"
version = 1
title = "It works on mail, messages, money or secrets"
why = "What it reads is private; beside a tool that sends, it can leak."
fix = "Nothing to fix: weigh it when tools are combined."
cannot_see = "Tools whose names and first sentences do not say what they do."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W017@C"]
[codes]
mcpbundles = ["W017"]
[[examples.fires]]
note = "A tool that does."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "search_gmail", "description": "Searches mail.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One that does not."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "add", "description": "Adds numbers.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for CapabilitySensitiveData {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        measure(subject, facts, &[("W017", Tags::SENSITIVE)]);
    }
}
