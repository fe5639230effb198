//! Bodies of both interfaces, and every way in which one is no answer.

use capdex_model::digest::Digest;
use serde_json::{Value, json};

use super::*;
use crate::prompt::{Ballot, PromptVersion};
use crate::unit::{JudgeUnit, UnitField, UnitTool};

fn prompt() -> Prompt {
    let fields = vec![UnitField { pointer: "/description".into(), text: "Reads a note.".into() }];
    let tools = vec![UnitTool { name: "read".into(), fields }];
    Prompt::of(
        &JudgeUnit { kind: capdex_model::capability::Kind::McpServer, server: "s".into(), host: String::new(), tools },
        PromptVersion::CURRENT,
        Ballot::Questions,
    )
}

fn model(kind: WireKind, format: AnswerFormat) -> JudgeModel {
    JudgeModel { kind, name: "m".into(), format, any_name: false }
}

fn openai(finish: Value, message: Value) -> Vec<u8> {
    json!({ "model": "m", "choices": [{ "finish_reason": finish, "message": message }], "usage": { "prompt_tokens": 9, "completion_tokens": 2 } })
        .to_string()
        .into_bytes()
}

fn anthropic(stop: Value, content: Value) -> Vec<u8> {
    json!({ "model": "m", "stop_reason": stop, "content": content, "usage": { "input_tokens": 9, "output_tokens": 2 } })
        .to_string()
        .into_bytes()
}

#[test]
fn requests_have_the_published_members() {
    let prompt = prompt();
    let body = |kind, format| -> Value { serde_json::from_str(&model(kind, format).request(&prompt)).expect("JSON") };
    let openai = body(WireKind::OpenAi, AnswerFormat::JsonSchema);
    assert_eq!(openai["response_format"]["json_schema"]["strict"], true);
    assert_eq!(openai["messages"][0]["role"], "system");
    assert_eq!(openai["messages"][1]["content"], prompt.user);
    assert_eq!((&openai["temperature"], &openai["max_tokens"]), (&json!(0), &json!(1500)));
    let any = body(WireKind::OpenAi, AnswerFormat::JsonObject);
    assert_eq!(any["response_format"], json!({ "type": "json_object" }));
    let anthropic = body(WireKind::Anthropic, AnswerFormat::JsonSchema);
    assert_eq!(anthropic["output_config"]["format"]["type"], "json_schema");
    assert_eq!(
        (&anthropic["system"], &anthropic["messages"][0]["content"]),
        (&json!(prompt.system), &json!(prompt.user))
    );
    assert!(body(WireKind::Anthropic, AnswerFormat::JsonObject).get("output_config").is_none());
    for of in [&openai, &any, &anthropic] {
        assert!(of.get("tools").is_none(), "a judge has no tools");
    }
}

/// The bytes that go out, by their digests: two machines that build them are seen to build the same.
#[test]
fn a_request_has_the_same_bytes_on_every_machine() {
    let digest = |kind, format| Digest::of(model(kind, format).request(&prompt()).as_bytes()).hex();
    let all = [
        digest(WireKind::OpenAi, AnswerFormat::JsonSchema),
        digest(WireKind::OpenAi, AnswerFormat::JsonObject),
        digest(WireKind::Anthropic, AnswerFormat::JsonSchema),
    ];
    assert_eq!(all, PINNED);
}

const PINNED: [&str; 3] = [
    "fa5bf8bdfb769e65beb08b16b29c2f8e598ba5c43e49e0527b4d6ede548aca13",
    "6c9de2237d2c039a464672620d40f6b7577600858e47206bda7fdb4ac015132e",
    "261ceeae9c915111270035991723c03916a2946ce28f8b79c04c937217ce1d64",
];

#[test]
fn an_answer_gives_its_text_and_what_it_cost() {
    let usage = Usage { tokens_in: Some(9), tokens_out: Some(2) };
    let expected = WireAnswer { text: "{}".into(), model: "m".into(), fingerprint: String::new(), usage };
    assert_eq!(read(WireKind::OpenAi, &openai(json!("stop"), json!({ "content": "{}" }))), Ok(expected.clone()));
    let text = json!([{ "type": "thinking", "thinking": "x" }, { "type": "text", "text": "{}" }]);
    assert_eq!(read(WireKind::Anthropic, &anthropic(json!("end_turn"), text)), Ok(expected));
}

#[test]
fn whatever_is_no_whole_answer_has_its_reason() {
    use Unanswered::{Choices, Depth, Empty, Encoding, Json, Refused, TooLarge, ToolCall, Truncated};
    let of_openai = |finish: Value, message: Value| openai(finish, message);
    let text = || json!({ "content": "{}" });
    let block = || json!([{ "type": "text", "text": "{}" }]);
    let two = json!({ "choices": [{ "finish_reason": "stop", "message": { "content": "{}" } }, { "finish_reason": "stop", "message": { "content": "{}" } }] });
    let cases: [(WireKind, Vec<u8>, Unanswered); 24] = [
        (WireKind::OpenAi, of_openai(json!("length"), text()), Truncated),
        (WireKind::OpenAi, of_openai(json!(null), text()), Truncated),
        (WireKind::OpenAi, of_openai(json!("content_filter"), text()), Refused),
        (WireKind::OpenAi, of_openai(json!("stop"), json!({ "content": "{}", "refusal": "no" })), Refused),
        (WireKind::OpenAi, of_openai(json!("tool_calls"), text()), ToolCall),
        (WireKind::OpenAi, of_openai(json!("stop"), json!({ "content": null, "tool_calls": [{}] })), ToolCall),
        (WireKind::OpenAi, of_openai(json!("stop"), json!({ "content": null })), Empty),
        (WireKind::OpenAi, of_openai(json!("stop"), json!({ "content": " \n" })), Empty),
        (WireKind::OpenAi, two.to_string().into_bytes(), Choices),
        (WireKind::OpenAi, br#"{"choices":[]}"#.to_vec(), Choices),
        (WireKind::OpenAi, b"<html>".to_vec(), Json),
        (WireKind::OpenAi, b"".to_vec(), Json),
        (WireKind::OpenAi, br#"{"choices":[],"choices":[]}"#.to_vec(), Json),
        (WireKind::OpenAi, format!("{}1{}", "[".repeat(9), "]".repeat(9)).into_bytes(), Depth),
        (WireKind::OpenAi, "[".repeat(60_000).into_bytes(), Depth),
        (WireKind::OpenAi, b"{\"choices\":\"\0\"}".to_vec(), Encoding),
        (WireKind::OpenAi, b"{\"choices\":\"\xff\"}".to_vec(), Encoding),
        (WireKind::OpenAi, vec![b' '; 65 * 1024], TooLarge),
        (WireKind::Anthropic, anthropic(json!("max_tokens"), block()), Truncated),
        (WireKind::Anthropic, anthropic(json!("model_context_window_exceeded"), block()), Truncated),
        (WireKind::Anthropic, anthropic(json!("tool_use"), block()), ToolCall),
        (WireKind::Anthropic, anthropic(json!("pause_turn"), block()), ToolCall),
        (WireKind::Anthropic, anthropic(json!("refusal"), block()), Refused),
        (WireKind::Anthropic, anthropic(json!("end_turn"), json!([])), Empty),
    ];
    for (kind, body, expected) in cases {
        let (why, _) = read(kind, &body).expect_err("no answer");
        assert_eq!(why, expected, "{kind} {}", String::from_utf8_lossy(body.get(..80).unwrap_or(&body)));
    }
}

#[test]
fn a_dated_name_is_the_same_model_and_another_name_is_not() {
    for answered in ["m", "m-2025-01-01", "m@20250101", ""] {
        assert!(is_same_model("m", answered), "{answered}");
    }
    for answered in ["mini", "m-mini", "other"] {
        assert!(!is_same_model("m", answered), "{answered}");
    }
}
