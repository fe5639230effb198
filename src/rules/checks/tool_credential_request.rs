//! tool-credential-request: text of a tool asks the user or the model for a secret.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::lexicon::{CONSEQUENCE, SECRET};
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::Tool;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_texts::{all_prose, below, place_of, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        for text in all_prose(surface).filter(|text| text.text.classes().any(SECRET)) {
            if let Some(sentence) = text.text.sentences().find(asks) {
                let (severity, confidence) = judgement(&sentence);
                facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
            }
        }
        let tool = surface.tool.and_then(|at| subject.evidence.tools.get(at));
        if let Some(name) = tool.and_then(credential_argument) {
            let place = below(surface, &format!("/inputSchema/properties/{name}"));
            facts.found_as(Severity::Low, Confidence::Low, place, &format!("{}: argument {name}", surface.name));
        }
    }
}

/// A notice that something failed or ran out, followed by the wish for what opens everything, is how people are robbed.
fn judgement(sentence: &Sentence<'_>) -> (Severity, Confidence) {
    let notice = sentence.classes.any(CONSEQUENCE)
        || sentence.has(words![
            "expired",
            "expires",
            "suspended",
            "locked",
            "re-enter",
            "reenter",
            "verify",
            "restore",
            "reauthenticate",
            "re-authenticate"
        ]);
    // A key of one service is asked for by many honest tools; these open everything.
    let opens_all = sentence.has(words!["password", "passwords", "phrase", "mnemonic", "private", "credentials"]);
    let notice = notice || sentence.lower().contains("expired");
    let asked = sentence.has(words!["user", "user's", "their", "ask", "tell", "prompt", "instruct"]);
    if notice && opens_all && asked {
        (Severity::High, Confidence::Medium)
    } else {
        (Severity::Medium, Confidence::Medium)
    }
}

const ASK: Phrase = Phrase::of(
    &[
        &["paste", "enter", "type", "share", "provide", "supply", "give", "re-enter", "reenter", "send", "put"],
        &["your", "their", "user's", "his"],
        &["password", "passwords", "key", "token", "secret", "credentials", "phrase"],
    ],
    3,
);

const ASK_FOR: Phrase = Phrase::of(
    &[
        &["ask", "request", "prompt", "obtain", "have"],
        &["user", "user's", "their", "them", "users"],
        &["password", "passwords", "token", "secret", "credentials", "phrase", "pin"],
    ],
    4,
);

fn asks(sentence: &Sentence<'_>) -> bool {
    let Some((first, last)) = sentence.find(&ASK).or_else(|| sentence.find(&ASK_FOR)) else { return false };
    let before_last = last.checked_sub(1).map_or("", |at| sentence.word(at));
    // A key of a table and a phrase to search for are no secrets.
    let key = !sentence.fits(last, words!["key", "phrase"])
        || matches!(before_last, "api" | "private" | "secret" | "access" | "seed" | "recovery" | "license");
    // The verb must be an order: "users provide their token" within a sentence tells how something works.
    let begins = first == 0
        || (0..first).any(|at| matches!(sentence.word(at), "please" | "must" | "user" | "you" | "to" | "and"));
    let begins = begins || sentence.ends_clause(first.wrapping_sub(1));
    key && begins
        && !sentence.negated(first)
        // Putting a secret into settings keeps it out of the conversation, which is what should be done.
        && !sentence.has(words!["environment", "settings", "config", "configuration", "variable", "dashboard"])
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
        .find(|(name, schema)| text(schema) && NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)))
        .map(|(name, _)| name.as_str())
}
