//! `agent-scan screen`: one file in which an agent describes itself, its code and reports from the store, and a decision that fails closed.

use serde_json::{Value, json};

use crate::nightly::first_night;
use crate::packages;
use crate::support::capdex::{Capdex, Run};

const AT: &str = "2026-11-21T02:00:00Z";

/// A harmless agent over the server of the store.
fn request() -> Value {
    json!({
        "schema": "capdex.agent-screen/1", "agent": "forecaster", "purpose": "answers questions about the weather",
        "deployer": "acme", "model": { "name": "claude-sonnet-4-5", "provider": "anthropic" }, "code": "npm:weather-mcp@1.0.0",
        "tools": ["get_forecast"],
        "deployment": {
            "transport": "stdio", "origin": "local", "human_in_loop": true, "orchestration": false, "persistence": false,
        },
    })
}

fn screen(capdex: &Capdex, request: &Value, more: &[&str]) -> (Run, Value) {
    capdex.write("agent.json", request.to_string());
    let run = capdex
        .run(&[&["agent-scan", "screen", "agent.json", "--offline", "--format", "json", "--as-of", AT], more].concat());
    let document = serde_json::from_str(&run.stdout).unwrap_or_default();
    (run, document)
}

fn part<'a>(document: &'a Value, name: &str) -> &'a Value {
    let parts = document["score"]["parts"].as_array().expect("parts");
    &parts.iter().find(|part| part["name"] == name).expect("a check")["value"]
}

#[test]
fn one_file_is_screened_and_fails_closed() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let (run, harmless) = screen(&capdex, &request(), &["--fail-on", "block"]);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert_eq!(harmless["schema"], "capdex.agent-screening/1");
    assert_eq!(harmless["engine_version"], env!("CARGO_PKG_VERSION"));
    assert!(part(&harmless, "code").is_number() && part(&harmless, "abuse").is_null(), "{harmless}");

    // The twin that asks for a shell of which its purpose says nothing.
    let mut shell = request();
    shell["tools"] = json!(["get_forecast", "exec_shell"]);
    let (run, blocked) = screen(&capdex, &shell, &["--fail-on", "block"]);
    assert_eq!((run.code, &blocked["decision"]), (Some(1), &json!("BLOCK")));
    assert_eq!(screen(&capdex, &shell, &[]).0.code, Some(0), "nobody asked for an exit code");
    let plain = capdex.run(&["agent-scan", "screen", "agent.json", "--offline", "--as-of", AT]);
    for words in ["forecaster: BLOCK, score ", "permissions risk CRITICAL: BLOCK", "proves nothing"] {
        assert!(plain.stdout.contains(words), "{words}: {}", plain.stdout);
    }

    // One that runs elsewhere, alone and in the open.
    let mut open = request();
    open["deployment"] = json!({
        "transport": "http", "origin": "remote", "human_in_loop": false, "orchestration": true, "persistence": true,
    });
    let (run, caution) = screen(&capdex, &open, &["--fail-on", "caution"]);
    assert_eq!((run.code, &caution["decision"]), (Some(1), &json!("CAUTION")));
    assert_eq!(screen(&capdex, &open, &["--fail-on", "block"]).0.code, Some(0));

    // Too little is said: neither allowed nor an ordinary end.
    let silent = json!({ "schema": "capdex.agent-screen/1", "agent": "x", "model": { "name": "gpt-5" } });
    let (run, nothing) = screen(&capdex, &silent, &[]);
    assert_eq!((run.code, &nothing["decision"]), (Some(3), &json!("INSUFFICIENT DATA")), "{}", run.stderr);
    assert_eq!(screen(&capdex, &silent, &["--fail-on", "insufficient-data"]).0.code, Some(1));

    // Code that nobody could look at is not clean.
    let mut unknown = request();
    unknown["code"] = json!("npm:nobody");
    let (run, document) = screen(&capdex, &unknown, &[]);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    assert!(part(&document, "code").is_null(), "{document}");
    assert!(document["notes"][0].as_str().is_some_and(|note| note.contains("could not be looked at")), "{document}");

    // A report of abuse in a list of the operator's blocks, whatever else is good; and the next night knows of it.
    let entry =
        json!({ "registry": "npm", "name": "weather-mcp", "reason": "sends tokens", "first_seen": "2026-11-01" });
    let list = json!({ "list": "team", "version": 1, "source": "https://list.example/team", "date": "2026-11-20", "entries": [entry] });
    capdex.write("list.json", list.to_string());
    assert_eq!(capdex.run(&["abuse", "import", "list.json", "--as-of", "2026-11-20T12:00:00Z"]).code, Some(0));
    crate::nightly::night(&capdex, "2026-11-21T01:00:00Z");
    let (_, reported) = screen(&capdex, &request(), &[]);
    assert_eq!((&reported["decision"], part(&reported, "abuse").as_i64()), (&json!("BLOCK"), Some(0)), "{reported}");
}

#[test]
fn what_is_no_request_is_wrong_usage_and_says_what_to_do() {
    let capdex = Capdex::offline();
    let mut address = request();
    address["code"] = json!("https://weather.example.test/mcp");
    let mut unknown = request();
    unknown["trusted"] = json!(true);
    for (bytes, why) in [
        (address.to_string(), "is an address and no code"),
        (unknown.to_string(), "unknown field `trusted`"),
        ("[]".to_owned(), "is no request"),
        (" ".repeat((1 << 20) + 1), "at most 1048576"),
    ] {
        capdex.write("agent.json", bytes);
        let run = capdex.run(&["agent-scan", "screen", "agent.json", "--offline"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains("agent.json") && run.stderr.contains(why), "{why}: {}", run.stderr);
    }
    let gone = capdex.run(&["agent-scan", "screen", "nowhere.json"]);
    assert!(gone.code == Some(2) && gone.stderr.contains("nowhere.json"), "{}", gone.stderr);
}
