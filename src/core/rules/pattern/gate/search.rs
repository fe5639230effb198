//! Looks for thousands of short literals at once, regardless of ASCII case.
//!
//! An automaton over them takes megabytes, and every byte of a text then waits for memory. Here a byte costs two look-ups
//! in bitmaps of a few kilobytes, without a jump: by the next two bytes and by a hash of the next four. Each literal is
//! known by the piece of it that is rarest, and compared only where that piece stands.

use super::super::frequency;

/// The longest literal, in bytes.
pub(in crate::rules::pattern) const LONGEST: usize = 8;

/// The bytes around a text, so that every literal can be compared at every place: what no text holds.
const PAD: [u8; LONGEST] = [u8::MAX; LONGEST];

/// How many places are looked at before those that are worth it are compared.
const CHUNK: usize = 256;

#[derive(Debug)]
pub(super) struct Search {
    /// By the first two bytes of a piece: literals of up to three bytes.
    short: Index,
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
        let (mut short, mut long) = (Vec::new(), Vec::new());
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
                [one] => short.extend((0..=u8::MAX).map(|next| (pair([*one, next]), entry(0)))),
                [_, _] | [_, _, _] => {
                    let (offset, piece) = rarest::<2>(literal);
                    short.push((pair(piece), entry(offset)));
                }
                _ => {
                    let (offset, piece) = rarest::<4>(literal);
                    long.push((hash(piece), entry(offset)));
                }
            }
        }
        Self { short: Index::new(short), long: Index::new(long) }
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
                count += usize::from(self.short.knows(pair([one, two])) | self.long.knows(hash(piece)));
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
        for entry in self.short.of(pair([one, two])).iter().chain(self.long.of(hash([one, two, three, four]))) {
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
    /// For each word of them, how many there are before it.
    before: Box<[u16; WORDS]>,
    /// For each number there is, in order, the first of its entries, and one more: where the last one's end.
    firsts: Vec<u16>,
    entries: Vec<Entry>,
}

const WORDS: usize = 1 << 10;

impl Index {
    fn new(mut numbered: Vec<(u16, Entry)>) -> Self {
        numbered.sort_by_key(|(number, entry)| (*number, entry.literal));
        let (mut known, mut before) = (Box::new([0_u64; WORDS]), Box::new([0; WORDS]));
        for (number, _) in &numbered {
            known.get_mut(usize::from(number / 64)).into_iter().for_each(|word| *word |= 1 << (number % 64));
        }
        let mut count = 0;
        for (before, word) in before.iter_mut().zip(known.iter()) {
            *before = counted(count);
            count += word.count_ones() as usize;
        }
        let mut firsts = Vec::with_capacity(count + 1);
        let mut last = None;
        for (at, (number, _)) in numbered.iter().enumerate() {
            if last != Some(*number) {
                firsts.push(counted(at));
            }
            last = Some(*number);
        }
        firsts.push(counted(numbered.len()));
        Self { known, before, firsts, entries: numbered.into_iter().map(|(_, entry)| entry).collect() }
    }

    #[inline]
    fn knows(&self, number: u16) -> bool {
        self.known.get(usize::from(number / 64)).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The entries of a number.
    fn of(&self, number: u16) -> &[Entry] {
        let word = usize::from(number / 64);
        let Some((known, before)) = self.known.get(word).zip(self.before.get(word)) else { return &[] };
        if known >> (number % 64) & 1 == 0 {
            return &[];
        }
        let rank = usize::from(*before) + (known & ((1 << (number % 64)) - 1)).count_ones() as usize;
        let first = |rank: usize| self.firsts.get(rank).map_or(0, |first| usize::from(*first));
        self.entries.get(first(rank)..first(rank + 1)).unwrap_or(&[])
    }
}

/// The piece of a literal that may be expected least often, and where it stands.
fn rarest<const LENGTH: usize>(literal: &[u8]) -> (usize, [u8; LENGTH]) {
    let pieces = literal.windows(LENGTH).enumerate();
    let least = pieces.min_by(|(_, a), (_, b)| frequency::of(a).total_cmp(&frequency::of(b)));
    least.and_then(|(at, piece)| Some((at, piece.try_into().ok()?))).unwrap_or((0, [0; LENGTH]))
}

/// There are some thousand literals: a gate for more than can be numbered would not be one.
fn counted(count: usize) -> u16 {
    u16::try_from(count).expect("some thousand literals are numbered")
}

fn small(length: usize) -> u8 {
    u8::try_from(length).expect("a literal has at most eight bytes")
}

const fn pair(piece: [u8; 2]) -> u16 {
    u16::from_le_bytes(piece)
}

/// The highest bits of a product are the best mixed.
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
