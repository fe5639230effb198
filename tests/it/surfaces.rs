//! Surfaces: what a model reads of a server is the same in `scan`, `explain`, the dataset, the site and the API.

use serde_json::{Value, json};

use crate::nightly::night;
use crate::rows::{rows, text};
use crate::support::capdex::{Capdex, Run};
use crate::support::service::Service;

/// Inert. Names as hostile servers write them: markup, an order of letters turned round, a control character.
const LIST: &str = r#"{"server": {"name": "diary", "instructions": "Ask before you write."},
"tools": [
{"name": "add_event", "description": "Adds an event.", "inputSchema": {"type": "object", "properties": {}}},
{"name": "<b>\u202efind\u001b[1m</b>", "inputSchema": {"$ref": "https://schemas.example/find.json"}}],
"prompts": [
{"name": "plan", "description": "Plans a day.", "arguments": [{"name": "day", "description": "Which day."}]}],
"resources": [
{"uri": "ui://diary/month.html", "name": "month", "mimeType": "text/html;profile=mcp-app"},
{"uri": "diary://today", "name": "today", "description": "The events of today."}],
"resourceTemplates": [
{"uriTemplate": "diary://{day}", "name": "of a day"}]}
"#;

/// A program of which one text is put together at run time.
const PROGRAM: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.tool('now', 'Tells the time.', { zone: z.string() }, async () => ({ content: [] }));
server.tool('later', 'Tells the time of ' + process.env.TOWN, { zone: z.string() }, async () => ({ content: [] }));
";

const PACKAGE: &str = r#"{"name": "clock", "version": "1.0.0", "main": "index.mjs",
"dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}"#;

fn surface(kind: &str, name: &str, line: u32, [description, schema, complete]: [bool; 3]) -> Value {
    json!({ "kind": kind, "name": name, "file": "tools.json", "line": line, "description": description, "schema": schema,
            "complete": complete })
}

/// The surfaces of the recorded list, in their order.
fn listed() -> Vec<Value> {
    vec![
        surface("tool", "add_event", 3, [true, true, true]),
        surface("tool", "<b>\u{202e}find\u{1b}[1m</b>", 4, [false, true, false]),
        surface("prompt", "plan", 6, [true, true, true]),
        surface("resource", "today", 9, [true, false, true]),
        surface("resource", "of a day", 11, [false, false, true]),
        surface("instructions", "server", 1, [true, false, true]),
        surface("ui", "month", 8, [false, false, true]),
    ]
}

fn folder() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("diary/tools.json", LIST).write("clock/index.mjs", PROGRAM).write("clock/package.json", PACKAGE);
    capdex
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The surfaces of the server that a scan of a folder found.
fn scanned(capdex: &Capdex, input: &str) -> Value {
    let run = capdex.run(&["scan", input, "--format", "jsonl"]);
    let server = lines(&run).into_iter().find(|line| line["kind"] == "mcp_server").expect("a server");
    server["surfaces"].clone()
}

#[test]
fn a_scan_lists_them_between_scores_and_verdict() {
    let capdex = folder();
    assert_eq!(scanned(&capdex, "diary"), Value::Array(listed()));
    let run = capdex.run(&["scan", "diary", "--format", "jsonl"]);
    for (line, object) in run.stdout.lines().zip(lines(&run)) {
        // As text, because a parsed object forgets the order of its keys.
        let at = |key: &str| line.rfind(key).unwrap_or_else(|| panic!("{key} in {line}"));
        assert!(at("\"scores\":{") < at("\"surfaces\":["), "{line}");
        assert!(at("\"surfaces\":[") < at("\"verdict\":{"), "{line}");
        let is_server = object["kind"] == "mcp_server";
        assert_eq!(object["surfaces"].as_array().map(Vec::is_empty), Some(!is_server), "{line}");
    }
    let record = "{\"kind\":\"tool\",\"name\":\"add_event\",\"file\":\"tools.json\",\"line\":3,\"description\":true,\
                  \"schema\":true,\"complete\":true}";
    assert!(run.stdout.contains(record), "{}", run.stdout);
    assert!(!run.stdout.contains(['\u{202e}', '\u{1b}']), "{}", run.stdout);
}

#[test]
fn the_table_counts_them_in_a_line() {
    let capdex = folder();
    let diary = capdex.run(&["scan", "diary"]);
    let line = "    2 tools, 1 prompt, 2 resources, instructions, 1 ui resource read; 1 not to their end\n";
    assert!(diary.stdout.contains(line), "{}", diary.stdout);
    let clock = capdex.run(&["scan", "clock"]);
    assert!(clock.stdout.contains("    2 tools read; 1 not to their end\n"), "{}", clock.stdout);
}

#[test]
fn a_night_shows_the_same_everywhere() {
    let capdex = folder();
    capdex.write("schedule.toml", "name = \"x\"\n[sources.folder]\npaths = [\"diary\", \"clock\"]\n");
    night(&capdex, "2026-11-20T01:00:00Z");
    let (ranked, table) =
        (rows(&capdex.path().join("out"), "capabilities"), rows(&capdex.path().join("out"), "surfaces"));
    let service = Service::start(&capdex, &[]);
    for input in ["diary", "clock"] {
        let is_server = |row: &&Value| text(row, "kind") == "mcp_server" && text(row, "package").ends_with(input);
        let row = ranked.iter().find(is_server).expect("the server");
        let (slug, id) = (text(row, "slug"), text(row, "capability"));
        let expected = scanned(&capdex, input);
        let expected = expected.as_array().expect("a list");
        assert!(expected.len() >= 2, "{input}: {expected:?}");
        let of_it = table.iter().filter(|row| text(row, "capability") == id);
        let exported: Vec<Value> = of_it.map(as_scanned).collect();
        assert_eq!(exported, *expected, "{input}");
        let one = service.get(&format!("/api/v1/capabilities/{slug}")).json();
        assert_eq!(one["scan"]["surfaces"].as_array(), Some(expected), "{input}");
        let all = service.get(&format!("/api/v1/capabilities/{slug}/surfaces")).json();
        assert_eq!(all["items"].as_array(), Some(expected), "{input}");
        assert_eq!(all["total"], expected.len(), "{input}");
        let page = service.get(text(&one, "page"));
        let page = String::from_utf8(page.body).expect("text");
        let told = capdex.run(&["explain", slug]).stdout;
        for surface in expected {
            let (kind, name) = (text(surface, "kind"), text(surface, "name"));
            let safe = name.replace('\u{202e}', "\\u{202e}").replace('\u{1b}', "\\u{1b}");
            let line = format!("            {kind} {safe}  {}:{}", text(surface, "file"), surface["line"]);
            assert!(told.contains(&line), "{line}: {told}");
            let cell = safe.replace('<', "&lt;").replace('>', "&gt;");
            assert!(
                page.contains(&format!("<td>{kind}</td><th scope=\"row\"><bdi>{cell}</bdi></th>")),
                "{cell}: {page}"
            );
        }
        assert_eq!(capdex.run(&["verify", slug]).code, Some(0), "{input}");
    }
    assert_eq!(service.terminate(), Some(0));
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));
}

/// A row of the dataset as `scan` writes it.
fn as_scanned(row: &Value) -> Value {
    json!({ "kind": row["kind"], "name": row["name"], "file": row["file"], "line": row["line"],
            "description": row["description"], "schema": row["schema"], "complete": row["complete"] })
}

/// A server whose tools stand in a dependency, and the same with one tool of its own.
const TOOLKIT: &str = "#!/usr/bin/env node
import { NotesToolkit } from '@notes/agent-toolkit';
new NotesToolkit().connect();
";
const NOTES: &str = r#"{"name": "notes-mcp", "version": "1.0.0", "type": "module", "bin": {"notes-mcp": "index.js"},
"license": "MIT", "repository": "https://github.com/notes/notes-mcp", "description": "A server for notes.",
"dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}"#;

/// Band and gaps of the server that a scan of a folder found.
fn judged(capdex: &Capdex, input: &str) -> (String, Vec<String>) {
    let run = capdex.run(&["scan", input, "--format", "jsonl"]);
    let server = lines(&run).into_iter().find(|line| line["kind"] == "mcp_server").expect("a server");
    let gaps = server["incomplete_reasons"].as_array().expect("a list");
    let gaps = gaps.iter().map(|gap| gap.as_str().expect("text").to_owned()).collect();
    (text(&server["verdict"], "band").to_owned(), gaps)
}

#[test]
fn a_server_of_which_nothing_was_read_is_unknown() {
    let capdex = Capdex::offline();
    capdex.write("hidden/index.js", TOOLKIT).write("hidden/package.json", NOTES);
    let said = "index.js: unresolved (starts an MCP server; none of its tools could be read)".to_owned();
    assert_eq!(judged(&capdex, "hidden"), ("unknown".to_owned(), vec![said]));

    // Where its own source starts it, the line is told.
    let own = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
               import { addAll } from '@notes/agent-toolkit';\n\
               addAll(new McpServer({ name: 'notes', version: '1.0.0' }));\n";
    capdex.write("started/index.js", own).write("started/package.json", NOTES);
    let said = "index.js: unresolved (starts an MCP server; none of its tools could be read (line 3))".to_owned();
    assert_eq!(judged(&capdex, "started"), ("unknown".to_owned(), vec![said]));

    let program = [PROGRAM.lines().take(4).collect::<Vec<_>>().join("\n"), "\n".to_owned()].concat();
    capdex.write("read/index.js", &program).write("read/package.json", NOTES);
    let (band, gaps) = judged(&capdex, "read");
    assert_eq!(gaps, Vec::<String>::new(), "its tool was read");
    assert_ne!(band, "unknown");
}

#[test]
fn lists_that_a_client_starts_and_empty_recordings_are_no_unread_servers() {
    let capdex = Capdex::offline();
    let list = r#"{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes-mcp@1.2.3"]}}}"#;
    capdex.write("project/.mcp.json", list).write("project/index.js", "console.log('a');\n");
    assert_eq!(judged(&capdex, "project").1, Vec::<String>::new());
    let recorded = r#"{"server": {"name": "empty"}, "tools": []}"#;
    capdex.write("recorded/tools.json", recorded).write("recorded/package.json", NOTES);
    assert_eq!(judged(&capdex, "recorded").1, Vec::<String>::new());
}
