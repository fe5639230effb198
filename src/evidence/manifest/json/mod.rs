//! JSON as text: its depth and doubled keys before a tree is built, and where each key and element stands after.
//!
//! Nothing here recurses; all work is linear in the text. Comments and trailing commas are read where the caller says
//! that clients read them.
//!
//! `jsonc-parser` 0.34 was tried behind the same tests (2026-11, 1,189 tools lists). It gives equal trees and places
//! and bounds its depth, at 512 levels. It loses on three points. Places take 18 times as long (52 MB a second, here
//! 950), because it builds a tree of all that is not asked for. A document that breaks off has no places at all, where
//! this walk gives those before the break. It takes raw control characters and U+00A0, which RFC 8259 forbids and
//! clients refuse. `json-five` 0.3 keeps no byte ranges with its values.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use crate::bytes::end_of_quoted;
use capdex_model::points::push_number;

mod tree;

/// The deepest nesting that is read: `serde_json` refuses the 128th level itself, and we refuse it before.
pub(super) const MAX_DEPTH: usize = 127;

/// Which texts count as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonDialect {
    /// RFC 8259, with a byte order mark in front allowed.
    Strict,
    /// With comments and trailing commas besides, as editors and agents read their settings.
    Relaxed,
}

/// The result of parsing.
#[derive(Debug)]
pub(crate) struct ParsedJson {
    /// The tree; of a doubled key the last value.
    pub(crate) value: Value,
    /// The first key that stands twice in one object: readers differ on which one counts.
    pub(crate) doubled: Option<String>,
}

/// Parses a text. The error is a message for a person: too deep, or what the parser says.
pub(super) fn parse(text: &str, dialect: JsonDialect) -> Result<ParsedJson, String> {
    // Editors on Windows put a byte order mark in front, and clients read past it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Nearly every text is JSON as it stands: only what is not is looked through for the reason.
    if let Ok(parsed) = tree::read(text) {
        return Ok(parsed);
    }
    let scan = scan(text)?;
    let text = match dialect {
        JsonDialect::Relaxed if !scan.blanks.is_empty() => Cow::Owned(blanked(text, &scan.blanks)),
        JsonDialect::Strict | JsonDialect::Relaxed => Cow::Borrowed(text),
    };
    let value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(ParsedJson { value, doubled: scan.doubled })
}

/// Parses one message out of a text of several.
pub(crate) fn parse_message(text: &str) -> serde_json::Result<ParsedJson> {
    tree::read(text)
}

/// One past the object or array that opens at `start`; the end of the text, or any offset behind the start, where it is
/// not closed or nested too deep.
pub(crate) fn end_of_value(text: &str, start: usize) -> usize {
    let mut tokens = Tokens { bytes: text.as_bytes(), at: start + 1 };
    tokens.pass_over(MAX_DEPTH - 1);
    tokens.at
}

/// The byte offset of each wanted JSON Pointer, which must be sorted. It is that of the key for a member of an object,
/// and of the value for an element of an array. None for a pointer that leads nowhere; of doubled keys the last counts.
/// If every key stands once, the walk ends with the last pointer that is found.
pub(super) fn offsets_of(text: &str, wanted: &[&str], keys_are_unique: bool) -> Vec<Option<usize>> {
    let mut found = vec![None; wanted.len()];
    let mut missing = wanted.len();
    let mut pointer = String::new();
    let mut frames: Vec<Step> = Vec::new();
    // Whether the value that the pointer leads to is wanted: where it is not, nothing below it is, and it is skipped.
    let mut is_wanted = wanted.binary_search(&"").is_ok();
    // A doubled key further on would count instead, so the walk may only end where there is none.
    let ends_early = keys_are_unique || wanted.iter().all(|pointer| pointer.is_empty());
    let mut tokens = Tokens::of(text);
    while let Some(token) = tokens.next() {
        let starts_value = matches!(token.lexeme, Lexeme::Open | Lexeme::Text | Lexeme::Bare);
        let step = frames.last_mut();
        if starts_value && enter(text, &token, step, &mut pointer) {
            let at = wanted.binary_search(&pointer.as_str()).ok();
            is_wanted = at.is_some();
            if let Some(offset) = at.and_then(|at| found.get_mut(at)) {
                missing -= usize::from(offset.is_none());
                *offset = Some(token.start);
            }
            // Most pointers lead into the first part of a large list.
            if missing == 0 && ends_early {
                break;
            }
        }
        match token.lexeme {
            // A text that deep has no tree either, and nobody asks for its places.
            Lexeme::Open if frames.len() >= MAX_DEPTH => break,
            Lexeme::Open => {
                // Only the way to a wanted pointer is kept; all else is passed over without a token.
                if is_wanted && leads_on(&mut pointer, wanted) {
                    frames.push(Step::of(token.byte, pointer.len()));
                } else if !tokens.pass_over(MAX_DEPTH - frames.len() - 1) {
                    break;
                }
            }
            Lexeme::Close => {
                let step = frames.pop();
                // Only wanted containers have a step, so the one that closes here was wanted.
                is_wanted = step.is_some() || wanted.binary_search(&"").is_ok();
                pointer.truncate(step.map_or(0, |step| step.mark));
            }
            Lexeme::Comma => {
                if let Some(step) = frames.last_mut() {
                    step.awaits_key = step.object;
                }
            }
            Lexeme::Text | Lexeme::Bare | Lexeme::Colon | Lexeme::Comment => {}
        }
    }
    found
}

/// True where anything below a pointer is wanted.
fn leads_on(pointer: &mut String, wanted: &[&str]) -> bool {
    pointer.push('/');
    // They are sorted: if any begins with this pointer, the first behind it does.
    let next = wanted.get(wanted.partition_point(|wanted| *wanted < pointer.as_str()));
    let leads_on = next.is_some_and(|next| next.starts_with(pointer.as_str()));
    pointer.pop();
    leads_on
}

/// Writes a key as a component of a JSON Pointer.
pub fn escape(key: &str) -> Cow<'_, str> {
    if key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        key.replace('~', "~0").replace('/', "~1").into()
    } else {
        key.into()
    }
}

/// The value that a JSON Pointer leads to, as [`Value::pointer`] says it, which writes every step anew twice.
pub(crate) fn value_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    // Escapes are rare, and undoing them copies each step.
    if pointer.contains('~') {
        return value.pointer(pointer);
    }
    let (mut value, mut rest) = (value, pointer);
    while !rest.is_empty() {
        let steps = rest.strip_prefix('/')?;
        let end = steps.bytes().position(|byte| byte == b'/').unwrap_or(steps.len());
        let (name, below) = steps.split_at_checked(end)?;
        value = step(value, name)?;
        rest = below;
    }
    Some(value)
}

/// The member or element of a value that a step of a pointer names.
fn step<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(name),
        Value::Array(elements) => {
            // RFC 6901 allows no sign and no leading nought in an index.
            let is_index = name == "0" || !name.starts_with(['0', '+']);
            elements.get(name.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    }
}

/// Moves the pointer to the child that begins at a token; false for the value that follows a key, whose place was
/// already told.
fn enter(text: &str, token: &JsonToken, step: Option<&mut Step>, pointer: &mut String) -> bool {
    let Some(step) = step else { return true };
    // The place of a member is that of its key, which was told when the key came.
    if step.object && !step.awaits_key {
        return false;
    }
    pointer.truncate(step.mark);
    pointer.push('/');
    if step.object {
        pointer.push_str(&escape(&key_of(text, token)));
        step.awaits_key = false;
    } else {
        push_number(pointer, step.index);
        step.index += 1;
    }
    true
}

/// An open object or array on the way to a pointer.
struct Step {
    object: bool,
    awaits_key: bool,
    index: u64,
    /// The length of the pointer to the object or array itself.
    mark: usize,
}

impl Step {
    const fn of(byte: u8, mark: usize) -> Self {
        let object = byte == b'{';
        Self { object, awaits_key: object, index: 0, mark }
    }
}

/// The findings of one walk over the tokens.
#[derive(Default)]
struct JsonScan {
    /// The stretches that only the relaxed dialect has: comments and trailing commas.
    blanks: Vec<(usize, usize)>,
    doubled: Option<String>,
}

/// The keys of one object: most have a few, which are compared one by one.
#[derive(Default)]
struct ObjectKeys<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> ObjectKeys<'a> {
    /// So many keys are few.
    const FEW: usize = 8;

    /// Adds a key; gives it back where it was there already.
    fn doubled(&mut self, key: Cow<'a, str>) -> Option<Cow<'a, str>> {
        // A few keys are compared faster than they are put into a tree.
        if self.few.contains(&key) {
            return Some(key);
        }
        if self.few.len() < Self::FEW {
            self.few.push(key);
            return None;
        }
        (!self.many.insert(key.clone())).then_some(key)
    }
}

fn scan(text: &str) -> Result<JsonScan, String> {
    let mut scan = JsonScan::default();
    let mut frames: Vec<Option<ObjectKeys<'_>>> = Vec::new();
    let mut awaits_key = false;
    let mut comma = None;
    for token in Tokens::of(text) {
        match token.lexeme {
            Lexeme::Comment => {
                scan.blanks.push((token.start, token.end));
                continue;
            }
            Lexeme::Open if frames.len() >= MAX_DEPTH => return Err(format!("nested deeper than {MAX_DEPTH} levels")),
            Lexeme::Open => frames.push((token.byte == b'{').then(ObjectKeys::default)),
            Lexeme::Close => {
                frames.pop();
                // A comma right before the end is a trailing one.
                scan.blanks.extend(comma);
            }
            Lexeme::Text if awaits_key => {
                if let Some(Some(keys)) = frames.last_mut()
                    && let Some(key) = keys.doubled(key_of(text, &token))
                {
                    scan.doubled.get_or_insert_with(|| key.into_owned());
                }
            }
            Lexeme::Text | Lexeme::Bare | Lexeme::Comma | Lexeme::Colon => {}
        }
        awaits_key = matches!(token.lexeme, Lexeme::Open | Lexeme::Comma) && frames.last().is_some_and(Option::is_some);
        comma = (token.lexeme == Lexeme::Comma).then_some((token.start, token.end));
    }
    scan.blanks.sort_unstable();
    Ok(scan)
}

/// The text with the given stretches replaced by spaces, so that offsets and lines stay.
fn blanked(text: &str, blanks: &[(usize, usize)]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in blanks {
        kept.push_str(text.get(from..*start).unwrap_or_default());
        let blank = text.get(*start..*end).unwrap_or_default();
        // Line ends stay, so that the parser's messages name the right line.
        kept.extend(blank.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        from = *end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// The decoded key that a token holds.
fn key_of<'a>(text: &'a str, token: &JsonToken) -> Cow<'a, str> {
    let raw = text.get(token.start..token.end).unwrap_or_default();
    let inner = raw.strip_prefix('"').unwrap_or(raw);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    // A key that is written with escapes is the same key to every reader.
    if inner.contains('\\') {
        serde_json::from_str::<String>(raw).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}

/// The stretch of the key or element that begins at an offset, to the end of its value.
pub(crate) fn extent_at(text: &str, offset: usize) -> Range<usize> {
    let mut tokens = Tokens { bytes: text.as_bytes(), at: offset };
    let end = tokens.next_but_comments().and_then(|first| {
        let before = tokens.at;
        let is_key = first.lexeme == Lexeme::Text
            && tokens.next_but_comments().is_some_and(|token| token.lexeme == Lexeme::Colon);
        let value = if is_key { tokens.next_but_comments()? } else { first };
        // The token behind a value is the next one's.
        tokens.at = if is_key { tokens.at } else { before };
        Some(tokens.end_of_value(&value))
    });
    offset..end.unwrap_or(offset)
}

/// The key of the outermost object in which an offset lies, the key's own text included.
pub(crate) fn outermost_key_at(text: &str, offset: usize) -> Option<Cow<'_, str>> {
    let mut tokens = Tokens::of(text);
    tokens.next_but_comments().filter(|token| token.byte == b'{')?;
    while let Some(key) = tokens.next_but_comments() {
        match key.lexeme {
            Lexeme::Comma => continue,
            Lexeme::Text => {}
            _ => return None,
        }
        tokens.next_but_comments().filter(|token| token.lexeme == Lexeme::Colon)?;
        let value = tokens.next_but_comments()?;
        let end = tokens.end_of_value(&value);
        if offset < end {
            return (key.start <= offset).then(|| key_of(text, &key));
        }
    }
    None
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lexeme {
    Open,
    Close,
    Colon,
    Comma,
    /// A string.
    Text,
    /// A number, a literal, or anything else that no JSON has.
    Bare,
    Comment,
}

struct JsonToken {
    lexeme: Lexeme,
    /// The first byte.
    byte: u8,
    start: usize,
    end: usize,
}

/// The tokens of a text. Never fails: what is no token is `Bare`.
struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        // Offsets count from the text's beginning, the mark included.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { bytes: text.as_bytes(), at }
    }

    fn rest(&self, from: usize) -> &'a [u8] {
        self.bytes.get(from..).unwrap_or_default()
    }

    /// Moves behind the end of the object or array that was just opened, with `room` more levels in it; false where
    /// there are more.
    fn pass_over(&mut self, room: usize) -> bool {
        let mut open = 1;
        while let Some(next) =
            self.rest(self.at).iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b']' | b'}' | b'/'))
        {
            let start = self.at + next;
            self.at = start + 1;
            match self.bytes.get(start) {
                Some(b'"') => self.at = end_of_quoted(self.bytes, start),
                Some(b'/') => self.at = self.end_of_comment(start).unwrap_or(self.at),
                // The depth is bounded here as well: what is passed over is nested by the same author.
                Some(b'{' | b'[') if open > room => return false,
                Some(b'{' | b'[') => open += 1,
                _ => open -= 1,
            }
            if open == 0 {
                return true;
            }
        }
        self.at = self.bytes.len();
        true
    }

    fn next_but_comments(&mut self) -> Option<JsonToken> {
        self.find(|token| token.lexeme != Lexeme::Comment)
    }

    /// One past the end of a value whose first token was just read; moves there.
    fn end_of_value(&mut self, first: &JsonToken) -> usize {
        if first.lexeme == Lexeme::Open {
            // What is nested too deep is no manifest: its rest counts as the value's.
            if !self.pass_over(MAX_DEPTH) {
                self.at = self.bytes.len();
            }
            return self.at;
        }
        self.at = first.end;
        first.end
    }

    /// One past a comment that begins at `start`; none where no comment begins.
    fn end_of_comment(&self, start: usize) -> Option<usize> {
        let rest = self.rest(start);
        if rest.starts_with(b"//") {
            Some(rest.iter().position(|byte| *byte == b'\n').map_or(self.bytes.len(), |length| start + length))
        } else if rest.starts_with(b"/*") {
            let body = rest.get(2..).unwrap_or_default();
            let length = body.windows(2).position(|pair| pair == b"*/");
            Some(length.map_or(self.bytes.len(), |length| start + length + 4))
        } else {
            None
        }
    }

    fn end_of_bare(&self, start: usize) -> usize {
        let stops = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b'/')
        };
        self.rest(start + 1).iter().position(stops).map_or(self.bytes.len(), |length| start + 1 + length)
    }
}

impl Iterator for Tokens<'_> {
    type Item = JsonToken;

    fn next(&mut self) -> Option<JsonToken> {
        let skipped = self.rest(self.at).iter().position(|byte| !byte.is_ascii_whitespace())?;
        let start = self.at + skipped;
        let byte = *self.bytes.get(start)?;
        let (lexeme, end) = match byte {
            b'{' | b'[' => (Lexeme::Open, start + 1),
            b'}' | b']' => (Lexeme::Close, start + 1),
            b':' => (Lexeme::Colon, start + 1),
            b',' => (Lexeme::Comma, start + 1),
            b'"' => (Lexeme::Text, end_of_quoted(self.bytes, start)),
            // Comments are tokens in both dialects; whether they are allowed is for the parser to say.
            _ => match self.end_of_comment(start) {
                Some(end) => (Lexeme::Comment, end),
                None => (Lexeme::Bare, self.end_of_bare(start)),
            },
        };
        self.at = end;
        Some(JsonToken { lexeme, byte, start, end })
    }
}
