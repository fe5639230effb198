//! The blocks of a text: what "close" is measured in.
//!
//! A block is about 32 bytes that count. Of a run of blanks, of letters or of anything but blanks only the beginning
//! counts: an expression may take in any such run whole, and so reaches a bounded number of blocks however long the run
//! is. A match is missed nowhere, and a text with a hundred thousand blanks costs other expressions nothing.

use super::super::reach::{Reach, Runs, is_blank, is_word};

/// How many bytes of a run count: as many as ordinary words and indents have. An expression that takes in seven words
/// reaches seven times as far as that.
const COUNTED: Runs = Runs { blanks: 3, word: 12, dense: 16, line: usize::MAX };
/// The bytes of a block that count.
const SIZE: usize = 32;
/// The most blocks of a text; those of a longer text are larger.
const MOST: usize = 1 << 16;

/// What each byte is.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = if is_blank(byte as u8) { BLANK } else { 0 } | if is_word(byte as u8) { WORD } else { 0 };
        byte += 1;
    }
    kinds
};
const BLANK: u8 = 1;
const WORD: u8 = 2;

#[derive(Debug)]
pub(super) struct Blocks {
    /// How many counted bytes a block has.
    size: usize,
    length: usize,
    /// Where each block begins.
    starts: Vec<usize>,
    longest_line: usize,
}

impl Blocks {
    /// The blocks of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let size = SIZE.max(text.len().div_ceil(MOST));
        let mut starts = Vec::with_capacity(text.len() / size + 1);
        starts.push(0);
        // Where the runs that go on began: the first byte after the last one of another kind.
        let (mut blanks, mut word, mut dense, mut line) = (0, 0, 0, 0);
        let (mut longest_line, mut filled) = (0, 0);
        for (at, byte) in text.iter().enumerate() {
            let kind = KINDS.get(usize::from(*byte)).copied().unwrap_or(0);
            let next = at + 1;
            blanks = if kind & BLANK == 0 { next } else { blanks };
            word = if kind & WORD == 0 { next } else { word };
            dense = if kind & BLANK == 0 { dense } else { next };
            line = if *byte == b'\n' { next } else { line };
            longest_line = longest_line.max(next - line);
            let counts =
                (next - blanks <= COUNTED.blanks) & (next - word <= COUNTED.word) & (next - dense <= COUNTED.dense);
            if counts & (filled == size) {
                starts.push(at);
                filled = 0;
            }
            filled += usize::from(counts);
        }
        Self { size, length: text.len(), starts, longest_line }
    }

    /// The block of a byte, where an earlier byte is in some block.
    pub(super) fn block_after(&self, block: usize, at: usize) -> usize {
        let later = self.starts.get(block + 1..).unwrap_or(&[]);
        block + later.iter().take_while(|start| **start <= at).count()
    }

    /// The length of the text in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// How many blocks there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where a block begins; the end of the text past the last one.
    pub(super) fn start_of(&self, block: usize) -> usize {
        self.starts.get(block).copied().unwrap_or(self.length)
    }

    /// The most blocks that a match reaches beyond the one in which it begins.
    pub(super) fn reached(&self, reach: &Reach) -> usize {
        self.spanned(reach.within(&Runs { line: self.longest_line, ..COUNTED }))
    }

    /// The most blocks that so many bytes reach beyond the one in which they begin.
    pub(super) fn spanned(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.size)
    }
}
