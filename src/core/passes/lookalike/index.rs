//! `Pool` and `Index`: which names are within one or two edits of each other, without a miss.
//!
//! The small side is indexed by the deletions of each name's beginning, the large side streams past it. All pairs of one
//! set meet in groups of equal deletions of (nearly) whole names, a part of the hashes at a time, so that the memory stays
//! bounded. Must not know what the names mean.

use super::buckets::Buckets;
use super::deletions::{self, each_deletion};
use super::distance::{bound, bound_of_one, within};

/// Letters of a name's beginning that the index of the small side looks at. Fewer make families (`mcp-server-…`) large,
/// more make the index large.
const BEGINNING: usize = 20;

/// Deletions in common after which no more names are gathered to be compared with one name: in a million real names each
/// meets two or three, and more share a beginning only where somebody made them so.
const MOST_GATHERED: usize = 16_384;

/// Members of a group of equal deletions that are compared all with all; of larger ones, each with those next to it.
const GROUP: usize = 512;

/// Deletions held at once where all pairs of a set are looked for.
const HELD: usize = 4 << 20;

/// A name as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Its letters, without what parts words.
    pub letters: Box<[char]>,
    /// How long it is as written, which says how many edits may lie between it and another.
    pub length: usize,
}

impl Compared {
    /// A bit for each letter: two names whose bits differ too much are not near each other.
    fn mask(&self) -> u64 {
        self.letters.iter().fold(0, |mask, letter| mask | 1 << (u32::from(*letter) & 63))
    }
}

/// The distance of two names, where they are near each other.
pub fn near(one: &Compared, other: &Compared) -> Option<usize> {
    within(&one.letters, &other.letters, bound(one.length, other.length))
}

/// Names with what tells at once that two are far apart.
#[derive(Debug, Default)]
pub struct Pool {
    names: Vec<Compared>,
    masks: Vec<u64>,
}

/// Two names of a pool, the lower number first, and their distance.
pub type Pair = (u32, u32, usize);

impl Pool {
    /// Keeps the names; their places are their numbers.
    pub fn new(names: Vec<Compared>) -> Self {
        let masks = names.iter().map(Compared::mask).collect();
        Self { names, masks }
    }

    /// The names.
    pub fn names(&self) -> &[Compared] {
        &self.names
    }

    fn near(&self, number: u32, name: &Compared, mask: u64) -> Option<usize> {
        let at = number as usize;
        let other_mask = *self.masks.get(at)?;
        let apart = (mask & !other_mask).count_ones().max((other_mask & !mask).count_ones());
        if apart > 2 {
            return None;
        }
        near(name, self.names.get(at)?)
    }

    /// In how many parts all pairs are looked for; the answer is all parts together.
    pub fn parts(&self) -> u32 {
        let count =
            |name: &Compared| deletions::count(name.letters.len(), deletions::WINDOW, bound_of_one(name.length));
        let all: usize = self.names.iter().map(count).sum();
        u32::try_from(all / HELD + 1).unwrap_or(u32::MAX)
    }

    /// The pairs within a pool that meet in one part of the hashes, sorted. A pair may be in several parts. Names should
    /// be in the pool once: equal ones are all near each other.
    pub fn pairs_of_part(&self, part: u32, parts: u32) -> Vec<Pair> {
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (number, name) in (0_u32..).zip(&self.names) {
            each_deletion(&name.letters, deletions::WINDOW, bound_of_one(name.length), |hash| {
                if hash % parts.max(1) == part {
                    entries.push((hash, number));
                }
            });
        }
        entries.sort_unstable();
        entries.dedup();
        let mut pairs = Vec::new();
        for group in entries.chunk_by(|one, other| one.0 == other.0) {
            // Names that somebody made by the thousand around one beginning: neighbours in the order they came in.
            let reach = if group.len() > GROUP { GROUP * GROUP / group.len() + 1 } else { GROUP };
            for (at, (_, one)) in group.iter().enumerate() {
                let Some((name, mask)) = self.names.get(*one as usize).zip(self.masks.get(*one as usize)) else {
                    continue;
                };
                for (_, other) in group.iter().skip(at + 1).take(reach) {
                    pairs.extend(self.near(*other, name, *mask).map(|distance| (*one, *other, distance)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// A pool indexed by the deletions of its names' beginnings.
#[derive(Debug, Default)]
pub struct Index {
    pool: Pool,
    deletions: Buckets,
}

impl Index {
    /// Indexes a pool: about a kilobyte for each name.
    pub fn new(pool: Pool) -> Self {
        let mut entries = Vec::new();
        for (number, name) in (0_u32..).zip(&pool.names) {
            each_deletion(&name.letters, BEGINNING, bound_of_one(name.length), |hash| entries.push((hash, number)));
        }
        Self { pool, deletions: Buckets::new(entries) }
    }

    /// The numbers of the names near a name, each with its distance, ascending.
    pub fn near(&self, name: &Compared) -> Vec<(u32, usize)> {
        let mut numbers: Vec<u32> = Vec::new();
        each_deletion(&name.letters, BEGINNING, bound_of_one(name.length), |hash| {
            let room = MOST_GATHERED.saturating_sub(numbers.len());
            numbers.extend(self.deletions.under(hash).take(room));
        });
        numbers.sort_unstable();
        numbers.dedup();
        let mask = name.mask();
        let near = |number: u32| self.pool.near(number, name, mask).map(|distance| (number, distance));
        numbers.into_iter().filter_map(near).collect()
    }
}

#[cfg(test)]
mod tests;
