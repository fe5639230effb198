//! `Buckets`: numbers by the hash of what they stand for, in sorted arrays behind a bitmap.
//!
//! Nearly every question is answered "none" by one bit. A hash is a hint, and whoever asks compares the things
//! themselves.

/// Bits of the filter for each entry: one question in sixteen for nothing comes through.
const FILTER_BITS: usize = 16;

/// Numbers by hash.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    filter: Filter,
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
        // Nearly every question for nothing ends here, without a walk to the entries.
        let mut filter = Filter::of_bits(entries.len() * FILTER_BITS);
        entries.iter().for_each(|(hash, _)| filter.set(*hash));
        Self { filter, starts, entries, shift }
    }

    /// The numbers under a hash, ascending.
    pub(super) fn under(&self, hash: u32) -> impl Iterator<Item = u32> {
        let bucket = if self.filter.may_have(hash) { self.bucket(hash) } else { &[] };
        of_hash(bucket, hash)
    }

    /// The same without asking the filter, for a hash of which is known already that it is hardly ever asked for nothing.
    pub(super) fn under_likely(&self, hash: u32) -> impl Iterator<Item = u32> {
        of_hash(self.bucket(hash), hash)
    }

    fn bucket(&self, hash: u32) -> &[(u32, u32)] {
        let place = place(hash, self.shift);
        let start = |place: usize| self.starts.get(place).map_or(0, |start| *start as usize);
        self.entries.get(start(place)..start(place + 1)).unwrap_or_default()
    }
}

/// The numbers under a hash in its bucket.
fn of_hash(bucket: &[(u32, u32)], hash: u32) -> impl Iterator<Item = u32> {
    bucket.iter().skip_while(move |entry| entry.0 < hash).take_while(move |entry| entry.0 == hash).map(|entry| entry.1)
}

/// One bit for each hash, of which some share one: what it does not have is not there.
#[derive(Debug, Default)]
pub(super) struct Filter(Vec<u64>);

impl Filter {
    /// Empty, with so many bits or up to twice as many.
    pub(super) fn of_bits(bits: usize) -> Self {
        Self(vec![0; (bits / 64).max(1).next_power_of_two()])
    }

    pub(super) fn set(&mut self, hash: u32) {
        let (word, bit) = spot(hash, self.0.len());
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    pub(super) fn may_have(&self, hash: u32) -> bool {
        let (word, bit) = spot(hash, self.0.len());
        self.0.get(word).is_some_and(|word| word & bit != 0)
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
    let mut hash = TextHash::new(tag);
    text.bytes().for_each(|byte| hash.add(byte));
    hash.get()
}

/// The hash of a text as it grows: what a text begins with is hashed along.
#[derive(Clone, Copy)]
pub(super) struct TextHash(u64);

impl TextHash {
    pub(super) const fn new(tag: u8) -> Self {
        let mut empty = Self(0xCBF2_9CE4_8422_2325);
        empty.add(tag);
        empty
    }

    pub(super) const fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01B3);
    }

    pub(super) const fn get(self) -> u32 {
        fold(self.0)
    }
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
