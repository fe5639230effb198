//! Texts that are matched against and not meant: regular expressions in code, lists of what is refused, tests inside of
//! a program.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::bytes::end_of_quoted;
use crate::document::Document;
use crate::language::Language;
use crate::zones::ZoneKind;

/// A regular expression of JavaScript, where an operand may begin.
static SLASHED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?:[(,=:\[!&|?{};]|\breturn|^)\s*(/(?:[^/\\\[\n*]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])*/)[dgimsuvy]*",
    )
});

/// A call whose first argument is a regular expression.
static COMPILED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"\b(?:RegExp|Regex::new|regexp\.MustCompile|re(?:gex)?\.(?:compile|search|match|fullmatch|find(?:all|iter)|sub|split))\(\s*[rRbBuU]*",
    )
});

/// The name of a list of what is refused, in JSON or in a Markdown block of it.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r#"(?i)"(?:den(?:y|ied)|disallow(?:ed)?|forbidden|block(?:ed)?)(?:[_-]?(?:list|tools|commands|patterns))?"\s*:\s*\["#,
    )
});

/// The same in YAML.
static REFUSED_ITEMS: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?im)^([ \t]*)(?:den(?:y|ied)|disallow(?:ed)?|forbidden|block(?:ed)?)(?:[_-]?(?:list|tools|commands|patterns))?:[ \t]*\r?\n((?:[ \t]*(?:-[ \t]|#)[^\n]*\n?)+)",
    )
});

/// The ranges of a document that are matched against, sorted.
pub(super) fn of(document: &Document) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    match document.language {
        Language::JavaScript | Language::TypeScript => {
            let found = SLASHED.captures_iter(&document.text).filter_map(|found| found.get(1));
            ranges.extend(found.map(|found| found.range()));
            compiled(document, &mut ranges);
        }
        Language::Rust => {
            compiled(document, &mut ranges);
            tests(&document.text, &mut ranges);
        }
        Language::Python | Language::Go => compiled(document, &mut ranges),
        Language::Json | Language::Markdown => refused(&document.text, &mut ranges),
        Language::Yaml => {
            let found = REFUSED_ITEMS.captures_iter(&document.text).filter_map(|found| found.get(2));
            ranges.extend(found.map(|found| found.range()));
        }
        _ => {}
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges
}

/// The modules of Rust that are compiled for tests alone.
fn tests(text: &str, ranges: &mut Vec<Range<usize>>) {
    static TESTS: LazyLock<Regex> = LazyLock::new(|| {
        crate::expression::of(r"(?m)^#\[cfg\(test\)\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+\w+\s*\{")
    });
    for found in TESTS.find_iter(text) {
        // Such a module stands at the margin, and so does the brace that closes it.
        let rest = text.get(found.end()..).unwrap_or_default();
        let length = rest.find("\n}").map_or(rest.len(), |at| at + 2);
        ranges.push(found.start()..found.end() + length);
    }
}

/// The literals that are handed to a compiler of regular expressions.
fn compiled(document: &Document, ranges: &mut Vec<Range<usize>>) {
    for call in COMPILED.find_iter(&document.text) {
        let index = document.zones.partition_point(|zone| zone.end <= call.end());
        let literal = document.zones.get(index).filter(|zone| zone.kind == ZoneKind::Literal);
        ranges.extend(literal.map(|zone| zone.start..zone.end));
    }
}

/// The lists of JSON in a text that name what is refused.
fn refused(text: &str, ranges: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for list in REFUSED.find_iter(text) {
        let mut at = list.end();
        // Strings alone: a list of anything else ends the reading, so that no list swallows a text.
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => at = end_of_quoted(bytes, at),
                b',' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                _ => break,
            }
        }
        ranges.push(list.end()..at);
    }
}
