//! Every anchor, every mis-decomposition that a peer is known for, and the claim that every file has one owner.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::code::SourceView;
use crate::tools::{Tool, ToolOrigin};
use capdex_model::bundle::BundleFile;
use capdex_model::fact::Place;

pub(super) const SERVER: &str =
    r#"{"name": "x-mcp", "bin": "x.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}"#;
pub(super) const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
  {"type": "command", "command": "bash \"${CLAUDE_PLUGIN_ROOT}\"/scripts/check.sh --all && ./lib/log.py"}]}]}}"#;

pub(super) fn bundle_of(files: &[(&str, &str)]) -> Bundle {
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
            extra: None,
            unread: Default::default(),
            origin: ToolOrigin::Source,
            place,
        };
        evidence.sources.insert((*path).to_owned(), SourceView { tools: vec![tool], ..SourceView::default() });
    }
}

pub(super) fn decomposed_with(files: &[(&str, &str)], sources: &[&str]) -> Vec<Capability> {
    let bundle = bundle_of(files);
    let mut evidence = Evidence::gather(&bundle);
    registering(&mut evidence, sources);
    decompose(&bundle, &evidence)
}

/// `kind path [files]` for each capability.
pub(super) fn shown(files: &[(&str, &str)]) -> Vec<String> {
    shown_with(files, &[])
}

pub(super) fn shown_with(files: &[(&str, &str)], sources: &[&str]) -> Vec<String> {
    let capabilities = decomposed_with(files, sources);
    capabilities.iter().map(|c| format!("{} {:?} {}", c.kind, c.path, c.files.join(" "))).collect()
}

#[test]
fn paths_that_fold_to_one_slug_are_told_apart() {
    let skill = "---\nname: a\ndescription: Does one thing. Use when asked.\n---\n\nDo it.\n";
    let found = decomposed_with(&[("a-b/SKILL.md", skill), ("a_b/SKILL.md", skill)], &[]);
    let slugs: std::collections::BTreeSet<&str> = found.iter().map(|capability| capability.slug.as_str()).collect();
    assert_eq!(slugs.len(), found.len(), "{slugs:?}");
    assert!(slugs.contains("folder-input-skill-a-b"), "{slugs:?}");
}

pub(super) fn names(files: &[(&str, &str)]) -> Vec<String> {
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

#[test]
fn capabilities_beyond_a_number_are_told_as_one_gap_and_stay_in_the_package() {
    let text = "---\nname: n\ndescription: D.\n---\n";
    let with = |count: usize| {
        let paths: Vec<String> = (0..count).map(|at| format!("skills/{at:04}/SKILL.md")).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), text)).collect();
        let bundle = bundle_of(&files);
        decompose_counted(&bundle, &Evidence::gather(&bundle))
    };
    let (all, none) = with(MAX_CAPABILITIES);
    assert_eq!((all.len(), none), (MAX_CAPABILITIES + 1, None));
    let (some, gap) = with(MAX_CAPABILITIES + 2);
    assert_eq!(some.len(), MAX_CAPABILITIES + 1);
    let gap = gap.expect("a gap");
    assert_eq!((gap.subject.as_str(), gap.reason), ("skills/0500", GapReason::BudgetExhausted));
    assert!(gap.detail.contains("and 2 more"), "{}", gap.detail);
    let rest = some.last().expect("the package");
    assert_eq!((rest.kind, rest.files.len()), (Kind::Package, 2));
}

#[test]
fn several_manifests_of_one_root_are_one_plugin() {
    let files = [
        (".claude-plugin/plugin.json", r#"{"name": "notes"}"#),
        (".github/plugin/plugin.json", r#"{"name": "notes"}"#),
        ("POWER.md", "---\nname: notes\n---\n"),
        ("gemini-extension.json", r#"{"name": "notes"}"#),
        (
            "plugin.json",
            r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "notes"}"#,
        ),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"plugin "" .claude-plugin/plugin.json .github/plugin/plugin.json POWER.md gemini-extension.json plugin.json"#,
            r#"package "" "#,
        ]
    );
    let plain = [("plugin.json", r#"{"name": "a chart", "type": "panel"}"#), ("POWER.md", "About power.")];
    assert_eq!(shown(&plain), [r#"package "" POWER.md plugin.json"#]);
}

#[test]
fn what_a_project_configures_for_a_client_is_a_server_of_its_own() {
    let files = [
        (".codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n"),
        (".gemini/settings.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#),
        ("opencode.json", r#"{"mcp": {"a": {"type": "local", "command": ["x"]}}}"#),
        ("docs/mcp_config.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#),
        ("recipe.yaml", "title: Bread\ningredients: [flour]\n"),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"mcp_server ".codex/config.toml" .codex/config.toml"#,
            r#"mcp_server ".gemini/settings.json" .gemini/settings.json"#,
            r#"mcp_server "opencode.json" opencode.json"#,
            r#"package "" docs/mcp_config.json recipe.yaml"#,
        ]
    );
}

#[test]
fn a_list_is_a_configuration_in_a_project_and_an_offer_in_a_plugin() {
    let list = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let files = [
        (".mcp.json", list),
        ("p/.claude-plugin/plugin.json", r#"{"name": "p"}"#),
        ("p/.mcp.json", list),
        ("served/package.json", SERVER),
    ];
    let found = decomposed_with(&files[..3], &[]);
    let roles: Vec<(&str, CapabilityRole)> = found.iter().map(|found| (&*found.path, found.role)).collect();
    let expected = [
        (".mcp.json", CapabilityRole::Config),
        ("p/.mcp.json", CapabilityRole::Offer),
        ("p", CapabilityRole::Offer),
        ("", CapabilityRole::Offer),
    ];
    assert_eq!(roles, expected);
    let served = decomposed_with(&files[3..], &[]);
    assert!(served.iter().all(|found| found.role == CapabilityRole::Offer), "a package is no configuration");
}
