//! The tables by which thousands of short literals are looked for at once: each known by a piece of two, three or four
//! bytes, the rarest that it has.

use serde::{Deserialize, Serialize};

use super::frequency;
use super::literal::{LONGEST, Literal};
use super::reach::{is_word, seen};

/// Pieces of two, three and four bytes are numbered apart, with sixteen bits each.
pub const KINDS: usize = 3;
/// The longest piece.
const PIECE: usize = 4;

/// Literals, by the numbers of their pieces.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiteralTables {
    /// The kind and number of each piece, in their order.
    pub numbers: Vec<(u8, u16)>,
    /// The first entry of each number, in their order, then those that share a number with another.
    pub entries: Vec<LiteralEntry>,
    /// The question to each entry before it is compared: most do not stand there, and are told so by less memory.
    pub hints: Vec<Hint>,
}

/// One byte of a text or beside it, and the next entry with the same number.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hint {
    /// The place of the byte, counted from sixteen bytes before its piece.
    pub ahead: u8,
    /// The byte; [`EDGE`] for any that is none of a word.
    pub byte: u8,
    /// [`NONE`] where there is no other.
    pub next: u16,
}

/// In place of a byte: any that is none of a word. No normalized text holds it as a letter of its own.
pub const EDGE: u8 = b'A';

impl Hint {
    /// The byte of an entry that may be expected least often, outside its piece where there is one; of short words that
    /// stand for themselves alone the byte beside them, since all of theirs are in the piece.
    fn of(entry: &LiteralEntry) -> Self {
        let bytes = entry.bytes.to_le_bytes();
        let (length, offset) = (usize::from(entry.length), usize::from(entry.offset));
        if length > 1 && length < PIECE {
            // The ways with a byte of a word behind the text, and before it.
            const BEHIND: u16 = 0xff00;
            const BEFORE: u16 = 0xf0f0;
            let beside = [(BEHIND, LONGEST + length), (BEFORE, LONGEST - 1)];
            if let Some((_, ahead)) = beside.into_iter().find(|(ways, _)| entry.by_sides & ways == 0) {
                return Self { ahead: small(ahead), byte: EDGE, next: NONE };
            }
        }
        let own = bytes.iter().enumerate().take(length);
        // The piece itself was met already: one of its bytes would tell nothing.
        let outside = own.filter(|(at, _)| length < PIECE || !(offset..offset + PIECE).contains(at));
        let rarest =
            outside.min_by(|(_, one), (_, other)| frequency::of_byte(**one).total_cmp(&frequency::of_byte(**other)));
        let (at, byte) = rarest.map_or((offset, bytes.get(offset).copied().unwrap_or(0)), |(at, byte)| (at, *byte));
        Self { ahead: small(LONGEST + at - offset), byte, next: NONE }
    }
}

/// One text, in as little room as it takes: most places that are compared wait for memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LiteralEntry {
    /// Its bytes from the lowest on, and nothing above them.
    pub bytes: u128,
    /// The first of the things to be told of it.
    pub thing: u16,
    /// Four bits for each way in which bytes of words may stand beside it: which of the things to tell, from one on;
    /// nought where there is none.
    pub by_sides: u16,
    /// Its length in bytes.
    pub length: u8,
    /// The offset of its piece in the text.
    pub offset: u8,
}

/// No entry.
pub const NONE: u16 = u16::MAX;

impl LiteralTables {
    /// For literals of one to sixteen bytes, normalized, in their order; with the things that are told, for each the
    /// literals that then stand there.
    pub fn of(literals: &[Literal], sample: &[&str]) -> (Self, Vec<Vec<usize>>) {
        let sample = counts(sample);
        let mut numbered = Vec::new();
        let mut things: Vec<Vec<usize>> = Vec::new();
        let mut first = 0;
        for alike in literals.chunk_by(|one, other| one.as_bytes() == other.as_bytes()) {
            let text = alike.first().map_or(&[][..], Literal::as_bytes);
            let thing = things.len();
            let mut by_sides = 0;
            let [first_is, last_is] = [text.first(), text.last()].map(|byte| byte.is_some_and(|byte| is_word(*byte)));
            for sides in 0..4 {
                // An edge is where a byte of a word stands beside another one.
                let [before, after] = [sides & 1 != 0, sides & 2 != 0];
                let [begins, ends] = [before != first_is, after != last_is];
                let stands = |literal: &Literal| begins >= literal.begins_word() && ends >= literal.ends_word();
                let matching = (first..).zip(alike).filter(|(_, literal)| stands(literal));
                let matching: Vec<usize> = matching.map(|(number, _)| number).collect();
                if matching.is_empty() {
                    continue;
                }
                let own = things.get(thing..).unwrap_or(&[]);
                let place = own.iter().position(|other| *other == matching).unwrap_or(own.len());
                if place == own.len() {
                    things.push(matching);
                }
                by_sides |= counted(place + 1) << (4 * sides);
            }
            first += alike.len();
            let mut bytes = [0; LONGEST];
            bytes.iter_mut().zip(text).for_each(|(byte, own)| *byte = *own);
            let (bytes, length, thing) = (u128::from_le_bytes(bytes), small(text.len()), counted(thing));
            let entry = LiteralEntry { bytes, thing, by_sides, length, offset: 0 };
            let mut number = |kind: u8, piece, entry| {
                let number = numbers(piece).into_iter().nth(usize::from(kind)).unwrap_or_default();
                numbered.push((kind, number, entry));
            };
            match text {
                // Any next byte will do: an entry for each.
                [one] => (0..=u8::MAX).for_each(|next| number(0, [*one, next, 0, 0], entry)),
                [one, two] => number(0, [*one, *two, 0, 0], entry),
                [one, two, three] => number(1, [*one, *two, *three, 0], entry),
                _ => {
                    let (offset, piece) = rarest(text, &sample);
                    number(2, piece, LiteralEntry { offset: small(offset), ..entry });
                }
            }
        }
        (Self::of_numbered(numbered), things)
    }

    /// For entries with their kinds and numbers.
    fn of_numbered(mut numbered: Vec<(u8, u16, LiteralEntry)>) -> Self {
        numbered.sort_by_key(|(kind, number, entry)| (*kind, *number, entry.thing));
        let (mut entries, mut others): (Vec<LiteralEntry>, Vec<(usize, LiteralEntry)>) = (Vec::new(), Vec::new());
        let mut numbers: Vec<(u8, u16)> = Vec::new();
        for (kind, number, entry) in numbered {
            if numbers.last() == Some(&(kind, number)) {
                others.push((entries.len() - 1, entry));
            } else {
                numbers.push((kind, number));
                entries.push(entry);
            }
        }
        let mut hints: Vec<Hint> = entries.iter().map(Hint::of).collect();
        for (first, entry) in others {
            let (place, mut hint) = (counted(entries.len()), Hint::of(&entry));
            if let Some(first) = hints.get_mut(first) {
                hint.next = std::mem::replace(&mut first.next, place);
            }
            hints.push(hint);
            entries.push(entry);
        }
        Self { numbers, entries, hints }
    }
}

/// The piece of a literal whose number may be expected least often, and where it stands.
fn rarest(literal: &[u8], sample: &[u32]) -> (usize, [u8; 4]) {
    let pieces = literal.array_windows().enumerate();
    let least = pieces.min_by_key(|(_, piece)| {
        let [.., number] = numbers(**piece);
        sample.get(usize::from(number))
    });
    least.map_or_else(Default::default, |(at, piece)| (at, *piece))
}

/// The count of each number of a piece of four bytes in some texts, as a prefilter looks at them.
fn counts(sample: &[&str]) -> Vec<u32> {
    let mut counts = vec![0; 1 << 16];
    for text in sample {
        let mut seen: Vec<u8> = text.bytes().map(seen).collect();
        seen.dedup_by(|byte, before| *byte == b' ' && *before == b' ');
        for [.., number] in seen.array_windows().map(|piece| numbers(*piece)) {
            counts.get_mut(usize::from(number)).into_iter().for_each(|count| *count += 1);
        }
    }
    counts
}

/// There are some thousand literals: a prefilter for more than can be numbered would not be one.
fn counted(count: usize) -> u16 {
    u16::try_from(count).expect("some thousand literals are numbered")
}

fn small(length: usize) -> u8 {
    u8::try_from(length).expect("a literal has at most sixteen bytes")
}

/// The numbers of the pieces of each kind that begin four bytes: another one for each two, and the highest bits of a
/// product, which are the best mixed.
#[inline]
pub const fn numbers(piece: [u8; 4]) -> [u16; KINDS] {
    let four = u32::from_le_bytes(piece);
    let (three, all) = ((four << 8).wrapping_mul(0x85eb_ca77), four.wrapping_mul(0x9e37_79b1));
    [four as u16, (three >> 16) as u16, (all >> 16) as u16]
}
