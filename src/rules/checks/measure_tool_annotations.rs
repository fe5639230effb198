//! `measure-tool-annotations`: how many tools have a description, and how many of the annotations that matter are
//! written.
//!
//! It counts them, and judges none. Source: the MCP specification's tool annotations.

use serde_json::{Value, json};

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::Tool;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let (mut tools, mut described, mut required, mut written) = (0, 0, 0, 0);
    for tool in subject.tools() {
        tools += 1;
        described += usize::from(tool.description.as_deref().is_some_and(|text| !text.trim().is_empty()));
        let (of_these, there) = annotations(tool);
        required += of_these;
        written += there;
    }
    if tools == 0 {
        facts.unavailable("no tool definition could be read");
        return;
    }
    facts.measured(json!({
        "tools": tools,
        "described": described,
        "annotations_required": required,
        "annotations_written": written,
    }));
}

/// The number of annotations that matter for a tool, and of those written as booleans.
fn annotations(tool: &Tool) -> (usize, usize) {
    let hint = |name: &str| tool.annotations.as_ref().and_then(|hints| hints.get(name)).and_then(Value::as_bool);
    let read_only = hint("readOnlyHint") == Some(true);
    // The specification gives the other two a meaning only for tools that may change something.
    let names: &[&str] = if read_only {
        &["readOnlyHint", "openWorldHint"]
    } else {
        &["readOnlyHint", "openWorldHint", "destructiveHint", "idempotentHint"]
    };
    (names.len(), names.iter().filter(|name| hint(name).is_some()).count())
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;

    #[test]
    fn a_read_only_tool_needs_two_annotations_and_any_other_four() {
        let mut scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("a", "Reads."), ("b", " ")]);
        if let Some(first) = scene.evidence.tools.first_mut() {
            first.annotations = Some(json!({"readOnlyHint": true, "openWorldHint": "yes"}).into());
        }
        let expected = json!({"tools": 2, "described": 1, "annotations_required": 6, "annotations_written": 1});
        assert_eq!(scene.value("measure-tool-annotations"), expected);
    }

    #[test]
    fn without_tools_nothing_is_measured() {
        assert_eq!(Scene::of(Kind::McpServer, &[]).value("measure-tool-annotations"), Value::Null);
    }
}
