//! tool-hidden-name: a name marks the tool as hidden or internal.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

/// See the file's first line.
pub(super) struct ToolHiddenName;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-hidden-name"
version = 1
title = "A tool's name says that it is not for the user"
why = "Tools that are named as internal are overlooked in a list, though the model can call them like any other."
fix = "Do not expose internal tools; name public ones plainly."
cannot_see = "Hidden tools with ordinary names."
severity = "low"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["owasp-llm:LLM01"]
[codes]
saferskills = ["SS-MCP-POISON-SHADOW-TOOL-01"]
[[examples.fires]]
note = "Internal."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "sync_internal", "description": "Syncs.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "A namespace."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "files__read", "description": "Reads.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for ToolHiddenName {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for tool in subject.tools() {
            if is_hidden(tool.name.as_bytes()) {
                let place = Place { pointer: format!("{}/name", tool.place.pointer), ..tool.place.clone() };
                facts.found(place, &tool.name);
            }
        }
    }
}

/// Whether a name, whatever its case, is one of a tool that nobody is to see.
fn is_hidden(name: &[u8]) -> bool {
    let holds = |mark: &str| name.windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    let end = |length: usize| name.get(name.len().saturating_sub(length)..).unwrap_or_default();
    MARKS.iter().any(|mark| holds(mark))
        || ENDS.iter().any(|mark| end(mark.len()).eq_ignore_ascii_case(mark.as_bytes()))
        || name.starts_with(b"__")
}

/// Ends of names.
const ENDS: [&str; 2] = ["_meta", "_sys"];
/// Parts of names. Two underscores inside a name are a common namespace and are left out, unlike in the published rule.
const MARKS: [&str; 3] = ["_internal", ".hidden", "_hidden"];
