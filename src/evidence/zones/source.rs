//! A small lexer that tells comments and string literals from code, for languages that no parser here reads in full.
//!
//! It is right for ordinary source and bounded in its errors elsewhere. A literal of one line ends with the line, so
//! that a stray quote cannot swallow a file. The quotes inside of JavaScript's regular expressions open no literal.

use super::super::bytes::each_place;
use super::{Cover, ZoneKind};

/// The spelling of comments and literals in a language.
pub(super) struct Syntax {
    /// The mark that opens a comment to the end of the line.
    line_comment: &'static [u8],
    /// The marks that open and close a comment over lines.
    block_comment: Option<(&'static [u8], &'static [u8])>,
    /// Quotes whose literals end with the line at the latest.
    quotes: &'static [u8],
    /// Quotes whose literals run over lines.
    long_quotes: &'static [u8],
    /// True where a quote written three times opens a literal over lines.
    triples: bool,
    /// True where `'` may also be something else (a lifetime), so that it opens a literal only where it closes soon.
    short_apostrophe: bool,
    /// True where a comment mark counts only at the beginning of a word.
    word_comment: bool,
    /// True where regular expressions stand between slashes.
    expressions: bool,
}

pub(super) const SLASHES: Syntax = Syntax {
    line_comment: b"//",
    block_comment: Some((b"/*", b"*/")),
    quotes: b"'\"",
    long_quotes: b"`",
    triples: false,
    short_apostrophe: false,
    word_comment: false,
    expressions: true,
};

pub(super) const RUST: Syntax =
    Syntax { quotes: b"'", long_quotes: b"\"", short_apostrophe: true, expressions: false, ..SLASHES };

pub(super) const PYTHON: Syntax = Syntax {
    line_comment: b"#",
    block_comment: None,
    quotes: b"'\"",
    long_quotes: b"",
    triples: true,
    short_apostrophe: false,
    word_comment: false,
    expressions: false,
};

pub(super) const TOML: Syntax = PYTHON;

pub(super) const SHELL: Syntax =
    Syntax { quotes: b"", long_quotes: b"'\"", triples: false, word_comment: true, ..PYTHON };

pub(super) const POWERSHELL: Syntax = Syntax { block_comment: Some((b"<#", b"#>")), ..SHELL };

/// Covers source text.
pub(super) fn zones(text: &str, syntax: &Syntax, cover: &mut Cover) {
    let bytes = text.as_bytes();
    let (mut at, mut classes) = (0, Classes::default());
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or(&[]);
        // The first line names the interpreter: it is run, and no comment.
        if rest.starts_with(b"#!") && at == 0 {
            at = line_end(bytes, at);
        } else if let Some((open, close)) = syntax.block_comment.filter(|(open, _)| rest.starts_with(open)) {
            cover.to(at, ZoneKind::Code);
            at = find(bytes, at + open.len(), close);
            cover.to(at, ZoneKind::Comment);
        } else if rest.starts_with(syntax.line_comment) && (!syntax.word_comment || begins_word(bytes, at)) {
            cover.to(at, ZoneKind::Code);
            at = line_end(bytes, at);
            cover.to(at, ZoneKind::Comment);
        } else if let Some(end) = syntax.expressions.then(|| expression_end(bytes, at, &mut classes)).flatten() {
            at = end;
        } else if let Some(end) = literal_end(bytes, at, *byte, syntax) {
            cover.to(at, ZoneKind::Code);
            at = end;
            cover.to(at, ZoneKind::Literal);
        } else {
            // Outside literals too: `\"` in a shell opens none.
            at += if *byte == b'\\' { 2 } else { 1 };
        }
    }
    cover.to(bytes.len(), ZoneKind::Code);
}

/// One past a regular expression that begins at a slash; none where the slash divides, or nothing closes it on its line.
fn expression_end(bytes: &[u8], slash: usize, classes: &mut Classes) -> Option<usize> {
    /// The longest that is looked for: a line of a bundle is as long as the bundle.
    const LONGEST: usize = 400;
    /// What stands before an operand, and so before no division.
    const OPENS: &[u8] = b"(,=:[!&|?{;+-*%~^";
    const WORDS: [&[u8]; 8] = [b"return", b"typeof", b"case", b"in", b"of", b"delete", b"void", b"throw"];
    if bytes.get(slash) != Some(&b'/') {
        return None;
    }
    let before = bytes.get(slash.saturating_sub(LONGEST)..slash).unwrap_or(&[]).trim_ascii_end();
    let is_word = |word: &&[u8]| {
        before
            .strip_suffix(*word)
            .is_some_and(|rest| !rest.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(byte)))
    };
    let opens =
        before.last().is_none_or(|byte| OPENS.contains(byte)) || before.ends_with(b"=>") || WORDS.iter().any(is_word);
    if !opens {
        return None;
    }
    let (mut at, most) = (slash + 1, slash + LONGEST);
    while let Some(byte) = bytes.get(at).filter(|_| at < most) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return None,
            b'[' => at = classes.close(bytes, at, most)?,
            b'/' => return (at > slash + 1).then_some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where classes of characters (`[a-z/]`) close. What was passed once is not passed again: a class that nothing closes
/// may hold a slash at every other byte, each of which may begin an expression.
#[derive(Default)]
struct Classes {
    /// From here to `seen` nothing closes a class and no line ends.
    from: usize,
    seen: usize,
}

impl Classes {
    /// Where the class that opens at `open` closes; none where that is not before `most`, or not on its line.
    fn close(&mut self, bytes: &[u8], open: usize, most: usize) -> Option<usize> {
        if !(self.from..=self.seen).contains(&open) {
            (self.from, self.seen) = (open, open);
        }
        while self.seen < most {
            match bytes.get(self.seen)? {
                b']' => return Some(self.seen),
                b'\n' => return None,
                b'\\' => self.seen += 2,
                _ => self.seen += 1,
            }
        }
        None
    }
}

fn begins_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|before| b" \t\n;(".contains(before))
}

fn literal_end(bytes: &[u8], at: usize, quote: u8, syntax: &Syntax) -> Option<usize> {
    if !syntax.quotes.contains(&quote) && !syntax.long_quotes.contains(&quote) {
        return None;
    }
    let triple = [quote; 3];
    if syntax.triples && bytes.get(at..).is_some_and(|rest| rest.starts_with(&triple)) {
        return Some(find(bytes, at + 3, &triple));
    }
    let end = closing_quote(bytes, at, quote, syntax.long_quotes.contains(&quote));
    // A character is short, escapes included; `'a` with a far end is a lifetime.
    if syntax.short_apostrophe && quote == b'\'' && end > at + 8 { None } else { Some(end) }
}

/// One past the closing quote, or the end of the line (one-line literals) or of the text.
fn closing_quote(bytes: &[u8], open: usize, quote: u8, over_lines: bool) -> usize {
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' if !over_lines => return at,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// One past the next `needle` from `from`, or the end.
fn find(bytes: &[u8], from: usize, needle: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    rest.windows(needle.len()).position(|window| window == needle).map_or(bytes.len(), |at| from + at + needle.len())
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| from + at)
}

/// Covers JSON, with or without comments: string values are literals, everything else is code.
pub(super) fn json_zones(text: &str, cover: &mut Cover) {
    let bytes = text.as_bytes();
    let rest = |at: usize| bytes.get(at..).unwrap_or(&[]);
    // A key is code as what stands around it is.
    let string = |cover: &mut Cover, start: usize, end: usize| {
        if rest(end).iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b':') {
            cover.to(start, ZoneKind::Code);
            cover.to(end, ZoneKind::Literal);
        }
    };
    cover.zones.reserve(bytes.len() / 32);
    // The string that is open, and up to where nothing counts: what is escaped or in a comment.
    let (mut open, mut counts_from) = (None, 0);
    let tells = |byte: u8| (byte == b'"') | (byte == b'\\') | (byte == b'/');
    each_place(bytes, tells, |at| match (open, bytes.get(at)) {
        _ if at < counts_from => {}
        (None, Some(b'"')) => open = Some(at),
        (Some(start), Some(b'"')) => {
            string(cover, start, at + 1);
            open = None;
        }
        (Some(_), Some(b'\\')) => counts_from = at + 2,
        (None, Some(b'/')) if rest(at).starts_with(b"//") => {
            cover.to(at, ZoneKind::Code);
            counts_from = line_end(bytes, at);
            cover.to(counts_from, ZoneKind::Comment);
        }
        _ => {}
    });
    if let Some(start) = open {
        string(cover, start, bytes.len());
    }
    cover.to(bytes.len(), ZoneKind::Code);
}

/// Covers YAML line by line: keys are code, what follows them is literal, `#` opens a comment.
pub(super) fn yaml_zones(text: &str, cover: &mut Cover) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let comment = yaml_comment(line).unwrap_or(line.len());
        let value = line.get(..comment).and_then(yaml_value).unwrap_or(0);
        // In this order, since the cover only grows: key, value, comment.
        cover.to(start + value, ZoneKind::Code);
        cover.to(start + comment, ZoneKind::Literal);
        cover.to(start + line.len(), ZoneKind::Comment);
        start += line.len();
    }
    cover.to(text.len(), ZoneKind::Literal);
}

/// The offset of a comment: a `#` at the beginning of a word outside quotes.
fn yaml_comment(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            // An apostrophe inside a word opens no quotation.
            (None, b'"' | b'\'') if begins_word(bytes, at) => quote = Some(byte),
            (None, b'#') if begins_word(bytes, at) => return Some(at),
            _ => {}
        }
    }
    None
}

/// The offset of the value: after the first `: ` or a final `:`.
fn yaml_value(line: &str) -> Option<usize> {
    let bare = line.trim_end();
    if bare.ends_with(':') { Some(bare.len()) } else { bare.find(": ").map(|at| at + 2) }
}

#[cfg(test)]
mod tests {
    use super::super::super::bytes::end_of_quoted;
    use super::super::Zone;
    use super::*;

    /// Byte by byte.
    fn plain(text: &str) -> Vec<Zone> {
        let (bytes, mut cover, mut at) = (text.as_bytes(), Cover::default(), 0);
        while at < bytes.len() {
            if bytes[at] == b'"' {
                let end = end_of_quoted(bytes, at);
                let is_key =
                    text[end..].trim_start_matches(|letter: char| letter.is_ascii_whitespace()).starts_with(':');
                cover.to(at, ZoneKind::Code);
                cover.to(end, if is_key { ZoneKind::Code } else { ZoneKind::Literal });
                at = end;
            } else if bytes[at..].starts_with(b"//") {
                cover.to(at, ZoneKind::Code);
                at = line_end(bytes, at);
                cover.to(at, ZoneKind::Comment);
            } else {
                at += 1;
            }
        }
        cover.to(bytes.len(), ZoneKind::Code);
        cover.zones
    }

    proptest::proptest! {
        #[test]
        fn strings_and_comments_of_json_are_told_many_bytes_at_a_time(text in "([ab:, {}]{0,9}|[\"/\\\\:\n ]{0,6}){0,20}") {
            let mut cover = Cover::default();
            json_zones(&text, &mut cover);
            proptest::prop_assert_eq!(cover.zones, plain(&text));
        }

        #[test]
        fn what_was_passed_once_closes_a_class_where_it_would_from_anew(text in "([(/\\[\\]]{1,9}|\\\\|\n|a{1,150}){0,40}") {
            let (bytes, mut classes, mut at) = (text.as_bytes(), Classes::default(), 0);
            while at < bytes.len() {
                let anew = expression_end(bytes, at, &mut Classes::default());
                proptest::prop_assert_eq!(expression_end(bytes, at, &mut classes), anew);
                at = anew.unwrap_or(at + if bytes[at] == b'\\' { 2 } else { 1 });
            }
        }
    }
}
