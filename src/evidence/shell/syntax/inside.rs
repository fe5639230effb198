//! The inside of a word: escapes, quotation marks, variables and substitutions.
//!
//! Source: POSIX.1-2024, XCU 2.2 (Quoting) and 2.6 (Word Expansions), and bash's `$'…'`.

use super::super::words::{Builder, ansi_escape};
use super::{DEPTH, LOST_ENDS, Parser, ShellWord, Until, WordPart};

/// True where a byte ends a word or is more than itself in it.
const fn ends_plain(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'`'
    )
}

impl Parser<'_> {
    /// The next word, up to what ends one outside quotation marks.
    pub(super) fn word(&mut self) -> ShellWord {
        let mut builder = Builder::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\\' => self.escape(&mut builder),
                b'\'' => self.single(&mut builder),
                b'"' => self.double(&mut builder),
                b'$' => self.dollar(&mut builder, false),
                b'`' => self.back_quotes(&mut builder),
                _ => {
                    let plain = self.rest().iter().position(|byte| ends_plain(*byte));
                    let end = plain.map_or(self.text.len(), |length| self.at + length);
                    builder.extend(self.text.get(self.at..end).unwrap_or(&[]));
                    self.at = end;
                }
            }
        }
        builder.finish()
    }

    fn escape(&mut self, builder: &mut Builder) {
        match self.byte(1) {
            Some(b'\n') => self.at += 2,
            Some(byte) => {
                // `c\url` runs `curl`: an escape before a plain letter does nothing but hide it.
                builder.note_break(byte.is_ascii_alphanumeric());
                builder.push(byte);
                self.at += 2;
            }
            None => {
                builder.push(b'\\');
                self.at += 1;
            }
        }
    }

    fn single(&mut self, builder: &mut Builder) {
        self.at += 1;
        match self.rest().iter().position(|byte| *byte == b'\'') {
            Some(length) => {
                builder.note_break(!builder.is_empty());
                builder.extend(self.text.get(self.at..self.at + length).unwrap_or(&[]));
                self.at += length + 1;
                builder.quoted_before(self.peek());
            }
            // An apostrophe in running text, not the beginning of a quotation.
            None => builder.push(b'\''),
        }
    }

    fn double(&mut self, builder: &mut Builder) {
        self.at += 1;
        // Without a second mark it is an inch or a typing error.
        if !self.rest().contains(&b'"') {
            return builder.push(b'"');
        }
        builder.note_break(!builder.is_empty());
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    break;
                }
                b'\\' if matches!(self.byte(1), Some(b'$' | b'`' | b'"' | b'\\')) => {
                    builder.extend(self.text.get(self.at + 1..self.at + 2).unwrap_or(&[]));
                    self.at += 2;
                }
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                b'$' => self.dollar(builder, true),
                b'`' => self.back_quotes(builder),
                byte => {
                    builder.push(byte);
                    self.at += 1;
                }
            }
        }
        builder.quoted_before(self.peek());
    }

    fn dollar(&mut self, builder: &mut Builder, quoted: bool) {
        match self.byte(1) {
            Some(b'\'') if !quoted => {
                self.at += 2;
                self.ansi(builder);
            }
            Some(b'(') if self.byte(2) == Some(b'(') => {
                self.at += 3;
                // The result of arithmetic is a number, whose value nobody needs.
                builder.push(b'0');
                while self.peek().is_some_and(|byte| byte != b'\n') && !self.rest().starts_with(b"))") {
                    self.at += 1;
                }
                self.at = (self.at + 2).min(self.text.len());
            }
            Some(b'(') => {
                let before = self.at;
                self.at += 2;
                match self.nested(|parser| parser.list(Until::Parenthesis)) {
                    Some(inner) => builder.part(WordPart::Output(inner)),
                    None => {
                        builder.push(b'$');
                        // Too deep to follow: the rest is read as text, and nothing is skipped.
                        self.at = before + 1;
                    }
                }
            }
            Some(b'{') => self.braced_variable(builder, quoted),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1;
                let name = self.name();
                builder.part(WordPart::Variable { name, quoted, default: String::new(), change: String::new() });
            }
            // What a function or a script is given.
            Some(byte @ (b'1'..=b'9' | b'@' | b'*')) => {
                self.at += 2;
                let name = char::from(byte).to_string();
                let quoted = quoted && byte != b'@';
                builder.part(WordPart::Variable { name, quoted, default: String::new(), change: String::new() });
            }
            _ => {
                builder.push(b'$');
                self.at += 1;
            }
        }
    }

    fn name(&mut self) -> String {
        let length = self.rest().iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let name = String::from_utf8_lossy(self.text.get(self.at..self.at + length).unwrap_or(&[])).into_owned();
        self.at += length;
        name
    }

    /// `${name}`, with an index or a default behind the name.
    fn braced_variable(&mut self, builder: &mut Builder, quoted: bool) {
        // A bounded look, since each `${` without its brace would run to the end of the text.
        let close = self.rest().iter().take(400).position(|byte| *byte == b'}');
        let Some(close) = close else {
            builder.push(b'$');
            self.at += 1;
            return;
        };
        let end = self.at + close;
        self.at += 2;
        let indirect = self.peek() == Some(b'!');
        self.at += usize::from(indirect);
        let name = match self.peek() {
            Some(byte @ (b'1'..=b'9' | b'@' | b'*')) => {
                self.at += 1;
                char::from(byte).to_string()
            }
            _ => self.name(),
        };
        let tail = String::from_utf8_lossy(self.text.get(self.at..end).unwrap_or(&[])).into_owned();
        let default = [":-", ":=", "-", "="].iter().find_map(|mark| tail.strip_prefix(mark)).unwrap_or("").to_owned();
        self.at = end + 1;
        if name == "IFS" {
            // It separates words, whatever its value.
            let part = WordPart::Variable { name, quoted: false, default: " ".to_owned(), change: String::new() };
            return builder.part(part);
        }
        let change = if indirect { "!".to_owned() } else { tail };
        // `"${a[@]}"` is as many words as the array has.
        let quoted = quoted && !change.starts_with("[@]") && name != "@";
        builder.part(WordPart::Variable { name, quoted, default, change });
    }

    /// `$'…'` with its escapes.
    fn ansi(&mut self, builder: &mut Builder) {
        // Plain commands have no need of `$'…'`.
        builder.broken = true;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\'' => break,
                b'\\' => {
                    let (value, length) = ansi_escape(self.rest());
                    builder.push(value);
                    self.at += length;
                }
                byte => builder.push(byte),
            }
        }
    }

    fn back_quotes(&mut self, builder: &mut Builder) {
        let inner = self.text.get(self.at + 1..).unwrap_or(&[]);
        // A back-tick without its partner, or too deep inside others, is read as text.
        let Some(length) = inner.iter().position(|byte| *byte == b'`').filter(|_| self.depth < DEPTH) else {
            builder.push(b'`');
            self.at += 1;
            return;
        };
        let start = self.at + 1;
        let mut parser = Parser {
            text: self.text.get(..start + length).unwrap_or(&[]),
            at: start,
            depth: self.depth + 1,
            jump: None,
            // Here-documents inside are not looked for, or each pair of back-ticks would have a budget of its own.
            lost_ends: LOST_ENDS,
            is_cut: false,
        };
        let inner = parser.list(Until::End);
        builder.part(WordPart::Output(inner));
        self.at = start + length + 1;
    }
}
