//! `Pool` and `DeletionIndex`: find the names within one or two edits of a name, without a miss.
//!
//! The small side is indexed by the deletions of each name's beginning, the large side streams past it. For all pairs of
//! one set, the set streams past itself. Hosts, publishers and names are indexed alike.

use super::buckets::Buckets;
use super::deletions::{Halves, count, each_deletion, each_known_deletion};
use super::distance::{bound, bound_of_one, within};

/// Deletions in common after which no more names are gathered to be compared with one name. In a million real names
/// each meets two or three, and more share a beginning only where somebody made them so.
const MOST_GATHERED: usize = 16_384;

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

    fn near(&self, number: u32, name: &ComparedName, mask: u64) -> Option<usize> {
        let at = number as usize;
        let other_mask = *self.masks.get(at)?;
        // An edit changes at most one letter on each side, so that two edits leave at most two bits apart.
        let apart = (mask & !other_mask).count_ones().max((other_mask & !mask).count_ones());
        if apart > 2 {
            return None;
        }
        near(name, self.names.get(at)?)
    }
}

/// A pool indexed by the deletions of its names' beginnings.
#[derive(Debug)]
pub struct DeletionIndex {
    pool: Pool,
    deletions: Buckets,
    halves: Halves,
}

impl DeletionIndex {
    /// Indexes a pool: about a kilobyte for each name.
    pub fn new(pool: Pool) -> Self {
        let mut entries = Vec::new();
        let deletions: usize = pool.names.iter().map(|name| count(name.letters.len(), bound_of_one(name.length))).sum();
        let mut halves = Halves::for_deletions(deletions);
        for (number, name) in (0_u32..).zip(&pool.names) {
            each_deletion(&name.letters, bound_of_one(name.length), |hash, of_it| {
                entries.push((hash, number));
                halves.add(hash, of_it);
            });
        }
        Self { pool, deletions: Buckets::new(entries), halves }
    }

    /// The numbers of the names near a name, each with its distance, ascending.
    pub fn near(&self, name: &ComparedName) -> Vec<(u32, usize)> {
        // First all hashes, then what is under them: so the processor waits for several places of memory at once.
        let mut hashes: Vec<u32> = Vec::with_capacity(16);
        each_known_deletion(&name.letters, bound_of_one(name.length), &self.halves, |hash| hashes.push(hash));
        let mut numbers: Vec<u32> = Vec::new();
        for hash in hashes {
            let room = MOST_GATHERED.saturating_sub(numbers.len());
            numbers.extend(self.deletions.under_likely(hash).take(room));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mask = name.mask();
        let near = |number: u32| self.pool.near(number, name, mask).map(|distance| (number, distance));
        numbers.into_iter().filter_map(near).collect()
    }
}

#[cfg(test)]
mod tests;
