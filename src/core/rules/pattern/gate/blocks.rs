//! The blocks of a text: what "close" is measured in.
//!
//! A block is about 64 bytes that count. Of a run of blanks, of letters or of anything but blanks only the beginning
//! counts: an expression may take in any such run whole, and so reaches a bounded number of blocks however long the run
//! is. A match is missed nowhere, and a text with a hundred thousand blanks costs other expressions nothing.

use super::super::reach::{Reach, Runs, is_blank, is_word};

/// How many bytes of a run count.
const COUNTED: Runs = Runs { blanks: 16, word: 32, dense: 128, line: usize::MAX };
/// The bytes of a block that count.
const SIZE: usize = 64;
/// The most blocks of a text; those of a longer text are larger.
const MOST: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Blocks {
    /// How many counted bytes a block has.
    size: usize,
    length: usize,
    /// Where each block begins.
    starts: Vec<usize>,
    now: Runs,
    longest_line: usize,
    /// The counted bytes in the last block.
    filled: usize,
}

impl Blocks {
    /// The blocks of a text of so many bytes, before its first byte.
    pub(super) fn of(length: usize) -> Self {
        let size = SIZE.max(length.div_ceil(MOST));
        let mut starts = Vec::with_capacity(length / size + 1);
        starts.push(0);
        Self { size, length, starts, now: Runs::default(), longest_line: 0, filled: 0 }
    }

    /// The most blocks that there can be.
    pub(super) fn most(&self) -> usize {
        self.length / self.size + 1
    }

    /// Takes in one byte; the block that it belongs to.
    pub(super) fn step(&mut self, at: usize, byte: u8) -> usize {
        let (blank, word) = (is_blank(byte), is_word(byte));
        self.now.blanks = if blank { self.now.blanks + 1 } else { 0 };
        self.now.word = if word { self.now.word + 1 } else { 0 };
        self.now.dense = if blank { 0 } else { self.now.dense + 1 };
        self.now.line = if byte == b'\n' { 0 } else { self.now.line + 1 };
        self.longest_line = self.longest_line.max(self.now.line);
        let counts =
            self.now.blanks <= COUNTED.blanks && self.now.word <= COUNTED.word && self.now.dense <= COUNTED.dense;
        if counts {
            if self.filled == self.size {
                self.starts.push(at);
                self.filled = 0;
            }
            self.filled += 1;
        }
        self.starts.len() - 1
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
