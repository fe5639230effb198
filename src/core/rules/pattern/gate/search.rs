//! Looks for thousands of short literals at once, regardless of ASCII case.
//!
//! An automaton over them takes megabytes, and every byte of a text then waits for memory. Here a byte costs three
//! look-ups in a bitmap of a few kilobytes, by hashes of the last two, three and four bytes; only where one of them is
//! known are the literals that end with it compared.

/// The last eight bytes of a text, in lower case, the last one lowest.
pub(super) type Recent = u64;

/// Before the first byte: what no text holds.
pub(super) const NONE: Recent = u64::MAX;

/// The recent bytes with one more.
pub(super) fn with(recent: Recent, byte: u8) -> Recent {
    (recent << 8) | u64::from(byte.to_ascii_lowercase())
}

/// The longest literal, in bytes.
pub(in crate::rules::pattern) const LONGEST: usize = 8;

/// The bits of a hash.
const HASHED: u32 = 16;
const WORDS: usize = 1 << (HASHED - 6);

#[derive(Debug)]
pub(super) struct Search {
    /// Which hashes there are.
    known: Box<[u64; WORDS]>,
    /// For each word of them, how many there are before it.
    before: Box<[u16; WORDS]>,
    /// For each hash there is, in order, the first of its entries, and one more: where the last one's end.
    firsts: Vec<u16>,
    entries: Vec<Entry>,
}

/// One literal, as the lowest bytes of the recent ones.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u64,
    mask: u64,
    literal: u32,
}

impl Search {
    /// For literals of one to eight bytes in lower case.
    pub(super) fn new<L: AsRef<[u8]>>(literals: &[L]) -> Self {
        let mut entries: Vec<(usize, Entry)> = literals
            .iter()
            .zip(0..)
            .flat_map(|(literal, number)| {
                let literal = literal.as_ref();
                let bytes = literal.iter().fold(0, |recent, byte| with(recent, *byte));
                let mask = u64::MAX >> (64 - 8 * literal.len().clamp(1, LONGEST));
                let entry = Entry { bytes, mask, literal: number };
                hashes_of(literal.len(), bytes).into_iter().map(move |hash| (hash, entry))
            })
            .collect();
        entries.sort_by_key(|(hash, entry)| (*hash, entry.literal));
        let mut known = Box::new([0; WORDS]);
        for (hash, _) in &entries {
            known.get_mut(hash / 64).into_iter().for_each(|word: &mut u64| *word |= 1 << (hash % 64));
        }
        let mut before = Box::new([0; WORDS]);
        let mut count = 0;
        for (before, word) in before.iter_mut().zip(known.iter()) {
            *before = number(count);
            count += word.count_ones() as usize;
        }
        let mut firsts: Vec<u16> = Vec::with_capacity(count + 1);
        for (at, (hash, _)) in entries.iter().enumerate() {
            if at == 0 || entries.get(at - 1).is_some_and(|(other, _)| other != hash) {
                firsts.push(number(at));
            }
        }
        firsts.push(number(entries.len()));
        Self { known, before, firsts, entries: entries.into_iter().map(|(_, entry)| entry).collect() }
    }

    /// Tells of every literal with which the recent bytes end.
    #[inline]
    pub(super) fn each_ending_with(&self, recent: Recent, mut tell: impl FnMut(u32)) {
        let hashes = [hash_of_two(recent), hash_of_three(recent), hash_of_four(recent)];
        // Three questions and one jump: where they lead cannot be foretold.
        let known = hashes.map(|hash| self.known.get(hash / 64).map_or(0, |word| word >> (hash % 64) & 1));
        let [two, three, four] = known;
        if two | three | four != 0 {
            for (hash, _) in hashes.into_iter().zip(known).filter(|(_, known)| *known != 0) {
                self.compare(self.rank(hash), recent, &mut tell);
            }
        }
    }

    /// The number of a known hash among those there are.
    fn rank(&self, hash: usize) -> usize {
        let before = self.before.get(hash / 64).map_or(0, |before| usize::from(*before));
        let word = self.known.get(hash / 64).copied().unwrap_or(0);
        before + (word & ((1 << (hash % 64)) - 1)).count_ones() as usize
    }

    /// Compares the entries of one hash, by its number among those there are. Two sizes may share a hash: each literal
    /// is told of for every one that knows it.
    #[inline]
    fn compare(&self, number: usize, recent: Recent, tell: &mut impl FnMut(u32)) {
        let first = |number: usize| self.firsts.get(number).map_or(0, |first| usize::from(*first));
        for entry in self.entries.get(first(number)..first(number + 1)).unwrap_or(&[]) {
            if recent & entry.mask == entry.bytes {
                tell(entry.literal);
            }
        }
    }
}

/// There are some thousand literals: a gate for more than can be numbered would not be one.
fn number(count: usize) -> u16 {
    u16::try_from(count).expect("some thousand literals are numbered")
}

/// The hashes under which a literal of some length is known. One byte is known after any other.
fn hashes_of(length: usize, bytes: Recent) -> Vec<usize> {
    match length {
        0 | 1 => (0..=u64::from(u8::MAX)).map(|before| hash_of_two(before << 8 | bytes)).collect(),
        2 => vec![hash_of_two(bytes)],
        3 => vec![hash_of_three(bytes)],
        _ => vec![hash_of_four(bytes)],
    }
}

/// The highest bits of a product are the best mixed.
fn hash(bytes: u32, factor: u32) -> usize {
    (bytes.wrapping_mul(factor) >> (32 - HASHED)) as usize
}

fn hash_of_two(recent: Recent) -> usize {
    hash(recent as u32 & 0xffff, 0x9e37_79b1)
}

fn hash_of_three(recent: Recent) -> usize {
    hash(recent as u32 & 0xff_ffff, 0x85eb_ca77)
}

fn hash_of_four(recent: Recent) -> usize {
    hash(recent as u32, 0xc2b2_ae3d)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &[&[u8]], text: &[u8]) -> Vec<(u32, usize)> {
        let search = Search::new(literals);
        let (mut recent, mut found) = (NONE, Vec::new());
        for (at, byte) in text.iter().enumerate() {
            recent = with(recent, *byte);
            search.each_ending_with(recent, |literal| found.push((literal, at + 1)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn literals_are_found_in_either_case() {
        assert_eq!(
            found(&[b"0x", b"key", b"curl", b"password", b"@"], b"PassWord 0X curl KEY@"),
            [(0, 11), (1, 20), (2, 16), (3, 8), (4, 21)]
        );
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_is_there(
            literals in proptest::collection::btree_set("[ab@\u{0}]{1,8}", 1..40),
            text in "[abAB@\u{0}]{0,200}",
        ) {
            let literals: Vec<&[u8]> = literals.iter().map(String::as_bytes).collect();
            let lower = text.to_ascii_lowercase();
            let ends = |literal: &&[u8]| {
                let length = literal.len();
                let literal = *literal;
                lower.as_bytes().windows(length).enumerate().filter(move |(_, window)| *window == literal).map(move |(at, _)| at + length).collect::<Vec<_>>()
            };
            let expected: Vec<(u32, usize)> = literals.iter().zip(0..).flat_map(|(literal, number)| ends(literal).into_iter().map(move |end| (number, end))).collect();
            prop_assert_eq!(found(&literals, text.as_bytes()), expected);
        }
    }
}
