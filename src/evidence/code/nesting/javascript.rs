//! The nesting bound of JavaScript and TypeScript.

use super::{Depth, LIMIT, is_word};

/// The most `<` that one statement of TypeScript may leave open. The parser tries each as the start of type arguments,
/// which costs time in the square of their number.
pub(super) const MAX_ANGLES: usize = 100;

/// The class of the text before a token.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// A punctuator, or the start.
    Operator,
    /// A word after which an expression begins: `return`, `typeof`.
    Keyword,
    /// A name, number, string or closing bracket that is no parenthesis.
    Value,
    /// A closing parenthesis; `true` after the head of `if`, `while`, `for`, `with`.
    Parenthesis(bool),
    /// A closing brace; `true` where it may end a block.
    Brace(bool),
}

/// The bound for JavaScript and TypeScript. `jsx` for files whose text may hold markup, `typed` for those with type
/// arguments. Stops early past [`LIMIT`].
pub(in super::super) fn javascript(text: &str, jsx: bool, typed: bool) -> usize {
    let mut scan = Script {
        text: text.as_bytes(),
        at: 0,
        depth: Depth::new(jsx),
        before: Before::Operator,
        newline: false,
        pending: false,
        angles: 0,
        typed,
    };
    // Past the limit the file is refused, whatever follows.
    while scan.at < scan.text.len() && scan.depth.peak <= LIMIT {
        scan.step();
    }
    scan.depth.peak
}

struct Script<'a> {
    text: &'a [u8],
    at: usize,
    depth: Depth,
    before: Before,
    /// True where a line ended since the last token.
    newline: bool,
    /// True where a statement ended, unless the next word continues it.
    pending: bool,
    /// The number of `<` that this statement left open.
    angles: usize,
    typed: bool,
}

/// Words that continue the statement before them, sorted.
const CONTINUES: [&str; 14] = [
    "as",
    "catch",
    "else",
    "extends",
    "finally",
    "from",
    "if",
    "implements",
    "in",
    "instanceof",
    "is",
    "of",
    "satisfies",
    "while",
];

/// Words after which an operand or another statement follows, sorted.
const LEADS: [&str; 40] = [
    "abstract",
    "asserts",
    "async",
    "await",
    "case",
    "class",
    "const",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "function",
    "get",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "interface",
    "keyof",
    "let",
    "namespace",
    "new",
    "of",
    "readonly",
    "return",
    "satisfies",
    "set",
    "static",
    "throw",
    "type",
    "typeof",
    "unique",
    "var",
    "void",
    "yield",
];

/// Words whose parentheses are the head of a statement, sorted.
const HEADS: [&str; 4] = ["for", "if", "while", "with"];

impl Script<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        match self.peek(0) {
            b'\n' => {
                self.newline = true;
                self.at += 1;
            }
            // U+2028 and U+2029 end a line in JavaScript too.
            0xE2 if self.peek(1) == 0x80 && matches!(self.peek(2), 0xA8 | 0xA9) => {
                self.newline = true;
                self.at += 3;
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'/' => self.slash(),
            quote @ (b'"' | b'\'') => {
                self.begin_token(b"");
                self.at = end_of_string(self.text, self.at + 1, quote);
                self.before = Before::Value;
            }
            b'`' => {
                self.begin_token(b"");
                self.at += 1;
                self.template();
            }
            byte if is_word(byte) => self.word(),
            byte => self.punctuator(byte),
        }
    }

    /// Ends the statement before the token that begins here, where that is certain.
    fn begin_token(&mut self, word: &[u8]) {
        let newline = std::mem::take(&mut self.newline);
        let pending = std::mem::take(&mut self.pending);
        // `if (a) b; else c` is one statement: its depth must not be given back at the semicolon.
        if pending && word != b"else" {
            self.angles = 0;
            self.depth.end_statement();
        } else if newline && !word.is_empty() && !listed(&CONTINUES, word) && self.depth.in_block() {
            match self.before {
                Before::Value | Before::Brace(_) => {
                    self.angles = 0;
                    self.depth.end_statement();
                }
                // It may be the head of `if` or `while`, whose body is still to come: the words before it count on.
                Before::Parenthesis(_) => self.depth.end_item(),
                // The expression goes on in this line.
                Before::Operator | Before::Keyword => {}
            }
        }
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            // A line separator ends the comment; code behind it would otherwise not be counted.
            if self.peek(0) == 0xE2 && self.peek(1) == 0x80 && matches!(self.peek(2), 0xA8 | 0xA9) {
                return;
            }
            self.at += 1;
        }
    }

    fn block_comment(&mut self) {
        self.at += 2;
        while self.at < self.text.len() && !(self.peek(0) == b'*' && self.peek(1) == b'/') {
            self.newline |= self.peek(0) == b'\n';
            self.at += 1;
        }
        self.at += 2;
    }

    fn slash(&mut self) {
        let regex = match self.before {
            Before::Operator | Before::Keyword | Before::Parenthesis(true) => true,
            Before::Value | Before::Parenthesis(false) | Before::Brace(false) => false,
            // After a block a slash opens an expression, after an object literal it divides: from here on only upwards.
            Before::Brace(true) => {
                self.depth.uncertain = true;
                false
            }
        };
        self.begin_token(b"");
        if regex {
            self.at = end_of_regex(self.text, self.at + 1);
            self.before = Before::Value;
        } else {
            self.depth.mark();
            self.at += 1;
            self.before = Before::Operator;
        }
    }

    fn template(&mut self) {
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.before = Before::Value;
                    return;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 2;
                    self.depth.open(b'$', false);
                    self.before = Before::Operator;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) && self.at < self.text.len() {
            self.at += 1;
        }
        let text = self.text;
        let word = text.get(start..self.at).unwrap_or_default();
        // In `x.if` the word is a property and begins no statement.
        let member = start > 0 && text.get(start - 1) == Some(&b'.');
        self.begin_token(if member { b"" } else { word });
        // Words in a row (`typeof typeof x`) nest without a bracket.
        if self.before != Before::Operator {
            self.depth.word();
        }
        self.before = match member {
            false if listed(&HEADS, word) || listed(&LEADS, word) => Before::Keyword,
            _ => Before::Value,
        };
    }

    fn punctuator(&mut self, byte: u8) {
        self.begin_token(b"");
        let start = self.at;
        self.at += 1;
        match byte {
            b',' => {
                self.depth.end_item();
                self.before = Before::Operator;
            }
            b';' => {
                // The statement ends at the next token, because that may be an `else`.
                self.pending = true;
                self.before = Before::Operator;
            }
            b'(' => {
                let head =
                    self.before == Before::Keyword && HEADS.iter().any(|head| ends_with_word(self.text, start, head));
                self.depth.open(b'(', head);
                self.before = Before::Operator;
            }
            b'[' => {
                self.depth.open(b'[', false);
                self.before = Before::Operator;
            }
            b'{' => {
                let expression =
                    self.before == Before::Operator && self.text.get(..start).is_some_and(opens_expression);
                self.depth.open(b'{', expression);
                self.before = Before::Operator;
            }
            b')' => self.before = Before::Parenthesis(self.depth.close(b'(')),
            b']' => {
                self.depth.close(b'[');
                self.before = Before::Value;
            }
            // This brace ends `${…}`, and the text of the template goes on behind it.
            b'}' if self.depth.in_substitution() => {
                self.depth.close(b'$');
                self.template();
            }
            b'}' => self.before = Before::Brace(!self.depth.close(b'{')),
            // A name with an escape in it may be any word.
            b'\\' => self.depth.uncertain = true,
            _ => {
                self.doubtful(byte);
                self.angle(byte, start);
                self.depth.mark();
                self.before = Before::Operator;
            }
        }
    }

    fn angle(&mut self, byte: u8, start: usize) {
        match byte {
            b'<' if matches!(self.before, Before::Value | Before::Parenthesis(_)) && self.peek(0) != b'/' => {
                self.angles += 1
            }
            b'>' if start > 0 && self.text.get(start - 1) != Some(&b'=') => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        if self.typed && self.angles > MAX_ANGLES {
            self.depth.peak = LIMIT + 1;
        }
    }

    /// `a++ / b` and `<!--` cannot be told by what stands before.
    fn doubtful(&mut self, byte: u8) {
        let doubled = matches!(byte, b'+' | b'-') && self.peek(0) == byte && self.before != Before::Operator;
        let next = self.text.get(self.at + 1..).unwrap_or_default().iter().find(|next| !next.is_ascii_whitespace());
        if (doubled && next == Some(&b'/')) || (byte == b'<' && self.peek(0) == b'!') {
            self.depth.uncertain = true;
        }
    }
}

/// True where the text before a brace makes it an object literal: after `=`, `(`, `,`, `?`, `:` or `[`, not after `=>`.
fn opens_expression(before: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b'=' | b'(' | b',' | b'?' | b'['))
}

/// True for a word of a sorted list: a bundle is words, and asks for each.
fn listed(words: &[&str], word: &[u8]) -> bool {
    words.binary_search_by(|listed| listed.as_bytes().cmp(word)).is_ok()
}

#[cfg(test)]
#[test]
fn the_lists_of_words_are_sorted() {
    assert!([&CONTINUES[..], &LEADS, &HEADS].iter().all(|words| words.is_sorted()));
}

fn ends_with_word(text: &[u8], end: usize, word: &str) -> bool {
    text.get(..end).is_some_and(|before| before.trim_ascii_end().ends_with(word.as_bytes()))
}

fn end_of_string(text: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn end_of_regex(text: &[u8], mut at: usize) -> usize {
    let mut class = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            // In a class of characters a slash is a letter: `[/]`.
            b'[' => class = true,
            b']' => class = false,
            b'\n' => return at,
            b'/' if !class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}
