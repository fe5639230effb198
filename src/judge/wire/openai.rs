//! Chat Completions.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{AnswerFormat, JudgeModel, MAX_TOKENS, SEED, Usage, WireAnswer};
use crate::prompt::Prompt;
use crate::unanswered::Unanswered;

pub(super) fn request(model: &JudgeModel, prompt: &Prompt) -> Value {
    let format = match model.format {
        AnswerFormat::JsonSchema => json!({
            "type": "json_schema",
            "json_schema": { "name": "verdicts", "strict": true, "schema": Prompt::schema() },
        }),
        AnswerFormat::JsonObject => json!({ "type": "json_object" }),
    };
    json!({
        "model": model.name,
        "messages": [
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": prompt.user },
        ],
        "response_format": format,
        "temperature": 0,
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
    })
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    system_fingerprint: Option<String>,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

pub(super) fn read(text: &str) -> Result<WireAnswer, (Unanswered, Usage)> {
    let body: Body = serde_json::from_str(text).map_err(|_| (Unanswered::Json, Usage::default()))?;
    let tokens = body.usage.as_ref();
    let usage = Usage {
        tokens_in: tokens.and_then(|tokens| tokens.prompt_tokens),
        tokens_out: tokens.and_then(|tokens| tokens.completion_tokens),
    };
    let [Choice { message, finish_reason }] = body.choices.as_slice() else { return Err((Unanswered::Choices, usage)) };
    if message.refusal.as_deref().is_some_and(|refusal| !refusal.is_empty()) {
        return Err((Unanswered::Refused, usage));
    }
    if message.tool_calls.as_deref().is_some_and(|calls| !calls.is_empty()) {
        return Err((Unanswered::ToolCall, usage));
    }
    match finish_reason.as_deref() {
        Some("stop") => {}
        Some("content_filter") => return Err((Unanswered::Refused, usage)),
        Some("tool_calls" | "function_call") => return Err((Unanswered::ToolCall, usage)),
        // An end that is not told is no end.
        _ => return Err((Unanswered::Truncated, usage)),
    }
    let content = message.content.clone().filter(|content| !content.trim().is_empty());
    Ok(WireAnswer {
        text: content.ok_or((Unanswered::Empty, usage))?,
        model: body.model.unwrap_or_default(),
        fingerprint: body.system_fingerprint.unwrap_or_default(),
        usage,
    })
}
