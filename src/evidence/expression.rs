//! Expressions over running text, whose words are those of ASCII.
//!
//! An edge of a word by Unicode makes the engine leave its quick way at the first letter beyond ASCII, and nearly every text
//! has a dash or a quotation mark: it is then some fifty times slower. The words that are looked for here are ASCII anyway.

use regex::{Regex, RegexBuilder};

/// Compiles a fixed expression. Its `\b` are edges of ASCII words, and its `\w`, `\d` and `\s` are of ASCII too: those of Unicode
/// are hundreds of ranges, which each use compiles again, and a counted one as often as it may come.
///
/// # Panics
/// For an expression that is not valid.
#[expect(clippy::disallowed_methods, reason = "the one place that compiles expressions over text")]
pub fn of(text: &str) -> Regex {
    Regex::new(&of_ascii(text)).expect("the pattern is fixed and valid")
}

/// The most bytes of an expression that somebody else wrote, and of what it is compiled to.
const MAX_LENGTH: usize = 200;
const MAX_COMPILED: usize = 64 * 1024;

/// Compiles an expression that stands in what is read; none where it is long, or means something that this engine has not.
pub(crate) fn of_others(text: &str, ignores_case: bool) -> Option<Regex> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    RegexBuilder::new(text).case_insensitive(ignores_case).size_limit(MAX_COMPILED).build().ok()
}

/// The same expression with edges of ASCII words, and classes of ASCII words, figures and blanks.
fn of_ascii(text: &str) -> String {
    let mut written = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        written.push_str(before);
        // The sign behind a backslash belongs to it, another backslash too.
        let length = escape.chars().take(2).map(char::len_utf8).sum();
        let (escape, behind) = escape.split_at(length);
        written.push_str(match escape {
            r"\b" => r"(?-u:\b)",
            // A class may stand within another one, so that these are right there too.
            r"\w" => "[0-9A-Za-z_]",
            r"\W" => "[^0-9A-Za-z_]",
            r"\d" => "[0-9]",
            r"\D" => "[^0-9]",
            r"\s" => r"[\t\n\x0B\x0C\r ]",
            r"\S" => r"[^\t\n\x0B\x0C\r ]",
            other => other,
        });
        rest = behind;
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_ascii() {
        assert_eq!(of_ascii(r"\bsend\b\s+\\b[^.]"), r"(?-u:\b)send(?-u:\b)[\t\n\x0B\x0C\r ]+\\b[^.]");
        assert_eq!(of_ascii("plain \u{e9}"), "plain \u{e9}");
        let expression = of(r"(?i)\bsend\b");
        assert!(expression.is_match("\u{2014}Send\u{2014}"));
        assert!(!expression.is_match("resend it"));
        let expression = of(r"^[\w.-]+[^\s\w]\d\S$");
        assert!(expression.is_match("a-b.c\u{2014}7\u{e9}"));
        assert!(!expression.is_match("\u{e9}b.c!7x"));
    }
}
