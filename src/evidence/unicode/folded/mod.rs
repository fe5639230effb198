//! Texts with their deceptions undone: invisible characters removed, imitated letters as the ASCII that they imitate.
//!
//! Sources: as the module above.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

use super::super::bytes::first;
use super::{CHUNK, beyond_ascii, is_emoji, kind_of};

#[cfg(test)]
mod tests;

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
    pub fn mark(&mut self, origin: usize) {
        let here = self.text.len();
        let (last, there) = self.steps.last().copied().unwrap_or((0, 0));
        // Equal distances need no step of their own, so that plain stretches cost nothing.
        if there + (here - last) != origin {
            self.steps.push((here, origin));
        }
    }

    /// Adds another text behind this one, with its ways back.
    pub fn append(&mut self, other: &Self) {
        let here = self.text.len();
        self.mark(other.origin(0));
        self.steps.extend(other.steps.iter().filter(|(at, _)| *at > 0).map(|(at, origin)| (here + at, *origin)));
        self.text.push_str(&other.text);
    }
}

/// The text with its deceptions undone; `None` where there is nothing to undo, which costs one walk.
pub fn fold(text: &str) -> Option<Folded> {
    let may_change =
        |letter: char| kind_of(letter).is_some() || letter.is_alphabetic() || is_compatibility_form(letter);
    let bytes = text.as_bytes();
    // One cheap walk answers for nearly all texts.
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

/// True where folding a text changed more than the look of its signs. A selector between a picture, or the frame of a
/// key, and a blank or mark hides nothing. Behind a letter or a quotation mark it does: it parts a word that reads as
/// one.
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
        // Behind a picture the selector is ordinary spelling, unless a word goes on.
        let is_shown = before.is_some_and(is_picture) && !next.is_some_and(char::is_alphanumeric);
        if letter != EMOJI || !is_shown && next != Some(KEY) {
            return true;
        }
        before = Some(letter);
    }
}

/// The number of bytes of whole letters that two texts begin with alike.
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
    // Whole words, because one letter alone does not show whether scripts are mixed.
    let start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
    let end = behind.iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |blank| strange + blank + 1);
    Some((from + start, from + end))
}

/// Folds one word. Look-alike letters are replaced only where the word would else mix scripts, or is ASCII altogether
/// once replaced: a Russian word stays what it is.
fn fold_word(word: &str, start: usize, folded: &mut Folded) -> bool {
    // A word of look-alikes alone, or one that mixes them with ASCII, was made to be misread.
    let imitates = word.chars().all(|letter| ascii_of(letter).is_some() || kind_of(letter).is_some())
        || (word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.chars().any(is_confusable));
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
        // Full-width and mathematical forms stand for one letter each, whatever word is around them.
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

fn is_confusable(letter: char) -> bool {
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
    // Compatibility first: it is exact where the table of look-alikes only resembles.
    only(std::iter::once(letter).nfkc()).or_else(|| only(skeleton(letter.encode_utf8(&mut [0; 4]))))
}

/// The only letter of some, where it is a letter, digit or mark of ASCII.
fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|first| first.is_ascii_graphic() && letters.next().is_none())
}
