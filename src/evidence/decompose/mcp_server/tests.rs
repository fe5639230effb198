//! What is a server and what is not.

use crate::Evidence;
use crate::code::SourceView;
use crate::decompose::decompose;
use crate::decompose::tests::{SERVER, bundle_of, decomposed_with, names, shown, shown_with};
use capdex_model::capability::Kind;

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
    assert_eq!(names(&files), ["x", "x"]);
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
fn what_a_build_writes_into_a_package_is_no_second_package() {
    let tool = ["dist/commonjs/server.js", "dist/esm/server.js"];
    let marks = [
        ("dist/commonjs/package.json", r#"{"type": "commonjs"}"#),
        ("dist/commonjs/server.js", ""),
        ("dist/esm/package.json", r#"{"type": "module"}"#),
        ("dist/esm/server.js", ""),
        ("package.json", r#"{"name": "notes-mcp"}"#),
    ];
    let all =
        "dist/commonjs/package.json dist/commonjs/server.js dist/esm/package.json dist/esm/server.js package.json";
    assert_eq!(shown_with(&marks, &tool), [format!(r#"mcp_server "" {all}"#), r#"package "" "#.to_owned()]);

    // A copy with the outer one's name, whatever the folder; and a copy below the name of its folder.
    let copy = |folder: &str, name: &str| {
        let inner = format!("{folder}/package.json");
        let text = format!(r#"{{"name": "{name}", "bin": "a.js", "dependencies": {{"fastmcp": "1"}}}}"#);
        let files = [("package.json", SERVER), (inner.as_str(), text.as_str())];
        shown(&files).len()
    };
    assert_eq!(copy("published", "x-mcp"), 2);
    assert_eq!(copy("dist", "dist"), 2);
    assert_eq!(copy("packages/y", "y-mcp"), 3, "another package in the same repository");

    // The outer one is a server where the copy alone says so, and keeps its name.
    let published = [("dist/package.json", SERVER), ("package.json", r#"{"name": "outer"}"#)];
    assert_eq!(shown(&published), [r#"mcp_server "" dist/package.json package.json"#, r#"package "" "#]);
    assert_eq!(names(&published), ["outer", "outer"]);
}

#[test]
fn the_bundle_of_a_server_is_no_second_server() {
    let manifest = r#"{"manifest_version": "0.3", "name": "x-mcp", "server": {"type": "node"}}"#;
    let inner = r#"{"name": "x-mcp-bundle", "bin": "x.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}"#;
    let one = [
        ("package.json", SERVER),
        ("release/x.mcpb", "PK"),
        ("release/x.mcpb!/manifest.json", manifest),
        ("release/x.mcpb!/package.json", inner),
    ];
    assert_eq!(shown(&one).len(), 2);
    assert_eq!(shown(&[("package.json", SERVER), ("desktop/manifest.json", manifest)]).len(), 2);

    // Of several bundles those of other names are servers of their own.
    let other = r#"{"manifest_version": "0.3", "name": "other", "server": {"type": "node"}}"#;
    let several = [("package.json", SERVER), ("a.mcpb!/manifest.json", manifest), ("b.mcpb!/manifest.json", other)];
    assert_eq!(
        shown(&several),
        [
            r#"mcp_server "" a.mcpb!/manifest.json package.json"#,
            r#"mcp_server "b.mcpb!" b.mcpb!/manifest.json"#,
            r#"package "" "#
        ]
    );
}
