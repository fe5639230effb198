//! Hidden and deceptive Unicode: what is invisible, what changes direction, what looks like something else.
//!
//! Tells emoji sequences, joiners of scripts that need them and right-to-left text apart from hiding. No rules here.
//! Sources: UTS #39 confusables (crate `unicode-security`), UTS #51 emoji sequences, the Unicode tag block.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

use super::bytes::{WORD, each_of, first, places};

#[cfg(test)]
mod tests;

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
    /// How many characters.
    pub count: usize,
    /// Their kind.
    pub kind: HiddenKind,
    /// What they spell, for tags, variation selectors and zero-width bits that spell text; else empty.
    pub payload: String,
}

/// The hidden characters of a text, in order; what a script, an emoji or right-to-left text needs is left out.
pub fn hidden(text: &str) -> Vec<Hidden> {
    let mut found: Vec<Hidden> = Vec::new();
    let mut end = 0;
    let mut right_to_left = RightToLeft::new(text);
    for (offset, letter) in suspects(text) {
        let Some(kind) = kind_of(letter) else { continue };
        if is_allowed(text, offset, letter, kind, &mut right_to_left) {
            continue;
        }
        match found.last_mut() {
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

/// Whether bytes are printable ASCII, blanks and line ends alone. Looks at every byte, so that many are looked at at once.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, 9 | 10 | 13 | 32..=126))
}

/// The shortest run of zero-width characters that may carry bits: two letters.
const BITS_LEAST: usize = 16;

/// What two zero-width characters spell as bits, eight to a letter, a third one between letters left out; none where it
/// is no text.
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
    kinds.sort_by(|a, b| b.cmp(a));
    let [(_, one), (_, other), ..] = kinds.as_slice() else { return None };
    let bits: Vec<bool> =
        letters.iter().filter(|letter| *letter == one || *letter == other).map(|letter| letter == one).collect();
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

fn is_allowed(text: &str, offset: usize, letter: char, kind: HiddenKind, near: &mut RightToLeft<'_>) -> bool {
    let before = || text.get(..offset).and_then(|left| left.chars().next_back());
    let after = || text.get(offset + letter.len_utf8()..).and_then(|right| right.chars().next());
    match kind {
        HiddenKind::Tag => is_flag(text, offset),
        HiddenKind::ZeroWidth => match letter {
            '\u{FEFF}' => offset == 0,
            '\u{200C}' | '\u{200D}' => {
                before().is_some_and(joins) && after().is_some_and(|next| joins(next) || next.is_whitespace())
                    || (letter == '\u{200D}' && before().is_some_and(is_emoji) && after().is_some_and(is_emoji))
            }
            _ => false,
        },
        HiddenKind::Mark => before().is_some_and(is_right_to_left) || after().is_some_and(is_right_to_left),
        // Isolates and embeddings then serve display.
        HiddenKind::Bidi => near.stands_near(offset),
        HiddenKind::Selector => before().is_some_and(|base| match letter {
            '\u{FE00}'..='\u{FE0F}' => !base.is_ascii_alphabetic() && kind_of(base).is_none() && !base.is_whitespace(),
            _ => matches!(base.script(), Script::Han | Script::Hiragana | Script::Katakana),
        }),
        HiddenKind::Filler => before().is_some_and(|base| base.script() == Script::Hangul),
        HiddenKind::Control => matches!(letter, '\u{C}') && before().is_none_or(char::is_whitespace),
    }
}

/// A regional flag: a black flag, at most six tags, a cancel tag. Anything longer is a message.
fn is_flag(text: &str, offset: usize) -> bool {
    let is_tag = |letter: &char| ('\u{E0020}'..='\u{E007F}').contains(letter);
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

/// Where right-to-left letters stand, asked at offsets that only grow: all asking together looks at a text once.
struct RightToLeft<'a> {
    text: &'a str,
    /// The last such letter before what was asked for last.
    before: Option<usize>,
    /// The first such letter from there on.
    next: Option<usize>,
    /// Up to where the text was looked at.
    seen: usize,
}

impl<'a> RightToLeft<'a> {
    /// So many characters are a few words.
    const NEAR: usize = 40;

    const fn new(text: &'a str) -> Self {
        Self { text, before: None, next: None, seen: 0 }
    }

    /// Whether right-to-left letters stand within a few words of an offset.
    fn stands_near(&mut self, offset: usize) -> bool {
        while self.seen < self.text.len() && self.next.is_none_or(|next| next < offset) {
            self.before = self.next.or(self.before);
            let rest = self.text.get(self.seen..).unwrap_or("");
            self.next = beyond_ascii(rest).find(|(_, letter)| is_right_to_left(*letter)).map(|(at, _)| self.seen + at);
            self.seen = self.next.map_or(self.text.len(), |next| self.text.ceil_char_boundary(next + 1));
        }
        let within = |from: usize, to: usize, most: usize| {
            to - from <= most * char::MAX_LEN_UTF8
                && self.text.get(from..to).is_some_and(|between| between.chars().count() <= most)
        };
        self.before.is_some_and(|before| within(before, offset, Self::NEAR))
            || self.next.is_some_and(|next| within(offset, next, Self::NEAR - 1))
    }
}

/// A text with its deceptions undone, and where each part of it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The text: invisible characters removed, look-alike and full-width letters as the ASCII that they imitate.
    pub text: String,
    /// Pairs of (offset here, offset there) from which both texts run alike, sorted.
    steps: Vec<(usize, usize)>,
}

impl Folded {
    /// The offset in the original text of the byte at `offset` here.
    pub fn origin(&self, offset: usize) -> usize {
        let step = self.steps.partition_point(|(here, _)| *here <= offset).checked_sub(1);
        let (here, there) = step.and_then(|step| self.steps.get(step)).copied().unwrap_or((0, 0));
        there + (offset - here)
    }

    /// Takes over a stretch of the original text as it is.
    fn keep(&mut self, text: &str, start: usize, end: usize) {
        if start < end {
            self.mark(start);
            self.text.push_str(text.get(start..end).unwrap_or_default());
        }
    }

    /// Notes that what is pushed next comes from `origin`; nothing is stored while both texts run alike.
    pub(crate) fn mark(&mut self, origin: usize) {
        let here = self.text.len();
        let (last, there) = self.steps.last().copied().unwrap_or((0, 0));
        if there + (here - last) != origin {
            self.steps.push((here, origin));
        }
    }
}

/// The text with its deceptions undone; `None` where there is nothing to undo, which costs one walk.
pub fn fold(text: &str) -> Option<Folded> {
    let may_change =
        |letter: char| kind_of(letter).is_some() || letter.is_alphabetic() || is_compatibility_form(letter);
    let bytes = text.as_bytes();
    if first(bytes, |byte| byte < 9).is_none() && !beyond_ascii(text).any(|(_, letter)| may_change(letter)) {
        return None;
    }
    let mut folded = Folded { text: String::with_capacity(text.len()), steps: Vec::new() };
    let mut changed = false;
    let mut at = 0;
    while let Some((start, end)) = strange_word(bytes, at) {
        folded.keep(text, at, start);
        changed |= fold_word(text.get(start..end).unwrap_or_default(), start, &mut folded);
        at = end;
    }
    folded.keep(text, at, text.len());
    changed.then_some(folded)
}

/// Whether folding a text changed more than the look of its signs: a selector between a picture, or the frame of a key,
/// and a blank or mark hides nothing. Behind a letter or a quotation mark it does: it parts a word that reads as one.
pub fn deceives(text: &str, folded: &Folded) -> bool {
    let (mut left, mut right) = (text, folded.text.as_str());
    let mut before = None;
    let is_picture = |sign: char| is_emoji(sign) && kind_of(sign).is_none();
    loop {
        let (alike, behind) = left.split_at(alike(left, right));
        right = right.get(alike.len()..).unwrap_or("");
        before = alike.chars().next_back().or(before);
        let mut letters = behind.chars();
        let Some(letter) = letters.next() else { return false };
        left = letters.as_str();
        let next = letters.next();
        let is_shown = before.is_some_and(is_picture) && !next.is_some_and(char::is_alphanumeric);
        if letter != EMOJI || !is_shown && next != Some(KEY) {
            return true;
        }
        before = Some(letter);
    }
}

/// How many bytes of whole letters two texts begin with alike.
fn alike(left: &str, right: &str) -> usize {
    let chunks = left.as_bytes().chunks(CHUNK).zip(right.as_bytes().chunks(CHUNK));
    let whole = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left.bytes().zip(right.bytes()).skip(whole);
    left.floor_char_boundary(whole + rest.take_while(|(left, right)| left == right).count())
}

/// Shows the sign before it as a picture.
const EMOJI: char = '\u{FE0F}';
/// The frame around a digit that is shown as a key.
const KEY: char = '\u{20E3}';

/// The next word from an offset on, with the blank behind it, in which something other than plain ASCII stands.
fn strange_word(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(from..)?;
    let strange = first(rest, |byte| !(9..0x80).contains(&byte))?;
    let (before, behind) = rest.split_at_checked(strange)?;
    let start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
    let end = behind.iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |blank| strange + blank + 1);
    Some((from + start, from + end))
}

/// Folds one word. Look-alike letters of other scripts are replaced only where the word would else mix scripts or is
/// ASCII altogether once replaced: a Russian word stays what it is.
fn fold_word(word: &str, start: usize, folded: &mut Folded) -> bool {
    let imitates = word.chars().all(|letter| ascii_of(letter).is_some() || kind_of(letter).is_some())
        || (word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.chars().any(is_look_alike));
    let keep = |folded: &mut Folded, from: usize, to: usize| {
        if from < to {
            folded.mark(start + from);
            folded.text.push_str(word.get(from..to).unwrap_or_default());
        }
    };
    let mut at = 0;
    for (offset, letter) in word.char_indices() {
        if letter.is_ascii_graphic() || letter.is_ascii_whitespace() {
            continue;
        }
        let is_hidden = kind_of(letter).is_some();
        let imitated = (!is_hidden && (imitates || is_compatibility_form(letter))).then(|| ascii_of(letter)).flatten();
        if !is_hidden && imitated.is_none() {
            continue;
        }
        keep(folded, at, offset);
        if let Some(ascii) = imitated {
            folded.mark(start + offset);
            folded.text.push(ascii);
        }
        at = offset + letter.len_utf8();
    }
    keep(folded, at, word.len());
    at > 0
}

fn is_look_alike(letter: char) -> bool {
    // The script is looked up in a table.
    !letter.is_ascii()
        && matches!(letter.script(), Script::Cyrillic | Script::Greek | Script::Armenian | Script::Cherokee)
        && ascii_of(letter).is_some()
}

/// Full-width and mathematical forms of ASCII.
fn is_compatibility_form(letter: char) -> bool {
    matches!(letter, '\u{FF01}'..='\u{FF5E}' | '\u{1D400}'..='\u{1D7FF}' | '\u{2460}'..='\u{24FF}' | '\u{1F130}'..='\u{1F189}')
}

/// The one ASCII letter, digit or mark that a character imitates.
fn ascii_of(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return Some(letter);
    }
    if !letter.is_alphabetic() && !is_compatibility_form(letter) {
        return None;
    }
    only(std::iter::once(letter).nfkc()).or_else(|| only(skeleton(letter.encode_utf8(&mut [0; 4]))))
}

/// The only letter of some, where it is a letter, digit or mark of ASCII.
fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|first| first.is_ascii_graphic() && letters.next().is_none())
}
