//! Servers of one input that offer a tool of the same name.

use std::collections::BTreeSet;

use crate::FactSink;
use capdex_evidence::document::FileRole;
use capdex_evidence::manifest::is_foreign;
use capdex_evidence::subject::Subject;

use super::card_rule::card_rule;

card_rule!(
    /// Servers of one input that offer a tool of the same name.
    ServerNameCollision,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let evidence = subject.evidence;
    let own = |file: &String| subject.capability.files.binary_search(file).is_ok();
    let counts = |file: &String| {
        !is_foreign(file) && evidence.documents.get(file).is_some_and(|document| document.role != FileRole::Test)
    };
    let others: BTreeSet<&str> = evidence
        .tools
        .iter()
        .filter(|tool| !own(&tool.place.file) && counts(&tool.place.file))
        .map(|tool| tool.name.as_str())
        .collect();
    let mut told = BTreeSet::new();
    for tool in subject.tools().filter(|tool| others.contains(tool.name.as_str())) {
        if told.insert(tool.name.as_str()) {
            facts.found(tool.place.clone(), &format!("another server here has {} too", tool.name));
        }
    }
}

const TEXT: &str = r#"
id = "server-name-collision"
version = 1
title = "Two servers of one input offer a tool of the same name"
why = "An agent that has both may call the one for the other."
fix = "Give the tools names that say whose they are."
cannot_see = "Servers of other inputs; clients that put the server's name before the tool's."
severity = "info"
confidence = "medium"
kinds = ["mcp_server"]
lifecycle = "stable"
cites = ["SAFE-T1301", "SAFE-T1008", "owasp-mcp:MCP03"]
codes = { mcpbundles = ["SAFE-T1103"] }

[[examples.fires]]
note = "two servers"
[examples.fires.files]
"servers/a/server.json" = '{"name": "io.github.ann/a", "description": "A.", "version": "1.0.0"}'
"servers/a/tools.json" = '{"tools": [{"name": "get_note", "description": "Gets a note.", "inputSchema": {"type": "object"}}]}'
"servers/b/server.json" = '{"name": "io.github.ann/b", "description": "B.", "version": "1.0.0"}'
"servers/b/tools.json" = '{"tools": [{"name": "get_note", "description": "Gets a note.", "inputSchema": {"type": "object"}}]}'

[[examples.silent]]
note = "other names"
[examples.silent.files]
"servers/a/server.json" = '{"name": "io.github.ann/a", "description": "A.", "version": "1.0.0"}'
"servers/a/tools.json" = '{"tools": [{"name": "get_note", "description": "Gets a note.", "inputSchema": {"type": "object"}}]}'
"servers/b/server.json" = '{"name": "io.github.ann/b", "description": "B.", "version": "1.0.0"}'
"servers/b/tools.json" = '{"tools": [{"name": "get_task", "description": "Gets a task.", "inputSchema": {"type": "object"}}]}'

[[examples.silent]]
note = "one server"
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "get_note", "description": "Gets a note.", "inputSchema": {"type": "object"}}]}'
"#;
