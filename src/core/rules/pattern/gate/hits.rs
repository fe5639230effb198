//! The literals that one pass has come across, and in which blocks.

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
    /// For each thing, where its words begin.
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

    /// The things that are met, in the order of their first places.
    pub(super) fn met(&self) -> impl Iterator<Item = usize> {
        self.met.iter().map(|thing| *thing as usize)
    }

    /// The blocks in which any of some things ends; none where none of them is met.
    pub(super) fn of_any(&self, things: &[u32]) -> Option<Bits> {
        let mut met = things.iter().filter_map(|thing| {
            let place = *self.places.get(*thing as usize).filter(|place| **place != NOWHERE)? as usize;
            self.words.get(place..place + self.width)
        });
        let mut all = Bits::of_words(self.blocks, met.next()?);
        met.for_each(|words| all.add_words(words));
        Some(all)
    }

    /// Where the words of a thing begin, which is met by now.
    fn place_of(&mut self, thing: u32) -> usize {
        let Some(place) = self.places.get_mut(thing as usize) else { return usize::MAX / 2 };
        if *place == NOWHERE {
            *place = u32::try_from(self.words.len()).unwrap_or(NOWHERE);
            self.met.push(thing);
            self.words.resize(self.words.len() + self.width, 0);
        }
        *place as usize
    }
}
