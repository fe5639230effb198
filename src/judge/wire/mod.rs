//! The two forms in which models are asked over HTTP, as bodies of requests and of answers.
//!
//! Sources: the reference of Chat Completions as OpenAI publishes it and llama.cpp, Ollama and vLLM speak it; that of Anthropic's
//! Messages, version 2023-06-01.

mod anthropic;
mod openai;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::{self, Reading, check_bytes};
use crate::prompt::Prompt;
use crate::unanswered::Unanswered;

/// The version of Anthropic's interface, sent as a header.
pub const ANTHROPIC_VERSION: &str = "2023-06-01";
/// The most tokens of an answer.
pub const MAX_TOKENS: u32 = 1500;
/// The seed that is asked for where the interface has one.
const SEED: u32 = 7;

/// The form of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WireKind {
    /// Chat Completions.
    #[default]
    OpenAi,
    /// Messages.
    Anthropic,
}

impl WireKind {
    /// The word of the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

impl fmt::Display for WireKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for WireKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = [Self::OpenAi, Self::Anthropic].into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| format!("there is no kind {text:?}: openai and anthropic are"))
    }
}

/// How the form of the answer is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    /// As a JSON Schema that the endpoint enforces.
    #[default]
    JsonSchema,
    /// As any JSON object, for endpoints that reject the schema.
    JsonObject,
}

/// The model that is asked, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeModel {
    /// The form of its endpoint.
    pub kind: WireKind,
    /// Its name.
    pub name: String,
    /// How the form of the answer is asked for.
    pub format: AnswerFormat,
    /// True where an answer counts whatever name the model that gave it has: some endpoints name a file.
    #[serde(default)]
    pub any_name: bool,
}

/// What the body of an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it adds, or why it does not count.
    pub read: Result<Reading, Unanswered>,
    /// The model that it names; empty where it names none.
    pub answered_by: String,
    /// The state of the system that it names.
    pub fingerprint: String,
    /// Tokens that it counts.
    pub usage: Usage,
}

impl JudgeModel {
    /// What the body of an answer to a request comes to. The same each time: a replay calls it again.
    pub fn outcome(&self, prompt: &Prompt, body: &[u8]) -> Outcome {
        match read(self.kind, body) {
            Err((why, usage)) => {
                Outcome { read: Err(why), answered_by: String::new(), fingerprint: String::new(), usage }
            }
            Ok(WireAnswer { text, model, fingerprint, usage }) => {
                let is_other = !self.any_name && !is_same_model(&self.name, &model);
                let read = if is_other { Err(Unanswered::ModelMismatch) } else { answer::read(prompt, &text) };
                Outcome { read, answered_by: model, fingerprint, usage }
            }
        }
    }

    /// The parameters of every request.
    pub fn parameters(&self) -> Value {
        json!({ "temperature": 0, "seed": SEED, "max_tokens": MAX_TOKENS, "format": self.format })
    }

    /// The body of a request.
    pub fn request(&self, prompt: &Prompt) -> String {
        match self.kind {
            WireKind::OpenAi => openai::request(self, prompt),
            WireKind::Anthropic => anthropic::request(self, prompt),
        }
        .to_string()
    }

    /// The path of requests below a base address.
    pub const fn path(&self) -> &'static str {
        match self.kind {
            WireKind::OpenAi => "/chat/completions",
            WireKind::Anthropic => "/v1/messages",
        }
    }
}

/// The body of an answer, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireAnswer {
    /// The model's text.
    pub text: String,
    /// The model that it names; empty where it names none.
    pub model: String,
    /// The state of the system that it names.
    pub fingerprint: String,
    /// Tokens that it counts.
    pub usage: Usage,
}

/// The tokens that an endpoint counts; none where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of the request.
    pub tokens_in: Option<u64>,
    /// Of the answer.
    pub tokens_out: Option<u64>,
}

/// Takes the body of an answer apart.
///
/// # Errors
/// What keeps it from being one whole answer, with the tokens that it cost all the same.
pub fn read(kind: WireKind, body: &[u8]) -> Result<WireAnswer, (Unanswered, Usage)> {
    let text = check_bytes(body).map_err(|why| (why, Usage::default()))?;
    match kind {
        WireKind::OpenAi => openai::read(text),
        WireKind::Anthropic => anthropic::read(text),
    }
}

/// True where the model that answered is the one that was asked for. Endpoints name the dated version of an alias (`m` becomes
/// `m-2025-01-01`), and some name a file or nothing.
pub fn is_same_model(asked: &str, answered: &str) -> bool {
    let dated = answered.strip_prefix(asked).is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix(['-', '@']).is_some_and(|rest| rest.starts_with(|of: char| of.is_ascii_digit()))
    });
    answered.is_empty() || dated
}

#[cfg(test)]
mod tests;
