//! Agents as their users install them, over a scripted model on loopback: the model orders a package to be started, the hook
//! stops it, and the agent calls our server.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::rig;

/// A model that first gives one order, and ends once it reads the answer.
fn model(order: &Value) -> Directory {
    let order = order.clone();
    Directory::start(move |asked: &str| {
        let (path, body) = asked.split_once(' ').unwrap_or((asked, ""));
        let events: Vec<Value> = if path.ends_with("/responses") {
            let item = match body.contains("function_call_output") {
                true => {
                    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]})
                }
                false => order.clone(),
            };
            let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
            vec![
                json!({"type": "response.created", "response": {"id": "r"}}),
                json!({"type": "response.output_item.done", "item": item}),
                json!({"type": "response.completed", "response": {"id": "r", "usage": usage}}),
            ]
        } else if path.contains("GenerateContent") {
            let part = if body.contains("functionResponse") { json!({"text": "Done."}) } else { order.clone() };
            vec![
                json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}),
            ]
        } else {
            return (200, "{}".to_owned());
        };
        let kind = |event: &Value| event["type"].as_str().map(|kind| format!("event: {kind}\n")).unwrap_or_default();
        (200, events.iter().map(|event| format!("{}data: {event}\n\n", kind(event))).collect())
    })
}

/// What a model read of the answer to its order: the beginning, since all that the agent says to it stands behind.
fn answered(model: &Directory) -> String {
    let answer = |asked: &String| {
        let at = ["function_call_output", "functionResponse"].iter().find_map(|mark| asked.find(mark))?;
        Some(asked.get(at..)?.chars().take(2000).collect())
    };
    model.paths().iter().find_map(answer).unwrap_or_default()
}

/// A program of the name `npx` that leaves a mark and fetches nothing; an agent starts it by its path.
fn npx(capdex: &Capdex) -> String {
    let path = capdex.path().join("bin/npx");
    capdex.write("bin/npx", format!("#!/bin/sh\ntouch {}\n", capdex.path().join("started").display()));
    let done = Command::new("chmod").arg("+x").arg(&path).status().expect("chmod runs");
    assert!(done.success());
    path.to_string_lossy().into_owned()
}

fn has_started(capdex: &Capdex) -> bool {
    let mark = capdex.path().join("started");
    let there = mark.exists();
    // Ready for the next run.
    let _ = std::fs::remove_file(mark);
    there
}

/// Runs an agent, for two minutes at most.
fn agent(program: &str, arguments: &[&str], folder: &Path, variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new("timeout");
    command.args(["120", program]).args(arguments).current_dir(folder).env_clear();
    command.env("PATH", std::env::var("PATH").unwrap_or_default()).env("HOME", folder).envs(variables.iter().copied());
    command.stdin(std::process::Stdio::null());
    Run::of(&command.output().expect("it starts"))
}

fn codex(program: &str, capdex: &Capdex, model: &Directory) -> Run {
    let config = format!(
        "model = \"gpt-5\"\nmodel_provider = \"local\"\n[model_providers.local]\nname = \"local\"\nbase_url = \"{}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [mcp_servers.capdex]\ncommand = {:?}\nargs = [\"mcp\"]\ndefault_tools_approval_mode = \"approve\"\n",
        model.url(),
        env!("CARGO_BIN_EXE_capdex")
    );
    capdex.write(".codex/config.toml", config);
    let arguments = [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "Install it.",
    ];
    agent(program, &arguments, capdex.path(), &[("LOCAL_KEY", "x")])
}

#[test]
fn codex_is_stopped_by_the_hook_and_calls_the_server() {
    let Some(program) = rig::needed("CAPDEX_CODEX") else { return };
    let capdex = Capdex::offline();
    let call = |name: &str, arguments: Value, more: Value| {
        let mut call =
            json!({"type": "function_call", "call_id": "c1", "name": name, "arguments": arguments.to_string()});
        call.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        call
    };
    let order = call("exec_command", json!({"cmd": format!("{} bad-package", npx(&capdex))}), json!({}));
    let without = model(&order);
    let run = codex(&program, &capdex, &without);
    assert!(has_started(&capdex), "without the hook it starts: {}{}", run.stdout, run.stderr);
    assert_eq!(capdex.run(&["init", "--hook", "codex"]).code, Some(0));
    let with = model(&order);
    let run = codex(&program, &capdex, &with);
    assert!(!has_started(&capdex), "{}{}", run.stdout, run.stderr);
    let told = answered(&with);
    assert!(told.contains("blocked by PreToolUse hook") && told.contains("npm:bad-package"), "{told}");
    let asks = call("check", json!({"targets": ["npm:bad-package"]}), json!({"namespace": "mcp__capdex"}));
    let asking = model(&asks);
    let run = codex(&program, &capdex, &asking);
    let told = answered(&asking);
    assert!(told.contains("«npm:bad-package»") && told.contains("the store does not know it"), "{told} {}", run.stderr);
}

fn gemini(program: &str, capdex: &Capdex, model: &Directory) -> Run {
    let variables = [("GEMINI_API_KEY", "x"), ("GOOGLE_GEMINI_BASE_URL", &*model.url())];
    let arguments = ["-m", "gemini-2.5-flash", "--skip-trust", "--yolo", "-p", "Install it."];
    agent(program, &arguments, capdex.path(), &variables)
}

#[test]
fn gemini_is_stopped_by_the_hook_and_calls_the_server() {
    let Some(program) = rig::needed("CAPDEX_GEMINI") else { return };
    let capdex = Capdex::offline();
    let server = json!({"command": env!("CARGO_BIN_EXE_capdex"), "args": ["mcp"], "trust": true});
    let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false},
                          "general": {"disableAutoUpdate": true}, "mcpServers": {"capdex": server}});
    capdex.write(".gemini/settings.json", settings.to_string());
    let call = |name: &str, arguments: Value| json!({"functionCall": {"name": name, "args": arguments}});
    let order = call(
        "run_shell_command",
        json!({"command": format!("{} bad-package", npx(&capdex)), "description": "Installs"}),
    );
    let without = model(&order);
    let run = gemini(&program, &capdex, &without);
    assert!(has_started(&capdex), "without the hook it starts: {}{}", run.stdout, run.stderr);
    // Without a person Gemini CLI waits for ever where it asks.
    assert_eq!(capdex.run(&["init", "--hook", "gemini", "--unknown", "deny"]).code, Some(0));
    let with = model(&order);
    let run = gemini(&program, &capdex, &with);
    assert!(!has_started(&capdex), "{}{}", run.stdout, run.stderr);
    let told = answered(&with);
    assert!(told.contains("npm:bad-package") && run.stdout.contains("Done."), "{told} {}{}", run.stdout, run.stderr);
    let asks = call("mcp_capdex_check", json!({"targets": ["npm:bad-package"]}));
    let asking = model(&asks);
    let run = gemini(&program, &capdex, &asking);
    let told = answered(&asking);
    assert!(told.contains("«npm:bad-package»") && told.contains("the store does not know it"), "{told} {}", run.stderr);
}
