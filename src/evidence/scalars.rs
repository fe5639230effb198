//! Scalars: the strings of YAML and TOML as their readers get them, where that is not how they are written.
//!
//! Escapes are undone, the lines of a folded or quoted string are joined, and the indent of a literal block is taken
//! away. Tolerant and linear: what no parser would take is read as far as it goes, since a manifest that is damaged is
//! read by agents all the same. What stands between quotation marks of one kind only is no scalar with escapes.

use super::document::Document;
use super::language::Language;
use super::unicode::Folded;
use super::zones::ZoneKind;

/// One string as its reader gets it.
#[derive(Debug)]
pub struct Scalar {
    /// The byte of the document at which it begins, its mark included.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The string, with the way back to the document.
    pub value: Folded,
    /// True where its lines stand in the document as they are but for their indent.
    pub is_literal: bool,
}

/// The most bytes of one string.
const LONGEST: usize = 64 << 10;
/// The most strings of one document.
const MOST: usize = 2_000;

/// The strings of a YAML or TOML text, or of the front matter of a Markdown text, that are not written as they are read.
pub fn of(document: &Document) -> Vec<Scalar> {
    let range = match document.language {
        Language::Yaml | Language::Toml => 0..document.text.len(),
        Language::Markdown => match document.zones.first() {
            Some(zone) if zone.kind == ZoneKind::Frontmatter => zone.start..zone.end,
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let text = document.text.get(range.clone()).unwrap_or_default();
    let mut reader = Reader { text, base: range.start, found: Vec::new() };
    if document.language == Language::Toml {
        reader.toml()
    } else {
        reader.yaml()
    }
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    found: Vec<Scalar>,
}

impl Reader<'_> {
    fn yaml(&mut self) {
        let mut at = 0;
        while at < self.text.len() && self.found.len() < MOST {
            let line = self.line(at);
            let next = at + line.len();
            let Some(value) = value_of(line) else {
                at = next;
                continue;
            };
            let from = at + value;
            let body = line.get(value..).unwrap_or_default().trim_end();
            let indent = indent_of(line);
            at = match body.as_bytes().first() {
                Some(b'|' | b'>') if is_block_mark(body) => self.block(from, next, indent, body.starts_with('>')),
                Some(b'"') => self.quoted(from).max(next),
                Some(b'#' | b'[' | b'{' | b'&' | b'*') | None => next,
                Some(_) => self.plain(from, next, indent),
            };
        }
    }

    fn toml(&mut self) {
        let mut at = 0;
        while at < self.text.len() && self.found.len() < MOST {
            let line = self.line(at);
            let next = at + line.len();
            // Without a value or a backslash nothing is written otherwise than it is read.
            let open = line.find('"').filter(|_| !line.trim_start().starts_with('#'));
            at = open.map_or(next, |open| self.quoted(at + open).max(next));
        }
    }

    fn line(&self, at: usize) -> &str {
        self.text.get(at..).and_then(|rest| rest.split_inclusive('\n').next()).unwrap_or_default()
    }

    /// A block of lines that are indented further than its key. Gives where it ends.
    fn block(&mut self, start: usize, body: usize, indent: usize, folds: bool) -> usize {
        let (mut value, mut at) = (Folded::default(), body);
        let mut inner = None;
        while at < self.text.len() {
            let line = self.line(at);
            let content = line.trim_end();
            if !content.trim_start().is_empty() && indent_of(line) <= indent {
                break;
            }
            let cut = *inner.get_or_insert(indent_of(line));
            let kept = content.get(cut.min(content.len())..).unwrap_or(content.trim_start());
            if value.text.len() < LONGEST {
                value.mark(self.base + at + cut.min(content.len()));
                value.text.push_str(kept);
                // A folded line goes on in the next, unless that is blank or indented further.
                let joins = folds && !kept.is_empty() && !kept.starts_with([' ', '\t']);
                value.text.push(if joins { ' ' } else { '\n' });
            }
            at += line.len();
        }
        self.keep(start, at, value, !folds);
        at
    }

    /// A string between double quotation marks, over lines. Gives where it ends.
    fn quoted(&mut self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let marks = if rest.starts_with("\"\"\"") { 3 } else { 1 };
        let (mut value, mut at, mut changed) = (Folded::default(), marks, false);
        let bytes = rest.as_bytes();
        let mut plain = at;
        let copy = |value: &mut Folded, from: usize, to: usize| {
            value.mark(self.base + start + from);
            value.text.push_str(rest.get(from..to).unwrap_or_default());
        };
        loop {
            let Some(byte) = bytes.get(at).filter(|_| at < LONGEST) else { return start + at.max(1) };
            match byte {
                b'"' if marks == 1 || rest.get(at..).is_some_and(|rest| rest.starts_with("\"\"\"")) => break,
                b'\\' => {
                    copy(&mut value, plain, at);
                    let (text, length) = escape(rest.get(at..).unwrap_or_default());
                    value.mark(self.base + start + at);
                    value.text.push_str(&text);
                    at += length;
                    (plain, changed) = (at, true);
                }
                // A line end between single marks is a blank.
                b'\n' if marks == 1 => {
                    copy(&mut value, plain, at);
                    value.text.push(' ');
                    at += 1;
                    at += bytes.get(at..).unwrap_or(&[]).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                    (plain, changed) = (at, true);
                }
                _ => at += 1,
            }
        }
        copy(&mut value, plain, at);
        let end = start + at + marks;
        if changed {
            self.keep(start, end, value, false);
        }
        end
    }

    /// A plain string, whose further lines are indented more than its key. Gives where it ends.
    fn plain(&mut self, start: usize, next: usize, indent: usize) -> usize {
        let mut value = Folded::default();
        value.mark(self.base + start);
        value.text.push_str(self.text.get(start..next).unwrap_or_default().trim_end());
        let mut at = next;
        while at < self.text.len() {
            let line = self.line(at);
            let content = line.trim();
            let goes_on = indent_of(line) > indent && !content.is_empty() && value_of(line).is_none();
            if !goes_on || content.starts_with(['#', '-']) {
                break;
            }
            value.text.push(' ');
            value.mark(self.base + at + indent_of(line));
            value.text.push_str(content);
            at += line.len();
        }
        if at > next {
            self.keep(start, at, value, false);
        }
        at
    }

    fn keep(&mut self, start: usize, end: usize, value: Folded, is_literal: bool) {
        self.found.push(Scalar { start: self.base + start, end: self.base + end, value, is_literal });
    }
}

/// The byte of a line at which the value of its key, or of its item, begins.
fn value_of(line: &str) -> Option<usize> {
    let mut at = indent_of(line);
    let mut item = false;
    while line.get(at..).is_some_and(|rest| rest.starts_with("- ")) {
        at += 2;
        item = true;
    }
    let rest = line.get(at..)?;
    // A key is a word or a few; a sentence with a colon in it is none.
    let key = rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len)).filter(|key| {
        let key = rest.get(..*key).unwrap_or_default();
        key.len() <= 60
            && !key.is_empty()
            && key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'"' | b'\'' | b'/'))
    });
    match key {
        Some(key) => {
            let value = at + key + 1;
            let blanks = line.get(value..)?.bytes().take_while(|byte| *byte == b' ').count();
            Some(value + blanks)
        }
        None => item.then_some(at),
    }
}

fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// `|`, `>-`, `|2+`, and a comment behind it.
fn is_block_mark(body: &str) -> bool {
    let mark = body.split(' ').next().unwrap_or_default();
    mark.len() <= 3 && mark.bytes().skip(1).all(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9'))
}

/// The text that an escape stands for, and its length in bytes.
fn escape(rest: &str) -> (String, usize) {
    let bytes = rest.as_bytes();
    let code = |digits: usize| {
        let value = rest.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        value.and_then(char::from_u32).map_or_else(|| ("\\".to_owned(), 1), |letter| (letter.to_string(), 2 + digits))
    };
    match bytes.get(1) {
        Some(b'x') => code(2),
        Some(b'u') => code(4),
        Some(b'U') => code(8),
        Some(b'n' | b'r') => ("\n".to_owned(), 2),
        Some(b't') => ("\t".to_owned(), 2),
        Some(b'"') => ("\"".to_owned(), 2),
        Some(b'/') => ("/".to_owned(), 2),
        Some(b'\\') => ("\\".to_owned(), 2),
        Some(b'_') => (" ".to_owned(), 2),
        // A backslash at the end of a line joins it with the next, without the blanks between.
        Some(b'\n' | b'\r' | b' ') => {
            let blanks = bytes.iter().skip(1).take_while(|byte| byte.is_ascii_whitespace()).count();
            (String::new(), 1 + blanks)
        }
        _ => ("\\".to_owned(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(path: &str, text: &str) -> Vec<(String, bool)> {
        let document = Document::read(path, text.as_bytes(), &mut Vec::new());
        of(&document).into_iter().map(|scalar| (scalar.value.text, scalar.is_literal)).collect()
    }

    #[test]
    fn strings_are_read_as_their_readers_get_them() {
        let owned = |text: &str, literal| (text.to_owned(), literal);
        let text = "name: kit\ndescription: >-\n  one\n  two\n\n  three\nsteps:\n  - run: |\n      a\n        b\n  - \"\\x41\\u0042\\\n     c\"\nplain: one\n  two\nurl: https://a.test\n";
        assert_eq!(
            values("a.yaml", text),
            [owned("one two \nthree ", false), owned("a\n  b\n", true), owned("ABc", false), owned("one two", false)]
        );
        assert_eq!(values("a.md", &format!("---\n{text}---\nx: >\n  y\n")).len(), 4);
        let text = "# \"\\u0041\"\na = \"\\u0041b\"\nb = 'c:\\u0041'\nc = \"\"\"\nd \\\n  e\"\"\"\n";
        assert_eq!(values("a.toml", text), [owned("Ab", false), owned("\nd e", false)]);
    }

    #[test]
    fn a_place_in_a_string_is_one_in_the_document() {
        let text = "---\ndescription: >\n  one\n  two\n---\n";
        let document = Document::read("a.md", text.as_bytes(), &mut Vec::new());
        let scalars = of(&document);
        let value = &scalars[0].value;
        let here = value.text.find("two").expect("is there");
        assert_eq!(value.origin(here), text.find("two").expect("is there"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in "(?:[ \\-]{0,4}[a-z:\"'|>\\\\xu0-9é]{0,8}\n?){0,12}") {
            for path in ["a.yaml", "a.toml", "a.md"] {
                let document = Document::read(path, text.as_bytes(), &mut Vec::new());
                for scalar in of(&document) {
                    proptest::prop_assert!(scalar.start <= scalar.end && scalar.end <= text.len());
                }
            }
        }
    }
}
