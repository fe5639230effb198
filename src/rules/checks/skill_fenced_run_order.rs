//! Blocks of code that order the agent to run them: in comments, or in words that the published rule lists.
//!
//! A comment that says what a step does is how people write; the severity grows with whom it speaks to and with what the
//! block fetches.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use crate::FactSink;
use crate::questions;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::{Zone, ZoneKind};
use capdex_model::fact::{Confidence, Severity};

fn expression(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .unicode(false)
        .build()
        .expect("the walk over all rules compiles it")
}

static ORDER: LazyLock<Regex> = LazyLock::new(|| expression(questions::ORDERS_COMMENT.text()));
static ADDRESSED: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"\b(?:agent|assistant|claude|model|llm|ai)\b|\byou\s+must\b|\bwithout\s+(?:asking|confirm|telling)")
});
static FETCHES: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\b(?:curl|wget|iwr|irm|Invoke-WebRequest|urlopen|requests\.get|base64\s+-d)\b"));

/// What the published rule looks for, anywhere in a block.
static PUBLISHED: LazyLock<Regex> = LazyLock::new(|| expression(questions::ORDERS_PUBLISHED.text()));
/// The languages of the blocks in which it looks.
const LANGUAGES: [&str; 13] =
    ["bash", "sh", "shell", "zsh", "powershell", "cmd", "python", "py", "node", "js", "javascript", "ts", "typescript"];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let read = |document: &&Document| {
        // Only here comments of code are read by an agent before anything is run.
        document.language == Language::Markdown && matches!(document.role, FileRole::Instruction | FileRole::Docs)
    };
    // Asked first: few texts hold such words.
    let orders = [&questions::ORDERS_COMMENT, &questions::ORDERS_PUBLISHED];
    let may_order = |document: &&Document| orders.iter().any(|words| words.may_occur(document));
    for document in subject.documents().filter(read).filter(may_order) {
        for zone in document.zones.iter().filter(|zone| zone.kind == ZoneKind::CodeBlock) {
            if let Some((offset, line)) = ordering_comment(document, zone) {
                let block = document.text.get(zone.start..zone.end).unwrap_or_default();
                // Each is ordinary; together they order the agent to run what strangers serve.
                let severity = match (ADDRESSED.is_match(line), FETCHES.is_match(block)) {
                    (true, true) => Severity::Medium,
                    (true, false) | (false, true) => Severity::Low,
                    (false, false) => Severity::Info,
                };
                facts.found_as(severity, Confidence::Low, document.place(offset), line);
            } else if let Some((offset, words)) = published(document, zone) {
                facts.found_as(Severity::Info, Confidence::Low, document.place(offset), words);
            }
        }
    }
}

/// True where a line is a comment of a batch file.
fn is_batch(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rem "))
}

/// True where a line begins as no comment does, which its first byte tells of most.
fn begins_otherwise(line: &[u8]) -> bool {
    let first = line.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    first.is_some_and(|byte| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'/' | b'r' | b'R'))
}

/// The first comment of a block that orders, with its offset in the document.
fn ordering_comment<'a>(document: &'a Document, block: &Zone) -> Option<(usize, &'a str)> {
    // Most lines of a block are code: told by one byte, without an expression.
    let lines = document.lines_within(block.start, block.end).filter(|(_, line)| !begins_otherwise(line.as_bytes()));
    let mut comments = lines
        .map(|(offset, line)| (offset, line.trim()))
        .filter(|(_, text)| text.starts_with('#') || text.starts_with("//") || is_batch(text));
    comments.find(|(_, text)| ORDER.is_match(text))
}

/// The words of the published rule in a block of one of its languages, with their offset in the document.
fn published<'a>(document: &'a Document, block: &Zone) -> Option<(usize, &'a str)> {
    let text = document.text.get(block.start..block.end)?;
    let fence = text.lines().next()?.trim_start_matches(['`', '~', ' ']);
    let language = fence.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    if !LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(language)) {
        return None;
    }
    let found = PUBLISHED.find(text)?;
    Some((block.start + found.start(), found.as_str()))
}
