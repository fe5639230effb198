//! The index that tells which sketches to compare at all: 64 bands of four bins each, and the representatives in each
//! bucket.
//!
//! Two texts that share 0.55 of their runs share a band with a probability of 0.998, two that share 0.2 with one of 0.1.
//! A bucket keeps only a few representatives: one that holds many is made of words that everybody uses, and tells nothing.
//! The likeness of what it finds is counted by `likeness`.

use super::sketch::{BINS, EMPTY, Sketch};
use crate::wording::mix;

/// Bins in a band.
const ROWS: usize = 4;
/// Bands of a sketch.
const BANDS: usize = BINS / ROWS;
/// Representatives that a bucket keeps.
const PER_BUCKET: u8 = 12;
/// Representatives that are compared with one text at most, those with the most shared buckets first.
const MOST_COMPARED: usize = 192;
const NONE: u32 = u32::MAX;

/// Buckets with the representatives that fell into them.
pub(super) struct SketchIndex {
    /// For each sketch and band its bucket; none where it is alone in it.
    buckets: Vec<[u32; BANDS]>,
    /// For each bucket its last entry and how many it has.
    heads: Vec<(u32, u8)>,
    /// Each entry: a representative, and the entry before it in the same bucket.
    entries: Vec<(u32, u32)>,
    found: Vec<u32>,
}

impl SketchIndex {
    /// Lays out the buckets that at least two of the sketches share. `kinds` keeps sketches of different kinds apart.
    pub(super) fn of(sketches: &[(&Sketch, u8)]) -> Self {
        let mut index = Self {
            buckets: vec![[NONE; BANDS]; sketches.len()],
            heads: Vec::new(),
            entries: Vec::new(),
            found: Vec::new(),
        };
        let filled: Vec<Filled> = sketches.iter().map(|(sketch, _)| Filled::of(sketch)).collect();
        let mut keys: Vec<(u64, u32)> = Vec::with_capacity(sketches.len());
        for band in 0..BANDS {
            keys.clear();
            let key = |(at, (sketch, kind)): (usize, &(&Sketch, u8))| {
                let filled = filled.get(at)?;
                // Empty bins borrow, or small texts would share no band although they are equal.
                let values = (band * ROWS..(band + 1) * ROWS).map(|bin| filled.value(sketch, bin));
                // Kind and number of the band are hashed too, so that equal values elsewhere are another bucket.
                let start = mix(u64::from(*kind) << 32 | band as u64);
                let key = values.fold(start, |key, value| mix(key ^ u64::from(value)).rotate_left(13));
                Some((key, u32::try_from(at).ok()?))
            };
            keys.extend(sketches.iter().enumerate().filter_map(key));
            keys.sort_unstable();
            // A bucket of one text would be laid out for nothing: no other could ever be found in it.
            for shared in keys.chunk_by(|a, b| a.0 == b.0).filter(|shared| shared.len() > 1) {
                let bucket = u32::try_from(index.heads.len()).unwrap_or(NONE);
                index.heads.push((NONE, 0));
                for (_, at) in shared {
                    if let Some(of_band) = index.buckets.get_mut(*at as usize).and_then(|own| own.get_mut(band)) {
                        *of_band = bucket;
                    }
                }
            }
        }
        index
    }

    /// Puts a representative into the buckets of a sketch.
    pub(super) fn add(&mut self, sketch: usize, representative: u32) {
        for bucket in self.buckets.get(sketch).into_iter().flatten().filter(|bucket| **bucket != NONE) {
            // A full bucket takes no more: a crowd of equal templates must not make every search slow.
            let Some((head, count)) = self.heads.get_mut(*bucket as usize).filter(|head| head.1 < PER_BUCKET) else {
                continue;
            };
            self.entries.push((representative, *head));
            *head = u32::try_from(self.entries.len() - 1).unwrap_or(NONE);
            *count += 1;
        }
    }

    /// The representatives that share a bucket with a sketch, those that share most first.
    pub(super) fn near(&mut self, sketch: usize) -> Vec<u32> {
        self.found.clear();
        for bucket in self.buckets.get(sketch).into_iter().flatten().filter(|bucket| **bucket != NONE) {
            let mut entry = self.heads.get(*bucket as usize).map_or(NONE, |head| head.0);
            while let Some((representative, before)) = self.entries.get(entry as usize) {
                self.found.push(*representative);
                entry = *before;
            }
        }
        self.found.sort_unstable();
        let counted = self.found.chunk_by(|a, b| a == b).filter_map(|same| Some((same.len(), *same.first()?)));
        let mut counted: Vec<(usize, u32)> = counted.collect();
        // The number of the representative breaks ties, so that the cut is the same every night.
        counted.sort_unstable_by_key(|(count, representative)| (std::cmp::Reverse(*count), *representative));
        counted.truncate(MOST_COMPARED);
        counted.into_iter().map(|(_, representative)| representative).collect()
    }
}

/// The bin from which each bin of a sketch takes its value: an empty one borrows from one that is not. The order is
/// always the same (Shrivastava 2017), so that equal texts still agree everywhere.
struct Filled([u8; BINS]);

impl Filled {
    fn of(sketch: &Sketch) -> Self {
        let mut from = [0_u8; BINS];
        let is_filled = |bin: u8| sketch.bins.get(usize::from(bin)).is_some_and(|value| *value != EMPTY);
        for (bin, from) in (0_u8..=u8::MAX).zip(from.iter_mut()) {
            // Enough tries to meet the one filled bin of 256 with near certainty.
            let tries = (0..4096_u64).map(|round| match round {
                0 => bin,
                _ => (mix(u64::from(bin) << 16 | round) & 0xff) as u8,
            });
            *from = tries.into_iter().find(|tried| is_filled(*tried)).unwrap_or(bin);
        }
        Self(from)
    }

    fn value(&self, sketch: &Sketch, bin: usize) -> u32 {
        let from = self.0.get(bin).copied().unwrap_or_default();
        sketch.bins.get(usize::from(from)).copied().unwrap_or(EMPTY)
    }
}
