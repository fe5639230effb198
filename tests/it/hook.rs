//! `hook` and `init --hook`: what a client is told before its agent runs a tool, and the settings that have it ask.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::nightly::night;
use crate::packages::{self, HOSTILE_SKILL};
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;

/// Just after the night of the store.
const NOW: &str = "2026-11-20T02:00:00Z";

const HONEST_SKILL: &str =
    "---\nname: notes\ndescription: Writes notes. Use when a meeting ends.\n---\n\n# Notes\n\nList what was decided.\n";

/// A folder with a store that knows a hostile and an honest package.
pub(crate) fn stored() -> Capdex {
    let registry = Registry::start();
    for (name, skill) in [("setup-kit", HOSTILE_SKILL), ("notes-kit", HONEST_SKILL)] {
        let manifest =
            json!({"name": name, "version": "1.0.0", "description": "Notes for agents", "license": "MIT"}).to_string();
        registry.npm_package(name, "1.0.0", &[("package.json", manifest.as_bytes()), ("SKILL.md", skill.as_bytes())]);
    }
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["setup-kit", "notes-kit"], &[]));
    night(&capdex, "2026-11-20T01:00:00Z");
    capdex
}

fn run(mut command: Command, event: &str) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(event.as_bytes()).expect("it reads");
    Run::of(&child.wait_with_output().expect("it ends"))
}

pub(crate) fn ask(capdex: &Capdex, options: &[&str], event: &str) -> Run {
    let db = capdex.path().join("capdex.db").to_string_lossy().into_owned();
    let run = run(capdex.command(&[&["hook", "--as-of", NOW, "--db", &db], options].concat()), event);
    assert_eq!(run.code, Some(0), "never a fault that stops an agent's work: {}", run.stderr);
    run
}

pub(crate) fn shell(command: &str) -> String {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/nowhere"})
        .to_string()
}

pub(crate) fn decision(run: &Run) -> Option<(String, String)> {
    let answer: Value = serde_json::from_str(run.stdout.trim()).ok()?;
    let output = &answer["hookSpecificOutput"];
    let text = |key: &str| output[key].as_str().map(str::to_owned);
    Some((text("permissionDecision")?, text("permissionDecisionReason")?))
}

#[test]
fn the_store_decides_about_what_a_command_brings() {
    let capdex = stored();
    let (word, reason) = decision(&ask(&capdex, &[], &shell("cd x && npx -y setup-kit"))).expect("a decision");
    assert_eq!(word, "deny", "{reason}");
    assert!(reason.contains("«npm:setup-kit»") && reason.contains("block") && reason.contains("«"), "{reason}");
    let calm = ask(&capdex, &[], &shell("npx -y notes-kit@1.0.0"));
    assert_eq!((calm.stdout.as_str(), calm.stderr.as_str()), ("", ""), "what is ok passes in silence");
    let (word, reason) = decision(&ask(&capdex, &[], &shell("uvx nobody"))).expect("a decision");
    assert_eq!(word, "ask", "{reason}");
    assert!(reason.contains("the store does not know it"), "{reason}");
    let one_of_two = ask(&capdex, &[], &shell("npx notes-kit; npx setup-kit"));
    assert_eq!(decision(&one_of_two).map(|(word, _)| word).as_deref(), Some("deny"), "the gravest decides");
    // Days later the store's word on the latest version is none any more, and its word on a version still is.
    let later = |command: &str| {
        let mut hook = capdex.command(&["hook", "--as-of", "2026-11-27T00:00:00Z"]);
        hook.env("CAPDEX_DB", capdex.path().join("capdex.db"));
        run(hook, &shell(command)).stdout
    };
    assert!(later("npx notes-kit").contains("\"ask\""));
    assert_eq!(later("npx notes-kit@1.0.0"), "");
    // What the store does not know, a dataset may.
    assert_eq!(capdex.run(&["export", "data"]).code, Some(0));
    let dataset = capdex.path().join("data").to_string_lossy().into_owned();
    let by_dataset = |command: &str| {
        let hook = capdex.command(&["hook", "--as-of", NOW, "--dataset", &dataset]);
        run(hook, &shell(command)).stdout
    };
    assert!(by_dataset("npx setup-kit").contains("\"deny\""));
    assert_eq!(by_dataset("npx notes-kit"), "");
    // A project may bring a store that calls everything ok.
    let of_project = run(capdex.command(&["hook", "--as-of", NOW]), &shell("npx notes-kit@1.0.0"));
    assert!(of_project.stdout.contains("the store does not know it"), "{}", of_project.stdout);
}

#[test]
fn the_operator_chooses_what_becomes_of_each_band() {
    let capdex = stored();
    let word =
        |options: &[&str], command: &str| decision(&ask(&capdex, options, &shell(command))).map(|(word, _)| word);
    assert_eq!(word(&["--unknown", "pass"], "npx nobody"), None);
    assert_eq!(word(&["--unknown", "deny"], "npx nobody").as_deref(), Some("deny"));
    assert_eq!(word(&["codex"], "npx nobody").as_deref(), Some("deny"), "it cannot ask");
    assert_eq!(word(&["codex", "--unknown", "pass"], "npx nobody"), None);
    let wrong = capdex.run(&["hook", "--ask-from", "ok"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
}

#[test]
fn every_client_is_answered_in_its_own_words() {
    let capdex = stored();
    let answer = |event: Value| serde_json::from_str::<Value>(ask(&capdex, &[], &event.to_string()).stdout.trim()).ok();
    let command = "npx setup-kit";
    let cursor = answer(json!({"hook_event_name": "beforeShellExecution", "command": command, "cwd": "/nowhere"}));
    assert_eq!(cursor.expect("an answer")["permission"], "deny");
    let calm = answer(json!({"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/nowhere"}));
    assert_eq!(calm, Some(json!({"permission": "allow"})));
    let gemini =
        json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": command}});
    assert_eq!(answer(gemini).expect("an answer")["decision"], "deny");
    let codex = json!({"hook_event_name": "PreToolUse", "turn_id": "a", "tool_name": "Bash", "tool_input": {"command": command}});
    assert_eq!(answer(codex).expect("an answer")["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn a_store_that_cannot_be_read_is_asked_for_only_where_it_is_needed() {
    let capdex = Capdex::offline();
    capdex.write("capdex.db", "this is no store");
    let calm = ask(&capdex, &[], &shell("cargo test"));
    assert_eq!((calm.stdout.as_str(), calm.stderr.as_str()), ("", ""), "nothing is opened");
    let (word, reason) = decision(&ask(&capdex, &[], &shell("npx kit"))).expect("a decision");
    assert_eq!(word, "ask");
    assert!(reason.contains("the store could not be read"), "{reason}");
    assert_eq!(ask(&capdex, &["--on-failure", "pass"], &shell("npx kit")).stdout, "");
    assert_eq!(decision(&ask(&capdex, &["claude"], "{")).map(|(word, _)| word).as_deref(), Some("ask"));
}

#[test]
fn the_entry_that_is_written_starts_a_hook_that_decides() {
    let capdex = stored();
    for (client, file, pointer) in [
        ("claude", ".claude/settings.json", "/hooks/PreToolUse/0/hooks/0/command"),
        ("codex", ".codex/hooks.json", "/hooks/PreToolUse/0/hooks/0/command"),
        ("cursor", ".cursor/hooks.json", "/hooks/beforeShellExecution/0/command"),
        ("gemini", ".gemini/settings.json", "/hooks/BeforeTool/0/hooks/0/command"),
    ] {
        let written = capdex.run(&["init", "--hook", client]);
        assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""), "{}", written.stderr);
        assert!(written.stderr.contains(file), "{}", written.stderr);
        let path = capdex.path().join(file);
        let text = std::fs::read_to_string(&path).expect("settings");
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        let command = settings.pointer(pointer).and_then(Value::as_str).expect("a command");
        // As a client starts it: by a shell, in another folder.
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir("/").env_clear().env("HOME", capdex.path());
        let event =
            json!({"hook_event_name": "PreToolUse", "tool_input": {"command": "npx setup-kit@1.0.0"}, "cwd": "/"});
        let event = match client {
            "cursor" => json!({"hook_event_name": "beforeShellExecution", "command": "npx setup-kit@1.0.0"}),
            "gemini" => json!({"hook_event_name": "BeforeTool", "tool_input": {"command": "npx setup-kit@1.0.0"}}),
            _ => event,
        };
        let answer = run(shell, &event.to_string());
        assert!(answer.stdout.contains("\"deny\""), "{client}: {}{}", answer.stdout, answer.stderr);
        let again = capdex.run(&["init", "--hook", client]);
        assert!(again.stderr.contains("has the hook already"), "{}", again.stderr);
        assert_eq!(std::fs::read_to_string(&path).expect("settings"), text);
        let printed = capdex.run(&["init", "--hook", client, "--print"]);
        assert_eq!(serde_json::from_str::<Value>(&printed.stdout).expect("JSON"), settings);
        let strict = capdex.run(&["init", "--hook", client, "--unknown", "deny", "--ask-from", "caution"]);
        assert_eq!(strict.code, Some(0), "{}", strict.stderr);
        let after = std::fs::read_to_string(&path).expect("settings");
        let options = format!("hook {client} --ask-from caution --unknown deny --db");
        assert_eq!(after, text.replace(&format!("hook {client} --db"), &options));
    }
}

#[test]
fn settings_that_are_not_the_client_s_are_left_as_they_are() {
    let capdex = Capdex::offline();
    for text in ["// mine\n{}", "[]", "{\"hooks\": 7}", "\u{feff}{}"] {
        capdex.write(".claude/settings.json", text);
        let run = capdex.run(&["init", "--hook", "claude"]);
        assert_eq!(run.code, Some(2), "{text}: {}", run.stderr);
        assert!(run.stderr.contains("is left as it is"), "{}", run.stderr);
        assert_eq!(std::fs::read_to_string(capdex.path().join(".claude/settings.json")).expect("there"), text);
    }
    let theirs = "{\n\t\"model\": \"x\",\n\t\"env\": {\"A\": \"1\"}\n}\n";
    capdex.write(".claude/settings.json", theirs);
    assert_eq!(capdex.run(&["init", "--hook", "claude"]).code, Some(0));
    let after = std::fs::read_to_string(capdex.path().join(".claude/settings.json")).expect("there");
    assert!(after.ends_with(theirs.trim_start_matches('{')), "{after}");
}
