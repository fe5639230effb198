//! Tool values: what a sentence writes out as the value of an argument, and whether it is where something goes.
//!
//! The rules that read them decide whether that is bad. Values that are called examples, and addresses to read more at,
//! are none.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::lexicon::TOOL;
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::words;

use super::tool_directives::assigns;

/// A value that is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WrittenValue {
    /// A word in quotation marks or a number.
    Plain,
    /// A destination or a permission: an address, an account, a path, a right.
    Place,
}

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?-u)\b[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,100}\.[a-z]{2,12}\b|https?://[a-z0-9.-]{3,}|\b0x[a-f0-9]{6,64}\b|\bbc1[a-z0-9]{20,}\b|\+\d{9,15}\b|\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b|\b\d{6,20}\b",
        r#"|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:^|[\s`'"(=])(?:~|/[a-z][\w.-]*)/[\w./~-]+|\b[a-z]:\\\\?[\w\\]+|\b0?[67][67][67]\b|(?:^|[\s`'"])-{1,2}(?:force|rf|no-verify|insecure|delete|hard|privileged|dangerously[\w-]*|skip[\w-]*|allow[\w-]*|yes)\b|#[a-z][\w-]{3,}"#,
    ))
});

static BETWEEN_TICKS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r#"(?:^|[\s(=:\[])(?:'[^'\n]{2,160}'|"[^"\n]{2,160}")(?:[\s.,;:)\]\\]|$)"#)
});

/// True where a value stands between quotation marks, single ones as well, or a number or an assignment is written.
pub(super) fn writes_value(sentence: &Sentence<'_>) -> bool {
    literal(sentence).is_some() || BETWEEN_TICKS.is_match(sentence.lower())
}

/// True where behind a word a value is handed over: "with the query '…'", "on 12345", "for 'X'".
pub(super) fn hands_value(sentence: &Sentence<'_>, name: usize) -> bool {
    let led = (name + 1..=name + 8).any(|index| {
        sentence.fits(index, words!["with", "on", "for", "of", "using"]) || sentence.word(index).contains('=')
    });
    let behind = sentence.behind(name);
    let example = ["e.g", "such as", "for example", "format", "like "].iter().any(|word| behind.contains(word));
    let number = behind
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .any(|word| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit()));
    led && !example && (BETWEEN_TICKS.is_match(behind) || PLACE.is_match(behind) || number || behind.contains("='"))
}

/// The most telling value that a sentence writes out; examples of values are none.
pub(super) fn literal(sentence: &Sentence<'_>) -> Option<WrittenValue> {
    let lower = sentence.lower();
    // A place is worth more than any plain value, so that it is looked for first.
    if let Some(found) = PLACE.find(lower)
        && !is_example(lower.get(..found.start()).unwrap_or_default(), found.as_str())
    {
        return Some(WrittenValue::Place);
    }
    let quoted = sentence.words.iter().enumerate().any(|(index, word)| {
        // Quoted names of tools and arguments are no values.
        word.quoted && !sentence.is(index, TOOL) && !super::tool_texts::is_identifier(sentence.raw(index))
    });
    let number = (0..sentence.words.len()).any(|index| {
        sentence.word(index).bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'%' | b'x'))
    });
    let given = sentence.find(
        &const {
            Phrase::of(&[&["set", "forced", "fixed", "defaulted", "assigned", "equal", "limited", "reset"], &["to"]], 0)
        },
    );
    (quoted
        || number
        || assigns(sentence)
        || given.is_some()
        || sentence.has(words!["true", "false", "null", "twice", "double"]))
    .then_some(WrittenValue::Plain)
}

/// True where an address in a sentence is where something goes, not where something is read.
pub(super) fn names_receiver(sentence: &Sentence<'_>) -> bool {
    const BEFORE: [&str; 18] = [
        " to ",
        "bcc",
        "cc ",
        "recipient",
        "channel",
        "address",
        "destination",
        " as ",
        "with ",
        "marker",
        "wallet",
        "copy",
        "account",
        "receiver",
        "add ",
        "append",
        "=",
        "via ",
    ];
    const BEHIND: [&str; 9] = [
        "as bcc",
        "in copy",
        "in cc",
        "in bcc",
        "as a recipient",
        "must receive",
        "should receive",
        "as an attendee",
        "as cc",
    ];
    let lower = sentence.lower();
    let Some(found) = PLACE.find(lower) else { return false };
    let near = last_of(lower.get(..found.start()).unwrap_or_default(), 48);
    let behind = lower.get(found.end()..).unwrap_or_default();
    let sends = sentence.has(words![
        "send",
        "sent",
        "forward",
        "forwarded",
        "upload",
        "uploaded",
        "post",
        "posted",
        "submit",
        "submitted",
        "transmit",
        "report",
        "redirect",
        "redirected",
        "copied"
    ]);
    let is_link = found.as_str().starts_with("http");
    (BEFORE.iter().any(|word| near.contains(word)) || BEHIND.iter().any(|word| behind.contains(word)))
        // Links are given to be read; only with a verb of sending is one a receiver.
        && (!is_link || sends)
}

/// The last so many bytes of a text, or a few less.
fn last_of(text: &str, length: usize) -> &str {
    let from = text.len().saturating_sub(length);
    (from..=text.len()).find_map(|at| text.get(at..)).unwrap_or_default()
}

/// True where what stands before a value, or the value itself, says that it is an example or a place to read more.
fn is_example(before: &str, value: &str) -> bool {
    const SAID: [&str; 17] = [
        "example",
        "e.g",
        "i.e",
        "format",
        "your",
        "such as",
        "like ",
        "docs",
        "see ",
        "documentation",
        "localhost",
        "for instance",
        "sample",
        "looks like",
        "similar to",
        "relative",
        "refer to",
    ];
    // A word such as "example" further away belongs to another value.
    let near = last_of(before, 60);
    let assigned = before.ends_with(['=', '"', '\'']) && value.contains("@example.");
    assigned
        || SAID.iter().any(|word| near.contains(word))
        || ["user@", "name@", "localhost", "127.0.0.1", "0.0.0.0", "docs.", "github.com"]
            .iter()
            .any(|word| value.contains(word))
        || (value.contains("example.") && value.contains("http"))
}
