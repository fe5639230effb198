//! `OutcomeSet`: the outcome of each rule for one capability, as bit sets over rule numbers.
//!
//! Rubrics count a dozen times how many of a hundred rules could look. Bit sets count sixty-four rules at once.

use crate::fact::Outcome;

/// A set of rule numbers, one bit each.
#[derive(Clone, Debug, Default)]
pub struct RuleSet(Vec<u64>);

impl RuleSet {
    /// Adds a rule.
    pub fn add(&mut self, number: usize) {
        let (at, bit) = place(number);
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0.get_mut(at).into_iter().for_each(|word| *word |= bit);
    }

    /// The numbers in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            // `rest & (rest - 1)` clears the lowest bit: one step for each rule in the word, not for each bit.
            let next = |rest: &u64| (rest & (rest - 1) != 0).then(|| rest & (rest - 1));
            let rests = std::iter::successors((*word != 0).then_some(*word), next);
            rests.map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// True where the set holds the rule.
    pub fn has(&self, number: usize) -> bool {
        let (at, bit) = place(number);
        self.0.get(at).is_some_and(|word| word & bit != 0)
    }
}

/// The outcomes of sixty-four rules, one bit a rule in each word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OutcomeWord {
    reported: u64,
    applies: u64,
    looked: u64,
    found: u64,
}

/// The outcome of each rule by its number. Rules that have not reported have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeSet(Vec<OutcomeWord>);

impl OutcomeSet {
    /// Adds an outcome. Several outcomes of one rule are joined by [`Outcome::or`].
    pub fn add(&mut self, number: usize, outcome: Outcome) {
        let outcome = self.get(number).map_or(outcome, |outcomes| outcomes.or(outcome));
        self.put(number, outcome);
    }

    /// Replaces the outcome of a rule.
    pub fn put(&mut self, number: usize, outcome: Outcome) {
        let (at, bit) = place(number);
        if at >= self.0.len() {
            self.0.resize(at + 1, OutcomeWord::default());
        }
        let Some(words) = self.0.get_mut(at) else { return };
        let set = |word: &mut u64, is_set: bool| if is_set { *word |= bit } else { *word &= !bit };
        set(&mut words.reported, true);
        set(&mut words.applies, outcome != Outcome::NotApplicable);
        set(&mut words.looked, matches!(outcome, Outcome::True | Outcome::False));
        set(&mut words.found, outcome == Outcome::True);
    }

    /// The outcome of a rule; none where it has not reported.
    pub fn get(&self, number: usize) -> Option<Outcome> {
        let (at, bit) = place(number);
        let words = self.0.get(at).filter(|words| words.reported & bit != 0)?;
        Some(match (words.applies & bit != 0, words.looked & bit != 0, words.found & bit != 0) {
            (_, _, true) => Outcome::True,
            (_, true, _) => Outcome::False,
            (true, ..) => Outcome::Unavailable,
            (false, ..) => Outcome::NotApplicable,
        })
    }

    /// True where every rule of the set has reported.
    pub fn has_all(&self, rules: &RuleSet) -> bool {
        // A set may reach beyond what was reported; the missing words have reported nothing.
        let reported = self.0.iter().map(|words| words.reported).chain(std::iter::repeat(0));
        rules.0.iter().zip(reported).all(|(rules, reported)| rules & !reported == 0)
    }

    /// Counts, of the given rules, those that apply and those of them that could look.
    pub fn count(&self, rules: &RuleSet) -> (usize, usize) {
        let (mut asked, mut answered) = (0, 0);
        for (rules, words) in rules.0.iter().zip(&self.0) {
            asked += (rules & words.applies).count_ones();
            answered += (rules & words.looked).count_ones();
        }
        (asked as usize, answered as usize)
    }
}

/// The index of the 64-bit word of a rule, and its bit there.
const fn place(number: usize) -> (usize, u64) {
    (number / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_comes_back_and_is_counted() {
        let each = [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable];
        let (mut outcomes, mut rules) = (OutcomeSet::default(), RuleSet::default());
        for (number, outcome) in (0..200).zip(each.into_iter().cycle()) {
            outcomes.add(number, outcome);
            rules.add(number);
            assert_eq!(outcomes.get(number), Some(outcome));
        }
        assert_eq!(outcomes.get(200), None);
        assert!(outcomes.has_all(&rules));
        assert_eq!(outcomes.count(&rules), (150, 100));
        assert!(rules.numbers().eq(0..200));
        rules.add(200);
        assert!(!outcomes.has_all(&rules));
        assert!(rules.has(200));
        assert!(!rules.has(201));
        outcomes.put(0, Outcome::Unavailable);
        assert_eq!(outcomes.get(0), Some(Outcome::Unavailable));
        assert_eq!(outcomes.count(&rules), (150, 99));
    }

    #[test]
    fn several_outcomes_of_one_rule_are_joined() {
        for one in [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable] {
            for other in [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable] {
                let mut outcomes = OutcomeSet::default();
                outcomes.add(70, one);
                outcomes.add(70, other);
                assert_eq!(outcomes.get(70), Some(one.or(other)));
            }
        }
    }
}
