//! Looks for thousands of short literals at once, regardless of ASCII case.
//!
//! An automaton over them takes megabytes, and every byte of a text then waits for memory. Here a byte costs three look-ups
//! in bitmaps of a few kilobytes, without a jump: by the next two bytes and by hashes of the next three and four. Each
//! literal is known by the piece of it that is rarest, and compared only where that piece stands.

use super::super::frequency;

/// The longest literal, in bytes.
pub(in crate::rules::pattern) const LONGEST: usize = 8;

/// The bytes around a text, so that every literal can be compared at every place: what no text holds.
const PAD: [u8; LONGEST] = [u8::MAX; LONGEST];

/// How many places are looked at before those that are worth it are compared.
const CHUNK: usize = 256;

#[derive(Debug)]
pub(super) struct Search {
    /// By its byte: literals of one.
    single: Vec<Option<u32>>,
    /// By their two bytes, and those of one byte by any next one.
    short: Index,
    /// By a hash of their three bytes.
    middle: Index,
    /// By a hash of the four bytes of a piece.
    long: Index,
}

/// One literal: the eight bytes from its beginning on, of which the mask tells those that count.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u64,
    mask: u64,
    literal: u32,
    length: u8,
    /// How far into the literal its piece stands.
    offset: u8,
}

impl Search {
    /// For literals of one to eight bytes in lower case.
    pub(super) fn new<L: AsRef<[u8]>>(literals: &[L]) -> Self {
        let (mut short, mut middle, mut long) = (Vec::new(), Vec::new(), Vec::new());
        let mut single = vec![None; 1 << 8];
        for (literal, number) in literals.iter().zip(0..) {
            let literal = literal.as_ref();
            let entry = |offset: usize| {
                let mut bytes = [0; LONGEST];
                bytes.iter_mut().zip(literal).for_each(|(byte, own)| *byte = *own);
                let mask = u64::MAX >> (64 - 8 * literal.len().clamp(1, LONGEST));
                let (length, offset) = (small(literal.len()), small(offset));
                Entry { bytes: u64::from_le_bytes(bytes), mask, literal: number, length, offset }
            };
            match literal {
                [one] => single.get_mut(usize::from(*one)).into_iter().for_each(|known| *known = Some(number)),
                [one, two] => short.push((pair([*one, *two]), entry(0))),
                [one, two, three] => middle.push((hash_of_three([*one, *two, *three, 0]), entry(0))),
                _ => {
                    let (offset, piece) = rarest(literal);
                    long.push((hash(piece), entry(offset)));
                }
            }
        }
        let (mut short, middle, long) = (Index::new(short), Index::new(middle), Index::new(long));
        for one in (0..=u8::MAX).filter(|one| matches!(single.get(usize::from(*one)), Some(Some(_)))) {
            (0..=u8::MAX).for_each(|next| short.know(pair([one, next])));
        }
        Self { single, short, middle, long }
    }

    /// Tells of every literal in a text and of its last byte, nearly in the order of their places.
    pub(super) fn each(&self, text: &[u8], mut tell: impl FnMut(u32, usize)) {
        let mut padded = Vec::with_capacity(text.len() + 2 * LONGEST);
        padded.extend_from_slice(&PAD);
        padded.extend_from_slice(text);
        padded.make_ascii_lowercase();
        padded.extend_from_slice(&PAD);
        let mut places = [0; CHUNK];
        for from in (LONGEST..LONGEST + text.len()).step_by(CHUNK) {
            let to = (from + CHUNK).min(LONGEST + text.len());
            let mut count = 0;
            let windows = padded.get(from..to + 3).unwrap_or(&[]).windows(4);
            for (at, window) in windows.enumerate() {
                let Ok(piece) = <[u8; 4]>::try_from(window) else { continue };
                let [one, two, ..] = piece;
                // Every place is noted and all but the known ones overwritten: a jump here could not be foretold.
                if let Some(place) = places.get_mut(count) {
                    *place = at;
                }
                let short = self.short.knows(pair([one, two])) | self.middle.knows(hash_of_three(piece));
                count += usize::from(short | self.long.knows(hash(piece)));
            }
            for at in places.get(..count).unwrap_or(&[]) {
                self.compare(&padded, from + at, &mut tell);
            }
        }
    }

    /// Tells of the literals whose piece stands at a place.
    fn compare(&self, padded: &[u8], at: usize, tell: &mut impl FnMut(u32, usize)) {
        let around = padded.get(at - LONGEST..at + LONGEST).and_then(|around| <[u8; 16]>::try_from(around).ok());
        let Some(around) = around.map(u128::from_le_bytes) else { return };
        let [one, two, three, four, ..] = ((around >> 64) as u64).to_le_bytes();
        let piece = [one, two, three, four];
        if let Some(Some(literal)) = self.single.get(usize::from(one)) {
            tell(*literal, at - LONGEST);
        }
        let short = self.short.of(pair([one, two])).iter().chain(self.middle.of(hash_of_three(piece)));
        for entry in short.chain(self.long.of(hash(piece))) {
            let from = LONGEST - usize::from(entry.offset);
            if (around >> (8 * from)) as u64 & entry.mask == entry.bytes {
                tell(entry.literal, at + usize::from(entry.length) - usize::from(entry.offset) - 1 - LONGEST);
            }
        }
    }
}

/// Entries by a number of sixteen bits.
#[derive(Debug)]
struct Index {
    /// Which numbers there are.
    known: Box<[u64; WORDS]>,
    /// For every eight neighbouring numbers the first of their entries, and one more: where the last one's end.
    firsts: Vec<u16>,
    entries: Vec<Entry>,
}

const WORDS: usize = 1 << 10;
const GROUPS: usize = 1 << 13;

impl Index {
    fn new(mut numbered: Vec<(u16, Entry)>) -> Self {
        numbered.sort_by_key(|(number, entry)| (*number, entry.literal));
        let before = |group: usize| numbered.partition_point(|(number, _)| usize::from(number / 8) < group);
        let firsts = (0..=GROUPS).map(|group| counted(before(group))).collect();
        let mut index = Self { known: Box::new([0; WORDS]), firsts, entries: Vec::with_capacity(numbered.len()) };
        for (number, entry) in numbered {
            index.know(number);
            index.entries.push(entry);
        }
        index
    }

    fn know(&mut self, number: u16) {
        self.known.get_mut(usize::from(number / 64)).into_iter().for_each(|word| *word |= 1 << (number % 64));
    }

    #[inline]
    fn knows(&self, number: u16) -> bool {
        self.known.get(usize::from(number / 64)).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The entries of a number and of its neighbours: to compare one more costs less than to tell them apart.
    fn of(&self, number: u16) -> &[Entry] {
        let group = usize::from(number / 8);
        let first = |group: usize| self.firsts.get(group).map_or(0, |first| usize::from(*first));
        self.entries.get(first(group)..first(group + 1)).unwrap_or(&[])
    }
}

/// The piece of a literal that may be expected least often, and where it stands.
fn rarest(literal: &[u8]) -> (usize, [u8; 4]) {
    let pieces = literal.windows(4).enumerate();
    let least = pieces.min_by(|(_, a), (_, b)| frequency::of(a).total_cmp(&frequency::of(b)));
    least.and_then(|(at, piece)| Some((at, piece.try_into().ok()?))).unwrap_or_default()
}

/// There are some thousand literals: a gate for more than can be numbered would not be one.
fn counted(count: usize) -> u16 {
    u16::try_from(count).expect("some thousand literals are numbered")
}

fn small(length: usize) -> u8 {
    u8::try_from(length).expect("a literal has at most eight bytes")
}

/// Another number for each two bytes, the likely ones apart.
const fn pair(piece: [u8; 2]) -> u16 {
    u16::from_le_bytes(piece).wrapping_mul(0x9e37)
}

/// Of the first three bytes. The highest bits of a product are the best mixed.
const fn hash_of_three(piece: [u8; 4]) -> u16 {
    ((u32::from_le_bytes(piece) << 8).wrapping_mul(0x85eb_ca77) >> 16) as u16
}

const fn hash(piece: [u8; 4]) -> u16 {
    (u32::from_le_bytes(piece).wrapping_mul(0x9e37_79b1) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &[&[u8]], text: &[u8]) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        Search::new(literals).each(text, |literal, last| found.push((literal, last + 1)));
        found.sort_unstable();
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
            text in "[abAB@\u{0}]{0,600}",
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
