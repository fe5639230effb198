//! The likeness of two sketches, and whether that makes one a copy of the other.
//!
//! Each bin in which either sketch has a hash is one sample of the union of both texts. The share of samples that both
//! hold estimates Jaccard's coefficient with a standard error below 0.032. Passages that many texts share say little
//! about any two of them: where the likeness is not great as a whole, the rest must be alike too. Seniority is the
//! caller's.

use super::sketch::{BINS, EMPTY, Sketch};

/// Two texts as alike as this are one text, whatever their words are.
const ALIKE: f64 = 0.8;
/// Two texts less alike than this are two, unless one holds the other whole.
const LEAST: f64 = 0.52;
/// The likeness that the uncommon parts of both must have.
const LEAST_UNCOMMON: f64 = 0.4;
/// The share of the smaller text that must be in the larger, where that is much larger.
const HELD: f64 = 0.85;
/// Neither may hold the other where this is all that is alike: it would be a quotation.
const LEAST_HELD: f64 = 0.3;
/// Runs of words that a text must have to be told again inside another.
const HELD_RUNS: u32 = 64;
/// The share that members of one family must have in common with its first: families do not chain.
const KIN: f64 = 0.33;
/// The share of common bins from which a text is taken as what others were made of.
const WHOLLY_COMMON: f64 = 0.8;

/// The bins of one sketch whose hash stands in many others.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Common([u64; BINS / WORD]);

/// Bins whose marks stand in one word.
const WORD: usize = u64::BITS as usize;

impl Common {
    pub(super) fn mark(&mut self, bin: usize) {
        if let Some(word) = self.0.get_mut(bin / WORD) {
            *word |= 1 << (bin % WORD);
        }
    }

    fn share(&self, sketch: &Sketch) -> f64 {
        let filled = sketch.bins.iter().filter(|bin| **bin != EMPTY).count();
        ratio(self.0.iter().map(|word| word.count_ones() as usize).sum(), filled)
    }
}

/// True where two sketches are of one text with changes, whatever is common to many.
pub fn is_one_text(one: &Sketch, other: &Sketch) -> bool {
    let none = Common::default();
    Likeness::of((one, &none), (other, &none)).is_kin()
}

/// The share that two sketches have in common, counted in bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Likeness {
    /// The estimate of Jaccard's coefficient.
    pub(super) whole: f64,
    /// The same without what is common to many.
    uncommon: f64,
    /// The share of the smaller text that stands in the larger.
    held: f64,
    smaller_runs: u32,
}

impl Likeness {
    /// Compares two sketches.
    pub(super) fn of(one: (&Sketch, &Common), other: (&Sketch, &Common)) -> Self {
        let (mut both, mut either, mut both_uncommon, mut uncommon) = (0, 0, 0, 0);
        let words = one.0.bins.chunks(WORD).zip(other.0.bins.chunks(WORD)).zip(one.1.0.iter().zip(&other.1.0));
        for ((a, b), (a_common, b_common)) in words {
            // A word of bits for each question, which takes a fraction of the time that asking bin by bin does.
            let bits = |is: fn(u32, u32) -> bool| {
                let bins = a.iter().zip(b).enumerate();
                bins.fold(0_u64, |bits, (bin, (a, b))| bits | u64::from(is(*a, *b)) << bin)
            };
            // A bin that is empty in both is no sample of either text.
            let filled = bits(|a, b| a.min(b) != EMPTY);
            let equal = bits(|a, b| a == b) & filled;
            // The lesser value is the sample of the union; the sketch that holds it says whether it is common.
            let own = bits(|a, b| a <= b);
            let rare = filled & !(own & a_common | !own & b_common);
            let count = |bits: u64| bits.count_ones() as usize;
            either += count(filled);
            both += count(equal);
            uncommon += count(rare);
            both_uncommon += count(rare & equal);
        }
        let whole = ratio(both, either);
        let (one, other) = (f64::from(one.0.runs), f64::from(other.0.runs));
        // From Jaccard's j = s / (a + b - s), the number of shared runs s = j / (1 + j) * (a + b).
        let shared = whole / (1.0 + whole) * (one + other);
        // An estimate can exceed the smaller text, and a text of no runs must not divide.
        let smaller = one.min(other).max(1.0);
        Self {
            whole,
            uncommon: ratio(both_uncommon, uncommon),
            held: (shared / smaller).min(1.0),
            smaller_runs: if one < other { one as u32 } else { other as u32 },
        }
    }

    /// True where one is made from the other; `representative` is the one that was there first.
    pub(super) fn is_copy(&self, representative: (&Sketch, &Common)) -> bool {
        // Above this, even a text of common words only is the same text.
        if self.whole >= ALIKE {
            return true;
        }
        // A short text inside a long one may be a quotation; only a whole text told again counts.
        let told_again = self.held >= HELD && self.whole >= LEAST_HELD && self.smaller_runs >= HELD_RUNS;
        if self.whole < LEAST && !told_again {
            return false;
        }
        // What is wholly common may be the text that all others were made from; its copies have nothing uncommon.
        // The longer text brings words of its own, which thin out what is uncommon in both.
        let least = if told_again { LEAST_UNCOMMON / 2.0 } else { LEAST_UNCOMMON };
        self.uncommon >= least || representative.1.share(representative.0) >= WHOLLY_COMMON
    }

    /// True where two may be in one family through others.
    pub(super) fn is_kin(&self) -> bool {
        self.whole >= KIN || self.held >= HELD
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::digest::Digest;
    use proptest::prelude::*;

    fn sketch(bins: &[u32]) -> Sketch {
        let bins = bins.iter().map(|bin| if *bin == 0 { EMPTY } else { *bin }).collect::<Vec<_>>().into_boxed_slice();
        Sketch { exact: Digest::of(b""), runs: 100, bins: bins.try_into().expect("as many as there are") }
    }

    fn common(bins: &[usize]) -> Common {
        let mut common = Common::default();
        bins.iter().for_each(|bin| common.mark(*bin));
        common
    }

    proptest! {
        #[test]
        fn the_words_count_what_a_look_at_each_bin_counts(
            one in prop::collection::vec(0..4_u32, BINS),
            other in prop::collection::vec(0..4_u32, BINS),
            one_common in prop::collection::vec(0..BINS, 0..BINS),
            other_common in prop::collection::vec(0..BINS, 0..BINS),
        ) {
            let (one, other) = (sketch(&one), sketch(&other));
            let (mut both, mut either, mut both_uncommon, mut uncommon) = (0, 0, 0, 0);
            for (bin, (a, b)) in one.bins.iter().zip(other.bins.iter()).enumerate().filter(|(_, (a, b))| a.min(b) != &&EMPTY) {
                let is_common = if a <= b { one_common.contains(&bin) } else { other_common.contains(&bin) };
                either += 1;
                both += usize::from(a == b);
                uncommon += usize::from(!is_common);
                both_uncommon += usize::from(!is_common && a == b);
            }
            let found = Likeness::of((&one, &common(&one_common)), (&other, &common(&other_common)));
            prop_assert_eq!(found.whole.to_bits(), ratio(both, either).to_bits());
            prop_assert_eq!(found.uncommon.to_bits(), ratio(both_uncommon, uncommon).to_bits());
        }
    }
}
