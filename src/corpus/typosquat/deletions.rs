//! Deletion neighbourhoods: the hashes of a name with none, one or two of its letters left out.
//!
//! Two names within so many edits of each other have one of these in common (an edit leaves a letter out on either side, a
//! swap one on each), and so do the beginnings of two names, whose hashes suffice.
//!
//! A name has some two hundred of them, and hardly any is another's. What two names have in common is so in both halves: where
//! nobody has a first half, none of the fifty is asked for that differ behind it alone. Reading memory takes longer than making
//! the hashes: what is known with one half lies together, and a filter that stays near the processor says first whether a half is
//! known at all.

use super::buckets::{Filter, fold};

/// The base of the polynomial; odd, so that every power is one too.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// The powers of the base, up to the length of a window.
const POWERS: [u64; WINDOW + 1] = powers();

/// Letters of a name's beginning that are looked at. Fewer make families (`mcp-server-…`) large, more the index.
const WINDOW: usize = 20;

/// The half of a text: of an odd number of letters the second half has one more.
#[derive(Clone, Copy)]
enum Half {
    First = 1,
    Second = 2,
}

/// Calls `each` with the hash of every way to leave out at most `most` (two at most) of its first letters, and with those of
/// the two halves of what is left. Hashes may come twice.
pub(super) fn each_deletion(letters: &[char], most: usize, mut each: impl FnMut(u32, [u32; 2])) {
    let name = Beginning::of(letters);
    let mut give = |left_out: usize, whole: u64, first: u64| {
        let length = name.length - left_out;
        // The hash of the second half follows from the other two.
        let second = whole.wrapping_sub(first.wrapping_mul(power(length - length / 2)));
        each(fold(whole), [half(Half::First, length, first), half(Half::Second, length, second)]);
    };
    give(0, name.hash(name.length), name.hash(name.length / 2));
    if most >= 1 && name.length >= 1 {
        let middle = (name.length - 1) / 2;
        for one in 0..name.length {
            let first = if one < middle { name.without(one, middle + 1) } else { name.hash(middle) };
            give(1, name.without(one, name.length), first);
        }
    }
    if most >= 2 && name.length >= 2 {
        let middle = (name.length - 2) / 2;
        for one in 0..name.length {
            for two in one + 1..name.length {
                let first = match (one < middle, two <= middle) {
                    (false, _) => name.hash(middle),
                    (true, false) => name.without(one, middle + 1),
                    (true, true) => name.without_both(one, two, middle + 2),
                };
                give(2, name.without_both(one, two, name.length), first);
            }
        }
    }
}

/// The number of ways to leave out at most `most` (two at most) of the first letters of so many.
pub(super) fn count(letters: usize, most: usize) -> usize {
    let letters = letters.min(WINDOW);
    let pairs = letters * letters.saturating_sub(1) / 2;
    1 + if most >= 1 { letters } else { 0 } + if most >= 2 { pairs } else { 0 }
}

/// Calls `each` with such hashes of a name that is looked up, as far as `known` may have them.
pub(super) fn each_known_deletion(letters: &[char], most: usize, known: &Halves, mut each: impl FnMut(u32)) {
    let name = Beginning::of(letters);
    let length = name.length;
    let whole = fold(name.hash(length));
    each(whole);
    if most >= 1 && length >= 1 {
        let (left, middle) = (length - 1, (length - 1) / 2);
        let without = |one: usize| fold(name.without(one, length));
        if let Some(wholes) = known.with(half(Half::Second, left, name.part(middle + 1, length))) {
            (0..middle).map(without).filter(|whole| wholes.may_have(*whole)).for_each(&mut each);
        }
        if let Some(wholes) = known.with(half(Half::First, left, name.hash(middle))) {
            (middle..length).map(without).filter(|whole| wholes.may_have(*whole)).for_each(&mut each);
        }
    }
    if most >= 2 && length >= 2 {
        each_known_pair(&name, known, each);
    }
}

/// Those that leave two letters out: both behind the first half, both before the second, or one in each.
fn each_known_pair(name: &Beginning, known: &Halves, mut each: impl FnMut(u32)) {
    let length = name.length;
    let (left, middle) = (length - 2, (length - 2) / 2);
    if let Some(wholes) = known.with(half(Half::First, left, name.hash(middle))) {
        for one in middle..length {
            let without = |two: usize| fold(name.without_both(one, two, length));
            (one + 1..length).map(without).filter(|whole| wholes.may_have(*whole)).for_each(&mut each);
        }
    }
    if let Some(wholes) = known.with(half(Half::Second, left, name.part(middle + 2, length))) {
        for one in 0..middle {
            let without = |two: usize| fold(name.without_both(one, two, length));
            (one + 1..middle + 2).map(without).filter(|whole| wholes.may_have(*whole)).for_each(&mut each);
        }
    }
    for one in 0..middle {
        let first = name.without(one, middle + 1);
        let Some(wholes) = known.with(half(Half::First, left, first)) else { continue };
        let without = |two: usize| fold(name.then(name.then(first, middle + 1, two), two + 1, length));
        (middle + 2..length).map(without).filter(|whole| wholes.may_have(*whole)).for_each(&mut each);
    }
}

/// Which halves are known, and which wholes with each: what it does not have is not there.
#[derive(Debug)]
pub(super) struct Halves {
    known: Filter,
    lines: Vec<Wholes>,
}

/// A line of a processor's memory: bits of the halves that share it, and those of their wholes.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Wholes {
    halves: u64,
    wholes: [u64; 7],
}

impl Halves {
    /// Deletions that share a line: more would fill it, and fewer would spread the lines over more memory than is near.
    const DELETIONS_A_LINE: usize = 32;
    /// Bits of the filter for each deletion, of whose halves most are another's too.
    const FILTER_BITS: usize = 4;

    /// Empty, with room for so many deletions.
    pub(super) fn for_deletions(count: usize) -> Self {
        let lines = (count / Self::DELETIONS_A_LINE).max(1).next_power_of_two();
        Self { known: Filter::of_bits(count * Self::FILTER_BITS), lines: vec![Wholes::default(); lines] }
    }

    /// Adds a deletion, by the hashes of it and of its halves.
    pub(super) fn add(&mut self, whole: u32, halves: [u32; 2]) {
        for half in halves {
            let at = self.place(half);
            self.known.set(half);
            if let Some(wholes) = self.lines.get_mut(at) {
                wholes.halves |= bits(half);
                if let Some(word) = wholes.wholes.get_mut(word(whole)) {
                    *word |= bits(whole);
                }
            }
        }
    }

    /// What is known with a half; none where nobody has it.
    fn with(&self, half: u32) -> Option<&Wholes> {
        if !self.known.may_have(half) {
            return None;
        }
        self.lines.get(self.place(half)).filter(|wholes| wholes.halves & bits(half) == bits(half))
    }

    /// From other bits of the hash than those that [`bits`] takes.
    fn place(&self, half: u32) -> usize {
        half as usize & (self.lines.len() - 1)
    }
}

impl Wholes {
    fn may_have(&self, whole: u32) -> bool {
        self.wholes.get(word(whole)).is_some_and(|word| word & bits(whole) == bits(whole))
    }
}

/// Two bits: one alone would be another's too often.
const fn bits(hash: u32) -> u64 {
    1 << (hash >> 26) | 1 << (hash >> 20 & 63)
}

const fn word(whole: u32) -> usize {
    (whole % 7) as usize
}

/// The beginning of a name, with the hashes of its own beginnings: those of all parts follow from them in a few steps.
struct Beginning {
    length: usize,
    before: [u64; WINDOW + 1],
}

impl Beginning {
    fn of(letters: &[char]) -> Self {
        // Pairs of positions grow with the square of the length: the window bounds them.
        let letters = letters.get(..WINDOW).unwrap_or(letters);
        let mut before = [0_u64; WINDOW + 1];
        let mut hash = 0_u64;
        for (letter, cell) in letters.iter().zip(before.iter_mut().skip(1)) {
            hash = hash.wrapping_mul(BASE).wrapping_add(value(*letter));
            *cell = hash;
        }
        Self { length: letters.len(), before }
    }

    /// Up to a place.
    fn hash(&self, to: usize) -> u64 {
        self.before.get(to).copied().unwrap_or(0)
    }

    /// From one place to another.
    fn part(&self, from: usize, to: usize) -> u64 {
        self.hash(to).wrapping_sub(self.hash(from).wrapping_mul(power(to - from)))
    }

    /// What stands after a hash, from one place to another.
    fn then(&self, first: u64, from: usize, to: usize) -> u64 {
        first.wrapping_mul(power(to - from)).wrapping_add(self.part(from, to))
    }

    /// Up to a place, without one letter.
    fn without(&self, one: usize, to: usize) -> u64 {
        self.then(self.hash(one), one + 1, to)
    }

    /// Up to a place, without two letters, of which `one` stands before `two`.
    fn without_both(&self, one: usize, two: usize, to: usize) -> u64 {
        self.then(self.then(self.hash(one), one + 1, two), two + 1, to)
    }
}

fn power(of: usize) -> u64 {
    POWERS.get(of).copied().unwrap_or(1)
}

const fn powers() -> [u64; WINDOW + 1] {
    let mut powers = [1_u64; WINDOW + 1];
    let mut at = 1;
    while at <= WINDOW {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
}

/// The hash of a half of what has so many letters: halves of texts of other lengths are other halves.
fn half(of: Half, length: usize, hash: u64) -> u32 {
    fold(hash.wrapping_mul(BASE).wrapping_add((length * 4 + of as usize) as u64))
}

/// Never nothing, so that a letter in front counts.
const fn value(letter: char) -> u64 {
    (letter as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn hashes(text: &str, most: usize) -> Vec<u32> {
        let letters: Vec<char> = text.chars().collect();
        let mut hashes = Vec::new();
        each_deletion(&letters, most, |hash, _| hashes.push(hash));
        hashes
    }

    #[test]
    fn a_deletion_has_the_hash_of_what_is_left() {
        let whole = |text: &str| hashes(text, 0)[0];
        let of = hashes("abcd", 2);
        for left in ["abcd", "bcd", "acd", "abd", "abc", "ab", "ac", "ad", "bc", "bd", "cd"] {
            assert!(of.contains(&whole(left)), "{left}");
        }
        assert_eq!(of.len(), 11);
        assert!(!of.contains(&whole("a")));
        assert!(!of.contains(&whole("dcba")));
    }

    #[test]
    fn only_the_beginning_counts() {
        let long: Vec<char> = "a".repeat(10_000).chars().collect();
        let mut times = 0;
        each_deletion(&long, 2, |_, _| times += 1);
        assert_eq!(times, 1 + 20 + 190);
        each_deletion(&[], 2, |_, _| times += 1);
        assert_eq!(times, 1 + 20 + 190 + 1);
    }

    #[test]
    fn a_name_whose_halves_nobody_has_is_looked_up_by_itself_alone() {
        let mut times = 0;
        each_known_deletion(&['a'; 20], 2, &Halves::for_deletions(100), |_| times += 1);
        assert_eq!(times, 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

        #[test]
        fn what_two_names_have_in_common_is_looked_up(one in "[ab]{0,24}", other in "[ab]{0,24}", most in 0_usize..=2) {
            let (mut of_other, mut known) = (BTreeSet::new(), Halves::for_deletions(200));
            each_deletion(&other.chars().collect::<Vec<_>>(), most, |whole, halves| {
                of_other.insert(whole);
                known.add(whole, halves);
            });
            let common: BTreeSet<u32> = hashes(&one, most).into_iter().filter(|hash| of_other.contains(hash)).collect();
            let mut found = BTreeSet::new();
            each_known_deletion(&one.chars().collect::<Vec<_>>(), most, &known, |whole| {
                found.extend(Some(whole).filter(|whole| of_other.contains(whole)));
            });
            prop_assert_eq!(found, common);
        }
    }
}
