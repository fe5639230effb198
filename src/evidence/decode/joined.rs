//! Strings that are put together from pieces: lists that are joined, and variables that grow line by line.
//!
//! One walk over the text each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::blocks::{self, Blocks};
use super::{EncodedRun, Encoding, is_text, pattern};

/// A list of string literals, two at least.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"[\[(]\s*(?:"[^"\n\\]{1,120}"|'[^'\n\\]{1,120}')(?:\s*,\s*(?:"[^"\n\\]{1,120}"|'[^'\n\\]{1,120}'))+\s*,?\s*[\])]"#,
    )
});
static PIECE: LazyLock<Regex> = LazyLock::new(|| pattern(r#""([^"\n\\]{1,120})"|'([^'\n\\]{1,120})'"#));
/// `name = "…"` and `name += "…"`, one a line.
static GROWS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^[ \t]*(?:(?:let|const|var|my|local)[ \t]+)?\$?([a-z_][\w.]{0,60})[ \t]*(\+|\.)?=[ \t]*[fbru]?(?:"([^"\\]{1,400})"|'([^'\\]{1,400})')[ \t]*;?[ \t]*\r?$"#,
    )
});

/// The calls that must stand near a list that is joined. Each is looked for by itself: one word is found quicker than
/// either of two.
static CALLS: LazyLock<[Regex; 2]> =
    LazyLock::new(|| ["join", "concat"].map(|call| Regex::new(call).expect("the pattern is valid")));

/// The number of bytes before a list, and behind it, that may hold the call.
const BEFORE: usize = 16;
const BEHIND: usize = 10;

/// The number of growing variables followed at once.
const FOLLOWED: usize = 32;

/// The runs of both forms.
pub(super) fn runs(bytes: &[u8], blocks: &Blocks, found: &mut Vec<EncodedRun>) {
    if CALLS.iter().any(|call| call.find_iter(bytes).any(|call| may_join(bytes, &call.range()))) {
        lists(bytes, found);
    }
    if blocks.any(blocks::GROWS) {
        growing(bytes, found);
    }
}

/// True where a list may begin closely behind a call, or end closely before it.
fn may_join(bytes: &[u8], call: &Range<usize>) -> bool {
    let between = |from: usize, to: usize| bytes.get(from..to.min(bytes.len())).unwrap_or(&[]);
    between(call.end, call.start + BEFORE + 1).iter().any(|byte| matches!(byte, b'[' | b'('))
        || between(call.end.saturating_sub(BEHIND + 1), call.start).iter().any(|byte| matches!(byte, b']' | b')'))
}

fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn lists(bytes: &[u8], found: &mut Vec<EncodedRun>) {
    for list in LIST.find_iter(bytes) {
        let before = bytes.get(list.start().saturating_sub(BEFORE)..list.start()).unwrap_or(&[]);
        let after = bytes.get(list.end()..(list.end() + BEHIND).min(bytes.len())).unwrap_or(&[]);
        // A list of words is data; only one that is joined hides text.
        if !holds(before, b"join") && !holds(after, b"join") && !holds(before, b"concat") {
            continue;
        }
        // `' '.join(…)` and `.join(" ")` put something between the pieces.
        let spaced = before.ends_with(b"\" \".join")
            || before.ends_with(b"' '.join")
            || holds(after, b"(\" \"")
            || holds(after, b"(' '");
        let between: &[u8] = if spaced { b" " } else { b"" };
        let pieces: Vec<&[u8]> = PIECE
            .captures_iter(list.as_bytes())
            .filter_map(|piece| piece.get(1).or_else(|| piece.get(2)))
            .map(|piece| piece.as_bytes())
            .collect();
        push(found, list.range(), &pieces.join(between));
    }
}

/// The range of a variable, its text so far, and the number of pieces that were added.
type Grown = (Range<usize>, Vec<u8>, usize);

fn growing(bytes: &[u8], found: &mut Vec<EncodedRun>) {
    let mut grown: BTreeMap<&[u8], Grown> = BTreeMap::new();
    let mut at = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let here = at;
        at += line.len() + 1;
        // A piece has 400 bytes at most: a much longer line is none.
        if line.len() > 600 || !line.contains(&b'=') {
            continue;
        }
        let Some(found) = GROWS.captures(line) else { continue };
        let (Some(name), Some(piece)) = (found.get(1), found.get(3).or_else(|| found.get(4))) else { continue };
        if found.get(2).is_none() {
            // Text that assigns to thousands of names must not make a map of them.
            if grown.len() < FOLLOWED || grown.contains_key(name.as_bytes()) {
                let range = here..here + line.len();
                grown.entry(name.as_bytes()).or_insert_with(|| (range, piece.as_bytes().to_vec(), 0));
            }
        } else if let Some((range, text, pieces)) = grown.get_mut(name.as_bytes()) {
            text.extend_from_slice(piece.as_bytes());
            range.end = here + line.len();
            *pieces += 1;
        }
    }
    for (range, text, pieces) in grown.into_values() {
        // A variable that never grew is an ordinary literal, which is read as it stands.
        if pieces > 0 {
            push(found, range, &text);
        }
    }
}

fn push(found: &mut Vec<EncodedRun>, span: Range<usize>, joined: &[u8]) {
    let text = Some(String::from_utf8_lossy(joined).into_owned()).filter(|text| is_text(text));
    found.push(EncodedRun { span, encoding: Encoding::Split, text });
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_joined_list_is_overlooked(
            text in "(\\[\"a\", 'bcd'\\]|\\('curl', \"-s\",\\)|\\.?join|concat|[a-z.(\\[\\]) =]{0,12}){0,7}"
        ) {
            let bytes = text.as_bytes();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            runs(bytes, &Blocks::of(bytes), &mut found);
            lists(bytes, &mut expected);
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
