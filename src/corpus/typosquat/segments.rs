//! Segments: a name cut into one part more than there may be edits, so that an edited name still has one of them as it is.
//!
//! Source: G. Li, D. Deng, J. Wang, J. Feng, "Pass-Join: A Partition-based Method for Similarity Joins", 2011. There an edit is
//! in one part. Here a swap of two neighbours is one edit too, and it may stand across a border and change two parts. Where
//! every part is changed, one swap at least stands so; then the first part without its last letter, or the last part without
//! its first, is as it was and where it was.
//!
//! A name asks a few dozen questions, each of which hardly any part answers. What is asked is small enough to stay near the
//! processor, which the deletions of all names were not.

use super::buckets::fold;

/// The base of the polynomial; odd, so that every power is one too.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// Letters of a name whose hashes need no memory of their own.
const FEW: usize = 64;
/// The powers of the base for as many.
const POWERS: [u64; FEW] = powers();

/// The part of a name that stands before its first border, without the letter at the border.
const BEFORE_BORDER: usize = 8;
/// The part behind its last border, without the letter at the border.
const BEHIND_BORDER: usize = 9;

/// Calls `each` with the hash of every key under which a name is found by those within so many edits (two at most).
pub(super) fn each_key(letters: &[char], most: usize, mut each: impl FnMut(u32)) {
    with_hashes(letters, |name| {
        let length = letters.len();
        for (part, from, to) in parts(length, most) {
            each(key(length, part, name.part(from, to)));
        }
        let (before, behind) = borders(length, most);
        each(key(length, BEFORE_BORDER, name.part(0, before)));
        each(key(length, BEHIND_BORDER, name.part(behind, length)));
    });
}

/// Calls `each` with the hash of every key that names within so many edits (two at most) may have in common with a name.
/// `has` says whether there are names of so many letters.
pub(super) fn each_question(letters: &[char], most: usize, has: impl Fn(usize) -> bool, mut each: impl FnMut(u32)) {
    with_hashes(letters, |name| {
        let own = letters.len();
        for length in own.saturating_sub(most)..=own + most {
            if !has(length) {
                continue;
            }
            for (part, from, to) in parts(length, most) {
                for at in starts(from, length, own, most) {
                    let end = at + (to - from);
                    if end <= own {
                        each(key(length, part, name.part(at, end)));
                    }
                }
            }
            // A swap across a border leaves one edit less for what makes one name longer than the other.
            if own.abs_diff(length) < most {
                let (before, behind) = borders(length, most);
                if before <= own {
                    each(key(length, BEFORE_BORDER, name.part(0, before)));
                }
                if length - behind <= own {
                    each(key(length, BEHIND_BORDER, name.part(own + behind - length, own)));
                }
            }
        }
    });
}

/// The places at which a part that begins at `from` in a name of `length` letters may begin in one of `own` letters: the edits
/// on its left move it there, those on its right make up for the rest, and together they are `most`.
fn starts(from: usize, length: usize, own: usize, most: usize) -> impl Iterator<Item = usize> {
    (from.saturating_sub(most)..=from + most).filter(move |at| {
        // Where it begins from the end, in either: the difference is what the right has to make up for.
        let moved_right = (own + from).abs_diff(length + at);
        at.abs_diff(from) + moved_right <= most
    })
}

/// The parts of so many letters, one more than `most`: their numbers, beginnings and ends. The last ones are the longer ones.
fn parts(length: usize, most: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let (count, mut from) = (most + 1, 0);
    let (short, longer) = (length / count, length % count);
    (0..count).map(move |part| {
        let begin = from;
        from += short + usize::from(part >= count - longer);
        (part, begin, from)
    })
}

/// Where the first part ends and the last begins, each without the letter at the border.
fn borders(length: usize, most: usize) -> (usize, usize) {
    let count = most + 1;
    let (short, longer) = (length / count, length % count);
    let first = short + usize::from(longer == count);
    let last = short + usize::from(longer > 0);
    (first.saturating_sub(1), (length - last + 1).min(length))
}

fn key(length: usize, part: usize, hash: u64) -> u32 {
    fold(hash.wrapping_mul(BASE).wrapping_add((length * 16 + part) as u64))
}

/// The hashes of a name's beginnings: those of all its parts follow from them.
struct Hashes<'a>(&'a [u64]);

impl Hashes<'_> {
    /// From one place to another.
    fn part(&self, from: usize, to: usize) -> u64 {
        let before = |place: usize| self.0.get(place).copied().unwrap_or(0);
        before(to).wrapping_sub(before(from).wrapping_mul(power(to - from)))
    }
}

fn with_hashes(letters: &[char], work: impl FnOnce(&Hashes<'_>)) {
    let (mut few, mut many) = ([0_u64; FEW], Vec::new());
    // Hardly any name is longer, and an allocation takes as long as all of its questions.
    let hashes: &mut [u64] = if letters.len() < FEW {
        &mut few
    } else {
        many.resize(letters.len() + 1, 0);
        &mut many
    };
    let mut hash = 0_u64;
    for (letter, cell) in letters.iter().zip(hashes.iter_mut().skip(1)) {
        hash = hash.wrapping_mul(BASE).wrapping_add(value(*letter));
        *cell = hash;
    }
    work(&Hashes(hashes));
}

fn power(of: usize) -> u64 {
    POWERS.get(of).copied().unwrap_or_else(|| BASE.wrapping_pow(u32::try_from(of).unwrap_or(u32::MAX)))
}

const fn powers() -> [u64; FEW] {
    let mut powers = [1_u64; FEW];
    let mut at = 1;
    while at < FEW {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
}

/// Never nothing, so that a letter in front counts.
const fn value(letter: char) -> u64 {
    (letter as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::distance;
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    fn questions(text: &str, most: usize) -> Vec<u32> {
        let mut asked = Vec::new();
        each_question(&chars(text), most, |_| true, |key| asked.push(key));
        asked
    }

    fn meet(one: &str, other: &str, most: usize) -> bool {
        let mut keys = BTreeSet::new();
        each_key(&chars(other), most, |key| keys.extend([key]));
        questions(one, most).iter().any(|key| keys.contains(key))
    }

    #[test]
    fn parts_are_all_of_a_name() {
        let of = |length, most| parts(length, most).map(|(_, from, to)| (from, to)).collect::<Vec<_>>();
        assert_eq!(of(8, 2), [(0, 2), (2, 5), (5, 8)]);
        assert_eq!(of(7, 1), [(0, 3), (3, 7)]);
        assert_eq!(of(1, 2), [(0, 0), (0, 0), (0, 1)]);
        assert_eq!((borders(8, 2), borders(9, 2), borders(1, 2), borders(0, 2)), ((1, 6), (2, 7), (0, 1), (0, 0)));
    }

    #[test]
    fn swaps_across_every_border_are_found() {
        // All three parts of `abcdefghi` are changed: abc|def|ghi.
        for edited in ["abdcefghi", "abdcegfhi", "abdcefgh", "bcdegfhi", "xabcdegfhi", "abdcefghxi"] {
            assert!(distance::within(&chars(edited), &chars("abcdefghi"), 2).is_some(), "{edited}");
            assert!(meet(edited, "abcdefghi", 2), "{edited}");
        }
        assert!(meet("abdcef", "abcdef", 1));
    }

    #[test]
    fn a_name_asks_a_few_dozen_questions_however_long_it_is() {
        assert!(questions(&"a".repeat(20), 2).len() <= 45, "{}", questions(&"a".repeat(20), 2).len());
        assert!(questions(&"a".repeat(10_000), 2).len() <= 45);
        assert!(questions(&"a".repeat(20), 1).len() <= 12);
        assert!(!meet("abcdefghi", "zyxwvutsr", 2));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_near_is_met(one in "[ab]{0,12}|[a-d]{5,9}|[ab]{60,70}", edits in prop::collection::vec((0_u8..4, any::<prop::sample::Index>(), "[a-d]"), 0..3), most in 1_usize..=2) {
            let mut other = chars(&one);
            for (edit, at, new) in edits {
                let (at, new) = (at.index(other.len() + 1), new.chars().next().unwrap());
                match edit {
                    0 => other.insert(at, new),
                    1 if at < other.len() => drop(other.remove(at)),
                    2 if at < other.len() => other[at] = new,
                    3 if at + 1 < other.len() => other.swap(at, at + 1),
                    _ => {}
                }
            }
            let other: String = other.into_iter().collect();
            let is_near = distance::within(&chars(&one), &chars(&other), most).is_some();
            prop_assert!(!is_near || (meet(&one, &other, most) && meet(&other, &one, most)), "{one} {other} {most}");
        }
    }
}
