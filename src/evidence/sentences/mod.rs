//! Sentences: prose as sentences of words, taken apart once, and the one matcher that rules about wording share.
//!
//! Words in quotation marks or code are marked, so that a rule can tell what is said from what is quoted. Every search
//! is bounded by windows of words: the cost is linear in the text.

use std::borrow::Cow;

use super::lexicon::{self, Classes};
use super::unicode::{self, Folded};

mod keys;
mod split;
#[cfg(test)]
mod tests;

pub(crate) use keys::hash;
use keys::key;
pub use keys::{Marks, WordKeys};

/// The number of words before a word that can negate it.
const NEGATION_WINDOW: usize = 3;

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its first byte.
    start: u32,
    /// The byte after its last.
    end: u32,
    /// True where it stands in quotation marks or in code.
    pub quoted: bool,
    /// The families of words that it belongs to, where it is not quoted or where that does not matter.
    pub classes: Classes,
    /// A number of its letters: words with another one are other words.
    key: u8,
}

/// The extent of a sentence: its words, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    words: (u32, u32),
    bytes: (u32, u32),
    /// The families that any of its words outside quotations belongs to.
    classes: Classes,
    /// The keys of its words outside quotations.
    keys: WordKeys,
    /// True where its words are letters and digits of ASCII alone, those in quotations as well.
    is_bare: bool,
}

/// A text taken apart: invisible and look-alike letters undone, apostrophes straight, split into sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentedText {
    /// The text, and behind it the same in lower case, byte for byte in the same order.
    twice: String,
    words: Vec<Word>,
    spans: Vec<Span>,
    classes: Classes,
    marks: Marks,
    /// The ways back to the text as it was written, first that of the straight apostrophes.
    origins: [Folded; 2],
}

impl SegmentedText {
    /// Takes a text apart. Line breaks within a paragraph do not end a sentence; blank lines and bullets do.
    pub fn of(text: &str) -> Self {
        // Most texts are plain and are neither folded nor copied twice.
        let is_plain = unicode::is_plain(text.as_bytes());
        let marks = if is_plain { Marks::default() } else { Marks::STRANGE };
        let (plain, origins) = if is_plain { (Cow::Borrowed(text), Default::default()) } else { unfolded(text) };
        let mut parts = Self { twice: twice(&plain), marks, origins, ..Self::default() };
        split::split(&mut parts);
        parts
    }

    /// Its sentences, bullets and headings, in order.
    pub fn sentences(&self) -> impl DoubleEndedIterator<Item = Sentence<'_>> + ExactSizeIterator + Clone {
        self.spans.iter().map(|span| self.sentence(span))
    }

    /// The offset in the text as it was written of a byte of the text as it is read.
    pub fn origin(&self, offset: usize) -> usize {
        let [straight, folded] = &self.origins;
        folded.origin(straight.origin(offset))
    }

    /// The families that any of its words outside quotations belongs to.
    pub fn classes(&self) -> Classes {
        self.classes
    }

    /// The marks that stand in it, and whether it was written with anything but plain ASCII.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// The text as it is read.
    pub fn as_str(&self) -> &str {
        self.plain(0, self.length())
    }

    /// The same in lower case.
    pub fn lower(&self) -> &str {
        self.small(0, self.length())
    }

    const fn length(&self) -> usize {
        self.twice.len() / 2
    }

    fn plain(&self, start: usize, end: usize) -> &str {
        self.twice.get(start..end).unwrap_or_default()
    }

    fn small(&self, start: usize, end: usize) -> &str {
        let length = self.length();
        self.twice.get(length + start..length + end).unwrap_or_default()
    }

    fn sentence<'a>(&'a self, span: &'a Span) -> Sentence<'a> {
        let words = self.words.get(range(span.words)).unwrap_or_default();
        Sentence { text: self, words, classes: span.classes, span }
    }

    fn push_word(&mut self, start: usize, end: usize, quoted: bool) {
        let small = self.small(start, end);
        let hash = hash(small.as_bytes());
        let (classes, key) = (lexicon::classes_of(small, hash), key(hash));
        // Offsets of four bytes keep a word small; no text that is read needs more.
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        let word = Word { start, end, quoted, classes, key };
        self.classes = self.classes.with(said(&word));
        self.words.push(word);
    }

    /// Makes a sentence of the words from one on to the last.
    fn push_sentence(&mut self, first: usize, (start, end): (usize, usize), is_bare: bool) {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let words = self.words.get(first..).unwrap_or_default();
        // Quoted words are mentioned and not said: rules about wording pass over them.
        let unquoted = words.iter().filter(|word| !word.quoted);
        let (classes, keys) = unquoted.fold((Classes::NONE, WordKeys::default()), |(classes, keys), word| {
            (word.classes.with(classes), keys.with(word.key))
        });
        let words = (short(first), short(self.words.len()));
        self.spans.push(Span { words, bytes: (short(start), short(end)), classes, keys, is_bare });
    }
}

fn said(word: &Word) -> Classes {
    if word.quoted { Classes::NONE } else { word.classes }
}

fn range((start, end): (u32, u32)) -> std::ops::Range<usize> {
    start as usize..end as usize
}

/// A text with its deceptions undone and its apostrophes straight, and the ways back: first from the apostrophes.
fn unfolded(text: &str) -> (Cow<'_, str>, [Folded; 2]) {
    let (text, folded) = match unicode::fold(text) {
        Some(mut folded) => (Cow::Owned(std::mem::take(&mut folded.text)), folded),
        None => (Cow::Borrowed(text), Folded::default()),
    };
    // Word lists write `don't` with the straight sign.
    if !text.contains('’') {
        return (text, [Folded::default(), folded]);
    }
    let mut straight = Folded::default();
    let mut at = 0;
    for (offset, sign) in text.match_indices('’') {
        straight.mark(at);
        straight.text.push_str(text.get(at..offset).unwrap_or_default());
        straight.mark(offset);
        straight.text.push('\'');
        at = offset + sign.len();
    }
    straight.mark(at);
    straight.text.push_str(text.get(at..).unwrap_or_default());
    (Cow::Owned(std::mem::take(&mut straight.text)), [straight, folded])
}

/// A text, and behind it the same in lower case without moving a byte: letters whose small form is longer or shorter
/// stay.
fn twice(text: &str) -> String {
    let mut twice = String::with_capacity(2 * text.len());
    twice.push_str(text);
    if text.is_ascii() {
        twice.push_str(text);
    } else {
        push_small(&mut twice, text);
    }
    if let Some(lower) = twice.get_mut(text.len()..) {
        lower.make_ascii_lowercase();
    }
    twice
}

/// Adds a text with its letters beyond ASCII in lower case.
fn push_small(small: &mut String, text: &str) {
    let mut at = 0;
    for (offset, letter) in unicode::beyond_ascii(text) {
        small.push_str(text.get(at..offset).unwrap_or_default());
        // Offsets must fit both halves, so a letter that changes its length keeps its form.
        let mut forms = letter.to_lowercase();
        small.push(match (forms.next(), forms.next()) {
            (Some(form), None) if form.len_utf8() == letter.len_utf8() => form,
            _ => letter,
        });
        at = offset + letter.len_utf8();
    }
    small.push_str(text.get(at..).unwrap_or_default());
}

/// One sentence, bullet or heading.
#[derive(Clone, Copy)]
pub struct Sentence<'a> {
    text: &'a SegmentedText,
    /// Its words.
    pub words: &'a [Word],
    /// The families that any of its words outside quotations belongs to.
    pub classes: Classes,
    span: &'a Span,
}

/// A word in lower case with its key.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a> {
    /// The word.
    pub text: &'a str,
    key: u8,
}

impl<'a> Keyed<'a> {
    /// This word.
    pub const fn of(text: &'a str) -> Self {
        Self { text, key: key(hash(text.as_bytes())) }
    }
}

/// A choice of words.
pub struct Words {
    words: &'static [&'static str],
    keys: WordKeys,
}

impl Words {
    /// These words, in lower case; `word*` fits every word that begins so.
    pub const fn of(words: &'static [&'static str]) -> Self {
        Self { words, keys: WordKeys::of(words) }
    }

    /// True where a word is one of them.
    pub fn hold(&self, word: Keyed<'_>) -> bool {
        self.keys.hold(word.key) && is_one_of(word.text, self.words)
    }

    /// True where any of some words, with these [`keys_of`] them, is one of them.
    pub fn hold_any(&self, words: &[Keyed<'_>], keys: &WordKeys) -> bool {
        self.keys.meet(keys) && words.iter().any(|word| self.hold(*word))
    }
}

/// The keys of some words.
pub fn keys_of(words: &[Keyed<'_>]) -> WordKeys {
    words.iter().fold(WordKeys::default(), |keys, word| keys.with(word.key))
}

/// A choice of words, put together when this is compiled.
#[macro_export]
macro_rules! words {
    ($($word:literal),* $(,)?) => { const { &$crate::sentences::Words::of(&[$($word),*]) } };
}

/// A sequence of words: each part is a choice of words, the next part stands at most so many words further on.
pub struct Phrase {
    parts: &'static [&'static [&'static str]],
    gap: usize,
    /// The keys of the words that fit each of the first parts; all where there is no such part.
    keys: [WordKeys; 3],
}

impl Phrase {
    /// A phrase of these parts: for each the words that fit it, in lower case (`word*` fits every word that begins so).
    /// `gap` is the number of other words that may stand between two parts.
    pub const fn of(parts: &'static [&'static [&'static str]], gap: usize) -> Self {
        let keys = match parts {
            [] => [WordKeys::ALL; 3],
            [one] => [WordKeys::of(one), WordKeys::ALL, WordKeys::ALL],
            [one, two] => [WordKeys::of(one), WordKeys::of(two), WordKeys::ALL],
            [one, two, three, ..] => [WordKeys::of(one), WordKeys::of(two), WordKeys::of(three)],
        };
        Self { parts, gap, keys }
    }
}

impl<'a> Sentence<'a> {
    /// Its text.
    pub fn as_str(&self) -> &'a str {
        let (start, end) = self.span.bytes;
        self.text.plain(start as usize, end as usize)
    }

    /// The byte of its text at which it begins.
    pub fn start(&self) -> usize {
        self.span.bytes.0 as usize
    }

    /// Its text in lower case.
    pub fn lower(&self) -> &'a str {
        let (start, end) = self.span.bytes;
        self.text.small(start as usize, end as usize)
    }

    /// A word in lower case, without the punctuation around it; empty past the end.
    pub fn word(&self, index: usize) -> &'a str {
        self.words.get(index).map_or("", |word| self.text.small(word.start as usize, word.end as usize))
    }

    /// Its words in lower case.
    pub fn keyed(&self) -> impl Iterator<Item = Keyed<'a>> {
        let text = self.text;
        self.words.iter().map(|word| Keyed { text: text.small(word.start as usize, word.end as usize), key: word.key })
    }

    /// What follows a word in its sentence, in lower case.
    pub fn behind(&self, index: usize) -> &'a str {
        let Some(word) = self.words.get(index) else { return "" };
        self.text.small(word.end as usize, self.span.bytes.1 as usize)
    }

    /// A word as it is written.
    pub fn raw(&self, index: usize) -> &'a str {
        self.words.get(index).map_or("", |word| self.text.plain(word.start as usize, word.end as usize))
    }

    /// The marks that may stand in it: those of its text.
    pub fn marks(&self) -> Marks {
        self.text.marks
    }

    /// True where its words, quoted or not, are letters and digits of ASCII alone.
    pub fn is_bare(&self) -> bool {
        self.span.is_bare
    }

    /// True where a comma, colon or semicolon stands behind a word.
    pub fn ends_clause(&self, index: usize) -> bool {
        let end = |at: usize| self.words.get(at).map(|word| (word.start, word.end));
        let (Some((_, from)), Some((to, _))) = (end(index), end(index + 1)) else { return false };
        self.text.plain(from as usize, to as usize).contains([',', ':', ';'])
    }

    /// True where a colon or a bracket stands behind a word: what follows explains it.
    pub fn explains(&self, index: usize) -> bool {
        let Some(word) = self.words.get(index) else { return false };
        // Marks that close a quotation or emphasis stand between the word and its colon.
        let behind = self.text.plain(word.end as usize, self.text.length()).trim_start_matches(['`', '"', '\'', '*']);
        [":", " (", " -", " :"].iter().any(|mark| behind.starts_with(mark))
    }

    /// The first place where a phrase stands outside quotations: the indices of its first and last word.
    #[inline]
    pub fn find(&self, phrase: &Phrase) -> Option<(usize, usize)> {
        // Most sentences lack all words of some part.
        let may_stand = phrase.keys.iter().all(|keys| keys.meet(&self.span.keys));
        may_stand.then(|| self.search(phrase)).flatten()
    }

    fn search(&self, phrase: &Phrase) -> Option<(usize, usize)> {
        (0..self.words.len()).filter(|index| self.fits_part(*index, phrase, 0)).find_map(|start| {
            let mut at = start;
            for part in 1..phrase.parts.len() {
                at = (at + 1..=at + 1 + phrase.gap).find(|index| self.fits_part(*index, phrase, part))?;
            }
            Some((start, at))
        })
    }

    /// True where a word outside quotations is one of those of a part of a phrase.
    fn fits_part(&self, index: usize, phrase: &Phrase, part: usize) -> bool {
        let keys = phrase.keys.get(part).unwrap_or(&WordKeys::ALL);
        phrase.parts.get(part).is_some_and(|words| self.is_any_of(index, words, keys))
    }

    /// True where a word outside quotations is one of these.
    pub fn fits(&self, index: usize, wanted: &Words) -> bool {
        self.is_any_of(index, wanted.words, &wanted.keys)
    }

    /// True where any word outside quotations is one of these. Most sentences have no word with the key of any.
    pub fn has(&self, wanted: &Words) -> bool {
        self.may_have(wanted) && (0..self.words.len()).any(|index| self.fits(index, wanted))
    }

    /// True where any word outside quotations may be one of these: no word is where this says no.
    pub fn may_have(&self, wanted: &Words) -> bool {
        wanted.keys.meet(&self.span.keys)
    }

    /// True where any word, quoted or not, is one of these.
    pub fn names(&self, wanted: &Words) -> bool {
        let alike = |(_, word): &(usize, &Word)| wanted.keys.hold(word.key);
        self.words.iter().enumerate().filter(alike).any(|(index, _)| is_one_of(self.word(index), wanted.words))
    }

    fn is_any_of(&self, index: usize, words: &[&str], keys: &WordKeys) -> bool {
        let alike = |word: &&Word| keys.hold(word.key) && !word.quoted;
        self.words.get(index).filter(alike).is_some() && is_one_of(self.word(index), words)
    }

    /// True where a word outside quotations belongs to one of these families.
    pub fn is(&self, index: usize, classes: Classes) -> bool {
        self.words.get(index).is_some_and(|word| !word.quoted && word.classes.any(classes))
    }

    /// The places of the words outside quotations that belong to one of these families.
    pub fn all(&self, classes: Classes) -> impl Iterator<Item = usize> + use<'a> {
        // The union of the sentence's families says for most that no word is looked at.
        let words = if self.classes.any(classes) { self.words } else { &[] };
        words
            .iter()
            .enumerate()
            .filter(move |(_, word)| !word.quoted && word.classes.any(classes))
            .map(|(index, _)| index)
    }

    /// The first words of two families that stand at most so many words apart, in any order; none without such.
    pub fn near(&self, one: Classes, other: Classes, gap: usize) -> Option<(usize, usize)> {
        self.all(one).find_map(|at| {
            let close = at.saturating_sub(gap + 1)..=at + gap + 1;
            close.into_iter().find(|index| *index != at && self.is(*index, other)).map(|index| (at, index))
        })
    }

    /// The first word of one family that one of another follows at most so many words on; none without such.
    pub fn then(&self, one: Classes, other: Classes, gap: usize) -> Option<(usize, usize)> {
        self.all(one)
            .find_map(|at| (at + 1..=at + gap + 1).find(|index| self.is(*index, other)).map(|index| (at, index)))
    }

    /// True where one of the three words before a word negates it.
    pub fn negated(&self, index: usize) -> bool {
        (index.saturating_sub(NEGATION_WINDOW)..index)
            .any(|at| self.words.get(at).is_some_and(|word| word.classes.any(lexicon::NEGATION)))
    }
}

/// True where a folded word is one of these; `word*` fits every word that begins so.
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
