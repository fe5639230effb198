//! Deletion neighbourhoods: the hashes of a name with none, one or two of its letters left out.
//!
//! Two names within so many edits of each other have one of these in common (an edit leaves a letter out on either side, a
//! swap one on each), and so do the beginnings of two names, whose hashes suffice.

use super::buckets::fold;

/// The base of the polynomial; odd, so that every power is one too.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Letters of a name's beginning that are looked at. Fewer make families (`mcp-server-…`) large, more the index.
const WINDOW: usize = 20;

/// Calls `each` with the hash of every way to leave out at most `most` (two at most) of its first letters.
/// Hashes may come twice.
pub(super) fn each_deletion(letters: &[char], most: usize, mut each: impl FnMut(u32)) {
    // Pairs of positions grow with the square of the length: the window bounds them.
    let letters = letters.get(..WINDOW).unwrap_or(letters);
    let length = letters.len();
    let mut before = [0_u64; WINDOW + 1];
    let mut powers = [1_u64; WINDOW + 1];
    for (at, letter) in letters.iter().enumerate() {
        let (hash, power) = (before.get(at).copied().unwrap_or(0), powers.get(at).copied().unwrap_or(1));
        set(&mut before, at + 1, hash.wrapping_mul(BASE).wrapping_add(value(*letter)));
        set(&mut powers, at + 1, power.wrapping_mul(BASE));
    }
    let hash = |to: usize| before.get(to).copied().unwrap_or(0);
    let power = |of: usize| powers.get(of).copied().unwrap_or(1);
    // What stands from one place to another, and something put after a hash. Polynomial hashes of parts follow
    // from those of the beginnings, so that each deletion costs a few steps.
    let part = |from: usize, to: usize| hash(to).wrapping_sub(hash(from).wrapping_mul(power(to - from)));
    let then = |first: u64, from: usize, to: usize| first.wrapping_mul(power(to - from)).wrapping_add(part(from, to));
    each(fold(hash(length)));
    if most == 0 {
        return;
    }
    for one in 0..length {
        each(fold(then(hash(one), one + 1, length)));
        if most == 1 {
            continue;
        }
        for two in one + 1..length {
            let middle = then(hash(one), one + 1, two);
            each(fold(then(middle, two + 1, length)));
        }
    }
}

fn set(of: &mut [u64; WINDOW + 1], at: usize, value: u64) {
    if let Some(cell) = of.get_mut(at) {
        *cell = value;
    }
}

/// Never nothing, so that a letter in front counts.
const fn value(letter: char) -> u64 {
    (letter as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str, most: usize) -> Vec<u32> {
        let letters: Vec<char> = text.chars().collect();
        let mut hashes = Vec::new();
        each_deletion(&letters, most, |hash| hashes.push(hash));
        hashes
    }

    #[test]
    fn a_deletion_has_the_hash_of_what_is_left() {
        let whole = |text: &str| hashes(text, 0)[0];
        let of = hashes("abcd", 2);
        for left in ["abcd", "bcd", "acd", "abd", "abc", "ab", "ac", "ad", "bc", "bd", "cd"] {
            assert!(of.contains(&whole(left)), "{left}");
        }
        assert_eq!(of.len(), 11);
        assert!(!of.contains(&whole("a")));
        assert!(!of.contains(&whole("dcba")));
    }

    #[test]
    fn only_the_beginning_counts() {
        let long: Vec<char> = "a".repeat(10_000).chars().collect();
        let mut times = 0;
        each_deletion(&long, 2, |_| times += 1);
        assert_eq!(times, 1 + 20 + 190);
        each_deletion(&[], 2, |_| times += 1);
        assert_eq!(times, 1 + 20 + 190 + 1);
    }
}
