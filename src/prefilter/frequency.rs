//! The expected frequency of a literal in a text: a rough model of English, Markdown and source.
//!
//! It only tells which literals are worth looking for; what is found does not depend on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::literal::LONGEST;

/// The words that most texts are full of: pieces of them are far more common than their letters.
const COMMON_WORDS: &str = "
    the and for with that this you your are from not use can will all any each when then than into have
    has which should must also only more other what make before after every always never first user
    users using used file files code data project test tests name path type string value values function
    class return import export const true false null none default config configuration error errors
    message output input result results command commands run create add set get list read write update
    check change changes build install example examples description information content context document
    documentation page server service client api app application system process step section number
    version model agent skill tool tools required specific following implementation https based
";

/// The least frequency of a piece of a common word, in a million bytes.
const PIECE: f64 = 400.0;

/// The expected number of a lower-case literal in a million bytes, with so many edges of words beside it.
pub(crate) fn of(literal: &[u8], edges: usize) -> f64 {
    // As if bytes were independent: too low for words, which the lists below make up for.
    let by_letters = literal.iter().fold(1e6, |all, byte| all * of_byte(*byte));
    let by_letters = (0..edges).fold(by_letters, |all, _| all * AT_EDGE);
    let known = MOST_COMMON.iter().find(|(common, _)| *common == literal).map(|(_, times)| *times);
    by_letters.max(known.or_else(|| Some(f64::from(*PIECES.get(literal)?) * PIECE)).unwrap_or(0.0))
}

/// The counts of the commonest pieces in a million bytes of skills.
const MOST_COMMON: [(&[u8], f64); 8] = [
    (b"the", 3400.0),
    (b"for", 2400.0),
    (b"use", 2000.0),
    // Of two letters words alone are looked for, and these stand in every text.
    (b"to", 5000.0),
    (b"in", 5000.0),
    (b"or", 5000.0),
    (b"of", 5000.0),
    (b"if", 5000.0),
];

/// The share of letters, picked at random, of which a word begins or ends with one.
const AT_EDGE: f64 = 0.35;

/// Every piece of three letters or more of a common word, and in how many of them it stands.
static PIECES: LazyLock<BTreeMap<&[u8], u32>> = LazyLock::new(|| {
    let mut pieces = BTreeMap::new();
    for word in COMMON_WORDS.split_whitespace().map(str::as_bytes) {
        let lengths = 3..=word.len().min(LONGEST);
        let own: BTreeSet<&[u8]> = lengths.flat_map(|length| word.windows(length)).collect();
        own.into_iter().for_each(|piece| *pieces.entry(piece).or_default() += 1);
    }
    pieces
});

/// The share of a byte, in lower case.
pub(crate) fn of_byte(byte: u8) -> f64 {
    match byte {
        // Words come in habitual rows: that a blank stands between two letters tells next to nothing.
        b' ' => 0.5,
        b'e' => 0.09,
        b't' => 0.065,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 0.055,
        b'l' | b'd' | b'c' | b'h' => 0.03,
        b'u' | b'm' | b'p' => 0.022,
        b'g' | b'f' | b'y' | b'w' | b'b' | b'-' | b'`' | b'.' | b'*' => 0.013,
        b'v' | b'k' | b'/' | b',' | b':' | b'"' | b'_' | b'|' => 0.008,
        b'0'..=b'9' | b'(' | b')' | b'#' | b'\'' | b'=' | b'<' | b'>' | b'{' | b'}' | b'x' | b'j' => 0.004,
        _ => 0.001,
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn rare_letters_and_rare_words_are_rarer() {
        assert!(of(b"file", 0) > of(b"wget", 0));
        assert!(of(b"to", 0) > of(b"0x", 0));
        assert!(of(b"send", 0) > of(b"transmit", 0));
        assert!(of(b"config", 0) > of(b"exfilt", 0));
        assert!(of(b"wget", 0) > of(b"wget", 1));
    }
}
