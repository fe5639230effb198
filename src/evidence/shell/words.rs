//! Words put together: escapes, parts between quotation marks, assignments and braces.
//!
//! The parser of a shell text builds its words with these.

use super::syntax::{Assign, Command, ShellWord, WordPart};

/// The byte of an escape in `$'…'`, and the length of what stands behind the backslash.
pub(super) fn ansi_escape(rest: &[u8]) -> (u8, usize) {
    let digits = |from: usize, most: usize, radix: u32| {
        let text: String =
            rest.iter().skip(from).take(most).map(|byte| char::from(*byte)).take_while(|c| c.is_digit(radix)).collect();
        u32::from_str_radix(&text, radix).ok().map(|value| (value, text.len()))
    };
    // The tracer works on bytes; letters beyond them are rare in commands.
    let low = |value: u32| u8::try_from(value & 0xFF).unwrap_or(b'?');
    match rest.first() {
        Some(b'n') => (b'\n', 1),
        Some(b't') => (b'\t', 1),
        Some(b'r') => (b'\r', 1),
        Some(b'x') => digits(1, 2, 16).map_or((b'x', 1), |(value, length)| (low(value), length + 1)),
        Some(b'u') => digits(1, 4, 16).map_or((b'u', 1), |(value, length)| (low(value), length + 1)),
        Some(b'0'..=b'7') => digits(0, 3, 8).map_or((b'0', 1), |(value, length)| (low(value), length)),
        Some(other) => (*other, 1),
        None => (b'\\', 0),
    }
}

/// Puts a word together.
#[derive(Default)]
pub(super) struct Builder {
    word: ShellWord,
    text: Vec<u8>,
    pub(super) broken: bool,
    /// True where a quotation has ended in it.
    closed: bool,
}

impl Builder {
    pub(super) fn push(&mut self, byte: u8) {
        self.text.push(byte);
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.word.parts.is_empty() && !self.closed
    }

    pub(super) fn note_break(&mut self, inside: bool) {
        self.broken |= inside;
    }

    /// A quotation that is followed by more of the word breaks it.
    pub(super) fn quoted_before(&mut self, next: Option<u8>) {
        self.closed = true;
        // In `cu"r"l` the word goes on behind the mark; in `"a"` it does not.
        self.broken |= next.is_some_and(|byte| byte.is_ascii_alphanumeric());
    }

    pub(super) fn part(&mut self, part: WordPart) {
        self.flush();
        self.add(part);
    }

    fn add(&mut self, part: WordPart) {
        // Nearly every word has one part, and the first push would take room for four.
        if self.word.parts.is_empty() {
            self.word.parts.reserve_exact(1);
        }
        self.word.parts.push(part);
    }

    pub(super) fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = String::from_utf8(std::mem::take(&mut self.text));
            let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
            self.add(WordPart::Text(text));
        }
    }

    pub(super) fn finish(mut self) -> ShellWord {
        self.flush();
        ShellWord { broken: self.broken, ..self.word }
    }
}

impl ShellWord {
    /// The whole text, where nothing in it has to be looked up or run.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [WordPart::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// `name=value` and `name+=value`.
pub(super) fn as_assignment(word: &ShellWord) -> Option<(String, bool, ShellWord)> {
    let Some(WordPart::Text(first)) = word.parts.first() else { return None };
    let (name, value) = first.split_once('=')?;
    let (name, appends) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    // A word such as `--option=value` is no assignment.
    let named = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if !named {
        return None;
    }
    let mut parts: Vec<WordPart> = word.parts.iter().skip(1).cloned().collect();
    if !value.is_empty() {
        parts.insert(0, WordPart::Text(value.to_owned()));
    }
    Some((name.to_owned(), appends, ShellWord { parts, broken: word.broken }))
}

/// `{a,b,c}` as words.
pub(super) fn braces(word: &ShellWord) -> Option<Vec<ShellWord>> {
    let inner = word.literal()?.strip_prefix('{')?.strip_suffix('}')?;
    // JSON and format strings have braces too; a colon is allowed in addresses alone.
    if !inner.contains(',') || inner.contains(['{', '}', ':', '"']) && !inner.contains("://") {
        return None;
    }
    let words = inner.split(',').map(|part| ShellWord { parts: vec![WordPart::Text(part.to_owned())], broken: true });
    Some(words.collect())
}

/// `for name in words` sets the name to the words.
pub(super) fn set_by_loop(command: &mut Command) {
    let is = |at: usize, text: &str| command.words.get(at).and_then(ShellWord::literal) == Some(text);
    if !is(0, "for") || !is(2, "in") {
        return;
    }
    let Some(name) = command.words.get(1).and_then(ShellWord::literal).map(str::to_owned) else { return };
    let mut parts = Vec::new();
    for word in command.words.iter().skip(3) {
        if !parts.is_empty() {
            parts.push(WordPart::Text(" ".to_owned()));
        }
        parts.extend(word.parts.iter().cloned());
    }
    // The loop itself runs nothing: its body follows as commands that name the variable.
    command.words.clear();
    command.assigns.push(Assign { name, value: ShellWord { parts, broken: false }, appends: false });
}
