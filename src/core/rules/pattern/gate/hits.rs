//! The literals that one pass has come across, and in which blocks.

use super::bits::Bits;

/// No place: it has not been met.
const NOWHERE: u16 = u16::MAX;

/// For each of many things the blocks in which it ends; room is taken only for those that are met.
#[derive(Debug)]
pub(super) struct Hits {
    /// How many blocks there are.
    blocks: usize,
    /// The words that the blocks of one thing take.
    width: usize,
    /// For each thing its place among those that are met.
    places: Vec<u16>,
    /// The things that are met.
    met: Vec<u32>,
    /// The words of each of them, in that order.
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
        let start = self.start_of(thing);
        self.words.get_mut(start + block / 64).into_iter().for_each(|word| *word |= 1 << (block % 64));
    }

    /// The things that are met, in the order of their first places.
    pub(super) fn met(&self) -> impl Iterator<Item = usize> {
        self.met.iter().map(|thing| *thing as usize)
    }

    /// The blocks in which any of some things ends; none where none of them is met.
    pub(super) fn of_any(&self, things: &[u32]) -> Option<Bits> {
        let mut met = things.iter().filter_map(|thing| {
            let place = *self.places.get(*thing as usize).filter(|place| **place != NOWHERE)?;
            let start = usize::from(place) * self.width;
            self.words.get(start..start + self.width)
        });
        let mut all = Bits::of_words(self.blocks, met.next()?);
        met.for_each(|words| all.add_words(words));
        Some(all)
    }

    /// Where the words of a thing begin, which is met by now.
    fn start_of(&mut self, thing: u32) -> usize {
        let Some(place) = self.places.get_mut(thing as usize) else { return usize::MAX / 2 };
        if *place == NOWHERE {
            *place = u16::try_from(self.met.len()).unwrap_or(NOWHERE);
            self.met.push(thing);
            self.words.resize(self.words.len() + self.width, 0);
        }
        usize::from(*place) * self.width
    }
}
