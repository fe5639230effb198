//! capability-destructive-shared: tools that change what is shared, or run what they are given.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

/// See the file's first line.
pub(super) struct CapabilityDestructiveShared;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "capability-destructive-shared"
version = 1
title = "Its tools change shared things or run commands"
why = "A mistake or an order hidden in content has effects that others see and that may not be undone."
fix = "Nothing to fix: weigh it when tools are combined."
cannot_see = "Tools whose names and first sentences do not say what they do."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin"]
lifecycle = "stable"
cites = ["mcp-scan:W019@C", "SAFE-T1104", "SAFE-T2104", "SAFE-T2101"]
[codes]
mcpbundles = ["W019"]
[[examples.fires]]
note = "A tool that does."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "delete_branch", "description": "Deletes a branch.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One that does not."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "get_branch", "description": "Gets a branch.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for CapabilityDestructiveShared {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        measure(subject, facts, &[("W019", Tags::SHARED)]);
    }
}
