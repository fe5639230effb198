//! The nesting bound of Python.

use super::{Depth, LIMIT, is_word};

/// The bound for Python. Stops early past [`LIMIT`].
pub(in super::super) fn python(text: &str) -> usize {
    let mut scan = PythonScan {
        text: text.as_bytes(),
        at: 0,
        depth: Depth::new(false),
        indents: Vec::new(),
        word_before: false,
        line_start: true,
    };
    while scan.at < scan.text.len() && scan.depth.peak <= LIMIT {
        scan.step();
    }
    scan.depth.peak
}

struct PythonScan<'a> {
    text: &'a [u8],
    at: usize,
    depth: Depth,
    indents: Vec<usize>,
    word_before: bool,
    line_start: bool,
}

impl PythonScan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        if std::mem::take(&mut self.line_start) {
            self.indent();
            return;
        }
        match self.peek(0) {
            b'\n' => {
                self.at += 1;
                // Inside brackets a new line ends nothing.
                if self.depth.frames.len() == 1 {
                    self.depth.end_statement();
                    self.line_start = true;
                    self.word_before = false;
                }
            }
            // A backslash joins the next line to this one.
            b'\\' => self.at += 2,
            b'#' => {
                while self.at < self.text.len() && self.peek(0) != b'\n' {
                    self.at += 1;
                }
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            b'"' | b'\'' => self.string(false),
            byte if is_word(byte) => self.word(),
            byte => self.punctuator(byte),
        }
    }

    fn indent(&mut self) {
        let start = self.at;
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let width = self.at - start;
        // Blank lines and comments have no indentation that counts.
        if self.at >= self.text.len() || matches!(self.peek(0), b'\n' | b'#' | b'\r') {
            return;
        }
        while self.indents.last().is_some_and(|last| *last >= width) {
            self.indents.pop();
            self.depth.total = self.depth.total.saturating_sub(1);
        }
        self.indents.push(width);
        self.depth.add(1);
    }

    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) && self.at < self.text.len() {
            self.at += 1;
        }
        // The word is the prefix of a literal: `rb"…"`, `f"…"`.
        if matches!(self.peek(0), b'"' | b'\'') {
            let prefix = self.text.get(start..self.at).unwrap_or_default();
            self.string(prefix.len() <= 2 && prefix.iter().any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T')));
            return;
        }
        if std::mem::replace(&mut self.word_before, true) {
            self.depth.mark();
        }
    }

    fn string(&mut self, formatted: bool) {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        let start = self.at;
        self.at += if triple { 3 } else { 1 };
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.at += 1,
                // An open literal ends with its line, so that what follows is still counted.
                b'\n' if !triple => break,
                // Each field of an f-string is an expression, which the parser reads inside the literal.
                b'{' if formatted || self.depth.uncertain => self.depth.mark(),
                byte if byte == quote && !triple => break,
                byte if byte == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 2;
                    break;
                }
                _ => {}
            }
            self.at += 1;
        }
        let content = self.text.get(start..self.at.min(self.text.len())).unwrap_or_default();
        let count = |wanted: u8| content.iter().filter(|byte| **byte == wanted).count();
        // A quotation mark inside a field was taken for the literal's end.
        if formatted && count(b'{') != count(b'}') {
            self.depth.uncertain = true;
        }
        if self.peek(0) != b'\n' {
            self.at += 1;
        }
        self.word_before = true;
    }

    fn punctuator(&mut self, byte: u8) {
        self.at += 1;
        self.word_before = matches!(byte, b')' | b']' | b'}');
        match byte {
            b',' => self.depth.end_item(),
            b';' => self.depth.end_statement(),
            b'(' | b'[' | b'{' => self.depth.open(byte, false),
            b')' => drop(self.depth.close(b'(')),
            b']' => drop(self.depth.close(b'[')),
            b'}' => drop(self.depth.close(b'{')),
            _ => self.depth.mark(),
        }
    }
}
