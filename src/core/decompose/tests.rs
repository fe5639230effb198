use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::bundle::BundleFile;
use crate::evidence::source::SourceView;
use crate::evidence::tools::{Tool, ToolOrigin};
use crate::fact::Place;

const SERVER: &str = r#"{"name": "x-mcp", "bin": "x.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}"#;
const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
  {"type": "command", "command": "bash \"${CLAUDE_PLUGIN_ROOT}\"/scripts/check.sh --all && ./lib/log.py"}]}]}}"#;

fn bundle_of(files: &[(&str, &str)]) -> Bundle {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes())));
    Bundle::local("folder:input", files.collect())
}

/// Source views with one tool each, as the parsers would give them.
fn registering(evidence: &mut Evidence, paths: &[&str]) {
    for path in paths {
        let place = Place { file: (*path).to_owned(), line: 1, column: 1, pointer: String::new() };
        let tool = Tool {
            name: "t".to_owned(),
            title: None,
            description: None,
            input_schema: None,
            output_schema: None,
            annotations: None,
            origin: ToolOrigin::Source,
            place,
        };
        evidence.sources.insert((*path).to_owned(), SourceView { tools: vec![tool], ..SourceView::default() });
    }
}

fn decomposed_with(files: &[(&str, &str)], sources: &[&str]) -> Vec<Capability> {
    let bundle = bundle_of(files);
    let mut evidence = Evidence::gather(&bundle);
    registering(&mut evidence, sources);
    decompose(&bundle, &evidence)
}

/// `kind path [files]` for each capability.
fn shown(files: &[(&str, &str)]) -> Vec<String> {
    shown_with(files, &[])
}

fn shown_with(files: &[(&str, &str)], sources: &[&str]) -> Vec<String> {
    let capabilities = decomposed_with(files, sources);
    capabilities.iter().map(|c| format!("{} {:?} {}", c.kind, c.path, c.files.join(" "))).collect()
}

fn names(files: &[(&str, &str)]) -> Vec<String> {
    decomposed_with(files, &[]).into_iter().map(|capability| capability.name).collect()
}

#[test]
fn an_input_without_anchors_is_one_package_and_no_skill() {
    assert_eq!(shown(&[("README.md", "a"), ("run.sh", "b")]), [r#"package "" README.md run.sh"#]);
    assert_eq!(shown(&[]), [r#"package "" "#]);
}

#[test]
fn a_lone_skill_is_at_the_root() {
    assert_eq!(shown(&[("SKILL.md", "---\nname: a\n---")]), [r#"skill "" SKILL.md"#, r#"package "" "#]);
    assert_eq!(names(&[("SKILL.md", "---\nname: ' a '\n---")]), ["a", "input"]);
    assert_eq!(names(&[("skills/b/skill.md", "no front matter")]), ["b", "input"]);
}

#[test]
fn a_skill_has_its_folder_without_nested_skills() {
    let files = [
        ("skills/a/SKILL.md", ""),
        ("skills/a/scripts/deep/down/run.py", ""),
        ("skills/a/inner/SKILL.md", ""),
        ("skills/a/inner/x.txt", ""),
        ("src/evil.js", ""),
        ("README.md", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"skill "skills/a" skills/a/SKILL.md skills/a/scripts/deep/down/run.py"#,
            r#"skill "skills/a/inner" skills/a/inner/SKILL.md skills/a/inner/x.txt"#,
            r#"package "" README.md src/evil.js"#,
        ]
    );
}

#[test]
fn an_npm_server_keeps_its_tree_and_yields_its_skills() {
    let files = [("package.json", SERVER), ("dist/x.js", ""), ("skills/s/SKILL.md", ""), ("README.md", "")];
    assert_eq!(
        shown(&files),
        [
            r#"skill "skills/s" skills/s/SKILL.md"#,
            r#"mcp_server "" README.md dist/x.js package.json"#,
            r#"package "" "#,
        ]
    );
    assert_eq!(names(&files), ["s", "x-mcp", "x-mcp"]);
}

#[test]
fn what_makes_a_package_a_server() {
    let is_server = |manifest: &str| {
        let kinds: Vec<Kind> = decomposed_with(&[("package.json", manifest)], &[]).iter().map(|c| c.kind).collect();
        kinds.contains(&Kind::McpServer)
    };
    assert!(is_server(r#"{"mcpName": "io.test/a"}"#), "the registry's mark");
    assert!(is_server(r#"{"bin": {"a": "a.js"}, "dependencies": {"fastmcp": "1"}}"#), "a kit and a program");
    assert!(is_server(r#"{"keywords": ["mcp", "server"], "devDependencies": {"@modelcontextprotocol/sdk": "1"}}"#));
    assert!(is_server(r#"{"name": "git-mcp-server", "bin": "a.js"}"#), "a bundled server");
    assert!(!is_server(r#"{"dependencies": {"@modelcontextprotocol/sdk": "1"}}"#), "a mere client");
    assert!(!is_server(r#"{"name": "mcp-server-types"}"#), "a library");
    assert!(!is_server(r#"{"mcpServers": {"a": {"command": "b"}}}"#), "launch entries in a package");
    assert!(!is_server(r#"{"name": "mcp", "bin": "a.js"}"#));
}

#[test]
fn a_program_that_only_talks_to_servers_is_none() {
    let bundle = bundle_of(&[("package.json", SERVER), ("src/a.ts", "")]);
    let mut evidence = Evidence::gather(&bundle);
    let client = vec!["@modelcontextprotocol/sdk/client/index.js".to_owned()];
    evidence.sources.insert("src/a.ts".into(), SourceView { imports: client, ..SourceView::default() });
    assert_eq!(decompose(&bundle, &evidence).len(), 1);
}

#[test]
fn a_python_server_is_a_server_and_no_skill() {
    let project = "[project]\nname = 'x'\ndependencies = ['mcp[cli]>=1.2']\n[project.scripts]\nx = 'x:main'\n";
    assert_eq!(
        shown(&[("pyproject.toml", project), ("src/x/server.py", "")]),
        [r#"mcp_server "" pyproject.toml src/x/server.py"#, r#"package "" "#]
    );
    let server = r#"{"name": "io.test/x", "description": "x", "version": "1", "packages": []}"#;
    assert_eq!(shown(&[("server.json", server)]), [r#"mcp_server "" server.json"#, r#"package "" "#]);
}

#[test]
fn a_wheel_is_anchored_at_its_root() {
    let metadata = "Metadata-Version: 2.1\nName: x\nRequires-Dist: fastmcp (>=2)\n";
    let files = [
        ("x/server.py", ""),
        ("x-1.dist-info/METADATA", metadata),
        ("x-1.dist-info/entry_points.txt", "[console_scripts]\nx = x:main\n"),
    ];
    let expected = "mcp_server \"\" x-1.dist-info/METADATA x-1.dist-info/entry_points.txt x/server.py";
    assert_eq!(shown(&files), [expected, r#"package "" "#]);
}

#[test]
fn build_metadata_below_a_project_makes_no_second_server() {
    let metadata = "Metadata-Version: 2.1\nName: x\nRequires-Dist: mcp\n\nmcp-name: io.test/x";
    let files = [("x-1/PKG-INFO", metadata), ("x-1/pyproject.toml", ""), ("x-1/src/x.egg-info/PKG-INFO", metadata)];
    assert_eq!(shown(&files).len(), 2);
    assert!(shown(&files)[0].starts_with(r#"mcp_server "x-1" "#));
}

#[test]
fn source_that_registers_tools_is_a_server_where_its_project_is() {
    assert_eq!(
        shown_with(&[("src/server.ts", ""), ("package.json", "{}"), ("a.md", "")], &["src/server.ts"])[0],
        r#"mcp_server "" a.md package.json src/server.ts"#
    );
    assert_eq!(
        shown_with(&[("a/src/main.py", ""), ("b.md", "")], &["a/src/main.py"])[0],
        r#"mcp_server "a" a/src/main.py"#
    );
    let beside = [("package.json", r#"{"name": "kit"}"#), ("examples/a.ts", ""), ("tests/b.ts", "")];
    assert_eq!(shown_with(&beside, &["examples/a.ts", "tests/b.ts"]).len(), 1, "examples say nothing of the package");
    let skill = [("skills/a/SKILL.md", ""), ("skills/a/scripts/server.py", ""), ("package.json", "{}")];
    assert_eq!(shown_with(&skill, &["skills/a/scripts/server.py"]).len(), 2, "a skill's script stays a skill's");
}

#[test]
fn packages_of_a_workspace_are_servers_of_their_own() {
    let files = [
        ("package.json", r#"{"workspaces": ["packages/*"], "devDependencies": {"@modelcontextprotocol/sdk": "1"}}"#),
        ("packages/a/package.json", SERVER),
        ("packages/b/index.js", ""),
        ("server.json", r#"{"name": "io.test/x", "packages": [{"registryType": "npm", "identifier": "x-mcp"}]}"#),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"mcp_server "packages/a" packages/a/package.json server.json"#,
            r#"package "" package.json packages/b/index.js"#,
        ]
    );
}

#[test]
fn a_bundle_for_desktop_clients_is_a_server() {
    let manifest = r#"{"manifest_version": "0.3", "name": "desk", "server": {"type": "node"}}"#;
    assert_eq!(
        shown(&[("manifest.json", manifest), ("server/index.js", "")])[0],
        r#"mcp_server "" manifest.json server/index.js"#
    );
    assert_eq!(
        shown(&[("a.mcpb", "PK"), ("a.mcpb!/manifest.json", manifest)]),
        [r#"mcp_server "a.mcpb!" a.mcpb!/manifest.json"#, r#"package "" a.mcpb"#]
    );
}

#[test]
fn a_tools_list_alone_is_a_server_at_its_file() {
    let list = r#"{"server": {"name": "files"}, "tools": [{"name": "read", "description": "Reads."}]}"#;
    assert_eq!(shown(&[("list.json", list)]), [r#"mcp_server "list.json" list.json"#, r#"package "" "#]);
    assert_eq!(names(&[("list.json", list)]), ["files", "input"]);
    assert_eq!(shown(&[("a/one.json", list), ("a/two.json", list)]).len(), 3, "two recordings are two servers");
    assert_eq!(shown(&[("a/tools.json", list), ("a/main.go", "")])[0], r#"mcp_server "a" a/main.go a/tools.json"#);
    assert_eq!(shown(&[("package.json", SERVER), ("tools.json", list)]).len(), 2, "a server's own recording");
    let beside_skill = shown(&[("s/SKILL.md", ""), ("s/tools.json", list), ("s/a.py", "")]);
    assert_eq!(beside_skill[1], r#"mcp_server "s/tools.json" s/tools.json"#);
}

#[test]
fn a_client_file_is_a_server_by_itself_and_never_the_repository() {
    let list = r#"{"mcpServers": {"remote": {"url": "http://a.test"}}}"#;
    assert_eq!(
        shown(&[(".mcp.json", list), ("src/app.py", "")]),
        [r#"mcp_server ".mcp.json" .mcp.json"#, r#"package "" src/app.py"#]
    );
    assert_eq!(names(&[(".mcp.json", list)])[0], "remote");
    assert_eq!(shown(&[(".mcp.json", list), ("package.json", SERVER)]).len(), 2, "a server is there already");
    assert_eq!(shown(&[(".mcp.json", list), ("server/package.json", SERVER)])[1], r#"package "" .mcp.json"#);
    assert_eq!(shown(&[(".mcp.json", r#"{"mcpServers": {}}"#)]).len(), 1, "it launches nothing");
    assert_eq!(shown(&[("docs/claude_desktop_config.json", list)]).len(), 1, "a sample in documents");
}

#[test]
fn a_plugin_is_the_folder_around_its_manifest() {
    let files = [
        (".claude-plugin/plugin.json", r#"{"name": "p"}"#),
        ("scripts/check.sh", ""),
        ("commands/go.md", ""),
        ("agents/a.md", ""),
        ("skills/s/SKILL.md", ""),
        ("AGENTS.md", ""),
        (".mcp.json", r#"{"mcpServers": {"a": {"command": "b"}}}"#),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"skill "skills/s" skills/s/SKILL.md"#,
            r#"mcp_server ".mcp.json" .mcp.json"#,
            r#"plugin "" .claude-plugin/plugin.json agents/a.md commands/go.md scripts/check.sh"#,
            r#"rules "AGENTS.md" AGENTS.md"#,
            r#"package "" "#,
        ]
    );
}

#[test]
fn hooks_of_a_nested_plugin_bring_their_scripts() {
    let files = [
        ("plugins/p/.claude-plugin/plugin.json", r#"{"name": "p"}"#),
        ("plugins/p/hooks/hooks.json", HOOKS),
        ("plugins/p/hooks/lib/log.py", ""),
        ("plugins/p/scripts/check.sh", "curl x | sh"),
        ("plugins/p/scripts/other.sh", ""),
        ("scripts/check.sh", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"hook "plugins/p/hooks/hooks.json" plugins/p/hooks/hooks.json plugins/p/hooks/lib/log.py plugins/p/scripts/check.sh"#,
            r#"plugin "plugins/p" plugins/p/.claude-plugin/plugin.json plugins/p/scripts/other.sh"#,
            r#"package "" scripts/check.sh"#,
        ]
    );
}

#[test]
fn hooks_in_settings_bring_the_scripts_beside_them() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"command": "$CLAUDE_PROJECT_DIR/tools/stop.py"}]}]}, // why
    }"#;
    let files =
        [(".claude/settings.json", settings), (".claude/hooks/evil.sh", ""), ("tools/stop.py", ""), ("a.md", "")];
    assert_eq!(
        shown(&files),
        [
            r#"hook ".claude/settings.json" .claude/hooks/evil.sh .claude/settings.json tools/stop.py"#,
            r#"package "" a.md"#,
        ]
    );
    assert_eq!(
        shown(&[(".claude/hooks/evil.sh", ""), (".claude/hooks/README.md", ""), (".claude/settings.json", "{}")]),
        [
            r#"hook ".claude/hooks/evil.sh" .claude/hooks/evil.sh"#,
            r#"package "" .claude/hooks/README.md .claude/settings.json"#
        ],
        "loose scripts are hooks, settings without hooks are not"
    );
}

#[test]
fn a_hook_takes_nothing_that_anchors_or_serves() {
    let hooks = r#"{"hooks": {"Stop": [{"command": "cat ./skills/a/SKILL.md ./AGENTS.md; node ./server.js ./../../up.sh /etc/x"}]}}"#;
    let files =
        [("hooks.json", hooks), ("skills/a/SKILL.md", "---\nname: a\n---"), ("AGENTS.md", ""), ("server.js", "")];
    assert_eq!(
        shown_with(&files, &["server.js"]),
        [
            r#"skill "skills/a" skills/a/SKILL.md"#,
            r#"mcp_server "" server.js"#,
            r#"hook "hooks.json" hooks.json"#,
            r#"rules "AGENTS.md" AGENTS.md"#,
            r#"package "" "#,
        ]
    );
}

#[test]
fn hook_commands_are_read_with_their_places() {
    let evidence = Evidence::gather(&bundle_of(&[("hooks/hooks.json", HOOKS)]));
    let commands = hook::commands(&evidence, "hooks/hooks.json");
    assert_eq!(commands.len(), 1);
    assert_eq!((commands[0].event.as_str(), commands[0].form.as_str()), ("PreToolUse", "command"));
    assert!(commands[0].command.starts_with("bash "));
    assert_eq!(commands[0].place.pointer, "/hooks/PreToolUse/0/hooks/0/command");
    assert_eq!((commands[0].place.line, commands[0].place.column), (2, 23));
    let front = "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - {type: http, url: 'http://a.test'}\n---\n";
    let plugin = r#"{"name": "p", "hooks": [{"hooks": {"Stop": [{"bash": "a", "powershell": "b"}]}}, "./x.json"],
        "monitors": [{"name": "m", "command": "c"}]}"#;
    let evidence = Evidence::gather(&bundle_of(&[("SKILL.md", front), (".claude-plugin/plugin.json", plugin)]));
    let read = |path: &str| -> Vec<String> {
        hook::commands(&evidence, path).iter().map(|c| format!("{} {} {}", c.event, c.form, c.command)).collect()
    };
    assert_eq!(read("SKILL.md"), ["Stop http http://a.test"]);
    assert_eq!(read(".claude-plugin/plugin.json"), ["Stop command a", "Stop command b", "monitor command c"]);
    assert!(read("missing").is_empty());
}

#[test]
fn marketplaces_list_plugins_without_manifests() {
    let market = r#"{"name": "shop", "owner": {}, "metadata": {"pluginRoot": "./bundles"}, "plugins": [
        {"name": "one", "source": "./plugins/one"}, {"name": "two", "source": "two"},
        {"name": "far", "source": {"source": "github", "repo": "a/b"}}, {"name": "gone", "source": "./gone"},
        {"name": "out", "source": "../../etc"}]}"#;
    let files = [
        (".claude-plugin/marketplace.json", market),
        ("plugins/one/commands/a.md", ""),
        ("bundles/two/agents/b.md", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"plugin "bundles/two" bundles/two/agents/b.md"#,
            r#"plugin "plugins/one" plugins/one/commands/a.md"#,
            r#"package "" .claude-plugin/marketplace.json"#,
        ]
    );
    let same = r#"{"name": "shop", "plugins": [{"name": "a", "source": "./"}, {"name": "b", "source": "./"}]}"#;
    assert_eq!(names(&[(".claude-plugin/marketplace.json", same)]), ["shop", "input"]);
}

#[test]
fn every_rules_file_is_a_capability_of_its_own() {
    let rules = [
        ".clinerules/b.md",
        ".continuerules",
        ".cursor/rules/deep/a.mdc",
        ".cursorrules",
        ".github/copilot-instructions.md",
        ".github/instructions/a.instructions.md",
        ".windsurf/rules/a.md",
        ".windsurfrules",
        "AGENTS.md",
        "CLAUDE.md",
        "CONTINUE.md",
        "GEMINI.md",
        "sub/.claude/rules/a.md",
        "sub/.clinerules",
        "sub/AGENTS.md",
    ];
    let mut files: Vec<(&str, &str)> = rules.iter().map(|path| (*path, "Be brief.")).collect();
    files.extend([
        ("rules.md", ""),
        (".cursor/rules/readme.md", ""),
        ("docs/claude.md", ""),
        ("instructions/a.md", ""),
    ]);
    let found = decomposed_with(&files, &[]);
    let found: Vec<&str> = found.iter().filter(|c| c.kind == Kind::Rules).map(|c| c.path.as_str()).collect();
    assert_eq!(found, rules);
}

#[test]
fn capabilities_that_share_a_root_share_its_files() {
    let files = [
        ("package.json", SERVER),
        ("SKILL.md", ""),
        ("scripts/a.py", ""),
        (".claude-plugin/plugin.json", "{}"),
        ("commands/c.md", ""),
        ("src/x.js", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"skill "" SKILL.md scripts/a.py"#,
            r#"mcp_server "" package.json src/x.js"#,
            r#"plugin "" .claude-plugin/plugin.json commands/c.md"#,
            r#"package "" "#,
        ]
    );
}

#[test]
fn foreign_code_anchors_nothing_and_belongs_to_what_is_around_it() {
    let files = [
        ("node_modules/a/SKILL.md", ""),
        ("node_modules/a/package.json", SERVER),
        ("s/SKILL.md", ""),
        ("s/vendor/b/SKILL.md", ""),
        ("tests/fixtures/.claude-plugin/plugin.json", "{}"),
        ("examples/e/SKILL.md", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"skill "examples/e" examples/e/SKILL.md"#,
            r#"skill "s" s/SKILL.md s/vendor/b/SKILL.md"#,
            r#"package "" node_modules/a/SKILL.md node_modules/a/package.json tests/fixtures/.claude-plugin/plugin.json"#,
        ]
    );
}

#[test]
fn equal_names_keep_ids_apart() {
    let files = [("a/SKILL.md", "---\nname: same\n---"), ("b/SKILL.md", "---\nname: same\n---")];
    let capabilities = decomposed_with(&files, &[]);
    assert_eq!(capabilities[0].name, capabilities[1].name);
    assert_ne!(capabilities[0].id, capabilities[1].id);
    assert_eq!(
        shown(&[("a/SKILL.md", ""), ("a/skill.md", "")]),
        [r#"skill "a" a/SKILL.md a/skill.md"#, r#"package "" "#]
    );
}

#[test]
fn content_is_the_digest_of_its_own_files() {
    let content = |text: &str| {
        let found = decomposed_with(&[("s/SKILL.md", ""), ("s/deep/run.py", text), ("b", "")], &[]);
        (found[0].content, found[1].content)
    };
    let (skill, rest) = content("one");
    let (changed, same) = content("two");
    assert_ne!(skill, changed, "a changed script changes the skill");
    assert_eq!(rest, same);
}

proptest! {
    #[test]
    fn every_file_is_in_exactly_one_capability(
        paths in proptest::collection::btree_map(
            "((a|skills|plugins|.claude|hooks|node_modules|.claude-plugin|tests|src|x-1.dist-info)/){0,4}(SKILL.md|package.json|plugin.json|marketplace.json|hooks.json|settings.json|.mcp.json|server.json|manifest.json|AGENTS.md|tools.json|check.sh|a.py|METADATA)",
            0..6_usize, 0..25),
        seed in any::<u64>(),
    ) {
        let texts = [
            SERVER, HOOKS, "---\nname: a\n---\n", r#"{"mcpServers": {"a": {"command": "./check.sh"}}}"#,
            r#"{"name": "a/b", "plugins": [{"name": "x", "source": "./a"}], "packages": [], "manifest_version": "0.3", "server": {}}"#,
            r#"{"tools": [{"name": "a", "description": "b"}]}"#,
        ];
        let mut files: Vec<(&str, &str)> = paths.iter().map(|(path, at)| (path.as_str(), texts[*at])).collect();
        let registering: Vec<&str> = files.iter().map(|(path, _)| *path).filter(|path| path.ends_with(".py")).collect();
        let found = decomposed_with(&files, &registering);
        let mut seen = BTreeMap::new();
        for path in found.iter().flat_map(|capability| &capability.files) {
            *seen.entry(path.as_str()).or_insert(0) += 1;
        }
        prop_assert!(seen.values().all(|count| *count == 1));
        prop_assert_eq!(seen.len(), files.len());
        let packages = found.iter().filter(|capability| capability.kind == Kind::Package).count();
        prop_assert_eq!((packages, found.last().map(|last| (last.kind, last.path.as_str()))), (1, Some((Kind::Package, ""))));
        prop_assert!(found.windows(2).all(|pair| (pair[0].kind, &pair[0].path) < (pair[1].kind, &pair[1].path)));
        prop_assert!(found.iter().all(|capability| capability.files.is_sorted()));
        let length = files.len().max(1);
        files.rotate_left(usize::try_from(seed % length as u64).unwrap_or(0));
        files.reverse();
        prop_assert_eq!(decomposed_with(&files, &registering), found);
    }
}
