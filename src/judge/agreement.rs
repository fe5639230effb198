//! How much two sets of answers agree: Cohen's kappa over marks, and the marks that turned.

use std::collections::BTreeMap;

/// Two answers to the same questions, counted by what each said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    counts: BTreeMap<(char, char), u32>,
}

impl Agreement {
    /// Counts the marks of one tool.
    pub fn add(&mut self, one: &str, other: &str) {
        for pair in one.chars().zip(other.chars()) {
            *self.counts.entry(pair).or_default() += 1;
        }
    }

    /// Marks that both gave.
    pub fn marks(&self) -> u32 {
        self.counts.values().sum()
    }

    /// Marks that one says y of and the other n, or the other way round.
    pub fn flips(&self) -> u32 {
        let of = |pair| self.counts.get(&pair).copied().unwrap_or_default();
        of(('y', 'n')) + of(('n', 'y'))
    }

    /// Cohen's kappa, from below 0 to 1; none without marks, and where chance alone gives the same everywhere.
    pub fn kappa(&self) -> Option<f64> {
        let all = f64::from(self.marks());
        let share = |is: &dyn Fn(&(char, char)) -> bool| {
            f64::from(self.counts.iter().filter(|(pair, _)| is(pair)).map(|(_, count)| count).sum::<u32>()) / all
        };
        if all == 0.0 {
            return None;
        }
        let seen = share(&|(one, other)| one == other);
        let chance: f64 = ['y', 'n', '?']
            .into_iter()
            .map(|letter| share(&|(one, _)| *one == letter) * share(&|(_, other)| *other == letter))
            .sum();
        (chance < 1.0).then(|| (seen - chance) / (1.0 - chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_formula() {
        let mut agreement = Agreement::default();
        assert_eq!(agreement.kappa(), None);
        // Cohen 1960 in the form of textbooks: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no.
        for (one, other, times) in [("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15)] {
            (0..times).for_each(|_| agreement.add(one, other));
        }
        assert_eq!((agreement.marks(), agreement.flips()), (50, 15));
        assert!((agreement.kappa().expect("marks") - 0.4).abs() < 1e-9);
        let mut same = Agreement::default();
        same.add("nnn", "nnn");
        assert_eq!(same.kappa(), None, "both said one thing of everything");
    }
}
