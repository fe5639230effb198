//! capability-destructive-local: tools that change what is the user's own.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

/// See the file's first line.
pub(super) struct CapabilityDestructiveLocal;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "capability-destructive-local"
version = 1
title = "Its tools change local things"
why = "A mistake costs the user files or settings."
fix = "Nothing to fix: weigh it when tools are combined."
cannot_see = "Tools whose names and first sentences do not say what they do."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W020@C", "SAFE-T2101"]
[codes]
mcpbundles = ["W020"]
[[examples.fires]]
note = "A tool that does."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "write_file", "description": "Writes a file.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One that does not."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for CapabilityDestructiveLocal {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        measure(subject, facts, &[("W020", Tags::LOCAL)]);
    }
}
