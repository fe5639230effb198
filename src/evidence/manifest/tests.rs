//! Manifests of every kind, whole and broken.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn document(path: &str, text: &str) -> Document {
    Document::read(path, text.as_bytes(), &mut Vec::new())
}

fn read_with_gaps(path: &str, text: &str) -> (Option<Manifest>, Vec<Gap>) {
    let mut gaps = Vec::new();
    let manifest = read(&document(path, text), ReadingReason::Found, &mut gaps);
    (manifest, gaps)
}

fn kind(path: &str, text: &str) -> Option<ManifestKind> {
    read_with_gaps(path, text).0.map(|manifest| manifest.kind)
}

fn nested(levels: usize) -> String {
    format!("{{\"name\": {}1{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
}

#[test]
fn every_kind_is_recognised_by_path_and_content() {
    use ManifestKind::*;
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./a.sh"}]}]}}"#;
    let cases = [
        ("package.json", "{}", Some(PackageJson)),
        ("server.json", r#"{"name": "io.test/a", "description": "x", "version": "1"}"#, Some(ServerJson)),
        ("server.json", r#"{"port": 80, "name": "web"}"#, None),
        (".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#, Some(McpJson)),
        (".vscode/mcp.json", r#"{"servers": {"a": {"url": "http://a.test"}}}"#, Some(McpJson)),
        ("mcp.json", r#"{"a": {"command": "x"}}"#, Some(McpJson)),
        ("mcp.json", r#"{"title": "about MCP"}"#, None),
        ("manifest.json", r#"{"manifest_version": "0.3", "name": "a", "server": {"type": "node"}}"#, Some(Mcpb)),
        ("manifest.json", r#"{"dxt_version": "0.1", "name": "a", "server": {}}"#, Some(Mcpb)),
        ("manifest.json", r#"{"manifest_version": 3, "name": "an extension for browsers", "server": {}}"#, None),
        (".claude-plugin/plugin.json", "{}", Some(PluginJson)),
        ("a/plugin.json", r#"{"name": "a", "commands": "./commands"}"#, Some(PluginJson)),
        ("a/plugin.json", r#"{"name": "a", "type": "panel"}"#, None),
        (".claude-plugin/marketplace.json", r#"{"plugins": []}"#, Some(MarketplaceJson)),
        ("hooks/hooks.json", hooks, Some(HooksJson)),
        ("hooks/other.json", hooks, Some(HooksJson)),
        (".cursor/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"command": "./a.sh"}]}}"#, Some(HooksJson)),
        ("hooks.json", r#"{"useState": ["a"]}"#, None),
        (".claude/settings.local.json", "{}", Some(SettingsJson)),
        ("settings.json", "{}", None),
        ("SKILL.md", "---\nname: a\n---\n", Some(Frontmatter)),
        ("README.md", "# a\n---\n", None),
        ("any.json", r#"{"tools": [{"name": "a", "description": "b"}]}"#, Some(ToolsList)),
        ("any.json", r#"{"server": "s", "tools": []}"#, Some(ToolsList)),
        ("any.json", r#"{"jsonrpc": "2.0", "result": {"tools": [{"name": "a", "inputSchema": {}}]}}"#, Some(ToolsList)),
        ("any.json", r#"{"tools": [{"type": "function"}]}"#, None),
        ("any.json", r#"{"model": "m", "tools": []}"#, None),
        ("tools.json", r#"[{"name": "a", "arguments": []}]"#, Some(ToolsList)),
        ("pyproject.toml", "[project]\nname = 'a'", Some(PythonProject)),
        ("a-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\n", Some(PythonProject)),
        ("PKG-INFO", "Metadata-Version: 2.1\nName: a\n", Some(PythonProject)),
        ("METADATA", "Metadata-Version: 2.1\nName: a\n", None),
    ];
    for (path, text, expected) in cases {
        assert_eq!(kind(path, text), expected, "{path} {text}");
    }
}

#[test]
fn a_file_that_should_be_a_manifest_and_does_not_parse_is_a_gap() {
    for (path, text) in [
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", ""),
        ("pyproject.toml", "[project"),
        ("PKG-INFO", "hello"),
        ("SKILL.md", "---\nname: a\n"),
        ("any.json", r#"{"tools": [{"name": "a", "inputSchema": {}]}"#),
    ] {
        let (manifest, gaps) = read_with_gaps(path, text);
        assert!(manifest.is_none(), "{path}");
        assert_eq!(gaps.first().map(|gap| gap.reason), Some(GapReason::Malformed), "{path} {text}");
    }
    assert_eq!(read_with_gaps("data.json", "{").1, []);
    assert_eq!(read_with_gaps("node_modules/a/package.json", "{").1, []);
    assert_eq!(read_with_gaps("test/fixtures/package.json", "{").1, []);
}

#[test]
fn json_is_read_up_to_its_depth_and_no_deeper() {
    for (levels, readable) in [(json::MAX_DEPTH - 1, true), (json::MAX_DEPTH, true), (json::MAX_DEPTH + 1, false)] {
        let (manifest, gaps) = read_with_gaps("package.json", &nested(levels));
        assert_eq!(manifest.is_some(), readable, "{levels}");
        assert_eq!(gaps.is_empty(), readable, "{levels}");
    }
    assert_eq!(read_with_gaps("package.json", &"[".repeat(1_000_000)).1.len(), 1);
    assert_eq!(read_with_gaps("package.json", &"{\"a\":".repeat(1_000_000)).1.len(), 1);
}

#[test]
fn a_larger_file_than_allowed_is_a_gap() {
    let text = |size: usize| format!("{{\"a\": \"{}\"}}", "x".repeat(size - r#"{"a": ""}"#.len()));
    for (size, readable) in [(MAX_BYTES - 1, true), (MAX_BYTES, true), (MAX_BYTES + 1, false)] {
        let (manifest, gaps) = read_with_gaps("package.json", &text(size));
        assert_eq!(manifest.is_some(), readable, "{size}");
        assert_eq!(gaps.is_empty(), readable, "{size}");
    }
}

#[test]
fn marks_comments_and_trailing_commas_are_read_where_clients_read_them() {
    let relaxed =
        "\u{feff}{ // a comment with \"quotes\"\n \"mcpServers\": {\"a\": {\"command\": \"x // y\",},}, /* ü */ }";
    let (manifest, gaps) = read_with_gaps(".mcp.json", relaxed);
    assert_eq!(gaps, []);
    let manifest = manifest.expect("a client's file");
    assert_eq!(*manifest.value, json!({"mcpServers": {"a": {"command": "x // y"}}}));
    assert!(read_with_gaps("package.json", "{\"a\": 1,}").0.is_none());
    assert!(read_with_gaps("package.json", "\u{feff}{\"a\": 1}").0.is_some());
}

#[test]
fn a_doubled_key_is_a_gap_also_when_it_is_escaped() {
    let (manifest, gaps) = read_with_gaps("package.json", r#"{"name": "a", "x": {"name": 1}, "\u006eame": "b"}"#);
    assert_eq!(manifest.as_ref().and_then(|manifest| manifest.text("name")), Some("b"));
    assert_eq!(gaps.len(), 1);
    assert_eq!(read_with_gaps("package.json", r#"{"a": ["a", "a"], "b": {"a": "a"}}"#).1, []);
}

#[test]
fn front_matter_that_is_no_yaml_is_read_as_clients_read_it() {
    let text = "---\nname: a\ndescription: Use when: a colon stands here\n  and the line goes on\ntags:\n- one\n- two\nlist: [x, 'y']\nflag: true\n---\nBody";
    let (manifest, gaps) = read_with_gaps("skills/a/SKILL.md", text);
    let expected = json!({
        "name": "a", "description": "Use when: a colon stands here and the line goes on",
        "tags": ["one", "two"], "list": ["x", "y"], "flag": true
    });
    assert_eq!(manifest.as_ref().map(|manifest| &*manifest.value), Some(&expected));
    assert_eq!(manifest.and_then(|manifest| manifest.strict_refusal).map(|refusal| refusal.line), Some(3));
    assert_eq!(gaps, []);
}

#[test]
fn globs_of_cursor_rules_are_no_damage() {
    let (manifest, gaps) = read_with_gaps(".cursor/rules/a.mdc", "---\ndescription: a\nglobs: *.ts,*.tsx\n---\n");
    assert_eq!(manifest.map(|m| m.value), Some(json!({"description": "a", "globs": "*.ts,*.tsx"}).into()));
    assert_eq!(gaps, []);
}

#[test]
fn front_matter_has_its_edges() {
    assert_eq!(kind("SKILL.md", "\u{feff}\n---\r\nname: a\r\n---\r\n"), Some(ManifestKind::Frontmatter));
    assert_eq!(kind("SKILL.md", "---\n---\n"), Some(ManifestKind::Frontmatter));
    assert_eq!(kind("SKILL.md", "----\nname: a\n---\n"), None);
    assert_eq!(read_with_gaps("docs/a.md", "---\nJust a rule above.\n\nMore.\n").1, []);
    let padded = |size: usize| format!("---\na: {}\n---\n", "x".repeat(size - 4));
    for (size, closed) in [(256 * 1024, true), (256 * 1024 + 1, false)] {
        assert_eq!(kind("SKILL.md", &padded(size)).is_some(), closed, "{size}");
    }
}

#[test]
fn yaml_bombs_end_in_a_gap() {
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"));
    }
    bomb.push_str("---\n");
    let deep = format!("---\na: {}\n---\n", "[".repeat(100_000));
    let blocks: String = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    for text in [bomb, deep, format!("---\n{blocks}---\n")] {
        let (_, gaps) = read_with_gaps("SKILL.md", &text);
        assert_eq!(gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::Malformed]);
    }
}

#[test]
fn deep_toml_ends_in_a_gap() {
    for text in [format!("a = {}", "[".repeat(100_000)), format!("{}a = 1", "a.".repeat(100_000))] {
        assert_eq!(read_with_gaps("pyproject.toml", &text).1.len(), 1);
    }
}

#[test]
fn core_metadata_keeps_repeated_headers_and_no_body() {
    let text = "Metadata-Version: 2.1\nName: a\nName: b\nRequires-Dist: mcp>=1\nRequires-Dist: rich\nLicense: first\n        second\n\nSummary: of the body\n";
    let (manifest, _) = read_with_gaps("PKG-INFO", text);
    let expected = json!({
        "metadata-version": "2.1", "name": "a", "requires-dist": ["mcp>=1", "rich"], "license": "first\nsecond"
    });
    assert_eq!(manifest.map(|manifest| manifest.value), Some(expected.into()));
}

#[test]
fn places_lead_to_keys_and_elements() {
    let text = "{\n  \"a/b\": [\n    {\"ü\": {\"x\": 1, \"y\": [2]}},\n    3\n  ]\n}";
    let document = document("a.json", text);
    let at = |pointer: &str| {
        let place = place_of(&document, pointer);
        assert_eq!(place.pointer, pointer);
        (place.line, place.column)
    };
    assert_eq!(at("/a~1b"), (2, 3));
    assert_eq!(at("/a~1b/0"), (3, 5));
    assert_eq!(at("/a~1b/0/ü"), (3, 6));
    assert_eq!(at("/a~1b/0/ü/y"), (3, 20));
    assert_eq!(at("/a~1b/0/ü/y/0"), (3, 26));
    assert_eq!(at("/a~1b/1"), (4, 5));
    assert_eq!(at("/a~1b/1/nothing"), (4, 5), "the nearest ancestor");
    assert_eq!(at("/nothing"), (1, 1));
    assert_eq!(at(""), (1, 1));
}

#[test]
fn places_in_front_matter_are_lines() {
    let document = document("SKILL.md", "---\nname: a\n  description: b\n---\n");
    assert_eq!(place_of(&document, "/description").line, 3);
    assert_eq!(place_of(&document, "/description").column, 3);
    assert_eq!(place_of(&document, "/missing").line, 1);
}

#[test]
fn launches_speak_one_language_for_all_clients() {
    let launch = |path: &str, text: &str| {
        let manifest = read_with_gaps(path, text).0.expect("a manifest");
        let first = launches(&manifest).first().map(|l| {
            (
                l.name.to_owned(),
                l.command.map(str::to_owned),
                l.arguments.join(" "),
                l.url.map(str::to_owned),
                l.pointer.clone(),
            )
        });
        first.expect("a launch")
    };
    let npx = |pointer: &str| ("a".into(), Some("npx".into()), "-y b".into(), None, pointer.into());
    assert_eq!(
        launch(".mcp.json", r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "b"]}}}"#),
        npx("/mcpServers/a")
    );
    assert_eq!(launch("mcp.json", r#"{"mcp": {"a": {"command": ["npx", "-y", "b"]}}}"#), npx("/mcp/a"));
    assert_eq!(launch("mcp.json", r#"{"a": {"command": "npx", "args": ["-y", "b"]}}"#), npx("/a"));
    let remote = launch(".vscode/mcp.json", r#"{"servers": {"a": {"serverUrl": "http://a.test"}}}"#);
    assert_eq!(remote.3.as_deref(), Some("http://a.test"));
}

#[test]
fn foreign_folders_are_told_from_freely_named_ones() {
    for path in [
        "node_modules/a/SKILL.md",
        "test/fixtures/SKILL.md",
        "a/__tests__/b.json",
        "tests/skills/a/SKILL.md",
        "vendor/a/b",
    ] {
        assert!(is_foreign(path), "{path}");
    }
    for path in ["skills/test/SKILL.md", "skills/vendor/SKILL.md", "tests/AGENTS.md", "examples/a/SKILL.md", "SKILL.md"]
    {
        assert!(!is_foreign(path), "{path}");
    }
}

#[test]
fn joins_stay_inside() {
    assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
    assert_eq!(join("a", "./").as_deref(), Some("a"));
    assert_eq!(join("a", "../../b"), None);
    assert_eq!(join("a", "/b"), None);
}

fn any_value() -> impl Strategy<Value = Value> {
    "[ab{}/,]{0,3}".prop_map(Value::from).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab/]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,200}", at in 0..8_usize) {
        let paths = ["package.json", ".mcp.json", "SKILL.md", "a.mdc", "pyproject.toml", "PKG-INFO", "tools.json", "hooks.json"];
        let path = paths.get(at).copied().unwrap_or_default();
        let document = document(path, &text);
        read(&document, ReadingReason::Found, &mut Vec::new());
        let place = place_of(&document, "/a/0/b");
        prop_assert!(place.line >= 1 && place.column >= 1);
    }

    #[test]
    fn json_like_text_breaks_no_scanner(text in r#"[\[\]{},:"/*\\ \na1]{0,60}"#) {
        let relaxed = json::parse(&text, json::JsonDialect::Relaxed);
        if let Ok(strict) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(relaxed.map(|parsed| parsed.value), Ok(strict));
        }
        place_of(&document("a.json", &text), "/a/1/a");
    }

    #[test]
    fn front_matter_lines_break_no_reader(body in "([a-z]{1,3}: ?[-\\[\\]{}&*'\"|> a-z]{0,12}\n|- [a-z]{0,4}\n| [a-z: ]{0,9}\n){0,9}") {
        read(&document("SKILL.md", &format!("---\n{body}---\n")), ReadingReason::Found, &mut Vec::new());
    }

    #[test]
    fn a_walk_may_end_with_the_last_pointer_where_every_key_stands_once(value in any_value(), picks in 0_u16..2048) {
        const POINTERS: [&str; 11] = ["", "/0", "/0/a", "/1", "/a", "/a/0", "/a/a", "/a/b", "/b", "/b/1", "/b/~1"];
        let wanted = POINTERS.into_iter().enumerate().filter(|(at, _)| picks >> at & 1 == 1);
        let wanted: Vec<&str> = wanted.map(|(_, pointer)| pointer).collect();
        let text = format!("{value:#}");
        prop_assert_eq!(json::offsets_of(&text, &wanted, true), json::offsets_of(&text, &wanted, false));
    }

    #[test]
    fn every_pointer_of_a_value_has_its_own_place(keys in proptest::collection::btree_set("[a-z/~\"\\\\é]{1,4}", 1..6)) {
        let object: serde_json::Map<String, Value> = keys.iter().map(|key| (key.clone(), json!([1, {"x": key}]))).collect();
        let text = serde_json::to_string_pretty(&object).expect("serialises");
        let document = document("a.json", &text);
        for key in &keys {
            let pointer = format!("/{}", escape(key));
            prop_assert!(Value::Object(object.clone()).pointer(&pointer).is_some());
            let line = place_of(&document, &pointer).line;
            let line = text.lines().nth(line as usize - 1).unwrap_or_default().trim_start();
            let written = serde_json::to_string(key).expect("serialises");
            prop_assert!(line.starts_with(&written), "{} not at {}", written, line);
        }
    }
}
