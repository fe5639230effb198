//! source-user-watched: a program records what the user types, copies or sees, and sends it.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{SourceFile, programs, weighed};
use crate::FactSink;
use capdex_evidence::code::sinks::{carried_out, sends, text_of};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in programs(subject) {
        let text = subject.evidence.documents.get(file.path).map_or("", |document| document.text.as_str());
        if let Some(call) = watching(&file, text) {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
    }
}

static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?-u)\bwhile\s+(?:True|1)\b|\bwhile\s*\((?:true|1)\)|\bsetInterval\(")
});

static MODEL: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"(?i-u)anthropic|openai|gemini|ollama|localhost|127\.0\.0\.1"));

/// The call by which a file watches, where it sends as well.
fn watching<'a>(file: &SourceFile<'a>, text: &str) -> Option<&'a Call> {
    let calls = &file.view.calls;
    let leaves = |call: &&Call| {
        // What goes to the user's own machine is kept there.
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
            // Assistants take one picture of the screen for a model; watching takes them again and again, for no model.
            let meant = records_keys(&call.callee) || (AGAIN.is_match(text) && !MODEL.is_match(text));
            meant.then_some(call)
        }
        // A clipboard that is sent once was pasted by the user.
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
