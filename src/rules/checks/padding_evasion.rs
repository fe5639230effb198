//! `padding-evasion`: a stretch of emptiness with text behind it, where a reader has stopped reading.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

/// So many empty lines, or blanks within a line, are more than any layout needs.
const LINES: usize = 200;
const BLANKS: usize = 1000;

/// What somebody would want to hide in a program.
static NOTEWORTHY: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:(?:eval|exec|execsync|execfile|system|popen|spawn|spawnsync|fetch|atob|b64decode|fromcharcode|function|require|import)\s*\(|subprocess\b|child_process\b|(?:curl|wget)\s|https?://)",
    )
});

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let read = |document: &&Document| {
        matches!(document.role, FileRole::Instruction | FileRole::Script | FileRole::Source | FileRole::Docs)
    };
    for document in subject.documents().filter(read) {
        if let Some((offset, length)) = padding(document.text.as_bytes()) {
            // The text behind the emptiness is what was to be overlooked: that is quoted.
            let (_, end) = document.line_at(offset);
            let text = document.text.get(offset..end).unwrap_or("");
            let severity = match document.voice_at(offset) {
                // Generated code is laid out by machines.
                Voice::Program if !NOTEWORTHY.is_match(text) => Severity::Low,
                Voice::Data => Severity::Info,
                _ => Severity::Medium,
            };
            let evidence = format!("behind {length} blank characters: {text}");
            facts.found_as(severity, Confidence::Medium, document.place(offset), &evidence);
        }
    }
}

/// The place where text begins again after the first stretch of emptiness that is too long, and the length of the
/// stretch.
fn padding(bytes: &[u8]) -> Option<(usize, usize)> {
    // A stretch that long holds half of it from some multiple on: most texts are done with a look at few bytes.
    if !bytes.chunks_exact(LINES.min(BLANKS) / 2).any(|part| part.iter().all(u8::is_ascii_whitespace)) {
        return None;
    }
    let (mut start, mut lines, mut blanks) = (0, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => {
                lines += 1;
                blanks = 0;
            }
            // Line breaks of Windows count as blanks and not as text between two empty lines.
            b' ' | b'\t' | b'\r' => blanks += 1,
            _ if lines >= LINES || blanks >= BLANKS => return Some((at, at - start)),
            _ => (start, lines, blanks) = (at + 1, 0, 0),
        }
    }
    None
}
