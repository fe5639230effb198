//! The literals that one pass has come across, and in which blocks.

use super::Lists;
use super::bits::Bits;

/// No place: it has not been met.
const NOWHERE: u32 = u32::MAX;

/// For each of many things the blocks in which it ends; room is taken only for those that are met.
#[derive(Debug)]
pub(super) struct Hits {
    /// How many blocks there are.
    blocks: usize,
    /// The words that the blocks of one thing take.
    width: usize,
    /// For each thing, which of the met ones it is.
    places: Vec<u32>,
    /// The things that are met.
    met: Vec<u32>,
    words: Vec<u64>,
}

impl Hits {
    /// For so many things in a text of so many blocks.
    pub(super) fn new(things: usize, blocks: usize) -> Self {
        let width = blocks.div_ceil(64);
        Self { blocks, width, places: vec![NOWHERE; things], met: Vec::new(), words: Vec::new() }
    }

    /// Notes a thing that ends in a block.
    pub(super) fn note(&mut self, thing: u32, block: usize) {
        let start = self.place_of(thing);
        self.words.get_mut(start + block / 64).into_iter().for_each(|word| *word |= 1 << (block % 64));
    }

    /// The same for lists that hold things: each ends where any of its things does.
    pub(super) fn of_lists(&self, holders: &Lists, lists: usize) -> Self {
        let mut hits = Self::new(lists, self.blocks);
        for (place, thing) in self.met.iter().enumerate() {
            let own = self.words.get(place * self.width..(place + 1) * self.width).unwrap_or(&[]);
            for list in holders.list(*thing as usize) {
                let start = hits.place_of(*list);
                let words = hits.words.get_mut(start..).into_iter().flatten();
                words.zip(own).for_each(|(word, own)| *word |= own);
            }
        }
        hits
    }

    /// The things that are met, in the order of their first places.
    pub(super) fn met(&self) -> impl Iterator<Item = usize> {
        self.met.iter().map(|thing| *thing as usize)
    }

    /// The blocks in which a thing ends; none where it is not met.
    pub(super) fn of(&self, thing: usize) -> Option<Bits> {
        let place = *self.places.get(thing).filter(|place| **place != NOWHERE)? as usize;
        let words = self.words.get(place * self.width..(place + 1) * self.width)?;
        Some(Bits::of_words(self.blocks, words))
    }

    /// Where the words of a thing begin, which is met by now.
    fn place_of(&mut self, thing: u32) -> usize {
        let Some(place) = self.places.get_mut(thing as usize) else { return usize::MAX / 2 };
        if *place == NOWHERE {
            *place = u32::try_from(self.met.len()).unwrap_or(NOWHERE);
            self.met.push(thing);
            self.words.resize(self.words.len() + self.width, 0);
        }
        (*place as usize).saturating_mul(self.width)
    }
}
