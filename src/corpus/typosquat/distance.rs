//! The bounded distance: optimal string alignment, the restricted form of Damerau's.
//!
//! One letter more, less or other counts one, and so do two neighbours in the other order; no letter is edited twice.
//! The numbers are those of rapidfuzz.

use rapidfuzz::distance::osa;

/// The largest distance that is asked for when typosquat candidates are searched.
pub const MOST: usize = 2;

/// Two names of which the longer has fewer letters than this are within one edit of each other or not at all.
const LONG: usize = 8;

/// The number of edits that may lie between two names of these lengths: one where both are short, else two.
pub const fn bound(one: usize, other: usize) -> usize {
    if (one < LONG && other < LONG) || one < LONG - MOST || other < LONG - MOST { 1 } else { MOST }
}

/// The number of edits that may lie between a name of this length and any other at most.
pub const fn bound_of_one(length: usize) -> usize {
    bound(length, length + MOST)
}

/// The distance of two names, where it is at most `most`.
///
/// Takes time in proportion to one length times the other, in steps of 64 letters: callers bound the lengths.
pub fn within(one: &[char], other: &[char], most: usize) -> Option<usize> {
    // The library looks at the bound only behind the last letter.
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let bound = osa::Args::default().score_cutoff(most);
    osa::distance_with_args(one.iter().copied(), other.iter().copied(), &bound)
}

/// The distance of two names, however far; for names that were found and are few.
pub fn exact(one: &str, other: &str) -> usize {
    osa::distance(one.chars(), other.chars())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook recurrence over the whole table.
    fn textbook(one: &[char], other: &[char]) -> usize {
        let mut cost = vec![vec![0; other.len() + 1]; one.len() + 1];
        for i in 0..=one.len() {
            for j in 0..=other.len() {
                cost[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let is_other = usize::from(one[i - 1] != other[j - 1]);
                        let mut best = (cost[i - 1][j] + 1).min(cost[i][j - 1] + 1).min(cost[i - 1][j - 1] + is_other);
                        if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                            best = best.min(cost[i - 2][j - 2] + 1);
                        }
                        best
                    }
                };
            }
        }
        cost[one.len()][other.len()]
    }

    #[test]
    fn a_swap_counts_one_and_no_letter_is_edited_twice() {
        assert_eq!(
            [exact("slack", "slcak"), exact("slack", "slack"), exact("", "ab"), exact("ca", "abc")],
            [1, 0, 2, 3]
        );
        assert_eq!(
            [exact("requests", "reqest"), exact("numoy", "numpy"), exact("discord.js", "dezcord.js")],
            [2, 1, 2]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

        #[test]
        fn the_library_gives_the_textbook_distance(
            // Beyond 64 letters rapidfuzz computes in several words.
            one in "[abc]{0,9}|[aé漢]{0,9}|[ab]{60,70}|[a-c]{120,140}",
            edits in proptest::collection::vec((0_u8..4, any::<prop::sample::Index>(), "[abcé]"), 0..5),
            unlike in proptest::option::weighted(0.3, "[abcé]{0,9}"),
            most in 0_usize..5,
        ) {
            let letters: Vec<char> = one.chars().collect();
            let other = unlike.map_or_else(|| edited(&letters, &edits), |unlike| unlike.chars().collect());
            let whole = textbook(&letters, &other);
            prop_assert_eq!(within(&letters, &other, most), (whole <= most).then_some(whole));
            prop_assert_eq!(within(&other, &letters, most), (whole <= most).then_some(whole));
            prop_assert_eq!(exact(&one, &other.iter().collect::<String>()), whole);
        }
    }

    /// The letters after some edits: one more, one less, another one, two in the other order.
    fn edited(letters: &[char], edits: &[(u8, prop::sample::Index, String)]) -> Vec<char> {
        let mut letters = letters.to_vec();
        for (edit, at, new) in edits {
            let (at, new) = (at.index(letters.len() + 1), new.chars().next().unwrap());
            match edit {
                0 => letters.insert(at, new),
                1 if at < letters.len() => drop(letters.remove(at)),
                2 if at < letters.len() => letters[at] = new,
                3 if at + 1 < letters.len() => letters.swap(at, at + 1),
                _ => {}
            }
        }
        letters
    }
}
