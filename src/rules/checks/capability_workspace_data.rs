//! capability-workspace-data: tools that read the user's files or stores.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

/// See the file's first line.
pub(super) struct CapabilityWorkspaceData;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "capability-workspace-data"
version = 1
title = "Its tools read the workspace"
why = "What it reads is the user's; beside a tool that sends, it can leak."
fix = "Nothing to fix: weigh it when tools are combined."
cannot_see = "Tools whose names and first sentences do not say what they do."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W018@C", "SAFE-T1606", "SAFE-T1802", "SAFE-T1803"]
[codes]
mcpbundles = ["W018"]
[[examples.fires]]
note = "A tool that does."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "read_file", "description": "Reads a file.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One that does not."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "add", "description": "Adds numbers.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for CapabilityWorkspaceData {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        measure(subject, facts, &[("W018", Tags::WORKSPACE)]);
    }
}
