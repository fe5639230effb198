//! tool-credential-request: text of a tool asks the user or the model for a secret.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::evidence::sentences::{Phrase, Sentence, sentences};
use crate::evidence::tools::Tool;
use crate::fact::{Confidence, Place, Severity};
use crate::rules::{FactSink, Rule, RuleMeta, Subject};

use super::tool_texts::{place_of, prose, quoted};

/// See the file's first line.
pub(super) struct ToolCredentialRequest;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-credential-request"
version = 1
title = "A tool asks for a secret in the conversation"
why = "A key that is typed into a conversation is in its history, in logs and in reach of every other tool."
fix = "Take secrets from the environment or an OAuth flow."
cannot_see = "Requests in the server's answers; arguments with harmless names."
severity = "medium"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1007", "SAFE-T1504"]
[codes]
mcpbundles = ["SAFE-T1007"]
[[examples.fires]]
note = "Paste a key."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "login", "description": "Ask the user to paste their API key here.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Warns."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "q", "description": "Queries. Never put your API key in the query.", "inputSchema": {"type": "object"}}]}'
"##;

/// Words of which a text needs one before it is worth taking apart.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)password|key|token|secret|credential|phrase").expect("the pattern is fixed and valid")
});

impl Rule for ToolCredentialRequest {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for tool in subject.tools() {
            for text in prose(tool).into_iter().filter(|text| HINT.is_match(text.text)) {
                if let Some(sentence) = sentences(text.text).iter().find(|sentence| asks(sentence)) {
                    facts.found(place_of(tool, &text), &quoted(tool, sentence.text));
                }
            }
            if let Some(name) = credential_argument(tool) {
                let pointer = format!("{}/inputSchema/properties/{name}", tool.place.pointer);
                facts.found_as(
                    Severity::Low,
                    Confidence::Low,
                    Place { pointer, ..tool.place.clone() },
                    &format!("{}: argument {name}", tool.name),
                );
            }
        }
    }
}

const ASK: Phrase = Phrase {
    parts: &[
        &["paste", "enter", "type", "share", "provide", "supply", "give"],
        &["your", "their", "user's", "his"],
        &["password", "passwords", "key", "token", "secret", "credentials", "phrase"],
    ],
    gap: 3,
};

fn asks(sentence: &Sentence<'_>) -> bool {
    let Some((first, last)) = sentence.find(&ASK) else { return false };
    let before_last = last.checked_sub(1).and_then(|at| sentence.words.get(at)).map_or("", |word| word.folded.as_str());
    let key = !sentence.fits(last, &["key", "phrase"])
        || matches!(before_last, "api" | "private" | "secret" | "access" | "seed" | "recovery" | "license");
    let begins = first == 0
        || sentence
            .words
            .iter()
            .take(first)
            .any(|word| matches!(word.folded.as_str(), "please" | "must" | "user" | "you" | "to" | "and"));
    key && begins
        && !sentence.negated(first)
        && !sentence.has(&["environment", "settings", "config", "configuration", "variable", "dashboard"])
}

/// A free-text argument that is named like a secret of the user.
fn credential_argument(tool: &Tool) -> Option<&str> {
    const NAMES: [&str; 12] = [
        "password",
        "private_key",
        "privatekey",
        "seed_phrase",
        "mnemonic",
        "api_key",
        "apikey",
        "secret_key",
        "access_token",
        "secretkey",
        "accesstoken",
        "passphrase",
    ];
    let properties = tool.input_schema.as_ref()?.get("properties")?.as_object()?;
    let text =
        |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("string") && schema.get("format").is_none();
    properties
        .iter()
        .find(|(name, schema)| text(schema) && NAMES.contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, _)| name.as_str())
}
