//! Numbered words: each word of some texts by a number, in the order in which they first come.
//!
//! Two words are the same where all their bytes are. Texts are not trusted: words that are made to crowd one place cost
//! what a sorted list does.

use std::collections::BTreeMap;

/// A word with its first eight bytes as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Headed<'a> {
    head: u64,
    pub(super) text: &'a str,
}

impl<'a> Headed<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let head = text.as_bytes().first_chunk().copied().unwrap_or_else(|| {
            let mut head = [0; 8];
            head.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
            head
        });
        Self { head: u64::from_be_bytes(head), text }
    }

    /// A number of its first and last bytes.
    fn hash(&self) -> usize {
        // Words with one beginning, as identifiers of one program, differ at their ends.
        let tail = self.text.as_bytes().last_chunk().map_or(0, |tail| u64::from_be_bytes(*tail));
        // Of a product the highest bits depend on all of both factors.
        (self.head ^ tail.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15).swap_bytes() as usize
    }
}

/// Words by number.
pub(super) struct Numbered<'a> {
    /// The words in the order of their numbers.
    pub(super) words: Vec<Headed<'a>>,
    /// At the hash of a word or a few places on, one more than its number; else zero.
    places: Vec<u32>,
    /// The words for which no place was free.
    crowded: BTreeMap<Headed<'a>, usize>,
}

/// The most places that a word may take.
const NEAR: usize = 16;

impl<'a> Numbered<'a> {
    /// No word, with room for so many.
    pub(super) fn with_room(count: usize) -> Self {
        // A third of the places stays free at least, so that a free one is nearly always near.
        let places = vec![0; (count + count / 2).next_power_of_two()];
        Self { words: Vec::with_capacity(count), places, crowded: BTreeMap::new() }
    }

    /// Each of some words once.
    pub(super) fn of(words: &[Headed<'a>]) -> Self {
        let mut numbered = Self::with_room(words.len());
        for word in words {
            numbered.add(*word);
        }
        numbered
    }

    /// The number of a word, where it has one.
    pub(super) fn number(&self, word: &Headed<'_>) -> Option<usize> {
        self.look(word).ok()
    }

    /// The number of a word, which gets the next one where it has none.
    pub(super) fn add(&mut self, word: Headed<'a>) -> usize {
        let free = match self.look(&word) {
            Ok(number) => return number,
            Err(free) => free,
        };
        let number = self.words.len();
        self.words.push(word);
        if let (Some(place), Ok(next)) = (free.and_then(|at| self.places.get_mut(at)), u32::try_from(number + 1)) {
            *place = next;
        } else {
            self.crowded.insert(word, number);
        }
        number
    }

    /// The number of a word, or the free place for it, where there is one.
    fn look(&self, word: &Headed<'_>) -> Result<usize, Option<usize>> {
        let (first, last) = (word.hash(), self.places.len() - 1);
        for at in (0..NEAR).map(|step| first.wrapping_add(step) & last) {
            match self.places.get(at) {
                Some(0) => return Err(Some(at)),
                Some(next) if self.words.get(*next as usize - 1) == Some(word) => return Ok(*next as usize - 1),
                _ => {}
            }
        }
        self.crowded.get(word).copied().ok_or(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_word_has_one_number(words in proptest::collection::vec("[ab]{0,3}|[aé]{8,10}", 0..60), room in 0_usize..60) {
            let mut numbered = Numbered::with_room(room);
            let mut unique: Vec<&str> = Vec::new();
            for word in &words {
                let known = unique.iter().position(|known| known == word);
                proptest::prop_assert_eq!(numbered.number(&Headed::of(word)), known);
                proptest::prop_assert_eq!(numbered.add(Headed::of(word)), known.unwrap_or(unique.len()));
                unique.extend(known.is_none().then_some(word.as_str()));
            }
            proptest::prop_assert!(numbered.words.iter().map(|word| word.text).eq(unique));
        }
    }
}
