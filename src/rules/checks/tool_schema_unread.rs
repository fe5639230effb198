//! tool-schema-unread: a part of a tool's schema was not read.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_texts::{below, surfaces};

/// See the file's first line.
pub(super) struct ToolSchemaUnread;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-schema-unread"
version = 1
title = "A part of a tool's schema was not read"
why = "What a scanner does not read a model still may: a reference that leaves the document, or more than is ever needed."
fix = "Keep schemas in one document, and small."
cannot_see = "What stands behind the reference."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1501", "mcp-spec:tools"]
[[examples.fires]]
note = "A reference to another host."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Adds.", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://host.test/s.json"}}}}]}'
[[examples.silent]]
note = "A reference inside the document."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Adds.", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}}]}'
[[examples.silent]]
note = "A tree: it refers to itself."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Adds.", "inputSchema": {"type": "object", "properties": {"child": {"$ref": "#"}}}}]}'
"##;

impl Rule for ToolSchemaUnread {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for surface in surfaces(subject) {
            if surface.exhausted {
                let text = format!("{}: larger than is read", surface.name);
                facts.found(below(surface, "/inputSchema"), &text);
            }
            for reference in surface.unresolved.iter().take(MAX_NAMED) {
                let text = format!("{}: refers to {reference}", surface.name);
                facts.found(below(surface, "/inputSchema"), &text);
            }
        }
    }
}

/// How many references of one surface are named.
const MAX_NAMED: usize = 5;
