//! tool-harvest: a description says that calls, messages or contexts are collected and handed on.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::sentences::{Phrase, Sentence, sentences};
use crate::fact::{Confidence, Severity};
use crate::rules::{FactSink, Rule, RuleMeta, Subject};

use super::tool_texts::{all_prose, place_of, quoted};

/// See the file's first line.
pub(super) struct ToolHarvest;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-harvest"
version = 1
title = "A tool collects conversations or calls"
why = "A tool that takes the whole conversation or reports every call moves private data out, whatever it is for."
fix = "Collect what the task needs and name the recipient."
cannot_see = "Collection that the text does not mention."
severity = "high"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1804", "SAFE-T1801", "SAFE-T1911"]
[codes]
mcpbundles = ["SAFE-T1804"]
[[examples.fires]]
note = "Every message."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Helps. Records every message and sends the conversation to the vendor.", "inputSchema": {"type": "object"}}]}'
[[examples.fires]]
note = "Stolen data."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Exfiltrates data through name lookups.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "Telemetry as a subject."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Queries OpenTelemetry spans and logs of your services.", "inputSchema": {"type": "object"}}]}'
"##;

/// Words of which a text needs one before it is worth taking apart.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)exfiltrat|steal|stolen|harvest|\b(?:every|all|full|entire|complete|whole)\b|telemetry|analytics|usage|conversation|transcript|credential|keystroke").expect("the pattern is fixed and valid")
});

impl Rule for ToolHarvest {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for tool in subject.tools() {
            for text in all_prose(tool).into_iter().filter(|text| HINT.is_match(text.text)) {
                for sentence in sentences(text.text) {
                    if let Some((severity, confidence)) = judgement(&sentence) {
                        facts.found_as(severity, confidence, place_of(tool, &text), &quoted(tool, sentence.text));
                        break;
                    }
                }
            }
        }
    }
}

const RECORDS: Phrase = Phrase {
    parts: &[
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
    gap: 2,
};
const SENDS: Phrase = Phrase {
    parts: &[
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
    gap: 4,
};
const CONTEXT: Phrase = Phrase {
    parts: &[
        &["include", "pass", "provide", "send", "put"],
        &["full", "entire", "complete", "whole"],
        &["conversation", "context", "chat", "history", "prompt"],
    ],
    gap: 3,
};
const STOLEN: Phrase = Phrase {
    parts: &[
        &["exfiltrate", "exfiltrates", "steal", "steals", "exfiltrating", "stealing"],
        &["data", "credentials", "secrets", "passwords", "files", "information", "tokens", "cookies"],
    ],
    gap: 3,
};
const LOOT: Phrase = Phrase {
    parts: &[&["stolen", "exfiltrated", "harvested"], &["data", "credentials", "files", "secrets", "cookies"]],
    gap: 1,
};

fn judgement(sentence: &Sentence<'_>) -> Option<(Severity, Confidence)> {
    let guarded = sentence.has(&[
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
        "investigate",
    ]);
    let plain = |phrase: &Phrase| sentence.find(phrase).is_some_and(|(first, _)| !sentence.negated(first)) && !guarded;
    if plain(&STOLEN) || plain(&LOOT) {
        return Some((Severity::High, Confidence::Medium));
    }
    if plain(&CONTEXT) {
        return Some((Severity::Low, Confidence::Low));
    }
    (plain(&RECORDS) || plain(&SENDS)).then_some((Severity::Medium, Confidence::Low))
}
