//! The look of names: what a reader takes a name for, whatever letters of whatever script it is written in.
//!
//! Sources: UTS #39 confusables (crate `unicode-security`), and letters that it keeps apart because it compares capitals.
//! A name is read by itself, whatever other names exist.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_security::MixedScript;
use unicode_security::confusable_detection::skeleton;

/// Small letters that are drawn like Latin ones in a line of text and have other prototypes in UTS #39.
const DRAWN_ALIKE: [(char, &str); 23] = [
    ('ı', "i"),
    ('ĸ', "k"),
    ('ɑ', "a"),
    ('ɡ', "g"),
    ('ɩ', "i"),
    ('ʀ', "r"),
    ('α', "a"),
    ('β', "b"),
    ('η', "n"),
    ('ι', "i"),
    ('κ', "k"),
    ('ν', "v"),
    ('τ', "t"),
    ('υ', "u"),
    ('χ', "x"),
    ('в', "b"),
    ('к', "k"),
    ('м', "m"),
    ('н', "h"),
    ('п', "n"),
    ('т', "t"),
    ('ь', "b"),
    ('ѵ', "v"),
];

/// Letters and pairs of letters that are drawn like others within ASCII, longest first.
const IN_ASCII: [(&str, &str); 10] = [
    ("rn", "m"),
    ("vv", "w"),
    ("0", "o"),
    ("1", "l"),
    ("3", "e"),
    ("4", "a"),
    ("5", "s"),
    ("7", "t"),
    ("8", "b"),
    ("9", "g"),
];

/// Spellings that sound like a digit or like another spelling, longest first. One form is what all are read as, so that
/// nothing is read twice.
const SAID_ALIKE: [(&str, &str); 20] = [
    ("wright", "rite"),
    ("eight", "8"),
    ("three", "3"),
    ("write", "rite"),
    ("seven", "7"),
    ("four", "4"),
    ("fore", "4"),
    ("five", "5"),
    ("nine", "9"),
    ("ight", "ite"),
    ("zero", "0"),
    ("one", "1"),
    ("won", "1"),
    ("too", "2"),
    ("two", "2"),
    ("six", "6"),
    ("for", "4"),
    ("ate", "8"),
    ("ph", "f"),
    ("to", "2"),
];

/// A name in small letters of ASCII as far as each letter has one that it is drawn like. Letters that are not drawn at
/// all are left out.
pub(super) fn latin(text: &str) -> String {
    if text.is_ascii() {
        // Most names are ASCII: no tables are asked.
        return if text.contains('I') { with_small_l(text).to_ascii_lowercase() } else { text.to_ascii_lowercase() };
    }
    let mut latin = String::with_capacity(text.len());
    // Full-width and other compatible forms fold first, so that the tables need no entry for each of them.
    for letter in with_small_l(text).nfkc().flat_map(char::to_lowercase) {
        if letter.is_ascii() {
            latin.push(letter);
        } else if !is_undrawn(letter) {
            push_latin(letter, &mut latin);
        }
    }
    latin
}

/// A capital i that ends a word of small letters is read as an l.
fn with_small_l(text: &str) -> String {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    let mut read = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        // Inside of a word a capital i stands out; at its end it passes for an l.
        let ends_word = letters.peek().is_none_or(|next| !next.is_alphanumeric());
        let is_l = letter == 'I' && before.is_lowercase() && ends_word;
        read.push(if is_l { 'l' } else { letter });
        before = letter;
    }
    read
}

fn push_latin(letter: char, latin: &mut String) {
    if let Some((_, alike)) = DRAWN_ALIKE.iter().find(|(of, _)| *of == letter) {
        return latin.push_str(alike);
    }
    // Without accents first: they are what a quick reader passes over.
    let base: String = std::iter::once(letter).nfd().filter(|letter| !is_accent(*letter)).collect();
    for drawn in skeleton(&base).flat_map(char::to_lowercase) {
        // A prototype of UTS #39 may itself be drawn like a Latin letter.
        match DRAWN_ALIKE.iter().find(|(of, _)| *of == drawn) {
            Some((_, alike)) => latin.push_str(alike),
            None => latin.push(drawn),
        }
    }
}

/// True for a character that leaves no trace where it is shown.
fn is_undrawn(letter: char) -> bool {
    matches!(u32::from(letter), 0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
        | 0xE0000..=0xE0FFF)
}

const fn is_accent(letter: char) -> bool {
    matches!(letter as u32, 0x300..=0x36F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF)
}

/// The look of a name in small Latin letters at a glance: `0` as `o`, `rn` as `m`.
pub(super) fn shape(latin: &str) -> Cow<'_, str> {
    static BY_FIRST: [u32; 128] = by_first(&IN_ASCII);
    replaced(latin, &IN_ASCII, &BY_FIRST)
}

/// The sound of a name, words that sound like a digit as the digit and endings in one spelling: `to` as `2`, `ight` as
/// `ite`.
pub(super) fn sound(latin: &str) -> Cow<'_, str> {
    static BY_FIRST: [u32; 128] = by_first(&SAID_ALIKE);
    replaced(latin, &SAID_ALIKE, &BY_FIRST)
}

/// For each letter of ASCII the entries of a table that begin with it, a bit each.
const fn by_first<const COUNT: usize>(table: &[(&str, &str); COUNT]) -> [u32; 128] {
    let (mut bits, mut at) = ([0; 128], 0);
    while at < COUNT {
        bits[table[at].0.as_bytes()[0] as usize] |= 1 << at;
        at += 1;
    }
    bits
}

fn replaced<'a>(text: &'a str, table: &[(&str, &str)], by_first: &[u32; 128]) -> Cow<'a, str> {
    let mut made = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(first) = text.as_bytes().get(at) {
        let mut entries = by_first.get(usize::from(*first)).copied().unwrap_or(0);
        let mut found = None;
        // The tables stand longest first, so that `four` is not read as `for`.
        while entries != 0 && found.is_none() {
            let entry = table.get(entries.trailing_zeros() as usize);
            found = entry.filter(|(from, _)| text.get(at..).is_some_and(|rest| rest.starts_with(from)));
            entries &= entries - 1;
        }
        if let Some((from, to)) = found {
            made.push_str(text.get(copied..at).unwrap_or_default());
            made.push_str(to);
            at += from.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    made.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(made)
}

/// True where letters of several scripts stand in one name where no language writes them together.
pub(super) fn is_mixed(text: &str) -> bool {
    !text.is_ascii() && !text.is_single_script()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_looks() {
        for disguised in
            ["раураl", "ｐａｙｐａｌ", "pay\u{200B}pal", "pаypаl", "PayPaI", "páypal", "\u{202E}paypal", "𝐩𝐚𝐲𝐩𝐚𝐥"]
        {
            assert_eq!(latin(disguised), "paypal", "{disguised:?}");
        }
        assert_eq!(
            (latin("σlаck").as_str(), latin("ѕtrіре").as_str(), latin("οpenαi").as_str()),
            ("olack", "stripe", "openai")
        );
        assert_eq!(
            (latin("getInfo").as_str(), latin("OpenAI").as_str(), latin("日本").as_str()),
            ("getinfo", "openai", "日本")
        );
    }

    #[test]
    fn letters_that_look_or_sound_alike_meet() {
        assert_eq!(
            (shape("1odash"), shape("rnodern"), shape("fl0vv")),
            ("lodash".into(), "modem".into(), "flow".into())
        );
        assert_eq!((sound("go2net"), sound("gotonet")), ("go2net".into(), "go2net".into()));
        assert_eq!((sound("base64"), sound("basesixfour")), (sound("basesix4"), sound("base64")));
        assert_eq!(sound("web4you"), sound("webforyou"));
        assert_eq!((sound("playwright"), sound("grafql")), (sound("playwrite"), sound("graphql")));
    }

    #[test]
    fn mixed_scripts_are_told_from_languages() {
        assert!(is_mixed("pаypal") && !is_mixed("paypal") && !is_mixed("яндекс") && !is_mixed("日本語テスト"));
    }
}
