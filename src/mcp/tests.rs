//! Tests of the server without a store: what a caller may send, and what comes back.

use serde_json::{Value, json};

use super::*;

fn server() -> McpServer {
    McpServer {
        db: Some(PathBuf::from("no/such/store.db")),
        threads: Some(1),
        as_of: None,
        may_ask: false,
        config: None,
        dataset: None,
        approved: ApprovedArgs::default(),
        key: None,
    }
}

/// The answers to lines.
fn answers(input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    serve(&server(), input, &mut output).expect("serves");
    let text = String::from_utf8(output).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("one message a line")).collect()
}

fn ask(method: &str, params: Value) -> Value {
    let line = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
    let [answer] = answers(line.as_bytes()).try_into().expect("one answer");
    answer
}

fn code(answer: &Value) -> Option<i64> {
    answer["error"]["code"].as_i64()
}

#[test]
fn a_revision_that_is_spoken_is_taken_and_for_any_other_the_latest_is_offered() {
    for (asked, expected) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let answer = ask("initialize", json!({"protocolVersion": asked, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], expected, "{asked}");
    }
}

#[test]
fn the_revision_without_a_handshake_names_itself_in_each_request() {
    let of = |revision: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": revision}});
    let discovered = ask("server/discover", of("2026-07-28"));
    assert_eq!(discovered["result"]["supportedVersions"].as_array().map(Vec::len), Some(5), "{discovered}");
    let listed = ask("tools/list", of("2026-07-28"));
    assert_eq!(listed["result"]["resultType"], "complete");
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(4));
    let refused = ask("tools/list", of("2031-01-01"));
    assert_eq!(code(&refused), Some(-32022));
    assert_eq!(refused["error"]["data"]["requested"], "2031-01-01");
    assert_eq!(ask("tools/list", json!({}))["result"].get("resultType"), None, "not for those of before");
}

#[test]
fn what_is_no_message_is_told_and_the_next_one_is_answered() {
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n";
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (line, expected) in [
        ("{", Some(-32700)),
        ("\u{0}\u{1}", Some(-32700)),
        (deep.as_str(), Some(-32700)),
        ("7", Some(-32600)),
        ("[]", Some(-32600)),
        ("{\"id\":1,\"method\":\"ping\"}", Some(-32600)),
        ("{\"jsonrpc\":\"2.0\",\"id\":1}", Some(-32600)),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", Some(-32600)),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", Some(-32600)),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rm\"}", Some(-32601)),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", Some(-32602)),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", Some(-32602)),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", None),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"nothing/known\",\"params\":7}", None),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", None),
        ("", None),
    ] {
        let all = answers(format!("{line}\n{ping}").as_bytes());
        let (last, before) = all.split_last().expect("the ping is answered");
        assert_eq!((&last["id"], &last["result"]), (&json!("a"), &json!({})), "{line:.60}");
        assert_eq!(
            before.iter().map(code).collect::<Vec<_>>(),
            expected.map(Some).into_iter().collect::<Vec<_>>(),
            "{line:.60}"
        );
    }
    assert_eq!(answers(b"\xff\xfe\n").iter().map(code).collect::<Vec<_>>(), [Some(-32700)]);
}

#[test]
fn a_message_has_a_bound_and_a_batch_has_one() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let padded = |length: usize| format!("{ping}{}\n", " ".repeat(length - ping.len()));
    assert_eq!(answers(padded(MAX_MESSAGE).as_bytes()).iter().map(code).collect::<Vec<_>>(), [None]);
    assert_eq!(answers(padded(MAX_MESSAGE + 1).as_bytes()).iter().map(code).collect::<Vec<_>>(), [Some(-32600)]);
    let batch = |length: usize| format!("[{}]", vec![ping; length].join(","));
    assert_eq!(answers(batch(50).as_bytes()).first().and_then(Value::as_array).map(Vec::len), Some(50));
    assert_eq!(answers(batch(51).as_bytes()).iter().map(code).collect::<Vec<_>>(), [Some(-32600)]);
}

#[test]
fn arguments_have_bounds_and_a_wrong_one_is_told_to_the_caller() {
    let call = |name: &str, arguments: Value| ask("tools/call", json!({"name": name, "arguments": arguments}));
    let names = |count: usize| vec!["npm:a"; count];
    for (name, arguments, is_error) in [
        ("check", json!({"targets": names(25)}), false),
        ("check", json!({"targets": names(26)}), true),
        ("check", json!({"targets": []}), true),
        ("check", json!({"targets": "npm:a"}), true),
        ("check", json!({"targets": ["x".repeat(512)]}), false),
        ("check", json!({"targets": ["x".repeat(513)]}), true),
        ("check", json!({"targets": [7]}), true),
        ("check", json!({}), true),
        ("explain", json!({"capability": "npm:a"}), false),
        ("explain", json!({"capability": " "}), true),
        ("diff", json!({"before": "npm:a@1", "after": "npm:a@2"}), false),
        ("diff", json!({"before": "npm:a@1"}), true),
        ("search", json!({"query": "a"}), false),
        ("search", json!({"query": null}), true),
    ] {
        let answer = call(name, arguments.clone());
        assert_eq!(answer["result"]["isError"], is_error, "{name} {arguments:.80}: {answer}");
        assert!(answer["result"]["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
}

#[test]
fn what_nobody_knows_is_unknown_and_a_place_on_this_machine_is_no_target() {
    let targets =
        ["npm:a", "left-pad", "/etc/passwd", "http://127.0.0.1:9/mcp", "http://169.254.169.254/", "pypi:b@1.0"];
    let answer = ask("tools/call", json!({"name": "check", "arguments": {"targets": targets}}));
    let items = answer["result"]["structuredContent"]["items"].as_array().expect("items");
    assert_eq!(items.len(), targets.len());
    assert!(items.iter().all(|item| item["verdict"]["band"] == "unknown"), "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().expect("text");
    assert!(!text.contains("root:"), "{text}");
}
