//! Looks for thousands of short literals at once, regardless of ASCII case.
//!
//! An automaton over them takes megabytes, and every byte of a text then waits for memory. Here a byte costs two look-ups in
//! tables of a few kilobytes, without a jump: itself and a hash of it with the next two. What they let through is looked up
//! by its two, three and four bytes. Each literal is known by the piece of it that is rarest, and compared only where that
//! piece stands; where its bit stands among those that are set tells which one it is.

use super::super::frequency;
use super::super::literal::Literal;
use super::super::reach::is_word;

/// The longest literal, in bytes.
pub(in crate::rules::pattern) const LONGEST: usize = 8;

/// The bytes around a text, so that every literal can be compared at every place: what no text holds.
const PAD: [u8; LONGEST] = [u8::MAX; LONGEST];

/// How many places are looked at before those that are worth it are compared.
const CHUNK: usize = 256;

#[derive(Debug)]
pub(super) struct Search {
    /// One for the first byte of every literal of one byte, and of those of two where it is no letter.
    singles: Box<[u8; 256]>,
    /// The hashes of the first three bytes of every piece of the others, eight to a byte.
    triples: Box<[u8; GROUPS]>,
    /// By their two bytes, and those of one byte by any next one.
    short: Index,
    /// By a hash of their three bytes.
    middle: Index,
    /// By a hash of the four bytes of a piece.
    long: Index,
}

/// One literal, in as little room as it takes: most places that are compared wait for memory.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its bytes from the lowest on, and nothing above them.
    bytes: u64,
    literal: u16,
    /// The place of another one with the same number, or none.
    next: u16,
    length: u8,
    /// How far into the literal its piece stands.
    offset: u8,
    /// Whether a word's edge has to stand before it, and behind it.
    edges: [bool; 2],
}

/// No entry.
const NONE: u16 = u16::MAX;

impl Search {
    /// For literals of one to eight bytes in lower case.
    pub(super) fn new(literals: &[Literal]) -> Self {
        let (mut short, mut middle, mut long) = (Vec::new(), Vec::new(), Vec::new());
        let (mut singles, mut triples) = (Box::new([0_u8; 256]), Box::new([0_u8; GROUPS]));
        let mut begin = |piece: [u8; 4]| {
            let hash = hash_of_three(piece);
            triples.get_mut(usize::from(hash / 8)).into_iter().for_each(|byte| *byte |= 1 << (hash % 8));
        };
        let mut single = |byte: u8| singles.get_mut(usize::from(byte)).into_iter().for_each(|single| *single = 1);
        for (number, literal) in literals.iter().enumerate() {
            let edges = [literal.begins_word(), literal.ends_word()];
            let literal = literal.as_bytes();
            let entry = |offset: usize| {
                let mut bytes = [0; LONGEST];
                bytes.iter_mut().zip(literal).for_each(|(byte, own)| *byte = *own);
                let (length, offset) = (small(literal.len()), small(offset));
                Entry { bytes: u64::from_le_bytes(bytes), literal: counted(number), next: NONE, length, offset, edges }
            };
            match literal {
                [one] => {
                    single(*one);
                    // Any next byte will do: an entry for each.
                    short.extend((0..=u8::MAX).map(|next| (pair([*one, next]), entry(0))));
                }
                [one, two] => {
                    if one.is_ascii_alphabetic() {
                        // Letters stand everywhere: what begins with one is known by any third byte.
                        (0..=u8::MAX).for_each(|third| begin([*one, *two, third, 0]));
                    } else {
                        single(*one);
                    }
                    short.push((pair([*one, *two]), entry(0)));
                }
                [one, two, three] => {
                    let piece = [*one, *two, *three, 0];
                    begin(piece);
                    middle.push((hash_of_three(piece), entry(0)));
                }
                _ => {
                    let (offset, piece) = rarest(literal);
                    begin(piece);
                    long.push((hash(piece), entry(offset)));
                }
            }
        }
        Self { singles, triples, short: Index::new(short), middle: Index::new(middle), long: Index::new(long) }
    }

    /// Tells of every literal in a text and of its last byte, nearly in the order of their places.
    pub(super) fn each(&self, text: &[u8], mut tell: impl FnMut(u32, usize)) {
        let mut padded = Vec::with_capacity(text.len() + 2 * LONGEST);
        padded.extend_from_slice(&PAD);
        padded.extend_from_slice(text);
        padded.make_ascii_lowercase();
        padded.extend_from_slice(&PAD);
        let mut places = [0_u16; CHUNK];
        for from in (LONGEST..LONGEST + text.len()).step_by(CHUNK) {
            let to = (from + CHUNK).min(LONGEST + text.len());
            let mut count = 0;
            let windows = padded.get(from..to + 3).unwrap_or(&[]).windows(4);
            for (window, at) in windows.zip(0..) {
                let Ok(piece) = <[u8; 4]>::try_from(window) else { continue };
                // Every place is noted and all but the known ones overwritten: a jump here could not be foretold.
                if let Some(place) = places.get_mut(count) {
                    *place = at;
                }
                count += usize::from(self.knows(piece));
            }
            for place in places.get(..count).unwrap_or(&[]) {
                self.compare(&padded, from + usize::from(*place), &mut tell);
            }
        }
    }

    /// One where a literal or a piece of one may begin.
    #[inline]
    fn knows(&self, piece: [u8; 4]) -> u8 {
        let [first, ..] = piece;
        let single = self.singles.get(usize::from(first)).copied().unwrap_or(0);
        single | bit(&self.triples, hash_of_three(piece))
    }

    /// Tells of the literals whose piece stands at a place.
    fn compare(&self, padded: &[u8], at: usize, tell: &mut impl FnMut(u32, usize)) {
        let Some(piece) = padded.get(at..at + 4).and_then(|piece| <[u8; 4]>::try_from(piece).ok()) else { return };
        let [one, two, ..] = piece;
        self.long.each_of(hash(piece), |entry| entry.tell(padded, at, tell));
        self.middle.each_of(hash_of_three(piece), |entry| entry.tell(padded, at, tell));
        self.short.each_of(pair([one, two]), |entry| entry.tell(padded, at, tell));
    }
}

/// One for a number that stands in a table of bits.
#[inline]
fn bit(table: &[u8; GROUPS], number: u16) -> u8 {
    table.get(usize::from(number / 8)).map_or(0, |byte| byte >> (number % 8) & 1)
}

impl Entry {
    /// Which of eight bytes count.
    const fn mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.length as u32)
    }

    /// Tells of the literal if it is the one whose piece stands at a place.
    fn tell(&self, padded: &[u8], at: usize, tell: &mut impl FnMut(u32, usize)) {
        let start = at - usize::from(self.offset);
        let around = padded.get(start..start + LONGEST).and_then(|around| <[u8; LONGEST]>::try_from(around).ok());
        let end = start + usize::from(self.length);
        if around.is_some_and(|around| u64::from_le_bytes(around) & self.mask() == self.bytes)
            && self.edges.iter().zip([start, end]).all(|(is_edge, at)| !is_edge || is_word_edge(padded, at))
        {
            tell(u32::from(self.literal), end - 1 - LONGEST);
        }
    }
}

/// Whether a word begins or ends before a byte.
fn is_word_edge(padded: &[u8], at: usize) -> bool {
    let [left, right] = [at - 1, at].map(|at| padded.get(at).is_some_and(|byte| is_word(*byte)));
    left != right
}

/// Entries by a number of sixteen bits.
#[derive(Debug)]
struct Index {
    /// Which numbers there are, eight to a byte.
    known: Box<[u8; GROUPS]>,
    /// For every eight neighbouring numbers how many there are before them.
    before: Box<[u16; GROUPS]>,
    /// The first entry of each number, in their order, then those that share a number with another.
    entries: Vec<Entry>,
}

const GROUPS: usize = 1 << 13;

impl Index {
    fn new(mut numbered: Vec<(u16, Entry)>) -> Self {
        numbered.sort_by_key(|(number, entry)| (*number, entry.literal));
        let mut known = Box::new([0_u8; GROUPS]);
        let mut before = Box::new([0_u16; GROUPS]);
        let (mut entries, mut others): (Vec<Entry>, Vec<(usize, Entry)>) = (Vec::new(), Vec::new());
        let mut last = None;
        for (number, entry) in numbered {
            if last == Some(number) {
                others.push((entries.len() - 1, entry));
            } else {
                known.get_mut(usize::from(number / 8)).into_iter().for_each(|byte| *byte |= 1 << (number % 8));
                entries.push(entry);
            }
            last = Some(number);
        }
        for (first, mut entry) in others {
            let place = counted(entries.len());
            if let Some(first) = entries.get_mut(first) {
                entry.next = std::mem::replace(&mut first.next, place);
            }
            entries.push(entry);
        }
        let mut count = 0;
        for (byte, before) in known.iter().zip(before.iter_mut()) {
            *before = counted(count);
            count += byte.count_ones() as usize;
        }
        Self { known, before, entries }
    }

    /// Gives the entries of a number.
    #[inline]
    fn each_of(&self, number: u16, mut give: impl FnMut(&Entry)) {
        if bit(&self.known, number) == 0 {
            return;
        }
        let group = usize::from(number / 8);
        let (Some(byte), Some(before)) = (self.known.get(group), self.before.get(group)) else { return };
        let lower = byte & ((1 << (number % 8)) - 1);
        let mut place = usize::from(*before) + ONES.get(usize::from(lower)).map_or(0, |ones| usize::from(*ones));
        while let Some(entry) = self.entries.get(place) {
            give(entry);
            if entry.next == NONE {
                break;
            }
            place = usize::from(entry.next);
        }
    }
}

/// How many bits of a byte are set: not every machine that this runs on counts them in one step.
const ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        ones[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    ones
};

/// The piece of a literal that may be expected least often, and where it stands.
fn rarest(literal: &[u8]) -> (usize, [u8; 4]) {
    let pieces = literal.windows(4).enumerate();
    let least = pieces.min_by(|(_, a), (_, b)| frequency::of(a, 0).total_cmp(&frequency::of(b, 0)));
    least.and_then(|(at, piece)| Some((at, piece.try_into().ok()?))).unwrap_or_default()
}

/// There are some thousand literals: a gate for more than can be numbered would not be one.
fn counted(count: usize) -> u16 {
    u16::try_from(count).expect("some thousand literals are numbered")
}

fn small(length: usize) -> u8 {
    u8::try_from(length).expect("a literal has at most eight bytes")
}

/// Another number for each two bytes.
const fn pair(piece: [u8; 2]) -> u16 {
    u16::from_le_bytes(piece)
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
        let literals: Vec<Literal> = literals.iter().map(|literal| Literal::new(literal)).collect();
        let mut found = Vec::new();
        Search::new(&literals).each(text, |literal, last| found.push((literal, last + 1)));
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
