//! The literals that one pass has come across, and in which blocks.

use super::bits::Bits;

/// No place: the literal has not been met.
const NOWHERE: u32 = u32::MAX;

/// For each literal the blocks in which it ends; room is taken only for those that are met.
#[derive(Debug)]
pub(super) struct Hits {
    /// The most blocks.
    blocks: usize,
    /// The words that the blocks of one literal take.
    width: usize,
    /// For each literal, which of the met ones it is.
    places: Vec<u32>,
    /// The literals that are met.
    met: Vec<u32>,
    words: Vec<u64>,
}

impl Hits {
    /// For so many literals in a text of at most so many blocks.
    pub(super) fn new(literals: usize, blocks: usize) -> Self {
        let width = blocks.div_ceil(64);
        Self { blocks, width, places: vec![NOWHERE; literals], met: Vec::new(), words: Vec::new() }
    }

    /// Notes a literal that ends in a block.
    pub(super) fn note(&mut self, literal: u32, block: usize) {
        let Some(place) = self.places.get_mut(literal as usize) else { return };
        if *place == NOWHERE {
            *place = u32::try_from(self.met.len()).unwrap_or(NOWHERE);
            self.met.push(literal);
            self.words.resize(self.words.len() + self.width, 0);
        }
        let word = (*place as usize).saturating_mul(self.width) + block / 64;
        self.words.get_mut(word).into_iter().for_each(|word| *word |= 1 << (block % 64));
    }

    /// The literals that are met, in the order of their first places.
    pub(super) fn literals(&self) -> impl Iterator<Item = usize> {
        self.met.iter().map(|literal| *literal as usize)
    }

    /// The blocks in which any of some literals ends; none where none is met.
    pub(super) fn of(&self, literals: &[usize]) -> Option<Bits> {
        let mut places =
            literals.iter().filter_map(|literal| self.places.get(*literal)).filter(|place| **place != NOWHERE);
        let first = places.next()?;
        let mut bits = Bits::none(self.blocks);
        for place in std::iter::once(first).chain(places) {
            let start = *place as usize * self.width;
            bits.add_words(self.words.get(start..start + self.width).unwrap_or(&[]));
        }
        Some(bits)
    }
}
