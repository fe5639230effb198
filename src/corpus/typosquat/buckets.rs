//! `Buckets`: numbers by the hash of what they stand for, in sorted arrays behind a bitmap.
//!
//! Nearly every question is answered "none" by one bit. A hash is a hint, and whoever asks compares the things
//! themselves.

/// Bits of the filter for each entry: one question in sixteen for nothing comes through.
const FILTER_BITS: usize = 16;

/// Numbers by hash.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    filter: Vec<u64>,
    /// The places at which the entries begin whose hash begins with so many bits.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
    shift: u32,
}

impl Buckets {
    /// Sorts entries of (hash, number).
    pub(super) fn new(mut entries: Vec<(u32, u32)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        entries.shrink_to_fit();
        // About one entry a bucket; the cap keeps the table of starts at a gigabyte.
        let bits = entries.len().max(2).next_power_of_two().ilog2().min(28);
        let shift = 32 - bits;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for (hash, _) in &entries {
            if let Some(count) = starts.get_mut(place(*hash, shift) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let words = (entries.len() * FILTER_BITS / 64).max(1).next_power_of_two();
        // Sixteen bits for each entry: nearly every question for nothing ends here, without a walk to the entries.
        let mut filter = vec![0_u64; words];
        for (hash, _) in &entries {
            let (word, bit) = spot(*hash, words);
            if let Some(word) = filter.get_mut(word) {
                *word |= bit;
            }
        }
        Self { filter, starts, entries, shift }
    }

    /// The numbers under a hash, ascending.
    pub(super) fn under(&self, hash: u32) -> impl Iterator<Item = u32> {
        let (word, bit) = spot(hash, self.filter.len());
        let may = self.filter.get(word).is_some_and(|word| word & bit != 0);
        let bucket = if may { self.bucket(hash) } else { &[] };
        bucket
            .iter()
            .skip_while(move |entry| entry.0 < hash)
            .take_while(move |entry| entry.0 == hash)
            .map(|entry| entry.1)
    }

    fn bucket(&self, hash: u32) -> &[(u32, u32)] {
        let place = place(hash, self.shift);
        let start = |place: usize| self.starts.get(place).map_or(0, |start| *start as usize);
        self.entries.get(start(place)..start(place + 1)).unwrap_or_default()
    }
}

const fn place(hash: u32, shift: u32) -> usize {
    (hash >> shift) as usize
}

/// The word and the bit of the filter, taken from other bits of the hash than its place.
const fn spot(hash: u32, words: usize) -> (usize, u64) {
    let mixed = hash.wrapping_mul(0x9E37_79B1);
    (mixed as usize >> 6 & (words.wrapping_sub(1)), 1 << (mixed & 63))
}

/// A hash of so many bits more from one of 64.
pub(super) const fn fold(hash: u64) -> u32 {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> 32) as u32
}

/// The hash of a text under a tag, so that keys of different kinds do not meet.
pub(super) fn of_text(tag: u8, text: &str) -> u32 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    fold(text.bytes().fold(step(0xCBF2_9CE4_8422_2325, tag), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_under_its_hash_and_no_other() {
        let entries: Vec<(u32, u32)> = (0..5_000_u32).map(|n| (of_text(1, &(n / 2).to_string()), n)).collect();
        let buckets = Buckets::new(entries.clone());
        for (hash, number) in &entries {
            assert!(buckets.under(*hash).any(|found| found == *number));
            assert!(buckets.under(*hash).all(|found| entries[found as usize].0 == *hash));
        }
        assert_eq!(buckets.under(of_text(2, "1")).count(), 0);
        assert_eq!(Buckets::new(Vec::new()).under(7).count(), 0);
    }
}
