//! flow-leak-tools: tools that read strangers' text stand beside private data and a way out.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

/// See the file's first line.
pub(super) struct FlowLeakTools;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "flow-leak-tools"
version = 1
title = "Tools that read strangers' text stand beside private data and a way out"
why = "An order in a page or message can make the model read what is private with one tool and send it with another."
fix = "Split reading and sending over servers, ask before sending, or limit the recipients."
cannot_see = "Tools whose names do not say what they do; servers that a user combines."
severity = "medium"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:TF001@B", "SAFE-T1914", "owasp-mcp:MCP06", "owasp-mcp:MCP10"]
[[examples.fires]]
note = "Pages, mail and a way out."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "search_gmail", "description": "Searches mail.", "inputSchema": {"type": "object"}}, {"name": "send_email", "description": "Sends an email.", "inputSchema": {"type": "object"}}]}'
[[examples.fires]]
note = "Files instead of mail."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}, {"name": "post_message", "description": "Posts a message to a channel.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "No way out."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "search_gmail", "description": "Searches mail.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Nothing of strangers."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}, {"name": "send_email", "description": "Sends an email.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for FlowLeakTools {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report(Legs::of_tools(subject).leak(), facts);
    }
}
