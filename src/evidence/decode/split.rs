//! String literals joined by `+`, and words broken by empty quotes.
//!
//! The search looks first at empty quotes and plus signs, of which most texts have few.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::blocks::{Blocks, EMPTY};
use super::{EncodedRun, Encoding, is_text, line_around, pattern};
use crate::bytes::first;

static SPLIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"["'][\w $:/.@|&;~-]{1,60}["'](?:[ \t]*(?:\\?\r?\n[ \t]*)?\+[ \t]*(?:\\?\r?\n[ \t]*)?["'][\w $:/.@|&;~-]{1,60}["']){1,}|\b[a-z]{1,6}(?:''|"")[a-z]{1,6}(?:(?:''|"")[a-z]{1,6})*\b"#,
    )
});
static JOINT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"["'][ \t]*(?:\\?\r?\n[ \t]*)?\+[ \t]*(?:\\?\r?\n[ \t]*)?["']|''|"""#));

/// The part of its line that is shown around a split word, in bytes to each side.
const REACH: usize = 200;

/// Lines with literals joined by `+`, or with words broken by empty quotes, with all of that taken out. A split word
/// says little without the rest of its line. Each byte is used once.
pub(super) fn runs(bytes: &[u8], blocks: &Blocks, found: &mut Vec<EncodedRun>) {
    if !may_stand(bytes, blocks) {
        return;
    }
    let mut used = 0;
    for split in SPLIT.find_iter(bytes) {
        // The line was undone with an earlier match in it.
        if split.start() < used {
            continue;
        }
        let Range { start, end } = line_around(bytes, split.range(), used, REACH);
        // The signs between the pieces go, and nothing else: what is left is the line as it runs.
        let joined = JOINT.replace_all(bytes.get(start..end).unwrap_or(&[]), &b""[..]);
        let text = Some(String::from_utf8_lossy(&joined).into_owned()).filter(|text| is_text(text));
        found.push(EncodedRun { span: start..end, encoding: Encoding::Split, text });
        used = end;
    }
}

/// True where there is a word with empty quotes inside, or a plus sign between quotes: cheap. Literals are looked for
/// where one of the signs stands on the line of the quote before it, or empty quotes do anywhere.
fn may_stand(bytes: &[u8], blocks: &Blocks) -> bool {
    if blocks.each(EMPTY).any(|block| breaks_word(bytes, block)) {
        return true;
    }
    let mut joins = false;
    // The older and plainer test asked for empty quotes anywhere or a plus on the line; it is kept exactly.
    let mut on_line = blocks.any(EMPTY);
    for at in pluses(bytes) {
        let before = bytes.get(..at).unwrap_or(&[]);
        let behind = bytes.get(at + 1..).unwrap_or(&[]);
        let is_open = |byte: &u8| is_blank(*byte) || matches!(byte, b'\r' | b'\n' | b'\\');
        let left = || before.iter().rfind(|byte| !is_open(byte));
        let right = || behind.iter().find(|byte| !is_open(byte));
        // Each look ends at the first byte that is neither blank nor a line end.
        joins = joins || left().is_some_and(is_quote) && right().is_some_and(is_quote);
        on_line = on_line || before.iter().rfind(|byte| !is_blank(**byte)).is_some_and(is_quote);
        if joins && on_line {
            return true;
        }
    }
    false
}

const fn is_quote(byte: &u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// True where empty quotes that begin in a block stand between letters.
fn breaks_word(bytes: &[u8], block: usize) -> bool {
    // One byte before the block and two behind its last pair, which may begin in its last byte.
    let around = bytes.get(block.saturating_sub(1)..(block + 10).min(bytes.len())).unwrap_or(&[]);
    around.windows(4).any(|window| match window {
        [left, open, close, right] => {
            left.is_ascii_alphabetic() && is_quote(open) && open == close && right.is_ascii_alphabetic()
        }
        _ => false,
    })
}

/// The offsets of the plus signs: few in most texts.
fn pluses(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let next = |from: usize| Some(from + first(bytes.get(from..)?, |byte| byte == b'+')?);
    std::iter::successors(next(0), move |last| next(last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain definition: what was looked for before the pattern was.
    fn may_stand_plainly(text: &str) -> bool {
        let before = |at: usize| text[..at].trim_end_matches([' ', '\t']);
        let joins = |at: usize| before(at).ends_with(['"', '\'']);
        text.contains("''") || text.contains("\"\"") || text.match_indices('+').any(|(at, _)| joins(at))
    }

    proptest::proptest! {
        #[test]
        fn no_split_is_overlooked(text in "(ba|''|\"\"|\"sh\"|'c'|[ \t]{0,3}\\+[ \t]{0,2}|[\n\\\\+'\" ]|\r\n|[a-z ]{0,40}){0,12}") {
            let bytes = text.as_bytes();
            let expected = may_stand_plainly(&text) && SPLIT.is_match(bytes);
            let found = may_stand(bytes, &Blocks::of(bytes)) && SPLIT.is_match(bytes);
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
