//! `measure-tool-descriptions`: the signals of good tool descriptions, for each tool.
//!
//! A rubric weighs them. Source: the public engine of SpiderRating, version 0.3.4, whose results the tests reproduce.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::{FactSink, cut};
use capdex_evidence::bytes;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};

use super::json_object::object;
use super::measure_words::{ACTION_VERBS, TRIGGER_WORDS};

#[path = "measure_numbered.rs"]
mod numbered;
#[path = "measure_overlaps.rs"]
mod overlaps;

use numbered::{Headed, Numbered};
use overlaps::overlaps;

/// The longest tool name that is kept, in code points.
const NAME_LENGTH: usize = 128;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let described = described_tools(subject.tools());
    if described.is_empty() {
        facts.unavailable("no tool description could be read");
    } else {
        facts.measured(signals_of(&described));
    }
}

/// Each tool once, as (name, description): a tools list before a manifest before source, then as they stand there,
/// because the reference's mean depends on their order in its last bit. A tool whose description is no literal in source is left out; one that a list gives without a description has an empty one.
fn described_tools<'a>(tools: impl Iterator<Item = &'a Tool>) -> Vec<(&'a str, &'a str)> {
    let mut tools: Vec<&Tool> = tools.collect();
    tools.sort_by_key(|tool| (tool.origin, &tool.place.file, tool.place.line, tool.place.column));
    let mut seen = BTreeSet::new();
    tools
        .into_iter()
        .filter(|tool| tool.description.is_some() || tool.origin != ToolOrigin::Source)
        .filter(|tool| seen.insert(tool.name.as_str()))
        .map(|tool| (tool.name.as_str(), tool.description.as_deref().unwrap_or_default()))
        .collect()
}

fn signals_of(tools: &[(&str, &str)]) -> Value {
    let lower: Vec<String> = tools.iter().map(|(_, text)| text.to_lowercase()).collect();
    let (overlaps, compared) = overlaps(&lower);
    let texts = tools.iter().zip(&lower).zip(overlaps);
    let measured: Vec<Value> =
        texts.map(|(((name, text), lower), overlap)| signals(name, text, lower, overlap)).collect();
    object([("compared", compared.into()), ("tools", measured.into())])
}

fn signals(name: &str, text: &str, lower: &str, overlap: Option<(usize, usize)>) -> Value {
    let says = |words: &WordMatcher| words.stand_in(text, lower);
    // The cheap sign before the expression: most descriptions hold no backtick.
    let parameters = says(&PARAMETERS) || (text.contains('`') && IN_CODE.is_match(text)) || has_flag(text);
    object([
        ("action_verb", begins_with_verb(text).into()),
        ("density", density(lower).map(|(content, long, unique, all)| vec![content, long, unique, all]).into()),
        ("errors", says(&ERRORS).into()),
        ("examples", says(&EXAMPLES).into()),
        ("length", text.chars().count().into()),
        ("name", cut(name, NAME_LENGTH).into()),
        ("overlap", overlap.map(|(common, smaller)| vec![common, smaller]).into()),
        ("parameters", parameters.into()),
        ("returns", says(&RETURNS).into()),
        ("scenario", says(&SCENARIO).into()),
    ])
}

/// Words that the reference looks for regardless of case. In ASCII, which nearly all descriptions are, that is the same
/// as looking in the text in lower case, and several times quicker.
struct WordMatcher {
    lower: Regex,
    any_case: Regex,
}

impl WordMatcher {
    /// A pattern in lower case.
    fn of(text: &str) -> Self {
        Self { lower: pattern(text), any_case: pattern(&format!("(?i){text}")) }
    }

    fn stand_in(&self, text: &str, lower: &str) -> bool {
        if text.is_ascii() { self.lower.is_match(lower) } else { self.any_case.is_match(text) }
    }
}

fn pattern(text: &str) -> Regex {
    capdex_evidence::expression::of(text)
}

static SCENARIO: LazyLock<WordMatcher> = LazyLock::new(|| WordMatcher::of(r"use (?:this )?when|use for|call this"));
static EXAMPLES: LazyLock<WordMatcher> =
    LazyLock::new(|| WordMatcher::of(r"e\.g\.|example|for instance|such as|like "));
static PARAMETERS: LazyLock<WordMatcher> =
    LazyLock::new(|| WordMatcher::of(r"(?:param(?:eter)?s?|input|argument|accepts?|takes?|requires?|expects?)\s*[:.]"));
static IN_CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"`[a-z][a-z0-9_]*`"));
static RETURNS: LazyLock<WordMatcher> = LazyLock::new(|| {
    WordMatcher::of(concat!(
        r"(?:returns?|outputs?|produces?|yields?)\s",
        r"|result(?:s| is| will be)|response (?:is|contains|includes)|→"
    ))
});
static ERRORS: LazyLock<WordMatcher> = LazyLock::new(|| {
    WordMatcher::of(concat!(
        r"fails?\s+(?:with|if|when|on)|error\s+(?:if|when|code|message)",
        r"|(?:if|when)\s+.*(?:fail|invalid|error|not found)",
        r"|(?:raise|throw)s?\s+(?-u:\w)*(?:error|exception)|common\s+issue|troubleshoot"
    ))
});

/// The first word, or its stem without `s`, `es` or `ing`, is one of the verbs. Punctuation belongs to the word.
fn begins_with_verb(text: &str) -> bool {
    let Some(word) = text.split_whitespace().next().map(str::to_lowercase) else { return false };
    let is_verb = |stem: &str| ACTION_VERBS.binary_search(&stem).is_ok();
    let is_stem = |stem: &str| is_verb(stem) || is_verb(&format!("{stem}e"));
    is_verb(&word)
        || match word.strip_suffix("es") {
            // As the reference cuts endings: `es` is tried before `s`, and what it cuts wrongly is cut wrongly here.
            Some(stem) => is_stem(stem),
            None => word.strip_suffix('s').is_some_and(is_verb),
        }
        || word.strip_suffix("ing").is_some_and(is_stem)
}

/// `--` with a letter, digit or underscore after it.
fn has_flag(text: &str) -> bool {
    // Nearly no text has two dashes in a row, and counting pairs reads many bytes at once.
    if bytes::count_pairs(text.as_bytes(), |dash, next| (dash == b'-') & (next == b'-')) == 0 {
        return false;
    }
    text.match_indices("--").any(|(at, dashes)| {
        let after = text.get(at + dashes.len()..).unwrap_or_default();
        after.trim_start_matches('-').chars().next().is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

/// The content of a text, as (unique words with content, unique words longer than one letter, unique words, words);
/// none for fewer than three words. A word begins with an ASCII letter or an underscore.
fn density(lower: &str) -> Option<(usize, usize, usize, usize)> {
    let words = words(lower);
    let all = words.len();
    // The reference gives no density below three words.
    if all < 3 {
        return None;
    }
    let unique = Numbered::of(&words).words;
    let long = unique.iter().filter(|word| word.text.chars().nth(1).is_some());
    let content = long.clone().filter(|word| TRIGGERS.number(word).is_none());
    Some((content.count(), long.count(), unique.len(), all))
}

/// The words of a text in lower case: from an ASCII letter or an underscore on all that is letter, digit or underscore.
fn words(lower: &str) -> Vec<Headed<'_>> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = Vec::with_capacity(lower.len() / 5);
    let (bytes, mut at) = (lower.as_bytes(), 0);
    let rest = |from: usize| bytes.get(from..).unwrap_or_default().iter();
    while let Some(skipped) = rest(at).position(|byte| BEGINS.get(usize::from(*byte)) == Some(&true)) {
        let start = at + skipped;
        at = start + rest(start).take_while(|byte| GOES_ON.get(usize::from(**byte)) == Some(&true)).count();
        // Only here a letter beyond ASCII may go on with the word: tables decide all other bytes.
        if bytes.get(at).is_some_and(|byte| !byte.is_ascii()) {
            let behind = lower.get(at..).unwrap_or_default();
            at += behind.find(|letter| !is_part(letter)).unwrap_or(behind.len());
        }
        words.push(Headed::of(lower.get(start..at).unwrap_or_default()));
    }
    words
}

/// For each byte whether a word begins with it, and whether it goes on with it.
static BEGINS: [bool; 256] = table(false);
static GOES_ON: [bool; 256] = table(true);

const fn table(digits: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphabetic() || byte == b'_' || (digits && byte.is_ascii_digit());
        byte += 1;
    }
    table
}

static TRIGGERS: LazyLock<Numbered> = LazyLock::new(|| Numbered::of(&TRIGGER_WORDS.map(Headed::of)));

#[cfg(test)]
#[path = "measure_tool_descriptions_tests.rs"]
mod tests;
