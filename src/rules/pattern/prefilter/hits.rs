//! The literals that one pass has come across, and in which blocks.

use super::bits::Bits;

/// No place: it has not been met.
const NOWHERE: u16 = u16::MAX;

/// For each of many things the blocks in which it ends; room is taken only for those that are met.
///
/// One serves many texts in turn: most are short, and a table of all things would have to be written for each.
#[derive(Debug, Default)]
pub(in crate::pattern) struct PrefilterHits {
    /// The number of blocks.
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

impl PrefilterHits {
    /// Begins with a text of so many blocks, in which so many things may be met.
    pub(super) fn begin(&mut self, things: usize, blocks: usize) {
        (self.blocks, self.width) = (blocks, blocks.div_ceil(64));
        // Only what the last text met is taken back: the table is never written as a whole.
        for thing in self.met.drain(..) {
            self.places.get_mut(thing as usize).into_iter().for_each(|place| *place = NOWHERE);
        }
        self.places.resize(things, NOWHERE);
        self.words.clear();
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

    /// The first word of a thing, which is met by now.
    fn start_of(&mut self, thing: u32) -> usize {
        // A place far outside, where noting does nothing.
        let Some(place) = self.places.get_mut(thing as usize) else { return usize::MAX / 2 };
        if *place == NOWHERE {
            *place = u16::try_from(self.met.len()).unwrap_or(NOWHERE);
            self.met.push(thing);
            self.words.resize(self.words.len() + self.width, 0);
        }
        usize::from(*place) * self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_the_text_before() {
        let mut hits = PrefilterHits::default();
        for (things, blocks) in [(9, 200), (9, 1), (3, 70), (12, 70)] {
            hits.begin(things, blocks);
            let all: Vec<u32> = (0..12).collect();
            assert!(hits.of_any(&all).is_none());
            assert_eq!(hits.met().count(), 0);
            hits.note(2, blocks - 1);
            let bits = hits.of_any(&all).expect("one");
            assert!(bits.runs().eq(std::iter::once(blocks - 1..blocks)));
            assert_eq!(hits.met().collect::<Vec<_>>(), [2]);
            hits.note(0, 0);
        }
    }
}
