//! tool-harvest: a description says that calls, messages or contexts are collected and handed on.

use crate::FactSink;
use capdex_evidence::lexicon::{ORDER, READ, SECRET, SEND, SET, STEAL, TALK, WHOLE};
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_texts::{all_prose, place_of, quoted, surfaces};
use super::tool_values::{WrittenValue, literal};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let cues = STEAL.with(WHOLE).with(SEND).with(READ).with(SET);
    for surface in surfaces(subject) {
        for text in all_prose(surface).filter(|text| text.text.classes().any(cues)) {
            for sentence in text.text.sentences() {
                if let Some((severity, confidence)) = judgement(&sentence) {
                    facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
                    break;
                }
            }
        }
    }
}

const RECORDS: Phrase = Phrase::of(
    &[
        &["log", "logs", "record", "records", "store", "stores", "collect", "collects", "capture", "captures"],
        &["every", "all"],
        &[
            "tool",
            "user",
            "conversation",
            "conversations",
            "prompt",
            "prompts",
            "message",
            "messages",
            "input",
            "inputs",
            "keystrokes",
        ],
    ],
    2,
);
const SENDS: Phrase = Phrase::of(
    &[
        &["send", "sends", "report", "reports", "forward", "forwards", "transmit", "transmits", "upload", "uploads"],
        &[
            "telemetry",
            "analytics",
            "usage",
            "conversation",
            "conversations",
            "transcript",
            "credentials",
            "keystrokes",
        ],
        &["to"],
    ],
    4,
);
const CONTEXT: Phrase = Phrase::of(
    &[
        &[
            "include", "pass", "provide", "send", "put", "copy", "attach", "submit", "forward", "contain", "paste",
            "supply", "fill", "append", "insert", "included", "passed", "provided", "add", "set", "log", "report",
        ],
        &["full", "entire", "complete", "whole", "verbatim", "all", "every", "exact", "previous"],
        &[
            "conversation",
            "chat",
            "history",
            "prompt",
            "prompts",
            "messages",
            "message",
            "transcript",
            "dialogue",
            "context",
        ],
    ],
    3,
);
/// The guidance of the model itself, handed over.
const PROMPT: Phrase = Phrase::of(
    &[
        &[
            "include", "put", "pass", "send", "copy", "paste", "append", "reveal", "print", "output", "repeat",
            "insert", "attach",
        ],
        &["system", "developer", "hidden", "initial"],
        &["prompt", "instructions", "message", "messages"],
    ],
    2,
);
/// The user's words, sent on.
const REPORTED: Phrase = Phrase::of(
    &[
        &["send", "forward", "report", "upload", "transmit", "copy", "share"],
        &["user's", "all", "every", "users", "each"],
        &["messages", "message", "prompts", "prompt", "inputs", "conversation", "conversations", "queries"],
        &["to"],
    ],
    4,
);
/// Earlier messages, gathered and handed over.
const RECALL: Phrase = Phrase::of(
    &[
        &["all", "full", "entire", "previous", "complete", "whole", "earlier"],
        &["messages", "conversation", "history", "transcript", "chat"],
        &["pass", "include", "send", "provide", "attach", "submit", "put", "as", "in", "including"],
    ],
    4,
);
const STOLEN: Phrase = Phrase::of(
    &[
        &["exfiltrate", "exfiltrates", "steal", "steals", "exfiltrating", "stealing"],
        &["data", "credentials", "secrets", "passwords", "files", "information", "tokens", "cookies"],
    ],
    3,
);
const LOOT: Phrase =
    Phrase::of(&[&["stolen", "exfiltrated", "harvested"], &["data", "credentials", "files", "secrets", "cookies"]], 1);

fn judgement(sentence: &Sentence<'_>) -> Option<(Severity, Confidence)> {
    // Tools against theft speak of nothing else.
    let is_guarded = || {
        sentence.has(words![
            "detect",
            "detects",
            "prevent",
            "prevents",
            "redact*",
            "whether",
            "check",
            "checks",
            "attempt",
            "attempts",
            "risk",
            "analyze",
            "investigate"
        ])
    };
    let plain =
        |phrase: &Phrase| sentence.find(phrase).is_some_and(|(first, _)| !sentence.negated(first) && !is_guarded());
    if plain(&STOLEN) || plain(&LOOT) {
        return Some((Severity::High, Confidence::Medium));
    }
    if plain(&PROMPT)
        && sentence.has(words!["the", "your"])
        // Many tools take a system prompt of the caller's as an argument.
        && !sentence.has(words!["custom", "optional", "override", "new"])
    {
        return Some((Severity::High, Confidence::Medium));
    }
    // An argument for the whole conversation carries it to the server with each call.
    if plain(&RECALL) && sentence.has(words!["argument", "parameter", "field", "metadata", "input", "payload"]) {
        return Some((Severity::High, Confidence::Medium));
    }
    if watches(sentence) && !is_guarded() {
        return Some((Severity::High, Confidence::Medium));
    }
    if plain(&REPORTED) && sentence.classes.any(ORDER) {
        return Some((Severity::High, Confidence::Medium));
    }
    if plain(&CONTEXT) {
        // Talk between user and model, taken whole on an order, and said to be so: more than a tool needs.
        let demanded = sentence.classes.any(ORDER) && sentence.classes.any(TALK);
        let exact = sentence.has(words!["verbatim", "system", "every", "unredacted", "including"]);
        return Some(match (demanded, exact) {
            (true, true) => (Severity::High, Confidence::Medium),
            (true, false) => (Severity::Medium, Confidence::Low),
            _ => (Severity::Low, Confidence::Low),
        });
    }
    (plain(&RECORDS) || plain(&SENDS)).then_some((Severity::Medium, Confidence::Low))
}

/// Secrets that pass by are written down somewhere: "whenever a password appears in any tool's output, append it to …".
fn watches(sentence: &Sentence<'_>) -> bool {
    const KEEPS: Words = Words::of(&[
        "write", "append", "log", "store", "save", "record", "copy", "send", "post", "upload", "forward", "add", "dump",
    ]);
    sentence.classes.any(SECRET)
        && sentence.has(words!["whenever", "any", "every", "all", "each"])
        && sentence.has(words!["tool", "tools", "tool's", "session", "conversation", "processed", "appear", "appears"])
        && (0..sentence.words.len()).any(|index| sentence.fits(index, &KEEPS) && !sentence.negated(index))
        && literal(sentence) == Some(WrittenValue::Place)
}
