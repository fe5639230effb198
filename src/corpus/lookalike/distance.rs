//! The bounded distance: optimal string alignment, the restricted form of Damerau's.
//!
//! One letter more, less or other counts one, and so do two neighbours in the other order; no letter is edited twice.
//! Must not know what is a name.

/// The largest distance that is asked for when look-alikes are searched.
pub const MOST: usize = 2;

/// Where the longer name has fewer letters than this, two names are within one edit of each other or not at all.
const LONG: usize = 8;

/// How many edits may lie between two names of these lengths: one where both are short, else two.
pub const fn bound(one: usize, other: usize) -> usize {
    if (one < LONG && other < LONG) || one < LONG - MOST || other < LONG - MOST { 1 } else { MOST }
}

/// How many edits may lie between a name of this length and any other at most.
pub const fn bound_of_one(length: usize) -> usize {
    bound(length, length + MOST)
}

/// The distance of two names, where it is at most `most`.
///
/// Takes time in proportion to the length times `most`.
pub fn within<T: Copy + Eq>(one: &[T], other: &[T], most: usize) -> Option<usize> {
    let (one, other) = trimmed(one, other);
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    if long.len() - short.len() > most {
        return None;
    }
    match (long, short) {
        (rest, []) => return Some(rest.len()),
        ([_], [_]) => return (most >= 1).then_some(1),
        ([a, b], [c, d]) if a == d && b == c => return (most >= 1).then_some(1),
        // What begins and ends differently is two edits away or more, unless it is one letter or a swap.
        _ if most <= 1 => return None,
        _ => {}
    }
    aligned(long, short, most)
}

/// The distance of two names, however far; for names that were found and are few.
pub fn exact<T: Copy + Eq>(one: &[T], other: &[T]) -> usize {
    within(one, other, one.len().max(other.len())).unwrap_or(one.len().max(other.len()))
}

/// Both without what they begin and end with alike, which no best alignment edits.
fn trimmed<'a, T: Eq>(one: &'a [T], other: &'a [T]) -> (&'a [T], &'a [T]) {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (one.get(..one.len() - same).unwrap_or_default(), other.get(..other.len() - same).unwrap_or_default())
}

/// Dynamic programming over three rows, of which only the cells within `most` of the diagonal are computed.
fn aligned<T: Copy + Eq>(long: &[T], short: &[T], most: usize) -> Option<usize> {
    let (width, far) = (short.len() + 1, most + 1);
    let (mut two_before, mut before, mut row) = (vec![far; width], vec![far; width], vec![far; width]);
    for (column, cell) in before.iter_mut().enumerate().take(far) {
        *cell = column;
    }
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(far);
    for (above, letter) in long.iter().enumerate() {
        let (from, to) = ((above + 1).saturating_sub(most), (above + 1 + most).min(short.len()));
        row.fill(far);
        if let Some(first) = row.first_mut().filter(|_| above < most) {
            *first = above + 1;
        }
        let mut least = at(&row, 0);
        for column in from.max(1)..=to {
            let other = short.get(column - 1);
            let is_same = other == Some(letter);
            let mut cost = at(&before, column - 1) + usize::from(!is_same);
            cost = cost.min(at(&before, column) + 1).min(at(&row, column - 1) + 1);
            let is_swap =
                above >= 1 && column >= 2 && long.get(above - 1) == other && short.get(column - 2) == Some(letter);
            if is_swap {
                cost = cost.min(at(&two_before, column - 2) + 1);
            }
            let cost = cost.min(far);
            if let Some(cell) = row.get_mut(column) {
                *cell = cost;
            }
            least = least.min(cost);
        }
        // A swap reaches two rows back, so one row beyond the bound does not decide.
        if least > most && before.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        std::mem::swap(&mut two_before, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    before.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook recurrence over the whole table.
    fn textbook(one: &[u8], other: &[u8]) -> usize {
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
        let far = |one: &str, other: &str| exact(one.as_bytes(), other.as_bytes());
        assert_eq!([far("slack", "slcak"), far("slack", "slack"), far("", "ab"), far("ca", "abc")], [1, 0, 2, 3]);
        assert_eq!([far("requests", "reqest"), far("numoy", "numpy"), far("discord.js", "dezcord.js")], [2, 1, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn it_is_the_textbook_distance_up_to_the_bound(one in "[abc]{0,9}", other in "[abc]{0,9}", most in 0_usize..5) {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let whole = textbook(one, other);
            prop_assert_eq!(within(one, other, most), (whole <= most).then_some(whole));
            prop_assert_eq!(exact(one, other), whole);
            prop_assert_eq!(within(other, one, most), within(one, other, most));
        }
    }
}
