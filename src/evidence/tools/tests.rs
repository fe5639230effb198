//! Tools from lists, manifests and source.

use std::collections::BTreeMap;

use super::*;
use capdex_model::bundle::{Bundle, BundleFile};

fn gathered(files: &[(&str, &str)]) -> Evidence {
    let files: BTreeMap<String, BundleFile> =
        files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
    Evidence::gather(&Bundle::local("folder:input", files))
}

fn names(evidence: &Evidence) -> Vec<&str> {
    evidence.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn every_shape_of_a_list_gives_its_tools() {
    let entry = r#"[{"name": "a", "title": "A", "description": "d", "inputSchema": {"type": "object"}, "outputSchema": {}, "annotations": {"readOnlyHint": true}}]"#;
    for (path, text, pointer) in [
        ("l.json", format!("{{\"tools\": {entry}}}"), "/tools/0"),
        ("l.json", format!("{{\"server\": \"s\", \"tools\": {entry}}}"), "/tools/0"),
        ("l.json", format!("{{\"result\": {{\"tools\": {entry}}}}}"), "/result/tools/0"),
        ("tools.json", entry.to_owned(), "/0"),
    ] {
        let evidence = gathered(&[(path, &text)]);
        let tool = evidence.tools.first().expect("a tool");
        assert_eq!(tool.name.as_str(), "a");
        assert_eq!(tool.title.as_deref(), Some("A"));
        assert_eq!(tool.description.as_deref(), Some("d"));
        assert_eq!(tool.input_schema.as_deref(), Some(&json!({"type": "object"})));
        assert_eq!(tool.output_schema.as_deref(), Some(&json!({})));
        assert_eq!(tool.annotations.as_deref(), Some(&json!({"readOnlyHint": true})));
        assert_eq!(tool.origin, ToolOrigin::ToolsList);
        assert_eq!(tool.place.pointer.as_str(), pointer);
    }
}

#[test]
fn lists_of_arguments_become_schemas() {
    let text = r#"{"tools": [{"name": "a", "arguments": [{"name": "x", "type": "array", "desc": "d", "items": {"type": "string"}}, {"name": "y", "optional": true}, 7]},
        {"name": "b", "input_schema": {"type": "object"}}, {"name": "c", "parameters": {"type": "object"}}]}"#;
    let evidence = gathered(&[("l.json", text)]);
    let schemas: Vec<Option<Value>> = evidence.tools.iter().map(|tool| tool.input_schema.as_deref().cloned()).collect();
    let listed = json!({
        "type": "object",
        "properties": {"x": {"type": "array", "description": "d", "items": {"type": "string"}}, "y": {}},
        "required": ["x"]
    });
    assert_eq!(schemas, [Some(listed), Some(json!({"type": "object"})), Some(json!({"type": "object"}))]);
}

#[test]
fn manifests_give_their_tools() {
    let bundle =
        r#"{"manifest_version": "0.3", "name": "m", "server": {}, "tools": [{"name": "a", "description": "d"}]}"#;
    let server = r#"{"name": "io.test/s", "packages": [], "_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"x": {"tools": ["b", {"name": "c"}, 4]}}}}"#;
    let evidence = gathered(&[("manifest.json", bundle), ("server.json", server)]);
    assert_eq!(names(&evidence), ["a", "b", "c"]);
    assert!(evidence.tools.iter().all(|tool| tool.origin == ToolOrigin::Manifest));
    let pointer = "/_meta/io.modelcontextprotocol.registry~1publisher-provided/x/tools/1";
    assert_eq!(evidence.tools[2].place.pointer, pointer);
}

#[test]
fn tools_are_sorted_and_equal_ones_stand_once() {
    let text = "{\"tools\": [\n{\"name\": \"z\", \"description\": \"1\"},\n{\"name\": \"a\", \"description\": \"2\"},\n{\"name\": \"z\", \"description\": \"1\"},\n{\"name\": \"z\", \"description\": \"3\"}]}";
    let mut evidence = gathered(&[("b.json", text), ("a.json", text)]);
    assert_eq!(names(&evidence), ["z", "a", "z", "z", "a", "z"], "a differing definition is not hidden");
    let lines: Vec<u32> = evidence.tools.iter().map(|tool| tool.place.line).collect();
    assert_eq!(lines, [2, 3, 5, 2, 3, 5]);
    let mut first = evidence.tools[0].clone();
    first.origin = ToolOrigin::Source;
    first.place.file = "s.ts".to_owned();
    let second = Tool { description: None, ..first.clone() };
    let view = crate::code::SourceView { tools: vec![first, second], ..Default::default() };
    evidence.sources.insert("s.ts".to_owned(), view);
    assert_eq!(collect(&evidence).len(), 7, "in source the name decides");
}

#[test]
fn a_server_presents_itself_by_its_texts() {
    let text = r#"{"server": {"name": "s", "instructions": "Do."}, "tools": [], "instructions": "All."}"#;
    let evidence = gathered(&[("l.json", text)]);
    let manifest = evidence.manifests.get("l.json").expect("a list");
    let texts: Vec<(&str, String)> = server_text(manifest).into_iter().map(|text| (text.pointer, text.text)).collect();
    let expected = [("/server/name", "s"), ("/server/instructions", "Do."), ("/instructions", "All.")];
    assert_eq!(texts, expected.map(|(pointer, text)| (pointer, text.to_owned())));
}

#[test]
fn ten_thousand_tools_on_one_line_are_placed_in_one_walk() {
    let entries: Vec<String> =
        (0..10_000).map(|at| format!("{{\"name\": \"t{at}\", \"description\": \"d\"}}")).collect();
    let evidence = gathered(&[("l.json", &format!("{{\"tools\": [{}]}}", entries.join(",")))]);
    assert_eq!(evidence.tools.len(), 10_000);
    let last = evidence.tools.iter().map(|tool| tool.place.column).max();
    assert!(last > Some(300_000));
}
