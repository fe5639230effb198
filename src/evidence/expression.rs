//! Expressions over running text, whose edges of words are those of ASCII.
//!
//! An edge of a word by Unicode makes the engine leave its quick way at the first letter beyond ASCII, and nearly every text
//! has a dash or a quotation mark: it is then some fifty times slower. The words that are looked for here are ASCII anyway.

use regex::{Regex, RegexBuilder};

/// Compiles a fixed expression. Its `\b` are edges of ASCII words.
///
/// `\w` is of Unicode and large: counted (`\w{2,200}`) it is compiled as often as it may come, which takes tens of milliseconds and
/// megabytes. Without a last number it is compiled once.
///
/// # Panics
/// For an expression that is not valid.
#[expect(clippy::disallowed_methods, reason = "the one place that compiles expressions over text")]
pub fn of(text: &str) -> Regex {
    Regex::new(&with_ascii_edges(text)).expect("the pattern is fixed and valid")
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

/// The same expression with edges of ASCII words.
fn with_ascii_edges(text: &str) -> String {
    let mut written = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        written.push_str(before);
        // The sign behind a backslash belongs to it, another backslash too.
        let length = escape.chars().take(2).map(char::len_utf8).sum();
        let (escape, behind) = escape.split_at(length);
        written.push_str(if escape == r"\b" { r"(?-u:\b)" } else { escape });
        rest = behind;
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_words_are_those_of_ascii() {
        assert_eq!(with_ascii_edges(r"\bsend\b\s+\\b[^.]"), r"(?-u:\b)send(?-u:\b)\s+\\b[^.]");
        assert_eq!(with_ascii_edges("plain \u{e9}"), "plain \u{e9}");
        let expression = of(r"(?i)\bsend\b");
        assert!(expression.is_match("\u{2014}Send\u{2014}"));
        assert!(!expression.is_match("resend it"));
    }
}
