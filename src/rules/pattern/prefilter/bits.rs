//! A set of the blocks of one text.

use std::ops::Range;

/// Which of the blocks of a text are in a set; bit `n` of word `n / 64` stands for block `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    count: usize,
    words: BitWords,
}

/// Most texts have few blocks: their sets take no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BitWords {
    Few([u64; FEW]),
    Many(Vec<u64>),
}

const FEW: usize = 8;

impl Bits {
    /// None of so many blocks.
    pub(super) fn none(count: usize) -> Self {
        let width = count.div_ceil(64);
        Self { count, words: if width > FEW { BitWords::Many(vec![0; width]) } else { BitWords::Few([0; FEW]) } }
    }

    /// Those that some words tell.
    pub(super) fn of_words(count: usize, words: &[u64]) -> Self {
        let mut bits = Self::none(count);
        bits.words_mut().iter_mut().zip(words).for_each(|(own, word)| *own = *word);
        bits
    }

    /// Adds those that some words tell.
    pub(super) fn add_words(&mut self, words: &[u64]) {
        self.words_mut().iter_mut().zip(words).for_each(|(own, word)| *own |= *word);
    }

    fn words(&self) -> &[u64] {
        match &self.words {
            BitWords::Few(words) => words.get(..self.count.div_ceil(64)).unwrap_or(words),
            BitWords::Many(words) => words,
        }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.words {
            BitWords::Few(words) => words.get_mut(..self.count.div_ceil(64)).unwrap_or_default(),
            BitWords::Many(words) => words,
        }
    }

    /// All of so many blocks.
    pub(super) fn full(count: usize) -> Self {
        let mut full = Self::none(count);
        full.add(0..count);
        full
    }

    /// The union.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(own, other)| *own |= other);
        self
    }

    /// The intersection; none where that is empty.
    pub(super) fn and(mut self, other: &Self) -> Option<Self> {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(own, other)| *own &= other);
        self.words().iter().any(|word| *word != 0).then_some(self)
    }

    /// Each block with so many before it and so many after it.
    pub(super) fn spread(&self, before: usize, after: usize) -> Self {
        let mut wide = self.clone();
        wide.repeat(after, Self::or_later);
        wide.repeat(before, Self::or_earlier);
        // Bits past the last block stand for nothing.
        let rest = wide.count % 64;
        let last = wide.words_mut().last_mut().filter(|_| rest != 0);
        last.into_iter().for_each(|word| *word &= u64::MAX >> (64 - rest));
        wide
    }

    /// Takes in the blocks of every distance up to the furthest: twice as many each time.
    fn repeat(&mut self, furthest: usize, or: fn(&mut Self, usize)) {
        let mut reached = 1;
        let all = furthest.min(self.count).saturating_add(1);
        while reached < all {
            // Doubling: a reach of a thousand blocks takes ten steps.
            let step = reached.min(all - reached);
            or(self, step);
            reached += step;
        }
    }

    /// Adds the blocks that stand so many after those in the set.
    fn or_later(&mut self, by: usize) {
        let (whole, part) = (by / 64, by % 64);
        let words = self.words_mut();
        // From the end, because each word takes from words before it that must still be as they were.
        for at in (whole..words.len()).rev() {
            let word = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).copied().unwrap_or(0);
            // A shift by all 64 bits is an overflow: without a part nothing is carried.
            let carried = word(whole + 1).checked_shr(64 - part as u32).unwrap_or(0);
            let later = word(whole) << part | carried;
            words.get_mut(at).into_iter().for_each(|word| *word |= later);
        }
    }

    /// Adds the blocks that stand so many before those in the set.
    fn or_earlier(&mut self, by: usize) {
        let (whole, part) = (by / 64, by % 64);
        let words = self.words_mut();
        // From the beginning, because each word takes from words behind it.
        for at in 0..words.len().saturating_sub(whole) {
            let word = |on: usize| words.get(at + on).copied().unwrap_or(0);
            let carried = word(whole + 1).checked_shl(64 - part as u32).unwrap_or(0);
            let earlier = word(whole) >> part | carried;
            words.get_mut(at).into_iter().for_each(|word| *word |= earlier);
        }
    }

    fn add(&mut self, range: Range<usize>) {
        for word in range.start / 64..range.end.div_ceil(64) {
            let from = range.start.saturating_sub(word * 64);
            let to = (range.end - word * 64).min(64);
            let mask = (u64::MAX << from) & (u64::MAX >> (64 - to));
            self.words_mut().get_mut(word).into_iter().for_each(|bits| *bits |= mask);
        }
    }

    /// The runs of blocks in the set, in order and apart.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = self.next(at, 0)?;
            let end = self.next(start, u64::MAX).unwrap_or(self.count);
            at = end;
            Some(start..end)
        })
    }

    /// The first block from `at` on that is in the set or, for a flip of all bits, is not.
    fn next(&self, at: usize, flip: u64) -> Option<usize> {
        let first = (self.words().get(at / 64)? ^ flip) & (u64::MAX << (at % 64));
        let rest = self.words().iter().enumerate().skip(at / 64 + 1).map(|(index, word)| (index, word ^ flip));
        let (index, word) = std::iter::once((at / 64, first)).chain(rest).find(|(_, word)| *word != 0)?;
        let found = index * 64 + word.trailing_zeros() as usize;
        (found < self.count).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: usize, blocks: &[usize]) -> Bits {
        let mut bits = Bits::none(count);
        blocks.iter().for_each(|block| bits.add(*block..block + 1));
        bits
    }

    #[test]
    fn runs_are_what_was_added() {
        let bits = of(200, &[0, 1, 63, 64, 127, 130, 199]);
        assert_eq!(bits.runs().collect::<Vec<_>>(), [0..2, 63..65, 127..128, 130..131, 199..200]);
        assert_eq!(Bits::full(130).runs().collect::<Vec<_>>(), [Range { start: 0, end: 130 }]);
        assert_eq!(Bits::full(128).runs().count(), 1);
        assert!(Bits::none(70).runs().next().is_none());
        assert!(Bits::full(0).runs().next().is_none());
    }

    #[test]
    fn spreading_stays_within_the_text() {
        let bits = of(200, &[1, 100, 199]);
        assert_eq!(bits.spread(3, 1).runs().collect::<Vec<_>>(), [0..3, 97..102, 196..200]);
        assert_eq!(bits.spread(3, 1).and(&of(200, &[2, 98, 103])), Some(of(200, &[2, 98])));
        assert_eq!(bits.and(&of(200, &[2])), None);
    }

    #[test]
    fn spreading_takes_in_every_block_that_is_close() {
        for count in [1, 63, 64, 65, 200, 700] {
            for blocks in [vec![0], vec![count - 1], vec![count / 2, count - 1], vec![count / 3]] {
                for (before, after) in [(0, 0), (1, 0), (0, 1), (3, 70), (64, 2), (130, 63), (usize::MAX, 1)] {
                    let close = |at: usize| {
                        let is_close = |block: &usize| at + before.min(count) >= *block && at <= block + after;
                        blocks.iter().any(is_close)
                    };
                    let expected: Vec<usize> = (0..count).filter(|at| close(*at)).collect();
                    assert_eq!(of(count, &blocks).spread(before, after), of(count, &expected), "{count} {blocks:?}");
                }
            }
        }
    }
}
