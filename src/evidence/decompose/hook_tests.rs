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

#[test]
fn a_module_brings_what_it_imports_and_a_missing_one_is_a_gap() {
    let files = [
        ("plugins/p/.claude-plugin/plugin.json", r#"{"name": "p"}"#),
        ("plugins/p/hooks/hooks.json", r#"{"modules": ["../src/register.ts", "gone.ts"]}"#),
        ("plugins/p/src/register.ts", "import { send } from './send.js';\nexport function register(on) {}"),
        ("plugins/p/src/send.ts", "export { at } from '../data/at';"),
        ("plugins/p/data/at.ts", "export const at = 1;"),
        ("plugins/p/data/other.ts", ""),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"hook "plugins/p/hooks/hooks.json" plugins/p/data/at.ts plugins/p/hooks/hooks.json plugins/p/src/register.ts plugins/p/src/send.ts"#,
            r#"plugin "plugins/p" plugins/p/.claude-plugin/plugin.json plugins/p/data/other.ts"#,
            r#"package "" "#,
        ]
    );
    let evidence = Evidence::gather(&bundle_of(&files));
    let gaps: Vec<String> = evidence.gaps.iter().map(|gap| format!("{} {}", gap.subject, gap.detail)).collect();
    assert_eq!(gaps, [r#"plugins/p/hooks/hooks.json the module "gone.ts", which the client loads, is not there"#]);
}

#[test]
fn every_form_of_a_handler_is_read() {
    let of = |path: &str, text: &str| -> Vec<String> {
        let evidence = Evidence::gather(&bundle_of(&[(path, text)]));
        let commands = hook::commands(&evidence, path).into_iter();
        commands.map(|c| format!("{} {} {:?} {}", c.event, c.form, c.condition, c.command)).collect()
    };
    let actions = |action: &str| format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{action}]}}]}}}}"#);
    let claude = [
        (r#"{"type": "command", "command": "bash", "args": ["-c", "ls"]}"#, "Stop command None bash -c ls"),
        (
            r#"{"type": "command", "command": "ls", "if": "Bash(*)", "once": true}"#,
            r#"Stop command Some("Bash(*)") ls"#,
        ),
        (r#"{"type": "mcp_tool", "server": "s", "tool": "t"}"#, "Stop mcp_tool None s/t"),
        (r#"{"type": "http", "url": "https://a.test/h"}"#, "Stop http None https://a.test/h"),
        (r#"{"type": "prompt", "prompt": "Is it done?"}"#, "Stop prompt None Is it done?"),
        (r#"{"type": "agent", "prompt": "Look at it."}"#, "Stop agent None Look at it."),
    ];
    for (action, expected) in claude {
        assert_eq!(of("hooks/hooks.json", &actions(action)), [expected]);
    }
    assert_eq!(of("hooks/hooks.json", r#"{"modules": ["a.ts"]}"#), ["module module None a.ts"]);
    let kiro = r#"{"version": 1, "hooks": [{"trigger": {"type": "fileSaved"}, "action": {"type": "command", "command": "a"}}]}"#;
    assert_eq!(of(".kiro/hooks/a.json", kiro), ["fileSaved command None a"]);
    let older = r#"{"when": {"type": "fileEdited"}, "then": {"type": "askAgent", "prompt": "Sum up."}}"#;
    assert_eq!(of(".kiro/hooks/a.kiro.hook", older), ["fileEdited askAgent None Sum up."]);
    let windsurf = r#"{"hooks": {"pre_run_command": {"command": "a"}, "post_write_code": [{"command": "b"}]}}"#;
    assert_eq!(
        of(".windsurf/hooks.json", windsurf),
        ["pre_run_command command None a", "post_write_code command None b"]
    );
    let codex = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"a\"\n";
    assert_eq!(of(".codex/config.toml", codex), ["Stop command None a"]);
}

#[test]
fn programs_in_a_clients_folder_are_hooks() {
    let files = [
        (".clinerules/hooks/PreToolUse", "#!/bin/sh\n"),
        (".clinerules/style.md", ""),
        (".opencode/plugins/notes.ts", "import '../lib/send.ts';"),
        (".opencode/lib/send.ts", ""),
        (".codex/config.toml", "[[hooks.Stop]]\ncommand = \"a\"\n"),
    ];
    assert_eq!(
        shown(&files),
        [
            r#"hook ".clinerules/hooks/PreToolUse" .clinerules/hooks/PreToolUse"#,
            r#"hook ".codex/config.toml" .codex/config.toml"#,
            r#"hook ".opencode/plugins/notes.ts" .opencode/lib/send.ts .opencode/plugins/notes.ts"#,
            r#"rules ".clinerules/style.md" .clinerules/style.md"#,
            r#"package "" "#,
        ]
    );
}
