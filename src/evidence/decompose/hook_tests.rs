//! What hooks claim, and what their commands are.

use super::hook;
use super::tests::{HOOKS, bundle_of, shown, shown_with};
use crate::Evidence;

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
    assert_eq!(commands[0].event.as_str(), "PreToolUse");
    assert_eq!(commands[0].form.as_str(), "command");
    assert!(commands[0].command.starts_with("bash "));
    assert_eq!(commands[0].place.pointer, "/hooks/PreToolUse/0/hooks/0/command");
    assert_eq!(commands[0].place.line, 2);
    assert_eq!(commands[0].place.column, 23);
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
