//! The texts of one document over which data rules run: as written, unescaped, with deceptions undone, and decoded.
//!
//! Each keeps the way back to the place in the file.

use std::ops::Range;

use capdex_evidence::decode::{self, Encoding};
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::scalars;
use capdex_evidence::shell;
use capdex_evidence::unicode::{self, Folded};

/// One text of a document.
#[derive(Debug)]
pub(super) enum TextView<'a> {
    /// The text as written.
    Written(&'a str),
    /// Derived in one or two steps, the last of which holds the text.
    Derived(Vec<Folded>),
    /// With its shell commands in plain spelling.
    Plain(&'a Folded),
    /// The commands that go on over lines, each on one.
    Continued(Folded),
    /// The strings of YAML and TOML as their readers get them.
    Parsed(Folded),
    /// Decoded from a stretch that begins at an offset.
    Decoded {
        /// The begin of the stretch.
        offset: usize,
        /// The encoding in which it was written.
        encoding: Encoding,
        /// The decoded text.
        text: String,
    },
}

impl TextView<'_> {
    /// The text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Written(text) => text,
            Self::Derived(steps) => steps.last().map_or("", |step| step.text.as_str()),
            Self::Plain(plain) => &plain.text,
            Self::Continued(text) | Self::Parsed(text) => &text.text,
            Self::Decoded { text, .. } => text,
        }
    }

    /// Which kind of text it is; those of one kind follow each other in the order of the document.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Written(_) => 0,
            Self::Derived(steps) => u8::try_from(steps.len()).unwrap_or(u8::MAX),
            Self::Continued(_) => u8::MAX - 3,
            Self::Parsed(_) => u8::MAX - 2,
            Self::Plain(_) => u8::MAX - 1,
            Self::Decoded { .. } => u8::MAX,
        }
    }

    /// The offset in the document from which a byte of this text comes.
    pub(super) fn origin(&self, offset: usize) -> usize {
        match self {
            Self::Written(_) => offset,
            Self::Derived(steps) => steps.iter().rev().fold(offset, |offset, step| step.origin(offset)),
            Self::Plain(plain) => plain.origin(offset),
            Self::Continued(text) | Self::Parsed(text) => text.origin(offset),
            Self::Decoded { offset, .. } => *offset,
        }
    }

    /// What is written at the place of a part of a text in plain spelling, where the two differ.
    pub(super) fn written<'d>(&self, document: &'d Document, part: Range<usize>) -> Option<&'d str> {
        let Self::Plain(plain) = self else { return None };
        let said = plain.text.get(part.clone())?;
        let start = plain.origin(part.start);
        let end = plain.origin(part.end).max(start);
        let written = document.text.get(start..)?;
        if written.starts_with(said) {
            return None;
        }
        // A respelt command has one place, its beginning: what is written of it ends with its line.
        let line = written.find('\n').unwrap_or(written.len());
        written.get(..line.max(end - start)).map(str::trim)
    }

    /// The label for people that tells how the text was made; empty for text as written.
    pub(super) fn label(&self) -> &'static str {
        match self {
            Self::Written(_) | Self::Derived(_) | Self::Plain(_) | Self::Continued(_) | Self::Parsed(_) => "",
            Self::Decoded { encoding, .. } => encoding.as_str(),
        }
    }
}

/// Every text of a document, the written one (unescaped where the language escapes) first.
pub(super) fn views(document: &Document) -> Vec<TextView<'_>> {
    let unescaped = unescape(document.language, &document.text);
    let written = unescaped.as_ref().map_or(document.text.as_str(), |folded| folded.text.as_str());
    let folded = unicode::fold(written).filter(|folded| unicode::deceives(written, folded));
    let payloads = decode::payloads(&document.text, document.runs());
    let mut views = Vec::with_capacity(2 + payloads.len());
    match (unescaped, folded) {
        (Some(unescaped), Some(folded)) => {
            views.push(TextView::Derived(vec![unescaped.clone()]));
            views.push(TextView::Derived(vec![unescaped, folded]));
        }
        (Some(unescaped), None) => views.push(TextView::Derived(vec![unescaped])),
        (None, folded) => {
            views.push(TextView::Written(&document.text));
            views.extend(folded.map(|folded| TextView::Derived(vec![folded])));
        }
    }
    views.extend(shell::of(document).plain.as_ref().map(TextView::Plain));
    views.extend(continued(document).map(TextView::Continued));
    views.extend(parsed(document).map(TextView::Parsed));
    views.extend(unmarked(document).map(|text| TextView::Derived(vec![text])));
    for payload in payloads {
        let (offset, encoding) = (payload.offset, payload.encoding);
        let plain = shell::plain_of(&payload.text);
        views.push(TextView::Decoded { offset, encoding, text: payload.text });
        views.extend(plain.map(|text| TextView::Decoded { offset, encoding, text }));
    }
    views
}

/// The commands that a backslash continues over lines, each on one line; none where there is none. The rest of the text
/// stands in the other views.
fn continued(document: &Document) -> Option<Folded> {
    let text = &document.text;
    // In source a backslash before a line end stands in a literal, which has a view of its own.
    let continues = matches!(
        document.language,
        Language::Shell | Language::Markdown | Language::Yaml | Language::Plain | Language::PowerShell
    );
    if !continues || !text.contains("\\\n") && !text.contains("\\\r\n") {
        return None;
    }
    let mut joined = Folded::default();
    let (mut at, mut goes_on) = (0, false);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let (content, further) = match content.strip_suffix('\\') {
            Some(before) => (before, true),
            None => (content, false),
        };
        if further || goes_on {
            let blanks = if goes_on { content.len() - content.trim_start().len() } else { 0 };
            joined.mark(at + blanks);
            joined.text.push_str(content.get(blanks..).unwrap_or_default());
            joined.text.push(if further { ' ' } else { '\n' });
        }
        goes_on = further;
        at += line.len();
    }
    Some(joined)
}

/// The strings of YAML, TOML and front matter as their readers get them; none where all stand as they are read.
fn parsed(document: &Document) -> Option<Folded> {
    let mut whole = Folded::default();
    for scalar in scalars::of(document).iter().filter(|scalar| !scalar.is_literal) {
        whole.append(&scalar.value);
        whole.text.push('\n');
    }
    (!whole.text.is_empty()).then_some(whole)
}

/// Markup without its tags, so that a word cut by them is whole; none for other languages.
fn unmarked(document: &Document) -> Option<Folded> {
    let text = &document.text;
    if document.language != Language::Markup || !text.contains("</") {
        return None;
    }
    let mut bare = Folded::default();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('<')) {
        let open = at + open;
        bare.mark(at);
        bare.text.push_str(text.get(at..open).unwrap_or(""));
        let Some(close) = text.get(open..).and_then(|rest| rest.find('>')) else {
            at = open;
            break;
        };
        // A paragraph, row or break ends a line; other tags leave the word whole.
        let tag = text.get(open..open + close).unwrap_or("");
        if ["</w:p", "</p", "<br", "</a:p", "</div", "</li", "</tr", "</t>", "</si", "</h"]
            .iter()
            .any(|end| tag.starts_with(end))
        {
            bare.mark(open);
            bare.text.push('\n');
        }
        at = open + close + 1;
    }
    bare.mark(at);
    bare.text.push_str(text.get(at..).unwrap_or(""));
    Some(bare)
}

/// Undoes the escapes of string literals, so that `\n` in a description separates words as it will for the reader.
/// `None` where the language has none or the text holds none.
fn unescape(language: Language, text: &str) -> Option<Folded> {
    let json = language == Language::Json;
    let escapes = json || matches!(language, Language::JavaScript | Language::TypeScript | Language::Python);
    if !escapes || !text.contains('\\') {
        return None;
    }
    let mut unescaped = Folded::default();
    let mut at = 0;
    while let Some(slash) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let slash = at + slash;
        unescaped.mark(at);
        unescaped.text.push_str(text.get(at..slash).unwrap_or(""));
        let (letter, length) = escape_at(text, slash, json);
        unescaped.mark(slash);
        unescaped.text.push(letter);
        at = slash + length;
    }
    unescaped.mark(at);
    unescaped.text.push_str(text.get(at..).unwrap_or(""));
    Some(unescaped)
}

/// The character that an escape stands for, and its length in bytes. A sequence that is no known escape stays a
/// backslash.
fn escape_at(text: &str, slash: usize, json: bool) -> (char, usize) {
    match text.as_bytes().get(slash + 1) {
        Some(b'n' | b'r') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'"') => ('"', 2),
        Some(b'\'') => ('\'', 2),
        Some(b'/') => ('/', 2),
        Some(b'\\') if json => ('\\', 2),
        Some(b'x') if !json => {
            let digits = text.get(slash + 2..slash + 4);
            let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii_graphic);
            code.map_or(('\\', 1), |code| (char::from(code), 4))
        }
        Some(b'u') => {
            let digits = text.get(slash + 2..slash + 6);
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            code.and_then(char::from_u32).map_or(('\\', 1), |letter| (letter, 6))
        }
        _ => ('\\', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_places_kept() {
        let text = r#"{"description": "one\ntwo \u003cthree\u003e \"four\" C:\\x"}"#;
        let document = Document::read("tools.json", text.as_bytes(), &mut Vec::new());
        let views = views(&document);
        let first = views.first().expect("there is always one");
        assert_eq!(first.text(), "{\"description\": \"one\ntwo <three> \"four\" C:\\x\"}");
        for word in ["one", "two", "three", "four", "x\""] {
            let here = first.text().find(word).expect("is there");
            assert_eq!(first.origin(here), text.find(word).expect("is there"), "{word}");
        }
    }
}
