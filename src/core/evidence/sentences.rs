//! Sentences: prose as sentences of words, taken apart once, and the one matcher that rules about wording share.
//!
//! Must not know any rule. Words in quotation marks or code are marked, so that a rule can tell what is said from what
//! is quoted. Every search is bounded by windows of words: the cost is linear in the text.

use std::borrow::Cow;

use super::lexicon::{self, Classes};
use super::unicode;

mod split;
#[cfg(test)]
mod tests;

/// How many words before a word can negate it.
const NEGATION_WINDOW: usize = 3;

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its first byte.
    start: u32,
    /// The byte after its last.
    end: u32,
    /// Whether it stands in quotation marks or in code.
    pub quoted: bool,
    /// The families of words that it belongs to, where it is not quoted or where that does not matter.
    pub classes: Classes,
    /// A number of its first two letters: words with another one are other words.
    key: u8,
}

/// Where a sentence lies: its words, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    words: (u32, u32),
    bytes: (u32, u32),
    /// The families that any of its words outside quotations belongs to.
    classes: Classes,
    /// One bit for the key of each word outside quotations.
    keys: u128,
}

/// A text taken apart: invisible and look-alike letters undone, apostrophes straight, split into sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    plain: String,
    /// The same in lower case, byte for byte at the same place.
    lower: String,
    words: Vec<Word>,
    spans: Vec<Span>,
    classes: Classes,
}

impl Text {
    /// Takes a text apart. Line breaks within a paragraph do not end a sentence; blank lines and bullets do.
    pub fn of(text: &str) -> Self {
        let plain = plain(text);
        let lower = lower(&plain);
        let mut parts = Self { plain, lower, ..Self::default() };
        split::split(&mut parts);
        parts
    }

    /// Its sentences, bullets and headings, in order.
    pub fn sentences(&self) -> impl DoubleEndedIterator<Item = Sentence<'_>> + ExactSizeIterator + Clone {
        self.spans.iter().map(|span| self.sentence(span))
    }

    /// The families that any of its words outside quotations belongs to.
    pub fn classes(&self) -> Classes {
        self.classes
    }

    /// The text as it is read.
    pub fn as_str(&self) -> &str {
        &self.plain
    }

    /// The same in lower case.
    pub fn lower(&self) -> &str {
        &self.lower
    }

    fn sentence(&self, span: &Span) -> Sentence<'_> {
        let words = self.words.get(range(span.words)).unwrap_or_default();
        Sentence { text: self, words, classes: span.classes, keys: span.keys, bytes: span.bytes }
    }

    fn push_word(&mut self, start: usize, end: usize, quoted: bool) {
        let lower = self.lower.get(start..end).unwrap_or_default();
        let (classes, key) = (lexicon::classes_of(lower), key_of_word(lower));
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        let word = Word { start, end, quoted, classes, key };
        self.classes = self.classes.with(said(&word));
        self.words.push(word);
    }

    /// Makes a sentence of the words from one on to the last.
    fn push_sentence(&mut self, first: usize, (start, end): (usize, usize)) {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let words = self.words.get(first..).unwrap_or_default();
        let unquoted = words.iter().filter(|word| !word.quoted);
        let (classes, keys) = unquoted
            .fold((Classes::NONE, 0), |(classes, keys), word| (word.classes.with(classes), keys | 1 << word.key));
        let words = (short(first), short(self.words.len()));
        self.spans.push(Span { words, bytes: (short(start), short(end)), classes, keys });
    }
}

/// A number below 128 of the first two letters of a word; 0 stands for the second of a word of one.
const fn key(first: u8, second: u8) -> u8 {
    ((first as u32).wrapping_mul(0x9e37_79b1) ^ (second as u32).wrapping_mul(0x85eb_ca77)).to_be_bytes()[0] >> 1
}

fn key_of_word(word: &str) -> u8 {
    match word.as_bytes() {
        [] => key(0, 0),
        [one] => key(*one, 0),
        [one, two, ..] => key(*one, *two),
    }
}

/// The key of every word that fits a wanted one; none where they may have several.
const fn key_of_wanted(wanted: &str) -> Option<u8> {
    match wanted.as_bytes() {
        [] | [b'*'] | [_, b'*'] => None,
        [one] => Some(key(*one, 0)),
        [one, two, ..] => Some(key(*one, *two)),
    }
}

/// One bit for the key of every word that fits one of these.
const fn keys_of(words: &[&str]) -> u128 {
    let (mut keys, mut rest) = (0, words);
    while let [first, others @ ..] = rest {
        keys |= match key_of_wanted(first) {
            Some(key) => 1 << key,
            None => u128::MAX,
        };
        rest = others;
    }
    keys
}

fn said(word: &Word) -> Classes {
    if word.quoted { Classes::NONE } else { word.classes }
}

fn range((start, end): (u32, u32)) -> std::ops::Range<usize> {
    start as usize..end as usize
}

fn plain(text: &str) -> String {
    if unicode::is_plain(text.as_bytes()) {
        return text.to_owned();
    }
    let folded = unicode::fold(text).map_or(Cow::Borrowed(text), |folded| Cow::Owned(folded.text));
    if folded.contains('’') { folded.replace('’', "'") } else { folded.into_owned() }
}

/// Lower case without moving a byte: letters whose small form is longer or shorter stay.
fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let small = |letter: char| {
        let mut forms = letter.to_lowercase();
        match (forms.next(), forms.next()) {
            (Some(form), None) if form.len_utf8() == letter.len_utf8() => form,
            _ => letter,
        }
    };
    let mut lower = String::with_capacity(text.len());
    let mut at = 0;
    for (offset, letter) in unicode::beyond_ascii(text) {
        lower.push_str(text.get(at..offset).unwrap_or_default());
        lower.push(small(letter));
        at = offset + letter.len_utf8();
    }
    lower.push_str(text.get(at..).unwrap_or_default());
    lower.make_ascii_lowercase();
    lower
}

/// One sentence, bullet or heading.
#[derive(Clone, Copy)]
pub struct Sentence<'a> {
    text: &'a Text,
    /// Its words.
    pub words: &'a [Word],
    /// The families that any of its words outside quotations belongs to.
    pub classes: Classes,
    keys: u128,
    bytes: (u32, u32),
}

/// A choice of words.
pub struct Words {
    words: &'static [&'static str],
    /// One bit for the key of every word that fits one of them.
    keys: u128,
}

impl Words {
    /// These words, in lower case; `word*` fits every word that begins so.
    pub const fn of(words: &'static [&'static str]) -> Self {
        Self { words, keys: keys_of(words) }
    }

    /// Whether any of some words in lower case, with these [`initials`], is one of them.
    pub fn hold_any(&self, words: &[&str], initials: u128) -> bool {
        let holds = |word: &&str| self.keys >> key_of_word(word) & 1 == 1 && is_one_of(word, self.words);
        self.keys & initials != 0 && words.iter().any(holds)
    }
}

/// One bit for the first letters of each of some words in lower case, as a choice of words has them.
pub fn initials(words: &[&str]) -> u128 {
    words.iter().fold(0, |keys, word| keys | 1 << key_of_word(word))
}

/// A choice of words, put together when this is compiled.
macro_rules! words {
    ($($word:literal),* $(,)?) => { const { &$crate::evidence::sentences::Words::of(&[$($word),*]) } };
}
pub(crate) use words;

/// A sequence of words: each part is a choice of words, the next part stands at most so many words further on.
pub struct Phrase {
    parts: &'static [&'static [&'static str]],
    gap: usize,
    /// For each of the first parts one bit for the key of every word that fits it; all bits where there is no such part.
    keys: [u128; 3],
}

impl Phrase {
    /// For each part the words that fit it, in lower case (`word*` fits every word that begins so), and how many other
    /// words may stand between two parts.
    pub const fn of(parts: &'static [&'static [&'static str]], gap: usize) -> Self {
        let keys = match parts {
            [] => [u128::MAX; 3],
            [one] => [keys_of(one), u128::MAX, u128::MAX],
            [one, two] => [keys_of(one), keys_of(two), u128::MAX],
            [one, two, three, ..] => [keys_of(one), keys_of(two), keys_of(three)],
        };
        Self { parts, gap, keys }
    }
}

impl<'a> Sentence<'a> {
    /// Its text.
    pub fn as_str(&self) -> &'a str {
        self.text.plain.get(range(self.bytes)).unwrap_or_default()
    }

    /// Its text in lower case.
    pub fn lower(&self) -> &'a str {
        self.text.lower.get(range(self.bytes)).unwrap_or_default()
    }

    /// A word in lower case, without the punctuation around it; empty past the end.
    pub fn word(&self, index: usize) -> &'a str {
        self.words.get(index).and_then(|word| self.text.lower.get(range((word.start, word.end)))).unwrap_or_default()
    }

    /// A word as it is written.
    pub fn raw(&self, index: usize) -> &'a str {
        self.words.get(index).and_then(|word| self.text.plain.get(range((word.start, word.end)))).unwrap_or_default()
    }

    /// Whether a comma, colon or semicolon stands behind a word.
    pub fn ends_clause(&self, index: usize) -> bool {
        let end = |at: usize| self.words.get(at).map(|word| (word.start, word.end));
        let (Some((_, from)), Some((to, _))) = (end(index), end(index + 1)) else { return false };
        self.text.plain.get(range((from, to))).is_some_and(|between| between.contains([',', ':', ';']))
    }

    /// Whether a colon or a bracket stands behind a word: what follows explains it.
    pub fn explains(&self, index: usize) -> bool {
        let behind = self.words.get(index).and_then(|word| self.text.plain.get(word.end as usize..));
        behind.is_some_and(|behind| {
            let behind = behind.trim_start_matches(['`', '"', '\'', '*']);
            behind.starts_with(':') || behind.starts_with(" (") || behind.starts_with(" -") || behind.starts_with(" :")
        })
    }

    /// The first place where a phrase stands outside quotations: the indices of its first and last word.
    pub fn find(&self, phrase: &Phrase) -> Option<(usize, usize)> {
        // Most sentences lack all words of some part.
        if phrase.keys.iter().any(|keys| keys & self.keys == 0) {
            return None;
        }
        (0..self.words.len()).filter(|index| self.fits_part(*index, phrase, 0)).find_map(|start| {
            let mut at = start;
            for part in 1..phrase.parts.len() {
                at = (at + 1..=at + 1 + phrase.gap).find(|index| self.fits_part(*index, phrase, part))?;
            }
            Some((start, at))
        })
    }

    /// Whether a word outside quotations is one of those of a part of a phrase. Most have other first letters.
    fn fits_part(&self, index: usize, phrase: &Phrase, part: usize) -> bool {
        let keys = phrase.keys.get(part).copied().unwrap_or(u128::MAX);
        phrase.parts.get(part).is_some_and(|words| self.is_any_of(index, words, keys))
    }

    /// Whether a word outside quotations is one of these.
    pub fn fits(&self, index: usize, wanted: &Words) -> bool {
        self.is_any_of(index, wanted.words, wanted.keys)
    }

    /// Whether any word outside quotations is one of these. Most sentences have no word with the first letters of any.
    pub fn has(&self, wanted: &Words) -> bool {
        wanted.keys & self.keys != 0 && (0..self.words.len()).any(|index| self.fits(index, wanted))
    }

    fn is_any_of(&self, index: usize, words: &[&str], keys: u128) -> bool {
        let alike = |word: &&Word| keys >> word.key & 1 == 1 && !word.quoted;
        self.words.get(index).filter(alike).is_some() && is_one_of(self.word(index), words)
    }

    /// Whether a word outside quotations belongs to one of these families.
    pub fn is(&self, index: usize, classes: Classes) -> bool {
        self.words.get(index).is_some_and(|word| !word.quoted && word.classes.any(classes))
    }

    /// The places of the words outside quotations that belong to one of these families.
    pub fn all(&self, classes: Classes) -> impl Iterator<Item = usize> + use<'a> {
        let words = if self.classes.any(classes) { self.words } else { &[] };
        words
            .iter()
            .enumerate()
            .filter(move |(_, word)| !word.quoted && word.classes.any(classes))
            .map(|(index, _)| index)
    }

    /// Whether words of two families stand at most so many words apart, in any order; the places of the first such.
    pub fn near(&self, one: Classes, other: Classes, gap: usize) -> Option<(usize, usize)> {
        self.all(one).find_map(|at| {
            let close = at.saturating_sub(gap + 1)..=at + gap + 1;
            close.into_iter().find(|index| *index != at && self.is(*index, other)).map(|index| (at, index))
        })
    }

    /// Whether a word of one family is followed by one of another at most so many words on; the places of the first.
    pub fn then(&self, one: Classes, other: Classes, gap: usize) -> Option<(usize, usize)> {
        self.all(one)
            .find_map(|at| (at + 1..=at + gap + 1).find(|index| self.is(*index, other)).map(|index| (at, index)))
    }

    /// Whether one of the three words before a word negates it.
    pub fn negated(&self, index: usize) -> bool {
        (index.saturating_sub(NEGATION_WINDOW)..index)
            .any(|at| self.words.get(at).is_some_and(|word| word.classes.any(lexicon::NEGATION)))
    }
}

/// Whether a folded word is one of these; `word*` fits every word that begins so.
pub fn is_one_of(word: &str, words: &[&str]) -> bool {
    // Almost all lists are long and almost all words are none of theirs: the first letter tells so without a call.
    let Some(first) = word.as_bytes().first() else { return words.iter().any(|wanted| matches!(*wanted, "" | "*")) };
    words.iter().any(|wanted| match wanted.as_bytes() {
        [b'*'] => true,
        [letter, ..] if letter != first => false,
        [.., b'*'] => wanted.strip_suffix('*').is_some_and(|prefix| word.starts_with(prefix)),
        _ => word == *wanted,
    })
}
