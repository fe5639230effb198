//! Nesting: an upper bound of how deep a parser recurses over a text, by one cheap pass that keeps no tree.
//!
//! Brackets, chains of operators, chains of words (`typeof typeof x`, `else if`) and, in Python, indentation count.
//! Where the pass cannot be sure (JSX text, a slash that may divide or open a regular expression), nothing is ever
//! counted down again, so that the bound errs upwards. Must not know what the text means.

/// Deeper texts are not parsed. Real bundles stay under a tenth of it.
pub(super) const LIMIT: usize = 8_000;

/// How many `<` one statement of TypeScript may leave open: the parser tries each as the start of type arguments, which
/// costs time in the square of their number.
const MAX_ANGLES: usize = 100;

/// What stood before a token.
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

struct Frame {
    bracket: u8,
    /// Steps that a comma ends.
    marks: usize,
    /// Steps that only the end of a statement ends.
    words: usize,
    /// For `(`: the head of a statement. For `{`: surely an expression.
    special: bool,
}

struct Depth {
    frames: Vec<Frame>,
    total: usize,
    peak: usize,
    /// Whether the pass lost certainty: from here on only upwards.
    uncertain: bool,
}

impl Depth {
    fn new(uncertain: bool) -> Self {
        let root = Frame { bracket: b'{', marks: 0, words: 0, special: false };
        Self { frames: vec![root], total: 0, peak: 0, uncertain }
    }

    fn add(&mut self, steps: usize) {
        self.total += steps;
        self.peak = self.peak.max(self.total);
    }

    fn mark(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.marks += 1;
        }
        self.add(1);
    }

    fn word(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.words += 1;
        }
        self.add(1);
    }

    fn end_item(&mut self) {
        if let (false, Some(frame)) = (self.uncertain, self.frames.last_mut()) {
            self.total -= std::mem::take(&mut frame.marks);
        }
    }

    fn end_statement(&mut self) {
        self.end_item();
        if let (false, Some(frame)) = (self.uncertain, self.frames.last_mut()) {
            self.total -= std::mem::take(&mut frame.words);
        }
    }

    fn open(&mut self, bracket: u8, special: bool) {
        self.mark();
        self.frames.push(Frame { bracket, marks: 0, words: 0, special });
        self.add(1);
    }

    /// Closes a bracket and tells whether its frame was special.
    fn close(&mut self, bracket: u8) -> bool {
        let matches = self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.bracket == bracket);
        if !matches {
            self.uncertain = true;
            return false;
        }
        let special = self.frames.last().is_some_and(|frame| frame.special);
        if let (false, Some(frame)) = (self.uncertain, self.frames.pop()) {
            self.total -= frame.marks + frame.words + 1;
        }
        special
    }

    fn in_block(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.bracket == b'{')
    }

    fn in_substitution(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.bracket == b'$')
    }
}

/// The bound for JavaScript and TypeScript. `jsx` for files whose text may hold markup, `typed` for those with type
/// arguments. Stops early past [`LIMIT`].
pub(super) fn javascript(text: &str, jsx: bool, typed: bool) -> usize {
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
    /// Whether a line ended since the last token.
    newline: bool,
    /// Whether a statement ended, unless the next word continues it.
    pending: bool,
    /// How many `<` this statement left open.
    angles: usize,
    typed: bool,
}

/// Words that continue the statement before them.
const CONTINUES: [&[u8]; 14] = [
    b"else",
    b"in",
    b"of",
    b"instanceof",
    b"as",
    b"satisfies",
    b"extends",
    b"implements",
    b"catch",
    b"finally",
    b"while",
    b"is",
    b"from",
    b"if",
];

/// Words after which an operand or another statement follows.
const LEADS: [&[u8]; 40] = [
    b"typeof",
    b"void",
    b"delete",
    b"await",
    b"new",
    b"return",
    b"throw",
    b"yield",
    b"case",
    b"else",
    b"do",
    b"async",
    b"export",
    b"default",
    b"extends",
    b"implements",
    b"class",
    b"keyof",
    b"readonly",
    b"unique",
    b"infer",
    b"asserts",
    b"in",
    b"of",
    b"instanceof",
    b"const",
    b"let",
    b"var",
    b"function",
    b"get",
    b"set",
    b"static",
    b"abstract",
    b"declare",
    b"import",
    b"type",
    b"interface",
    b"enum",
    b"namespace",
    b"satisfies",
];

/// Words whose parentheses are the head of a statement.
const HEADS: [&[u8]; 4] = [b"if", b"while", b"for", b"with"];

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
        if pending && word != b"else" {
            self.angles = 0;
            self.depth.end_statement();
        } else if newline && !word.is_empty() && !CONTINUES.contains(&word) && self.depth.in_block() {
            match self.before {
                Before::Value | Before::Brace(_) => {
                    self.angles = 0;
                    self.depth.end_statement();
                }
                Before::Parenthesis(_) => self.depth.end_item(),
                Before::Operator | Before::Keyword => {}
            }
        }
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
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
        let member = start > 0 && text.get(start - 1) == Some(&b'.');
        self.begin_token(if member { b"" } else { word });
        if self.before != Before::Operator {
            self.depth.word();
        }
        self.before = match member {
            false if HEADS.contains(&word) || LEADS.contains(&word) => Before::Keyword,
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
            b'}' if self.depth.in_substitution() => {
                self.depth.close(b'$');
                self.template();
            }
            b'}' => self.before = Before::Brace(!self.depth.close(b'{')),
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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether the text before a brace makes it an object literal: after `=`, `(`, `,`, `?`, `:` or `[`, not after `=>`.
fn opens_expression(before: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b'=' | b'(' | b',' | b'?' | b'['))
}

fn ends_with_word(text: &[u8], end: usize, word: &[u8]) -> bool {
    text.get(..end).is_some_and(|before| before.trim_ascii_end().ends_with(word))
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

/// The bound for Python. Stops early past [`LIMIT`].
pub(super) fn python(text: &str) -> usize {
    let mut scan = Snake {
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

struct Snake<'a> {
    text: &'a [u8],
    at: usize,
    depth: Depth,
    indents: Vec<usize>,
    word_before: bool,
    line_start: bool,
}

impl Snake<'_> {
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
                if self.depth.frames.len() == 1 {
                    self.depth.end_statement();
                    self.line_start = true;
                    self.word_before = false;
                }
            }
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
                b'\n' if !triple => break,
                b'{' => self.depth.mark(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_programs_stay_shallow() {
        let line = "const a = foo(b, [1, 2]).map((x) => x / 2);\nif (a) { bar(`${a}/x`) } else { baz() }\n";
        assert!(javascript(&line.repeat(2_000), false, true) < 30);
        let line = "def f(a, b=1):\n    if a:\n        return {\"x\": f\"{a}/{b}\", 'y': [1, 2]}\n";
        assert!(python(&line.repeat(2_000)) < 40);
    }

    #[test]
    fn code_without_semicolons_stays_shallow() {
        let line = "const x = await thing.do(a, b)\nfoo(x)\nbar.baz(x)\nlet y = x.z\n";
        assert!(javascript(&line.repeat(2_000), false, true) < 40);
    }

    #[test]
    fn every_kind_of_chain_is_seen() {
        let chains = [
            "(",
            "[",
            "{",
            "!",
            "-",
            "a=>",
            "a?b:",
            "a.b",
            "a+",
            "typeof ",
            "if(a)",
            "else if(a)",
            "a:",
            "new ",
            "`${",
            "a()",
            "await\n",
            "if(a)\n",
            "x=",
            "class extends ",
            "a<",
            "async ",
        ];
        for chain in chains {
            assert!(javascript(&chain.repeat(LIMIT * 2), false, false) > LIMIT, "{chain}");
        }
        for chain in ["(", "[", "{", "-", "not ", "a+", "a.b", "lambda:", "a if b else ", "f\"{", "a()", "await "] {
            assert!(python(&chain.repeat(LIMIT * 2)) > LIMIT, "{chain}");
        }
    }

    #[test]
    fn strings_and_comments_hide_no_brackets_and_add_none() {
        let text = "f(\")))\"); // (((\n/* ((( */ g(/[(]/, ')');\n";
        assert!(javascript(&text.repeat(3_000), false, true) < 20);
        let text = "f(\")))\") # (((\n'''((('''\n";
        assert!(python(&text.repeat(3_000)) < 20);
    }

    #[test]
    fn open_angles_are_bounded_where_they_may_be_types() {
        for chain in ["a<b<", "a<b,c<d,", "f(a<b,"] {
            assert!(javascript(&chain.repeat(MAX_ANGLES + 1), false, true) > LIMIT, "{chain}");
            assert!(javascript(&chain.repeat(MAX_ANGLES + 1), false, false) < LIMIT, "{chain}");
        }
        let honest = "const a: Map<string, Set<number>> = new Map();\nif (a < b) { c<d>(e) }\n";
        assert!(javascript(&honest.repeat(1_000), false, true) < 40);
    }

    #[test]
    fn markup_is_never_counted_down() {
        assert!(javascript(&"<a>it's {f()} </a>\n".repeat(LIMIT), true, true) > LIMIT);
    }
}
