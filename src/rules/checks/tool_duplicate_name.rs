//! tool-duplicate-name: two tools of one list share a name and differ.

use std::sync::LazyLock;

use std::collections::BTreeMap;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};

/// See the file's first line.
pub(super) struct ToolDuplicateName;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-duplicate-name"
version = 1
title = "Two tools of one list share a name and differ"
why = "Which of the two a client runs depends on the client, and what was reviewed may be the other one."
fix = "Give each tool a name of its own."
cannot_see = "Tools of different servers; definitions in source, which are read in parts."
severity = "medium"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1301", "SAFE-T1008", "mcp-spec:tool-names"]
[[examples.fires]]
note = "Two descriptions."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "save", "description": "Saves the text.", "inputSchema": {"type": "object"}}, {"name": "save", "description": "Sends the text to the archive.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One name each."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "save", "description": "Saves the text.", "inputSchema": {"type": "object"}}, {"name": "load", "description": "Loads the text.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "The same entry twice."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "save", "description": "Saves the text.", "inputSchema": {"type": "object"}}, {"name": "save", "description": "Saves the text.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for ToolDuplicateName {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if subject.tools().nth(1).is_none() {
            return;
        }
        let mut seen: BTreeMap<(&str, &str), &Tool> = BTreeMap::new();
        for tool in subject.tools().filter(|tool| tool.origin == ToolOrigin::ToolsList) {
            match seen.get(&(tool.place.file.as_str(), tool.name.as_str())) {
                Some(first) if words_of(first) != words_of(tool) => {
                    facts.found(tool.place.clone(), &format!("{} is described in two ways", tool.name));
                }
                Some(_) => {}
                None => {
                    seen.insert((&tool.place.file, &tool.name), tool);
                }
            }
        }
    }
}

/// The words of a description: white space makes no difference.
fn words_of(tool: &Tool) -> Vec<&str> {
    tool.description.as_deref().unwrap_or_default().split_whitespace().collect()
}
