//! The blocks of a text: what "close" is measured in.
//!
//! A block is about 32 bytes that count. A run of blanks is one byte, and of a run of letters or of anything but blanks
//! only the beginning counts: an expression may take in any such run whole, and so reaches a bounded number of blocks
//! however long the run is. A match is missed nowhere, and a text with a hundred thousand blanks costs other expressions
//! nothing.

use capdex_evidence::bytes::{WORD, nth_of, places};
use capdex_prefilter::{MatchReach, Runs, is_word};

use super::normalized::Normalized;

/// The bytes of a run that count: as many as ordinary words have. An expression that takes in seven words reaches seven
/// times as far as that.
const COUNTED: Runs = Runs { blanks: 1, word: 12, dense: 16, line: usize::MAX };
/// The bytes of a block that count.
const SIZE: usize = 32;
/// The most blocks of a text; those of a longer text are larger.
const MOST: usize = 1 << 16;

/// Which of the bytes of a chunk are of each kind: the lowest bit stands for the first.
#[derive(Clone, Copy, Default)]
struct Kinds {
    word: u64,
    dense: u64,
    all: u64,
}

impl Kinds {
    fn of(chunk: &[u8]) -> Self {
        let mut bytes = [0; WORD];
        bytes.iter_mut().zip(chunk).for_each(|(own, byte)| *own = *byte);
        let all = u64::MAX >> (WORD - chunk.len());
        Self { word: places(&bytes, is_word), dense: places(&bytes, |byte| byte != b' ') & all, all }
    }

    /// The bytes that count, by what stands before them.
    fn counted(&self, before: &Self) -> u64 {
        self.all & !(beyond(self.word, before.word, COUNTED.word) | beyond(self.dense, before.dense, COUNTED.dense))
    }
}

/// The bytes with at least so many of their kind directly before them.
fn beyond(kind: u64, before: u64, most: usize) -> u64 {
    // Both chunks in one number, so that runs over their border are seen.
    let mut run = u128::from(kind) << WORD | u128::from(before);
    let mut length = 1;
    while length <= most {
        let step = length.min(most + 1 - length);
        run &= run << step;
        length += step;
    }
    (run >> WORD) as u64
}

#[derive(Debug)]
pub(super) struct TextBlocks {
    /// The counted bytes of a block.
    size: usize,
    /// The length of the text as it is written.
    length: usize,
    /// The begin of each block in the text as it is written.
    starts: Vec<usize>,
    /// For each chunk of the normalized text how many blocks begin before it, and at which of its bytes others do.
    chunks: Vec<(u32, u64)>,
    longest_line: usize,
}

impl TextBlocks {
    /// The blocks of a text.
    pub(super) fn of(text: &Normalized) -> Self {
        let bytes = text.bytes();
        // Larger blocks for a longer text: the sets of blocks stay small, and windows only get wider.
        let size = SIZE.max(bytes.len().div_ceil(MOST));
        let mut starts = Vec::with_capacity(bytes.len() / size + 1);
        starts.push(0);
        let mut chunks = Vec::with_capacity(bytes.len() / WORD + 1);
        // How many bytes that count the last block still takes.
        let mut room = size;
        let mut before = Kinds::default();
        for (chunk, at) in bytes.chunks(WORD).zip((0..).step_by(WORD)) {
            let kinds = Kinds::of(chunk);
            let mut counted = kinds.counted(&before);
            let (earlier, mut begun) = (starts.len(), 0);
            while counted.count_ones() as usize > room {
                let place = nth_of(counted, room);
                starts.push(at + place);
                begun |= 1 << place;
                counted &= u64::MAX << place;
                room = size;
            }
            chunks.push((u32::try_from(earlier).unwrap_or(u32::MAX), begun));
            room -= counted.count_ones() as usize;
            before = kinds;
        }
        text.written(&mut starts);
        Self { size, length: text.length(), starts, chunks, longest_line: text.longest_line() }
    }

    /// The block of a byte of the normalized text.
    #[inline]
    pub(super) fn block_of(&self, at: usize) -> usize {
        let (earlier, begun) = self.chunks.get(at / WORD).copied().unwrap_or_default();
        let up_to = begun & (u64::MAX >> (WORD - 1 - at % WORD));
        (earlier as usize + up_to.count_ones() as usize).saturating_sub(1)
    }

    /// The length of the text as it is written, in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The begin of a block; the end of the text past the last one.
    pub(super) fn start_of(&self, block: usize) -> usize {
        self.starts.get(block).copied().unwrap_or(self.length)
    }

    /// The most blocks that a match reaches beyond the one in which it begins.
    pub(super) fn reached(&self, reach: &MatchReach) -> usize {
        self.spanned(reach.within(&Runs { line: self.longest_line, ..COUNTED }))
    }

    /// The most blocks that so many bytes reach beyond the one in which they begin.
    pub(super) fn spanned(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_byte_is_of_its_kinds() {
        for byte in 0..=u8::MAX {
            let kinds = Kinds::of(&[b'-', byte]);
            let expected = [is_word(byte), byte != b' ', true];
            assert_eq!([kinds.word, kinds.dense, kinds.all].map(|all| all & 2 != 0), expected, "{byte}");
        }
    }

    /// Byte by byte, as the description says it: where blocks begin in a normalized text.
    fn starts_of(text: &[u8]) -> Vec<usize> {
        let run = |at: usize, is: fn(u8) -> bool| text[..=at].iter().rev().take_while(|byte| is(**byte)).count();
        let counts = |at: usize| run(at, is_word) <= COUNTED.word && run(at, |byte| byte != b' ') <= COUNTED.dense;
        let counted = (0..text.len()).filter(|at| counts(*at));
        std::iter::once(0).chain(counted.skip(SIZE).step_by(SIZE)).collect()
    }

    proptest! {
        #[test]
        fn blocks_begin_where_enough_bytes_count(text in "(?:[a-z]{0,20}[ .-]{0,6}|\n|[+ä]{15,19}){0,60}") {
            let normalized = Normalized::of(text.as_bytes());
            let blocks = TextBlocks::of(&normalized);
            let mut starts = starts_of(normalized.bytes());
            for at in 0..normalized.bytes().len() {
                prop_assert_eq!(blocks.block_of(at), starts.partition_point(|start| *start <= at) - 1);
            }
            normalized.written(&mut starts);
            prop_assert_eq!(blocks.starts, starts);
        }
    }
}
