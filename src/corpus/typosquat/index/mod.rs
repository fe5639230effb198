//! `Pool` and `NearIndex`: find the names within one or two edits of a name, without a miss.
//!
//! The small side is indexed by the segments of each name, the large side streams past it. For all pairs of one set, the
//! set streams past itself. Hosts, publishers and names are indexed alike.

use super::buckets::Buckets;
use super::distance::{MOST, bound, bound_of_one, within};
use super::segments::{each_key, each_question};

/// Segments in common, of names whose letters are not too unlike, after which no more names are gathered to be compared with
/// one name. In a million real names each meets a few, and more do only where somebody made them so.
const MOST_GATHERED: usize = 16_384;
/// Segments in common that are looked at for one name, whatever the letters.
const MOST_LOOKED_AT: usize = 262_144;

/// A name as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedName {
    /// Its letters, without what parts words.
    pub letters: Box<[char]>,
    /// The length as written, which says how many edits may lie between it and another.
    pub length: usize,
}

impl ComparedName {
    /// A bit for each letter: two names whose bits differ too much are not near each other.
    fn mask(&self) -> u64 {
        self.letters.iter().fold(0, |mask, letter| mask | 1 << (u32::from(*letter) & 63))
    }
}

/// The distance of two names, where they are near each other.
pub fn near(one: &ComparedName, other: &ComparedName) -> Option<usize> {
    within(&one.letters, &other.letters, bound(one.length, other.length))
}

/// Names with what tells at once that two are far apart.
#[derive(Debug, Default)]
pub struct Pool {
    names: Vec<ComparedName>,
    masks: Vec<u64>,
}

impl Pool {
    /// Keeps the names; their places are their numbers.
    pub fn new(names: Vec<ComparedName>) -> Self {
        let masks = names.iter().map(ComparedName::mask).collect();
        Self { names, masks }
    }

    /// The names.
    pub fn names(&self) -> &[ComparedName] {
        &self.names
    }

    /// False where the letters alone tell that a name is not near one of these.
    fn may_be_near(&self, number: u32, mask: u64) -> bool {
        let other_mask = self.masks.get(number as usize).copied().unwrap_or(0);
        // An edit changes at most one letter on each side, so that two edits leave at most two bits apart.
        (mask & !other_mask).count_ones().max((other_mask & !mask).count_ones()) <= 2
    }

    fn near(&self, number: u32, name: &ComparedName) -> Option<usize> {
        near(name, self.names.get(number as usize)?)
    }
}

/// A pool indexed by the segments of its names.
#[derive(Debug)]
pub struct NearIndex {
    pool: Pool,
    /// The segments by which names within two edits are found; empty where no name of the pool may have such.
    twos: Buckets,
    /// Those by which names within one edit are found.
    ones: Buckets,
    /// For each number of letters whether a name has so many.
    lengths: Vec<bool>,
}

impl NearIndex {
    /// Indexes a pool: about a hundred bytes for each name.
    pub fn new(pool: Pool) -> Self {
        let mut lengths: Vec<bool> = Vec::new();
        let (mut twos, mut ones) = (Vec::new(), Vec::new());
        // Where one name may be two edits away from another, such a name is looked up among all of them.
        let is_within_two = pool.names.iter().any(|name| bound_of_one(name.length) == MOST);
        for (number, name) in (0_u32..).zip(&pool.names) {
            let letters = name.letters.len();
            if lengths.len() <= letters {
                lengths.resize(letters + 1, false);
            }
            lengths.get_mut(letters).into_iter().for_each(|has| *has = true);
            each_key(&name.letters, 1, |key| ones.push((key, number)));
            if is_within_two {
                each_key(&name.letters, MOST, |key| twos.push((key, number)));
            }
        }
        Self { pool, twos: Buckets::new(twos), ones: Buckets::new(ones), lengths }
    }

    /// The numbers of the names near a name, each with its distance, ascending.
    pub fn near(&self, name: &ComparedName) -> Vec<(u32, usize)> {
        let mask = name.mask();
        let (mut numbers, mut looked_at): (Vec<u32>, usize) = (Vec::new(), 0);
        // Two names are within two edits only where both are long enough.
        let most = if self.twos.is_empty() { 1 } else { bound_of_one(name.length) };
        let keys = if most == MOST { &self.twos } else { &self.ones };
        let has = |letters: usize| self.lengths.get(letters).copied().unwrap_or(false);
        each_question(&name.letters, most, has, |key| {
            for number in keys.under(key) {
                looked_at += 1;
                if looked_at > MOST_LOOKED_AT || numbers.len() >= MOST_GATHERED {
                    break;
                }
                if self.pool.may_be_near(number, mask) {
                    numbers.push(number);
                }
            }
        });
        numbers.sort_unstable();
        numbers.dedup();
        let near = |number: u32| self.pool.near(number, name).map(|distance| (number, distance));
        numbers.into_iter().filter_map(near).collect()
    }
}

#[cfg(test)]
mod tests;
