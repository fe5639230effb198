//! One row for each shape: what of it is read, under which pointers, and of which server.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::Evidence;
use crate::decompose::decompose;
use crate::surfaces::SurfaceKind;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::capability::Kind;

/// Evidence of one file that its user named, or of a folder with it.
fn evidence_of(path: &str, text: &str, reason: ReadingReason) -> Evidence {
    Evidence::gather(&bundle_of(path, text, reason))
}

fn bundle_of(path: &str, text: &str, reason: ReadingReason) -> Bundle {
    let files = BTreeMap::from([(path.to_owned(), BundleFile::new(text.as_bytes()))]);
    let named = (reason == ReadingReason::Named).then(|| path.to_owned());
    Bundle { named, ..Bundle::local("folder:input", files) }
}

/// The surfaces of a file: kind, name and pointer.
fn surfaces_of(path: &str, text: &str, reason: ReadingReason) -> Vec<String> {
    let evidence = evidence_of(path, text, reason);
    let word = |kind| match kind {
        SurfaceKind::Tool => "tool",
        SurfaceKind::Prompt => "prompt",
        SurfaceKind::Resource => "resource",
        SurfaceKind::Server => "server",
        SurfaceKind::Skill => "skill",
    };
    let surfaces = evidence.surfaces().iter();
    surfaces.map(|one| format!("{} {} {}", word(one.kind), one.name, one.place.pointer)).collect()
}

/// A shape: its name, its value, the surfaces that it gives, and whether it counts in a folder too.
struct Shape(&'static str, Value, &'static [&'static str], bool);

fn shapes() -> Vec<Shape> {
    let schema = json!({"type": "object", "properties": {"x": {"type": "string", "description": "A city."}}});
    let tool = json!({"name": "t", "description": "Tells the weather.", "inputSchema": schema});
    let snake =
        json!({"name": "t", "description": "Tells the weather.", "input_schema": schema, "output_schema": null});
    let function = json!({"name": "t", "description": "Tells the weather.", "parameters": schema});
    let bare = json!({"description": "Tells the weather.", "inputSchema": schema});
    let prompt = json!({"name": "p", "description": "Asks.", "arguments": [{"name": "city", "description": "Which."}]});
    let resource = json!({"uri": "ui://clock/face.html", "name": "face", "mimeType": "text/html;profile=mcp-app"});
    let template = json!({"uriTemplate": "db://{t}", "name": "rows", "description": "Rows."});
    let answer = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let introduction =
        json!({"protocolVersion": "2025-06-18", "serverInfo": {"name": "clock"}, "instructions": "Be kind."});
    let discovery = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}, "serverInfo": {"name": "clock"},
        "instructions": "Be kind."});
    vec![
        Shape("under its key", json!({"tools": [tool]}), &["tool t /tools/0", ""], true),
        Shape("an array", json!([tool]), &["tool t /0"], true),
        Shape(
            "an array without schemas",
            json!([{"name": "t", "description": "d", "inputSchema": null}]),
            &["tool t /0"],
            true,
        ),
        Shape("an array of mere descriptions", json!([{"name": "t", "description": "d"}]), &["tool t /0"], false),
        Shape("an answer", answer(json!({"tools": [tool]})), &["tool t /result/tools/0"], true),
        Shape(
            "a batch",
            json!([answer(json!({"tools": [tool]})), answer(json!({"prompts": [prompt]}))]),
            &["tool t /0/result/tools/0", "prompt p /1/result/prompts/0"],
            true,
        ),
        Shape("prompts", json!({"prompts": [prompt]}), &["prompt p /prompts/0"], true),
        Shape(
            "prompts without arguments",
            json!({"prompts": [{"name": "p", "description": "d"}]}),
            &["prompt p /prompts/0"],
            false,
        ),
        Shape("resources", json!({"resources": [resource]}), &["resource face /resources/0"], true),
        Shape("templates", json!({"resourceTemplates": [template]}), &["resource rows /resourceTemplates/0"], true),
        Shape(
            "templates in snake case",
            json!({"resource_templates": [{"uri_template": "db://{t}", "name": "rows"}]}),
            &["resource rows /resource_templates/0"],
            true,
        ),
        Shape(
            "an answer with prompts",
            answer(json!({"prompts": [{"name": "p"}]})),
            &["prompt p /result/prompts/0"],
            true,
        ),
        Shape("an introduction", answer(introduction.clone()), &["server server /result"], true),
        Shape("an introduction without its envelope", introduction, &["server server "], false),
        Shape("a discovery", answer(discovery), &["server server /result"], true),
        Shape(
            "the messages of a prompt",
            answer(json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Say."}}]})),
            &["prompt prompt /result"],
            true,
        ),
        Shape(
            "the content of a resource",
            answer(json!({"contents": [{"uri": "ui://clock/face.html", "text": "<p>12</p>"}]})),
            &["resource ui://clock/face.html /result/contents/0"],
            true,
        ),
        Shape("by name", json!({"t": bare}), &["tool t /t"], true),
        Shape("by name under their key", json!({"tools": {"t": bare}}), &["tool t /tools/t"], true),
        Shape(
            "by server",
            json!({"clock": {"tools": [tool]}, "other": {"tools": [tool]}}),
            &["tool t /clock/tools/0", "tool t /other/tools/0"],
            true,
        ),
        Shape(
            "lists by server",
            json!({"clock": [tool], "other": [tool]}),
            &["tool t /clock/0", "tool t /other/0"],
            true,
        ),
        Shape(
            "a list of servers",
            json!({"servers": [{"name": "clock", "tools": [tool]}]}),
            &["tool t /servers/0/tools/0", "server server /servers/0"],
            true,
        ),
        Shape(
            "servers of a client",
            json!({"mcpServers": {"clock": {"command": "x", "tools": [tool]}}}),
            &["tool t /mcpServers/clock/tools/0"],
            true,
        ),
        Shape("Anthropic's", json!([snake]), &["tool t /0"], true),
        Shape(
            "a dump in snake case",
            json!({"tools": [snake], "next_cursor": null, "meta": null}),
            &["tool t /tools/0"],
            true,
        ),
        Shape("OpenAI's", json!([{"type": "function", "function": function}]), &["tool t /0/function"], true),
        Shape(
            "OpenAI's under their key",
            json!({"tools": [{"type": "function", "function": function}]}),
            &["tool t /tools/0/function"],
            true,
        ),
        Shape(
            "OpenAI's flat",
            json!([{"type": "function", "name": "t", "description": "d", "parameters": schema}]),
            &["tool t /0"],
            true,
        ),
        Shape("OpenAI's older", json!({"functions": [function]}), &["tool t /functions/0"], false),
        Shape(
            "what OpenAI listed",
            json!({"output": [{"type": "mcp_list_tools", "server_label": "clock", "tools": [snake]}]}),
            &["tool t /output/0/tools/0"],
            true,
        ),
        Shape("Gemini's", json!({"functionDeclarations": [function]}), &["tool t /functionDeclarations/0"], true),
        Shape(
            "Gemini's groups",
            json!({"tools": [{"functionDeclarations": [function]}]}),
            &["tool t /tools/0/functionDeclarations/0"],
            true,
        ),
        Shape(
            "Bedrock's",
            json!({"toolConfig": {"tools": [{"toolSpec": {"name": "t", "description": "d", "inputSchema": {"json": schema}}}]}}),
            &["tool t /toolConfig/tools/0/toolSpec"],
            true,
        ),
        Shape("in data", json!({"data": {"tools": [tool]}}), &["tool t /data/tools/0"], true),
        Shape(
            "in params",
            json!([{"level": "info", "params": {"message": answer(json!({"tools": [tool]}))}}]),
            &["tool t /0/params/message/result/tools/0"],
            true,
        ),
        Shape(
            "as a text of an inspector",
            json!([{"request": "{}", "response": answer(json!({"tools": [tool]})).to_string()}]),
            &["tool t /0/response/result/tools/0"],
            true,
        ),
        Shape(
            "in a wrapper of one's own",
            json!({"scan": {"of": {"clock": {"tools": [tool]}}}}),
            &["tool t /scan/of/clock/tools/0"],
            false,
        ),
        Shape("one tool", tool, &["tool t "], false),
    ]
}

#[test]
fn every_shape_gives_its_surfaces() {
    for Shape(name, value, expected, in_folders) in shapes() {
        let expected: Vec<&str> = expected.iter().copied().filter(|surface| !surface.is_empty()).collect();
        for text in [value.to_string(), format!("\u{feff}{value:#}\r\n"), format!("{value:#}").replace('\n', "\r\n")] {
            let found = surfaces_of("saved.json", &text, ReadingReason::Named);
            assert_eq!(found, expected, "{name}: {text}");
            let evidence = evidence_of("saved.json", &text, ReadingReason::Named);
            assert_eq!(evidence.gaps, [], "{name}");
        }
        let found = surfaces_of("data/saved.json", &value.to_string(), ReadingReason::Found);
        if in_folders {
            assert_eq!(found, expected, "{name}, in a folder");
        } else {
            assert!(found.is_empty(), "{name}, in a folder: {found:?}");
        }
    }
}

#[test]
fn every_shape_is_a_server() {
    for Shape(name, value, ..) in shapes() {
        let bundle = bundle_of("saved.json", &value.to_string(), ReadingReason::Named);
        let kinds: Vec<Kind> = decompose(&bundle, &Evidence::gather(&bundle)).iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [Kind::McpServer, Kind::Package], "{name}");
    }
}

#[test]
fn ordinary_data_in_a_folder_is_no_recording() {
    for (path, value) in [
        ("people.json", json!([{"name": "Ada", "description": "Counts."}, {"name": "Bob", "description": "Builds."}])),
        (
            "openapi.json",
            json!({"openapi": "3.1.0", "tags": [{"name": "a", "description": "b"}],
            "paths": {"/a": {"get": {"description": "x", "parameters": [{"name": "q", "in": "query", "description": "y"}]}}}}),
        ),
        (
            "person.schema.json",
            json!({"type": "object", "properties": {"tools": {"type": "array", "description": "x"},
            "inputSchema": {"type": "object", "description": "y"}}}),
        ),
        ("tsconfig.json", json!({"compilerOptions": {"strict": true}, "tools": []})),
        ("en.json", json!({"tools": {"title": "Tools", "description": "All tools"}, "prompts": {"ask": "Ask"}})),
        (
            "template.json",
            json!({"resources": [{"type": "Microsoft.Web/sites", "name": "a", "uri": "x"}], "parameters": {}}),
        ),
        ("prompts.yaml.json", json!({"prompts": [{"name": "sum", "prompt": "Sum it up.", "arguments": 3}]})),
        (
            "request.json",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {}}}),
        ),
        ("call.json", json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "42"}]}})),
        ("prompts.json", json!({"prompts": [{"name": "sum", "prompt": "Sum it up."}]})),
        ("chat.json", json!({"messages": [{"role": "user", "content": "Hello"}]})),
        ("routes.json", json!({"resources": [{"uri": "/a", "name": "a"}]})),
    ] {
        let evidence = evidence_of(path, &value.to_string(), ReadingReason::Found);
        assert!(evidence.surfaces().is_empty(), "{path}");
        assert_eq!(evidence.gaps, [], "{path}");
    }
}

#[test]
fn a_named_file_that_is_no_recording_says_so() {
    let gaps = |path: &str, text: &str| {
        let evidence = evidence_of(path, text, ReadingReason::Named);
        evidence.gaps.into_iter().map(|gap| (gap.reason, gap.detail)).collect::<Vec<_>>()
    };
    let unknown = [(capdex_model::snapshot::GapReason::Unsupported, KNOWN.to_owned())];
    for (path, text) in [
        ("a.json", r#"{"weather": [1, 2, 3]}"#),
        ("a.jsonl", "{\"weather\": 1}\n{\"weather\": 2}\n"),
        ("a.ndjson", ""),
        ("a.sse", "event: ping\ndata: {}\n\n"),
        ("a.log", r#"12:00 sent {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#),
    ] {
        assert_eq!(gaps(path, text), unknown, "{path}");
        assert_eq!(evidence_of(path, text, ReadingReason::Found).gaps, [], "{path}, in a folder");
    }
    for (path, text) in [
        ("tsconfig.json", r#"{"compilerOptions": {}}"#),
        ("api.json", r#"{"openapi": "3.1.0", "paths": {}}"#),
        ("package.json", r#"{"name": "a"}"#),
        ("package-lock.json", r#"{"name": "a", "lockfileVersion": 3, "packages": {}}"#),
        ("notes.txt", "Nothing of interest [1] {2}."),
        ("README.md", "# A\n\n```json\n{\"tools\": []}\n```\n"),
        ("a.py", "tools = [{\"inputSchema\": {}}]\n"),
    ] {
        assert_eq!(gaps(path, text), [], "{path}");
    }
}

#[test]
fn several_messages_in_one_file_are_read_one_by_one() {
    let line = |name: &str| json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": name, "description": "Tells.", "inputSchema": {}}]}});
    let (a, b) = (line("a"), line("b"));
    let pretty = format!("{a:#}\n{b:#}\n");
    let data = |value: &Value| format!("{value:#}").replace('\n', "\ndata: ");
    for (path, text, lines) in [
        ("s.jsonl", format!("{a}\n{b}\n"), [1, 2]),
        ("s.ndjson", format!("\u{feff}{a}\r\n\r\n{b}"), [1, 3]),
        ("s.json", pretty, [6, 19]),
        ("s.json", format!("{a}{b}"), [1, 1]),
        ("s.sse", format!("event: message\ndata: {a}\n\nid: 7\ndata: {b}\n\n"), [2, 5]),
        ("s.txt", format!(": hello\r\nevent: message\r\ndata: {a}\r\n\r\ndata: {b}\r\n\r\n"), [3, 5]),
        ("s.sse", format!("data: {}\n\ndata: {}\n\n", data(&a), data(&b)), [6, 20]),
        (
            "s.log",
            format!("[12:00:01] [info] Message from server: {a} {{ metadata: undefined }}\n[7] [Remote→Local] {b}\n"),
            [1, 2],
        ),
        ("s", format!("2026-01-01T00:00:00Z [x] [1] got [{a}]\n{b}"), [1, 2]),
    ] {
        let evidence = evidence_of(path, &text, ReadingReason::Named);
        let tools: Vec<(&str, u32)> = evidence.tools.iter().map(|tool| (tool.name.as_str(), tool.place.line)).collect();
        assert_eq!(tools, [("a", lines[0]), ("b", lines[1])], "{path}: {text}");
        assert_eq!(evidence.gaps, [], "{path}: {text}");
        let is_stream = [".jsonl", ".ndjson", ".sse", ".json"].iter().any(|end| path.ends_with(end));
        let found = evidence_of(path, &text, ReadingReason::Found).tools.len();
        assert_eq!(found, if is_stream { 2 } else { 0 }, "{path}, in a folder");
    }
}

#[test]
fn one_tool_a_line_is_a_list() {
    let text = "{\"name\": \"a\", \"description\": \"d\", \"inputSchema\": {}}\n{\"name\": \"b\", \"description\": \"d\", \"input_schema\": null}\n";
    for reason in [ReadingReason::Named, ReadingReason::Found] {
        assert_eq!(surfaces_of("t.jsonl", text, reason), ["tool a /0", "tool b /1"]);
    }
}

#[test]
fn a_message_that_breaks_off_is_told_and_hides_no_other() {
    let whole = r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "description": "d"}]}}"#;
    let text = format!("{}\n{whole}\n", &whole[..60]);
    let evidence = evidence_of("s.jsonl", &text, ReadingReason::Named);
    assert_eq!(evidence.tools.len(), 1);
    assert_eq!(evidence.gaps.len(), 1);
    assert!(evidence.gaps[0].detail.contains("1 messages"), "{:?}", evidence.gaps);
}

#[test]
fn tools_of_two_servers_may_share_a_name() {
    let value = json!({"one": {"tools": [{"name": "t", "description": "a", "inputSchema": {}}]},
        "two": {"tools": [{"name": "t", "description": "b", "inputSchema": {}}]}});
    let lists = RecordedLists::of(&value, "s.json", ReadingReason::Named);
    assert_eq!(lists.server_at("/one/tools/0"), Some("one"));
    assert_eq!(lists.server_at("/two/tools/0"), Some("two"));
    assert_eq!(lists.only_server(), None);
}

#[test]
fn the_files_of_the_mcp_source_are_one_server() {
    let tools =
        json!({"server": {"name": "clock"}, "protocolVersion": "2026-07-28", "instructions": "Be kind.", "tools": []});
    let files = [
        ("tools.json", tools),
        ("prompts.json", json!({"prompts": [{"name": "p"}, {"name": "q", "description": "Asks."}]})),
        ("resources.json", json!({"resources": [{"uri": "ui://clock/face.html", "name": "face"}]})),
        ("resource-templates.json", json!({"resourceTemplates": [{"uriTemplate": "db://{t}", "name": "rows"}]})),
    ];
    for count in 1..=files.len() {
        let part = files[..count].iter();
        let map =
            part.map(|(path, value)| ((*path).to_owned(), BundleFile::new(value.to_string().into_bytes()))).collect();
        let bundle = Bundle::local("mcp:https://clock.test/mcp", map);
        let evidence = Evidence::gather(&bundle);
        let found = decompose(&bundle, &evidence);
        assert_eq!(found.len(), 2, "{count}");
        assert_eq!(
            (found[0].path.as_str(), found[0].name.as_str(), found[0].files.len()),
            ("tools.json", "clock", count)
        );
        assert_eq!(evidence.surfaces().len(), [0, 1, 3, 4, 5][count], "{count}");
    }
}
