//! The prefilter of the decoders: blocks of a text in which stretches of one kind of byte may stand, for several kinds
//! in one pass.
//!
//! A long enough stretch holds a whole block of bytes of its kind, or two in a row: only those places need a closer
//! look. Blocks may be shown that hold no such stretch, and none that does is left out.

use std::ops::Range;

use crate::bytes::{WORD, first};

/// So many bytes are told of together.
const BLOCK: usize = 8;

/// Two blocks without a byte that ends words: runs in the alphabet of base64, of 23 bytes or more, hold such.
pub(super) const LETTERS: u8 = 1;
/// Two blocks of digits, blanks and what sorts before the comma: lists of numbers of 23 bytes or more hold such.
pub(super) const NUMBERS: u8 = 1 << 1;
/// A block in which no two bytes stand together without a space, but that is not all spaces.
pub(super) const SPACED: u8 = 1 << 2;
/// Spaces alone.
const BLANK: u8 = 1 << 3;
/// A block in which two equal quotation marks begin, side by side.
pub(super) const EMPTY: u8 = 1 << 4;
/// A block in which `+=` or `.=` begins.
pub(super) const GROWS: u8 = 1 << 5;

/// For each block of a text the kinds that it is of.
pub(super) struct Blocks(Vec<u8>);

impl Blocks {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (here, _) = bytes.as_chunks();
        // The same bytes moved by one: each byte is asked together with the one behind it.
        let (behind, _) = bytes.get(1..).unwrap_or(&[]).as_chunks();
        let mut alone = Vec::with_capacity((bytes.len() / WORD + 1) * (WORD / BLOCK) + 1);
        alone.extend(here.iter().zip(behind).flat_map(|(here, behind)| kinds_in(here, behind)));
        let rest = bytes.get(alone.len() * BLOCK..).unwrap_or(&[]);
        // The rest is filled up with nought: a block may be looked at in vain for it, but none is missed.
        let mut last = [0; WORD + 1];
        last.iter_mut().zip(rest).for_each(|(own, byte)| *own = *byte);
        if let (Some(here), Some(behind)) = (last.first_chunk(), last.last_chunk()) {
            alone.extend(kinds_in(here, behind));
        }
        // The last block has a next one too, which shares nothing.
        alone.push(0);
        let next = alone.get(1..).unwrap_or(&[]);
        Self(alone.iter().zip(next).map(|(kinds, next)| told(*kinds, *next)).collect())
    }

    /// The offset of the first block of a kind that does not begin before an offset.
    pub(super) fn next(&self, kind: u8, from: usize) -> Option<usize> {
        let from = from.div_ceil(BLOCK);
        let found = first(self.0.get(from..)?, |kinds| kinds & kind != 0)?;
        Some((from + found) * BLOCK)
    }

    /// True where any block is of a kind.
    pub(super) fn any(&self, kind: u8) -> bool {
        self.next(kind, 0).is_some()
    }

    /// The offsets of the blocks of a kind.
    pub(super) fn each(&self, kind: u8) -> impl Iterator<Item = usize> {
        let begin = move |from| self.next(kind, from);
        std::iter::successors(begin(0), move |last| begin(last + 1))
    }

    /// The stretches of wanted bytes that hold a block of a kind, each once and in order; empty where its first byte is
    /// none.
    pub(super) fn stretches(
        &self,
        kind: u8,
        bytes: &[u8],
        is_wanted: impl Fn(u8) -> bool,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let at = self.next(kind, from)?;
            let before = bytes.get(from..at).unwrap_or(&[]).iter().rev();
            let behind = bytes.get(at..).unwrap_or(&[]).iter();
            let end = at + behind.take_while(|byte| is_wanted(**byte)).count();
            // The block may only border on wanted bytes: an empty stretch says so, and the caller passes over it.
            let start = if end == at { at } else { at - before.take_while(|byte| is_wanted(**byte)).count() };
            // Always further on, so that each byte is looked at a bounded number of times.
            from = end.max(at + 1);
            Some(start..end)
        })
    }
}

/// For each block of a word the kinds that all of its bytes are of.
fn kinds_in(here: &[u8; WORD], behind: &[u8; WORD]) -> [u8; WORD / BLOCK] {
    let mut kinds = [0; WORD];
    kinds.iter_mut().zip(here).zip(behind).for_each(|((kinds, here), behind)| *kinds = kinds_at(*here, *behind));
    let (blocks, _) = kinds.as_chunks();
    let mut shared = [0; WORD / BLOCK];
    shared.iter_mut().zip(blocks).for_each(|(own, block)| *own = shared_by(u64::from_le_bytes(*block)));
    shared
}

/// The kinds of a byte and the one behind it. Rare kinds are told where they are absent. Without a jump, so that many
/// bytes are asked at once.
fn kinds_at(here: u8, behind: u8) -> u8 {
    let is = |answer: bool, kind: u8| u8::from(answer) * kind;
    let is_quote = (here == b'"') | (here == b'\'');
    is((here > b'*') & here.is_ascii(), LETTERS)
        | is((here <= b',') | (here.wrapping_sub(b'0') < 10), NUMBERS)
        | is((here == b' ') | (behind == b' '), SPACED)
        | is(here == b' ', BLANK)
        | is(!(is_quote & (here == behind)), EMPTY)
        | is(!(((here == b'+') | (here == b'.')) & (behind == b'=')), GROWS)
}

/// The bits that all eight bytes have.
const fn shared_by(bytes: u64) -> u8 {
    let four = bytes & bytes >> 32;
    let two = four & four >> 16;
    (two & two >> 8) as u8
}

/// The kinds of a block, by the bits that its bytes share and those that the next one's do.
const fn told(shared: u8, next: u8) -> u8 {
    let is_blank = (shared & BLANK) >> (BLANK.trailing_zeros() - SPACED.trailing_zeros());
    (shared & next & (LETTERS | NUMBERS)) | (shared & SPACED & !is_blank) | (!shared & (EMPTY | GROWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_long_stretch_is_found_once_and_whole(text in "([ab+/]{1,30}|[ ,]|\n|é){0,12}", from in 0..99_usize) {
            let bytes = text.as_bytes().get(from.min(text.len())..).unwrap_or(&[]);
            let is_wanted = |byte: u8| byte.is_ascii_alphabetic() || byte == b'+';
            let long = |range: &Range<usize>| range.len() >= 23;
            let found: Vec<_> = Blocks::of(bytes).stretches(LETTERS, bytes, is_wanted).filter(long).collect();
            let mut expected = Vec::new();
            let mut at = 0;
            for stretch in bytes.split(|byte| !is_wanted(*byte)) {
                expected.extend(Some(at..at + stretch.len()).filter(long));
                at += stretch.len() + 1;
            }
            proptest::prop_assert_eq!(found, expected);
        }

        #[test]
        fn what_is_rare_is_told_where_it_begins(text in "([a-z ]{0,70}|\"\"|''|'|\\+=|\\.=|=){0,9}") {
            let blocks = Blocks::of(text.as_bytes());
            for (kind, pairs) in [(EMPTY, ["\"\"", "''"]), (GROWS, ["+=", ".="])] {
                let begins = |at: usize| pairs.iter().any(|pair| text.get(at..).is_some_and(|rest| rest.starts_with(pair)));
                let expected: Vec<usize> =
                    (0..text.len()).step_by(BLOCK).filter(|block| (*block..block + BLOCK).any(begins)).collect();
                proptest::prop_assert_eq!(blocks.each(kind).collect::<Vec<_>>(), expected);
                proptest::prop_assert_eq!(blocks.any(kind), (0..text.len()).any(begins));
            }
        }
    }

    #[test]
    fn spaces_alone_are_not_spaced() {
        assert!(!Blocks::of(&[b' '; 200]).any(SPACED));
        assert!(Blocks::of(b"a word c  u r l - s").any(SPACED));
    }

    #[test]
    fn a_text_of_any_length_is_told_of_to_its_end() {
        for length in 23..3 * WORD {
            let mut bytes = vec![b' '; length];
            bytes.iter_mut().rev().take(23).for_each(|byte| *byte = b'a');
            assert!(Blocks::of(&bytes).any(LETTERS), "{length}");
            bytes.iter_mut().rev().take(23).for_each(|byte| *byte = b'7');
            assert!(Blocks::of(&bytes).any(NUMBERS), "{length}");
        }
        assert!(!Blocks::of(b"").any(LETTERS | EMPTY | GROWS));
    }
}
