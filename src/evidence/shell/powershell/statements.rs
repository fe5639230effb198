//! The statements of a PowerShell text, in the order of their places.
//!
//! A statement ends with its line, at a semicolon, or where a block of statements begins or ends. Within brackets, tables and
//! quoted text nothing ends.

use std::ops::Range;

/// One statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// True where a block follows, whose statements are given what this one says.
    pub(super) opens: bool,
}

/// The statements of a text.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut reader = Reader { bytes: text.as_bytes(), ..Reader::default() };
    reader.read();
    reader.found
}

#[derive(Default)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    start: usize,
    /// How many round and square brackets are open.
    brackets: usize,
    /// How many brackets were open where each open table, or block inside of brackets, began.
    tables: Vec<usize>,
    /// The marks of which no text of lines ends any more.
    endless: Vec<u8>,
    found: Vec<Statement>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\'' | b'"' => self.quoted(byte),
                // The next letter stands for itself; at the end of a line it goes on in the next one.
                b'`' => self.at += 1,
                b'<' if self.bytes.get(self.at + 1) == Some(&b'#') => self.remark(true),
                b'#' if self.begins_word() => self.remark(false),
                b'(' | b'[' => self.brackets += 1,
                b')' | b']' => self.brackets = self.brackets.saturating_sub(1),
                b'{' if self.is_inside() || self.before() == Some(b'@') || self.before() == Some(b'$') => {
                    self.tables.push(self.brackets);
                }
                b'{' => self.ends(true),
                b'}' => match self.tables.pop() {
                    Some(brackets) => self.brackets = brackets,
                    None => self.ends(false),
                },
                b';' if !self.is_inside() => self.ends(false),
                b'&' if !self.is_inside() && self.bytes.get(self.at + 1) == Some(&b'&') => {
                    self.ends(false);
                    self.at += 1;
                    self.start = self.at + 1;
                }
                b'\n' if !self.is_inside() && !self.goes_on() => self.ends(false),
                _ => {}
            }
            self.at += 1;
        }
        self.ends(false);
    }

    fn is_inside(&self) -> bool {
        self.brackets > 0 || !self.tables.is_empty()
    }

    fn before(&self) -> Option<u8> {
        self.bytes.get(self.at.checked_sub(1)?).copied()
    }

    fn begins_word(&self) -> bool {
        self.before().is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b';' | b'('))
    }

    /// True where a line ends in a mark behind which more has to come, or the next one begins with a pipe.
    fn goes_on(&mut self) -> bool {
        let line = self.bytes.get(self.start..self.at).unwrap_or_default().trim_ascii_end();
        if line.is_empty() {
            return false;
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_ascii_start().len();
        if rest.get(blanks) == Some(&b'|') {
            // The lines between are blank, and are not looked through once for each.
            self.at += blanks;
            return true;
        }
        [b'|', b',', b'+', b'='].iter().any(|mark| line.last() == Some(mark))
    }

    /// Passes over quoted text, or one of lines between `@"` and `"@`. What is never closed ends with its line, so that a lone
    /// mark hides no statement.
    fn quoted(&mut self, mark: u8) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let is_lines = self.before() == Some(b'@') && rest.first().is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
        let end = if is_lines && !self.endless.contains(&mark) {
            let end = rest.windows(3).position(|three| three == [b'\n', mark, b'@']).map(|end| end + 2);
            if end.is_none() {
                self.endless.push(mark);
            }
            end
        } else {
            let mut is_escaped = false;
            rest.iter().take(LONGEST_QUOTED).position(|byte| {
                let counts = !std::mem::take(&mut is_escaped);
                is_escaped = counts && *byte == b'`' && mark == b'"';
                counts && *byte == mark
            })
        };
        let line = || rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at += end.map_or_else(line, |end| end + 1);
    }

    /// Passes over a remark, which ends what stands before it on the line.
    fn remark(&mut self, is_block: bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = if is_block {
            rest.windows(2).position(|two| two == b"#>").map_or(rest.len(), |end| end + 2)
        } else {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        };
        if !self.is_inside() {
            self.ends(false);
            self.start = self.at + length;
        }
        // The line end itself is looked at next.
        self.at += length.saturating_sub(1);
    }

    fn ends(&mut self, opens: bool) {
        let part = self.bytes.get(self.start..self.at).unwrap_or_default();
        if self.start < self.at && !part.trim_ascii().is_empty() {
            let from = self.start + part.len() - part.trim_ascii_start().len();
            let to = from + part.trim_ascii().len();
            self.found.push(Statement { range: from..to, opens });
        }
        self.start = self.at + 1;
    }
}

/// Longer quoted text is one whose end is missing.
const LONGEST_QUOTED: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        statements(text)
            .into_iter()
            .map(|found| format!("{}{}", &text[found.range], if found.opens { " {" } else { "" }))
            .collect()
    }

    #[test]
    fn statements_end_where_powershell_ends_them() {
        assert_eq!(split("$a = 1; $b = 2\n$c = 3"), ["$a = 1", "$b = 2", "$c = 3"]);
        assert_eq!(split("irm $u `\n  -Body $d\nx"), ["irm $u `\n  -Body $d", "x"]);
        assert_eq!(split("gc a |\n  irm $u\ngc b\n  | irm $u"), ["gc a |\n  irm $u", "gc b\n  | irm $u"]);
        assert_eq!(split("foreach ($f in $all) { irm $u; gc $f }"), ["foreach ($f in $all) {", "irm $u", "gc $f"]);
        assert_eq!(split("irm -Body @{ a = 1; b = 2 } $u\nx"), ["irm -Body @{ a = 1; b = 2 } $u", "x"]);
        assert_eq!(split("f (\n 1 | % { $_; 2 }\n)\nx"), ["f (\n 1 | % { $_; 2 }\n)", "x"]);
        assert_eq!(split("a \"x;`\"y\" ; b 'c;d' # e; f\ng"), ["a \"x;`\"y\"", "b 'c;d'", "g"]);
        assert_eq!(split("$t = @\"\na; \"b\"\n\"@\nc <# d\n e #> f"), ["$t = @\"\na; \"b\"\n\"@", "c", "f"]);
        assert_eq!(split("it's\nx"), ["it's", "x"]);
        assert_eq!(split("a && b; & c"), ["a", "b", "& c"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split_in_order_and_within(text in "(?:[a-z$ `'\"@{}()\\[\\];|,#<>\n]|é){0,60}") {
            let mut last = 0;
            for found in statements(&text) {
                proptest::prop_assert!(found.range.start >= last && found.range.end <= text.len());
                proptest::prop_assert!(text.get(found.range.clone()).is_some_and(|part| !part.trim().is_empty()));
                last = found.range.end;
            }
        }
    }
}
