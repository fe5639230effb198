//! `Said`: what each rule answered about one capability, as sets of rules.
//!
//! Rubrics ask a dozen times how many of a hundred rules could look: that is counted sixty-four at once. Must not know any
//! rule.

use crate::fact::Outcome;

/// Some rules, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet(Vec<u64>);

impl RuleSet {
    /// Takes a rule in.
    pub(crate) fn add(&mut self, number: usize) {
        let (at, bit) = place(number);
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0.get_mut(at).into_iter().for_each(|word| *word |= bit);
    }

    /// Their numbers, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let next = |rest: &u64| (rest & (rest - 1) != 0).then(|| rest & (rest - 1));
            let rests = std::iter::successors((*word != 0).then_some(*word), next);
            rests.map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// Whether a rule is one of them.
    pub(crate) fn has(&self, number: usize) -> bool {
        let (at, bit) = place(number);
        self.0.get(at).is_some_and(|word| word & bit != 0)
    }
}

/// What sixty-four rules said, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answers {
    reported: u64,
    applies: u64,
    looked: u64,
    found: u64,
}

/// What each rule said, by its number; nothing for those that have not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said(Vec<Answers>);

impl Said {
    /// Takes in an answer. Of several of one rule the one counts that says most, as in [`Outcome::or`].
    pub(crate) fn add(&mut self, number: usize, outcome: Outcome) {
        let outcome = self.get(number).map_or(outcome, |said| said.or(outcome));
        self.put(number, outcome);
    }

    /// Takes an answer in place of what the rule has said.
    pub(crate) fn put(&mut self, number: usize, outcome: Outcome) {
        let (at, bit) = place(number);
        if at >= self.0.len() {
            self.0.resize(at + 1, Answers::default());
        }
        let Some(answers) = self.0.get_mut(at) else { return };
        let set = |word: &mut u64, is_set: bool| if is_set { *word |= bit } else { *word &= !bit };
        set(&mut answers.reported, true);
        set(&mut answers.applies, outcome != Outcome::NotApplicable);
        set(&mut answers.looked, matches!(outcome, Outcome::True | Outcome::False));
        set(&mut answers.found, outcome == Outcome::True);
    }

    /// What a rule said, if it reported.
    pub(crate) fn get(&self, number: usize) -> Option<Outcome> {
        let (at, bit) = place(number);
        let answers = self.0.get(at).filter(|answers| answers.reported & bit != 0)?;
        Some(match (answers.applies & bit != 0, answers.looked & bit != 0, answers.found & bit != 0) {
            (_, _, true) => Outcome::True,
            (_, true, _) => Outcome::False,
            (true, ..) => Outcome::Unavailable,
            (false, ..) => Outcome::NotApplicable,
        })
    }

    /// Whether each of some rules has reported.
    pub(crate) fn has_all(&self, rules: &RuleSet) -> bool {
        let reported = self.0.iter().map(|answers| answers.reported).chain(std::iter::repeat(0));
        rules.0.iter().zip(reported).all(|(rules, reported)| rules & !reported == 0)
    }

    /// To how many of some rules the question applies, and how many of these could look.
    pub(crate) fn count(&self, rules: &RuleSet) -> (usize, usize) {
        let (mut asked, mut answered) = (0, 0);
        for (rules, answers) in rules.0.iter().zip(&self.0) {
            asked += (rules & answers.applies).count_ones();
            answered += (rules & answers.looked).count_ones();
        }
        (asked as usize, answered as usize)
    }
}

/// The word and the bit in it that stand for a rule.
const fn place(number: usize) -> (usize, u64) {
    (number / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_comes_back_and_is_counted() {
        let outcomes = [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable];
        let (mut said, mut rules) = (Said::default(), RuleSet::default());
        for (number, outcome) in (0..200).zip(outcomes.into_iter().cycle()) {
            said.add(number, outcome);
            rules.add(number);
            assert_eq!(said.get(number), Some(outcome));
        }
        assert_eq!((said.get(200), said.has_all(&rules), said.count(&rules)), (None, true, (150, 100)));
        assert!(rules.numbers().eq(0..200));
        rules.add(200);
        assert!(!said.has_all(&rules) && rules.has(200) && !rules.has(201));
        said.put(0, Outcome::Unavailable);
        assert_eq!((said.get(0), said.count(&rules)), (Some(Outcome::Unavailable), (150, 99)));
    }

    #[test]
    fn of_several_answers_the_one_counts_that_says_most() {
        for one in [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable] {
            for other in [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable] {
                let mut said = Said::default();
                said.add(70, one);
                said.add(70, other);
                assert_eq!(said.get(70), Some(one.or(other)));
            }
        }
    }
}
