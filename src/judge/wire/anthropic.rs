//! Messages.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{AnswerFormat, JudgeModel, MAX_TOKENS, Usage, WireAnswer};
use crate::prompt::Prompt;
use crate::unanswered::Unanswered;

pub(super) fn request(model: &JudgeModel, prompt: &Prompt) -> Value {
    let mut body = json!({
        "model": model.name,
        "system": prompt.system,
        "messages": [{ "role": "user", "content": prompt.user }],
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
    });
    // There is no form for any object: without the schema the words of the system text alone ask for one.
    if let (AnswerFormat::JsonSchema, Some(body)) = (model.format, body.as_object_mut()) {
        let format = json!({ "format": { "type": "json_schema", "schema": Prompt::schema() } });
        body.insert("output_config".to_owned(), format);
    }
    body
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    model: Option<String>,
    content: Vec<Block>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

pub(super) fn read(text: &str) -> Result<WireAnswer, (Unanswered, Usage)> {
    let body: Body = serde_json::from_str(text).map_err(|_| (Unanswered::Json, Usage::default()))?;
    let tokens = body.usage.as_ref();
    let usage = Usage {
        tokens_in: tokens.and_then(|tokens| tokens.input_tokens),
        tokens_out: tokens.and_then(|tokens| tokens.output_tokens),
    };
    match body.stop_reason.as_deref() {
        Some("end_turn") => {}
        Some("tool_use" | "pause_turn") => return Err((Unanswered::ToolCall, usage)),
        Some("refusal") => return Err((Unanswered::Refused, usage)),
        // An end that is not told is no end.
        _ => return Err((Unanswered::Truncated, usage)),
    }
    let texts = body.content.iter().filter(|block| block.kind == "text").filter_map(|block| block.text.as_deref());
    let text: String = texts.collect();
    if text.trim().is_empty() {
        return Err((Unanswered::Empty, usage));
    }
    Ok(WireAnswer { text, model: body.model.unwrap_or_default(), fingerprint: String::new(), usage })
}
