//! tool-annotation-incomplete: a tool leaves hints out.

use std::sync::LazyLock;

use serde_json::Value;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct ToolAnnotationIncomplete;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-annotation-incomplete"
version = 1
title = "A tool's annotations are incomplete"
why = "Without hints a client must assume the worst, and asks the user more often than needed."
fix = "State readOnlyHint and openWorldHint, and for tools that write destructiveHint and idempotentHint."
cannot_see = "Whether the hints are true."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["mcp-spec:annotations"]
[codes]
mcpbundles = ["MCPB-A001"]
[[examples.fires]]
note = "No hint at all."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "delete_user", "description": "Deletes a user.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "All that matter."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "get_user", "description": "Gets a user.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": false}}]}'
"##;

impl Rule for ToolAnnotationIncomplete {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        let declared = || subject.tools().filter(|tool| tool.origin != ToolOrigin::Manifest);
        let incomplete = || declared().filter(|tool| missing(tool).next().is_some());
        let Some(first) = incomplete().next() else { return };
        let evidence = format!(
            "{} of {} tools; {} lacks {}",
            incomplete().count(),
            declared().count(),
            first.name,
            missing(first).collect::<Vec<_>>().join(", ")
        );
        let none = incomplete().all(|tool| tool.annotations.is_none());
        let severity = if none { Severity::Info } else { Severity::Low };
        facts.found_as(severity, Confidence::High, first.place.clone(), &evidence);
    }
}

/// The hints that a tool should state and does not.
fn missing(tool: &Tool) -> impl Iterator<Item = &'static str> {
    let hint = move |name: &str| tool.annotations.as_ref().and_then(|hints| hints.get(name)).and_then(Value::as_bool);
    let needed: &[&str] = match hint("readOnlyHint") {
        Some(true) => &["openWorldHint"],
        Some(false) => &["destructiveHint", "idempotentHint", "openWorldHint"],
        None => &["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"],
    };
    needed.iter().copied().filter(move |name| hint(name).is_none())
}
