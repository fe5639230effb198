//! Hidden and deceptive Unicode: what is invisible, what changes direction, what looks like something else.
//!
//! Tells emoji sequences, joiners of scripts that need them and right-to-left text apart from hiding. No rules here.
//! Sources: UTS #39 confusables (crate `unicode-security`), UTS #51 emoji sequences, the Unicode tag block.

use unicode_script::{Script, UnicodeScript};

use super::bytes::{WORD, each_of, places};

mod folded;
#[cfg(test)]
mod tests;

pub use folded::{Folded, deceives, fold};

/// A class of characters that a reader does not see, or sees in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenKind {
    /// U+E0000 to U+E007F: an invisible copy of ASCII.
    Tag,
    /// Overrides and isolates that change the order in which text is shown.
    Bidi,
    /// Zero-width characters, word joiners, soft hyphens, stray byte-order marks, invisible operators.
    ZeroWidth,
    /// Direction marks away from right-to-left text.
    Mark,
    /// Letters that are drawn as nothing (Hangul fillers).
    Filler,
    /// Variation selectors that select nothing.
    Selector,
    /// Control characters other than tab and line ends.
    Control,
}

/// A run of hidden characters of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The byte offset of the first.
    pub offset: usize,
    /// The number of characters.
    pub count: usize,
    /// Their kind.
    pub kind: HiddenKind,
    /// The text that they spell, for tags, variation selectors and zero-width bits that spell text; else empty.
    pub payload: String,
}

/// The hidden characters of a text, in order; what a script, an emoji or right-to-left text needs is left out.
pub fn hidden(text: &str) -> Vec<Hidden> {
    let mut found: Vec<Hidden> = Vec::new();
    let mut end = 0;
    let mut near_right_to_left = near_right_to_left(text);
    for (offset, letter) in suspects(text) {
        let Some(kind) = kind_of(letter) else { continue };
        if is_allowed(text, offset, letter, kind, &mut near_right_to_left) {
            continue;
        }
        match found.last_mut() {
            // Runs and not characters: a hidden message is one find.
            Some(last) if last.kind == kind && end == offset => {
                last.count += 1;
                push_payload(&mut last.payload, letter);
            }
            _ => {
                let mut payload = String::new();
                push_payload(&mut payload, letter);
                found.push(Hidden { offset, count: 1, kind, payload });
            }
        }
        end = offset + letter.len_utf8();
    }
    for run in &mut found {
        if run.kind == HiddenKind::ZeroWidth && run.count >= BITS_LEAST {
            let letters = text.get(run.offset..).unwrap_or("").chars().take(run.count);
            run.payload = bits_of(&letters.collect::<Vec<char>>()).unwrap_or_default();
        }
        // Two characters spell by chance, and control characters are no message.
        if run.payload.chars().any(|letter| letter.is_control() && letter != '\n') || run.count < 3 {
            run.payload.clear();
        }
    }
    found
}

/// The characters of a text that are not ASCII, with their offsets: few in most texts.
pub fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let plain = rest.chunks(CHUNK).take_while(|chunk| chunk.is_ascii()).count() * CHUNK;
        at += plain + rest.get(plain..)?.iter().position(|byte| !byte.is_ascii())?;
        let letter = text.get(at..)?.chars().next()?;
        let offset = at;
        at += letter.len_utf8();
        Some((offset, letter))
    })
}

/// So many bytes are looked at together.
const CHUNK: usize = 64;

/// True where bytes are printable ASCII, blanks and line ends alone. Looks at every byte, so that many are looked at at
/// once.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, 9 | 10 | 13 | 32..=126))
}

/// The shortest run of zero-width characters that may carry bits: two letters.
const BITS_LEAST: usize = 16;

/// The text that two zero-width characters spell as bits, eight to a letter; none where it is no text. A third one
/// between letters is left out.
fn bits_of(letters: &[char]) -> Option<String> {
    let mut kinds: Vec<(usize, char)> = Vec::new();
    for letter in letters {
        if let Some((count, _)) = kinds.iter_mut().find(|(_, kind)| kind == letter) {
            *count += 1;
        } else if kinds.len() < 4 {
            kinds.push((1, *letter));
        } else {
            return None;
        }
    }
    // The two most frequent carry the bits; the rest part letters.
    kinds.sort_by(|a, b| b.cmp(a));
    let [(_, one), (_, other), ..] = kinds.as_slice() else { return None };
    let bits: Vec<bool> =
        letters.iter().filter(|letter| *letter == one || *letter == other).map(|letter| letter == one).collect();
    // Nobody tells which of the two is the one, so both are tried.
    [true, false].into_iter().find_map(|set| {
        let bytes =
            bits.chunks_exact(8).map(|eight| eight.iter().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit == set)));
        let text: String = bytes.map(char::from).collect();
        let is_text = text.len() >= 2 && text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n'));
        is_text.then_some(text)
    })
}

/// The characters worth a look, with their offsets: asks many bytes at once, so that ASCII costs next to nothing.
fn suspects(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let is_suspect = |byte: u8| {
        (byte < 32) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
            | (byte == 127)
            | (byte == 0xC2)
            | (byte == 0xD8)
            | ((0xE1..=0xE3).contains(&byte))
            | (byte == 0xEF)
            | (byte == 0xF3)
    };
    let (chunks, rest) = text.as_bytes().as_chunks();
    // The rest is filled up with blanks, which are no suspects.
    let mut last = [b' '; WORD];
    last.iter_mut().zip(rest).for_each(|(own, byte)| *own = *byte);
    let chunks = chunks.iter().copied().chain([last]).zip((0..).step_by(WORD)).filter(|(chunk, _)| !is_plain(chunk));
    let offsets = chunks.flat_map(move |(chunk, from)| each_of(places(&chunk, is_suspect)).map(move |at| from + at));
    offsets.filter_map(|offset| text.get(offset..)?.chars().next().map(|letter| (offset, letter)))
}

fn kind_of(letter: char) -> Option<HiddenKind> {
    match letter {
        '\u{E0000}'..='\u{E007F}' => Some(HiddenKind::Tag),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(HiddenKind::Bidi),
        '\u{200B}'..='\u{200D}'
        | '\u{2060}'..='\u{2064}'
        | '\u{206A}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{AD}'
        | '\u{180E}'
        | '\u{FFF9}'..='\u{FFFB}' => Some(HiddenKind::ZeroWidth),
        '\u{200E}' | '\u{200F}' | '\u{61C}' => Some(HiddenKind::Mark),
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => Some(HiddenKind::Filler),
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Some(HiddenKind::Selector),
        '\t' | '\n' | '\r' => None,
        letter if letter.is_control() => Some(HiddenKind::Control),
        _ => None,
    }
}

/// Tags carry ASCII in their low byte; variation selectors are numbered 0 to 255, and each stands for a byte.
fn push_payload(payload: &mut String, letter: char) {
    let code = u32::from(letter);
    let byte = match letter {
        '\u{E0000}'..='\u{E007F}' => code - 0xE0000,
        '\u{E0100}'..='\u{E01EF}' => code - 0xE0100 + 16,
        '\u{FE00}'..='\u{FE0F}' => code - 0xFE00,
        _ => return,
    };
    // U+E0001 and U+E007F only open and close a run.
    if !matches!(byte, 0 | 1 | 0x7F) {
        payload.extend(char::from_u32(byte));
    }
}

fn is_allowed(
    text: &str,
    offset: usize,
    letter: char,
    kind: HiddenKind,
    near_right_to_left: &mut impl FnMut(usize) -> bool,
) -> bool {
    let before = || text.get(..offset).and_then(|left| left.chars().next_back());
    let after = || text.get(offset + letter.len_utf8()..).and_then(|right| right.chars().next());
    match kind {
        HiddenKind::Tag => is_flag(text, offset),
        HiddenKind::ZeroWidth => match letter {
            // At the beginning it is a byte order mark; anywhere else it hides.
            '\u{FEFF}' => offset == 0,
            '\u{200C}' | '\u{200D}' => {
                before().is_some_and(joins) && after().is_some_and(|next| joins(next) || next.is_whitespace())
                    || (letter == '\u{200D}' && before().is_some_and(is_emoji) && after().is_some_and(is_emoji))
            }
            _ => false,
        },
        HiddenKind::Mark => before().is_some_and(is_right_to_left) || after().is_some_and(is_right_to_left),
        // Isolates serve display beside Arabic or Hebrew, and reorder code anywhere else.
        HiddenKind::Bidi => near_right_to_left(offset),
        HiddenKind::Selector => before().is_some_and(|base| match letter {
            '\u{FE00}'..='\u{FE0F}' => !base.is_ascii_alphabetic() && kind_of(base).is_none() && !base.is_whitespace(),
            _ => matches!(base.script(), Script::Han | Script::Hiragana | Script::Katakana),
        }),
        HiddenKind::Filler => before().is_some_and(|base| base.script() == Script::Hangul),
        // A form feed between pages is old custom in source.
        HiddenKind::Control => matches!(letter, '\u{C}') && before().is_none_or(char::is_whitespace),
    }
}

/// A regional flag: a black flag, at most six tags, a cancel tag. Anything longer is a message.
fn is_flag(text: &str, offset: usize) -> bool {
    let is_tag = |letter: &char| ('\u{E0020}'..='\u{E007F}').contains(letter);
    // Seven at most: a longer run of tags is no flag, and is not walked.
    let left: Vec<char> = text.get(..offset).unwrap_or("").chars().rev().take(7).take_while(is_tag).collect();
    let right = text.get(offset..).unwrap_or("").chars().take(8).take_while(is_tag).count();
    let back: usize = left.iter().map(|letter| letter.len_utf8()).sum();
    let base = text.get(..offset - back).and_then(|before| before.chars().next_back());
    base == Some('\u{1F3F4}') && left.len() + right <= 7
}

/// Scripts that join letters, where joiners are ordinary spelling.
fn joins(letter: char) -> bool {
    matches!(
        letter.script(),
        Script::Arabic
            | Script::Syriac
            | Script::Mongolian
            | Script::Nko
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
            | Script::Thai
            | Script::Tibetan
            | Script::Inherited
    ) && !matches!(letter, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_emoji(letter: char) -> bool {
    matches!(letter, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{3030}' | '\u{303D}')
}

fn is_right_to_left(letter: char) -> bool {
    // The script is looked up in a table, and this is asked of every letter: between Arabic and its presentation forms
    // stand the scripts and signs of everyone else.
    !matches!(letter, ..'\u{590}' | '\u{900}'..'\u{FB1D}')
        && matches!(
            letter.script(),
            Script::Arabic | Script::Hebrew | Script::Syriac | Script::Thaana | Script::Nko | Script::Adlam
        )
}

/// So many characters are a few words.
const NEAR: usize = 40;

/// Tells of an offset whether right-to-left letters stand within a few words: then isolates and embeddings serve
/// display. To be asked at offsets that only grow: all asking together looks at a text once.
fn near_right_to_left(text: &str) -> impl FnMut(usize) -> bool {
    let letters = beyond_ascii(text).filter(|(_, letter)| is_right_to_left(*letter));
    let mut letters = letters.map(|(at, _)| at).peekable();
    let mut before = None;
    let within = move |from: usize, to: usize, most: usize| {
        // Bytes first, so that letters are counted over short stretches alone.
        to - from <= most * char::MAX_LEN_UTF8
            && text.get(from..to).is_some_and(|between| between.chars().count() <= most)
    };
    move |offset| {
        while let Some(at) = letters.next_if(|at| *at < offset) {
            before = Some(at);
        }
        before.is_some_and(|before| within(before, offset, NEAR))
            || letters.peek().is_some_and(|next| within(offset, *next, NEAR - 1))
    }
}
