//! The syntax of a shell text: words, commands and pipelines, as far as deciding what runs needs them.
//!
//! Tolerant: what no shell would take still gives commands, and nothing is refused. Linear: each byte is read once for
//! each level of nesting, and levels are capped. Source: POSIX.1-2024, XCU 2 (Shell Command Language), and the
//! additions of bash that scripts use.

pub(super) use super::tree::{Assign, Command, Pipeline, Redirect, ShellWord, WordPart};
use super::words::{as_assignment, braces, set_by_loop};

mod inside;

/// The depth to which substitutions and groups are followed; deeper ones are read as text.
const DEPTH: u8 = 12;
/// The number of here-documents without an end that are looked for, since each look reads to the end of the text.
const LOST_ENDS: u8 = 4;

/// Words that open, separate or close compound commands and are no commands.
const RESERVED: [&str; 14] =
    ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "time", "coproc", "function", "esac"];

/// Reads a shell text, one pipeline after the other: a tree of many bytes for each of the text need not be kept.
pub(super) fn parse(text: &str) -> Pipelines<'_> {
    Pipelines(Parser { text: text.as_bytes(), at: 0, depth: 0, jump: None, lost_ends: 0, is_cut: false })
}

/// The pipelines of a text, in order.
pub(super) struct Pipelines<'a>(Parser<'a>);

impl Pipelines<'_> {
    /// True where some of what was read so far is nested too deep to be followed.
    pub(super) fn is_cut(&self) -> bool {
        self.0.is_cut
    }
}

impl Iterator for Pipelines<'_> {
    type Item = Pipeline;
    fn next(&mut self) -> Option<Pipeline> {
        self.0.next(Until::End)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Parenthesis,
    Brace,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: u8,
    /// The target of the next newline: behind the here-documents that begin there.
    jump: Option<usize>,
    lost_ends: u8,
    /// True where something is nested too deep to be followed.
    is_cut: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    fn list(&mut self, until: Until) -> Vec<Pipeline> {
        std::iter::from_fn(|| self.next(until)).collect()
    }

    /// The next pipeline; none where the list ends, whose end is read with it.
    fn next(&mut self, until: Until) -> Option<Pipeline> {
        while let Some(byte) = self.peek() {
            match byte {
                b')' if until == Until::Parenthesis => {
                    self.at += 1;
                    return None;
                }
                b'}' if until == Until::Brace => {
                    self.at += 1;
                    return None;
                }
                b'\n' => self.newline(),
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                b'#' => self.comment(),
                b' ' | b'\t' | b'\r' | b';' | b'|' | b')' => self.at += 1,
                b'&' if self.byte(1) != Some(b'>') => self.at += 1,
                _ => {
                    let before = self.at;
                    let pipeline = self.pipeline(until);
                    // A byte that nothing takes is passed over, or the loop would never end.
                    if self.at == before {
                        self.at += 1;
                    }
                    if !pipeline.commands.is_empty() {
                        return Some(pipeline);
                    }
                }
            }
        }
        None
    }

    fn newline(&mut self) {
        // The bodies of here-documents are no commands and are jumped over.
        self.at = self.jump.take().unwrap_or(self.at + 1).max(self.at + 1);
    }

    fn comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn pipeline(&mut self, until: Until) -> Pipeline {
        let start = self.at;
        let mut pipeline = Pipeline { commands: Vec::new(), start, end: start };
        loop {
            let command = self.command(until);
            pipeline.end = self.at;
            // The blanks behind a command are no part of its place.
            while pipeline.end > start && self.text.get(pipeline.end - 1).is_some_and(u8::is_ascii_whitespace) {
                pipeline.end -= 1;
            }
            let is_empty = command.words.is_empty() && command.assigns.is_empty() && command.redirects.is_empty();
            if !is_empty || command.group.is_some() {
                pipeline.commands.push(command);
            }
            if self.peek() != Some(b'|') || self.byte(1) == Some(b'|') {
                return pipeline;
            }
            self.at += if self.byte(1) == Some(b'&') { 2 } else { 1 };
            self.blanks(true);
        }
    }

    /// Skips blanks and line continuations, and newlines too where a command must follow.
    fn blanks(&mut self, newlines: bool) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' if newlines => self.newline(),
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                b'\\' if self.rest().starts_with(b"\\\r\n") => self.at += 3,
                _ => return,
            }
        }
    }

    fn command(&mut self, until: Until) -> Command {
        let mut command = Command::default();
        loop {
            self.blanks(false);
            let Some(byte) = self.peek() else { break };
            let bare = command.words.is_empty() && command.group.is_none();
            match byte {
                b'\n' | b';' | b'|' | b')' => break,
                b'}' if until == Until::Brace => break,
                b'&' if self.byte(1) != Some(b'>') => break,
                b'#' => self.comment(),
                b'(' if bare => command.group = self.group(Until::Parenthesis),
                // What looked like a command is a function's name.
                b'(' if self.byte(1) == Some(b')') => {
                    self.at += 2;
                    command.function = command.words.pop().and_then(|name| name.literal().map(str::to_owned));
                    command.words.clear();
                    self.blanks(true);
                }
                // A parenthesis behind a word has no meaning here, and text in brackets is common in prose.
                b'(' => self.at += 1,
                b'{' if bare && self.byte(1).is_none_or(|next| next.is_ascii_whitespace()) => {
                    command.group = self.group(Until::Brace);
                }
                b'<' | b'>' | b'&' => self.redirect_or_process(&mut command),
                digit if digit.is_ascii_digit() && matches!(self.byte(1), Some(b'<' | b'>')) => {
                    self.at += 1;
                    self.redirect_or_process(&mut command);
                }
                b'[' if bare && self.opens_condition() => self.condition(&mut command),
                _ => self.word_of(&mut command),
            }
        }
        // After all words: a loop is told by its third.
        set_by_loop(&mut command);
        command
    }

    /// True at the two brackets of a condition.
    fn opens_condition(&self) -> bool {
        self.rest().starts_with(b"[[") && self.byte(2).is_some_and(|next| next.is_ascii_whitespace())
    }

    /// The words of a condition `[[ … ]]`, up to the end of its line at most. Its strokes and signs compare and join;
    /// they start no command.
    fn condition(&mut self, command: &mut Command) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b']' if self.rest().starts_with(b"]]") => {
                    self.at += 2;
                    return;
                }
                b' ' | b'\t' | b'\r' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b';' => self.at += 1,
                _ => {
                    let before = self.at;
                    let word = self.word();
                    if self.at == before {
                        self.at += 1;
                    } else {
                        command.words.push(word);
                    }
                }
            }
        }
    }

    fn group(&mut self, until: Until) -> Option<Vec<Pipeline>> {
        self.at += 1;
        self.nested(|parser| parser.list(until))
    }

    /// Reads one level deeper; none, and nothing read, where that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH {
            self.is_cut = true;
            return None;
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        Some(inner)
    }

    fn word_of(&mut self, command: &mut Command) {
        let before = self.at;
        let word = self.word();
        if self.at == before {
            self.at += 1;
            return;
        }
        if command.words.is_empty() {
            if let Some((name, appends, value)) = as_assignment(&word) {
                // `name=(a b)`: the parenthesis opens an array here and no subshell.
                let value = if value.parts.is_empty() && self.peek() == Some(b'(') { self.array() } else { value };
                command.assigns.push(Assign { name, value, appends });
                return;
            }
            if self.names_function(word.literal()) {
                self.blanks(false);
                command.function = self.word().literal().map(str::to_owned);
                self.blanks(false);
                if self.rest().starts_with(b"()") {
                    self.at += 2;
                }
                return self.blanks(true);
            }
            // Reserved words, and the prompt that a documented session shows.
            let text = word.literal();
            if text.is_some_and(|text| RESERVED.contains(&text) || matches!(text, "$" | "%" | ">")) {
                return;
            }
        }
        match braces(&word) {
            Some(words) => command.words.extend(words),
            None => command.words.push(word),
        }
    }

    /// True for the word `function` before a name and a body.
    fn names_function(&self, word: Option<&str>) -> bool {
        word == Some("function")
            && self.rest().starts_with(b" ")
            && self.rest().iter().take(80).any(|byte| *byte == b'{')
    }

    /// The elements of an array as one word.
    fn array(&mut self) -> ShellWord {
        self.at += 1;
        let mut whole = ShellWord::default();
        loop {
            self.blanks(true);
            match self.peek() {
                None => break,
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                _ => {
                    let before = self.at;
                    let word = self.word();
                    if !whole.parts.is_empty() {
                        whole.parts.push(WordPart::Text(" ".to_owned()));
                    }
                    whole.parts.extend(word.parts);
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
        whole
    }

    fn redirect_or_process(&mut self, command: &mut Command) {
        if matches!(self.peek(), Some(b'<' | b'>')) && self.byte(1) == Some(b'(') {
            self.at += 2;
            let inner = self.nested(|parser| parser.list(Until::Parenthesis)).unwrap_or_default();
            command.words.push(ShellWord { parts: vec![WordPart::Process(inner)], broken: false });
            return;
        }
        let rest = self.rest();
        let (length, kind) = match rest {
            [b'<', b'<', b'<', ..] => (3, 's'),
            [b'<', b'<', b'-', ..] => (3, 'd'),
            [b'<', b'<', ..] => (2, 'd'),
            [b'<' | b'>', b'&', ..] | [b'<', b'>', ..] => (2, 'o'),
            [b'<', ..] => (1, 'i'),
            [b'&', b'>', b'>', ..] => (3, 'a'),
            [b'>', b'>', ..] => (2, 'a'),
            [b'&', b'>', ..] | [b'>', b'|', ..] => (2, 'w'),
            [b'>', ..] => (1, 'w'),
            _ => (1, 'o'),
        };
        self.at += length;
        self.blanks(false);
        // `< <(…)` reads what commands print.
        if kind == 'i' && self.rest().starts_with(b"<(") {
            self.at += 2;
            let inner = self.nested(|parser| parser.list(Until::Parenthesis)).unwrap_or_default();
            command.redirects.push(Redirect::In(ShellWord { parts: vec![WordPart::Process(inner)], broken: false }));
            return;
        }
        let word = self.word();
        command.redirects.push(match kind {
            's' => Redirect::HereString(word),
            'd' => match word.literal().and_then(|end| self.here_document(end)) {
                Some(text) => Redirect::HereDocument(text),
                None => Redirect::Other(word),
            },
            'i' => Redirect::In(word),
            'a' => Redirect::Out(word, true),
            'w' => Redirect::Out(word, false),
            _ => Redirect::Other(word),
        });
    }

    /// The lines from the next one up to the one that is `end`.
    fn here_document(&mut self, end: &str) -> Option<String> {
        if end.is_empty() || self.lost_ends >= LOST_ENDS {
            return None;
        }
        // A second here-document of the line begins where the first one ends.
        let from = self.jump.or_else(|| {
            let newline = self.rest().iter().position(|byte| *byte == b'\n')?;
            Some(self.at + newline + 1)
        })?;
        let mut at = from;
        for line in self.text.get(from..)?.split(|byte| *byte == b'\n') {
            if line.trim_ascii() == end.as_bytes() {
                let body = String::from_utf8_lossy(self.text.get(from..at)?).into_owned();
                self.jump = Some((at + line.len() + 1).min(self.text.len()));
                return Some(body);
            }
            at += line.len() + 1;
        }
        // `<<` is also a shift or a quotation in text that is no shell.
        self.lost_ends += 1;
        None
    }
}
