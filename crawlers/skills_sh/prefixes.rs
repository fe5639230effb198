//! The beginnings of names that are searched for, in their order, and which skill is taken at which.
//!
//! The order is fixed, so that a cursor names its place in it.

use capdex_model::digest::Digest;

const LETTERS: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

/// Letters that may follow two letters where a search is divided. A name with any other letter there is taken before.
const FURTHER: &str = "-0123456789abcdefghijklmnopqrstuvwxyz";

/// The longest beginning.
const MAX_LETTERS: usize = 4;

/// The beginnings that a walk starts from.
pub(super) struct Prefixes(Vec<String>);

impl Prefixes {
    /// Those of the schedule, or all pairs of letters and digits where it names none.
    pub(super) fn new(queries: &[String]) -> Self {
        if !queries.is_empty() {
            return Self(queries.iter().map(|query| query.to_lowercase()).collect());
        }
        let pairs = LETTERS.chars().flat_map(|one| LETTERS.chars().map(move |other| format!("{one}{other}")));
        Self(pairs.collect())
    }

    /// The digest that tells one list of beginnings from another.
    pub(super) fn digest(&self) -> String {
        Digest::of_fields(self.0.iter().map(String::as_bytes)).hex()
    }

    /// The first one, with its place.
    pub(super) fn first(&self) -> Option<(usize, String)> {
        self.at(0)
    }

    fn at(&self, place: usize) -> Option<(usize, String)> {
        Some((place, self.0.get(place)?.clone()))
    }

    /// The one after `prefix`: one letter more where the answer was cut, else the next of as many letters or of fewer.
    pub(super) fn after(&self, place: usize, prefix: &str, is_cut: bool) -> Option<(usize, String)> {
        if is_cut {
            let first = FURTHER.chars().next()?;
            return Some((place, format!("{prefix}{first}")));
        }
        let top = self.0.get(place)?;
        let mut prefix = prefix.to_owned();
        // Behind the last letter the walk goes back to fewer letters.
        while prefix.len() > top.len() {
            let last = prefix.pop()?;
            let next = FURTHER.chars().skip_while(|letter| *letter != last).nth(1);
            if let Some(next) = next {
                prefix.push(next);
                return Some((place, prefix));
            }
        }
        self.at(place.saturating_add(1))
    }
}

/// True where a search that was cut can go on with one letter more.
pub(super) fn is_divisible(prefix: &str) -> bool {
    prefix.chars().count() < MAX_LETTERS
}

/// The beginning of a name: everything from its first two letters or digits side by side on, in lower case.
pub(super) fn beginning(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let place = name.as_bytes().windows(2).position(|pair| pair.iter().all(is_letter))?;
    name.get(place..).map(str::to_owned)
}

/// True where a skill is taken at this beginning: where the answer was cut, only if no longer beginning finds it.
pub(super) fn is_of(prefix: &str, is_cut: bool, beginning: &str) -> bool {
    let Some(rest) = beginning.strip_prefix(prefix) else { return false };
    !is_cut || rest.chars().next().is_none_or(|next| !FURTHER.contains(next))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_pairs_are_searched_for_once() {
        let all = Prefixes::new(&[]);
        let (mut at, mut seen) = (all.first(), Vec::new());
        while let Some((place, prefix)) = at {
            at = all.after(place, &prefix, false);
            seen.push(prefix);
        }
        assert_eq!(seen.len(), 1_296);
        assert_eq!(seen.first().map(String::as_str), Some("00"));
        assert_eq!(seen.last().map(String::as_str), Some("zz"));
        assert!(seen.is_sorted());
    }

    #[test]
    fn a_cut_answer_is_divided_and_the_search_comes_back() {
        let all = Prefixes::new(&["ab".into(), "cd".into()]);
        let after = |place, prefix: &str, is_cut| all.after(place, prefix, is_cut);
        assert_eq!(after(0, "ab", true), Some((0, "ab-".into())));
        assert_eq!(after(0, "ab-", true), Some((0, "ab--".into())));
        assert_eq!(after(0, "ab-z", false), Some((0, "ab0".into())));
        assert_eq!(after(0, "abz", false), Some((1, "cd".into())));
        assert_eq!(after(1, "cd", false), None);
    }

    proptest! {
        /// Whatever answers are cut, each name is taken at exactly one of the beginnings that are searched for.
        #[test]
        fn every_name_is_taken_once(names in prop::collection::btree_set("[abz_.-]{1,6}", 0..30), limit in 1_usize..6) {
            let tops = ["aa", "ab", "az", "ba", "bb", "bz", "za", "zb", "zz"].map(str::to_owned);
            let all = Prefixes::new(&tops);
            let found: Vec<_> = names.iter().filter_map(|name| beginning(name)).collect();
            let (mut at, mut taken) = (all.first(), 0);
            while let Some((place, prefix)) = at {
                let answer = found.iter().filter(|name| name.starts_with(&prefix)).count();
                let is_cut = answer >= limit && is_divisible(&prefix);
                taken += found.iter().filter(|name| is_of(&prefix, is_cut, name)).count();
                at = all.after(place, &prefix, is_cut);
            }
            prop_assert_eq!(taken, found.len());
        }
    }
}
