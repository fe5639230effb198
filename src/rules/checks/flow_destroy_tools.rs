//! flow-destroy-tools: tools that read strangers' text stand beside tools that destroy.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

/// See the file's first line.
pub(super) struct FlowDestroyTools;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "flow-destroy-tools"
version = 1
title = "Tools that read strangers' text stand beside tools that destroy"
why = "An order in a page or message can make the model delete what cannot be brought back."
fix = "Ask before deleting, or keep reading and deleting in separate servers."
cannot_see = "Tools whose names do not say what they do; servers that a user combines."
severity = "medium"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:TF002@B", "SAFE-T1703", "SAFE-T2101", "owasp-mcp:MCP06"]
[[examples.fires]]
note = "Pages and a database."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "delete_database", "description": "Deletes a database.", "inputSchema": {"type": "object"}}]}'
[[examples.fires]]
note = "Pages and the user's notes."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "delete_note", "description": "Deletes a note.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Only reads."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "fetch_url", "description": "Fetches a web page.", "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}}}, {"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]}'
[[examples.silent]]
note = "Nothing of strangers."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "delete_database", "description": "Deletes a database.", "inputSchema": {"type": "object"}}, {"name": "list_databases", "description": "Lists databases.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for FlowDestroyTools {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report(Legs::of_tools(subject).destroy(), facts);
    }
}
