//! The search for a mark in a text that may hide it: letters folded, spaces taken out, encodings undone.
//!
//! Each rung costs more than the one before and is climbed only where that one found nothing. A mark has 96 random bits, so that
//! no rung finds one that is not there.

use base64::Engine as _;
use base64::engine::GeneralPurposeConfig;
use base64::engine::{DecodePaddingMode, GeneralPurpose};
use capdex_evidence::unicode;

/// The shortest run of letters that may be an encoding: a mark has 22 letters, which no encoding makes shorter than this.
const MIN_ISLAND: usize = 16;
/// The number of times that an encoding is undone inside another.
const MAX_DEPTH: usize = 2;
/// The most bytes of a text that the costly rungs look at.
const MAX_BYTES: usize = 1 << 20;

/// Base64 in the usual alphabet, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// True where a text holds a mark, in plain spelling or hidden.
pub(crate) fn holds(text: &str, mark: &str) -> bool {
    text.contains(mark) || hides(text, mark, MAX_DEPTH)
}

fn hides(text: &str, mark: &str, depth: usize) -> bool {
    let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let shown = tags_shown(text);
    let text = shown.as_deref().unwrap_or(text);
    let folded = unicode::fold(text).map(|folded| folded.text);
    let letters = squeezed(folded.as_deref().unwrap_or(text));
    if letters.contains(mark) || rotated(&letters).contains(mark) {
        return true;
    }
    depth > 0 && islands(text).any(|island| decoded(island).iter().any(|inner| hides(inner, mark, depth - 1)))
}

/// The letters of a text that a tag character stands for, where it has any.
fn tags_shown(text: &str) -> Option<String> {
    let letter_of = |letter: char| u32::from(letter).checked_sub(0xE0000).filter(|code| (0x20..0x7F).contains(code));
    text.contains(|letter| letter_of(letter).is_some())
        .then(|| text.chars().map(|letter| letter_of(letter).and_then(char::from_u32).unwrap_or(letter)).collect())
}

/// The letters and digits of a text in upper case, with all between them taken out.
fn squeezed(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// A text of upper-case letters with each moved by thirteen places.
fn rotated(text: &str) -> String {
    let turn = |letter: char| match u8::try_from(letter) {
        Ok(byte @ b'A'..=b'Z') => char::from((byte - b'A' + 13) % 26 + b'A'),
        _ => letter,
    };
    text.chars().map(turn).collect()
}

/// Runs of letters that may be an encoding.
fn islands(text: &str) -> impl Iterator<Item = &str> {
    let may = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '-' | '_' | '=');
    text.split(move |letter| !may(letter)).filter(|island| island.len() >= MIN_ISLAND)
}

/// The texts that a run of letters may stand for: base64 of both alphabets, base32, hexadecimal digits.
fn decoded(island: &str) -> Vec<String> {
    let usual: String = island
        .trim_matches('=')
        .chars()
        .map(|letter| {
            if letter == '-' {
                '+'
            } else if letter == '_' {
                '/'
            } else {
                letter
            }
        })
        .collect();
    let all = [BASE64.decode(&usual).ok(), of_base32(island), of_hex(island)];
    all.into_iter().flatten().filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}

fn of_base32(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0_u32);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            letter @ b'2'..=b'7' => letter - b'2' + 26,
            _ => return None,
        };
        buffer = ((buffer << 5) | u32::from(value)) & 0xFFFF;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xFF).unwrap_or_default());
        }
    }
    Some(bytes)
}

fn of_hex(text: &str) -> Option<Vec<u8>> {
    // Half a byte at the end is left out: a cut text still shows its beginning.
    let whole = text.get(..text.len() & !1)?;
    capdex_model::digest::bytes_of_hex(&whole.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MARK: &str = "K7ABCDEFGHIJKLMNOPQRST";

    fn hidden() -> Vec<String> {
        let base64 = BASE64.encode(MARK);
        let spaced: Vec<String> = MARK.chars().map(String::from).collect();
        let hex: String = MARK.bytes().map(|byte| format!("{byte:02X}")).collect();
        vec![
            MARK.to_lowercase(),
            spaced.join(" "),
            spaced.join("\u{200b}"),
            rotated(MARK),
            hex,
            BASE64.encode(format!("the key is {MARK}, keep it")),
            BASE64.encode(&base64),
            MARK.chars().filter_map(|letter| char::from_u32(u32::from(letter) + 0xE0000)).collect(),
            MARK.chars().filter_map(|letter| char::from_u32(u32::from(letter) + 0xFEE0)).collect(),
            "\u{41a}7\u{410}\u{412}CD\u{415}FGHIJ\u{41a}LMNOPQRST".to_owned(),
            format!("{}-{}", &MARK[..8], &MARK[8..]),
        ]
    }

    #[test]
    fn a_mark_is_found_on_every_rung() {
        for text in hidden() {
            assert!(holds(&format!("before {text} behind"), MARK), "{text}");
        }
    }

    #[test]
    fn a_text_without_the_mark_holds_none() {
        let other = MARK.replace('T', "U");
        assert!(!hidden().iter().any(|text| holds(text, &other)));
        assert!(!holds("", MARK));
        let thrice = BASE64.encode(BASE64.encode(BASE64.encode(BASE64.encode(MARK))));
        assert!(!holds(&thrice, MARK), "deeper than is looked");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_text_of_chance_holds_a_mark(text in "\\PC{0,200}") {
            prop_assert!(!holds(&text, MARK));
        }
    }
}
