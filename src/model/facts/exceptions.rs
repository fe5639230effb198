//! `Exceptions`: the written form of [`SparseFacts`], in the store and in the dataset.
//!
//! Both directions lose nothing: restored facts have the digest of the facts that were written.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::fact::{Confidence, Fact, Place, Severity};
use crate::kind::Kind;
use crate::rule::RuleIndex;

use super::SparseFacts;
use super::defaults::{DefaultFacts, OutcomeRow, RuleDefaults, fact_of};
use super::numbered::NumberedFact;

/// Facts as they are written: the exceptions to the defaults of a kind, or all facts.
#[derive(Clone, Debug)]
pub struct Exceptions<'a> {
    /// The kind of the capability.
    pub kind: Kind,
    /// True where every rule that is not named here has its default. False where these are all facts.
    pub over_defaults: bool,
    /// Facts that say more than an outcome: a place, evidence of a finding, a value.
    pub facts: Vec<Cow<'a, Fact>>,
    /// Facts that are an outcome and no more.
    pub outcomes: Vec<OutcomeRow<'a>>,
}

/// The facts of one rule, as far as they were read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reported {
    Nothing,
    Default,
    Exception,
}

impl SparseFacts {
    /// The written form. Holds all facts where the defaults and exceptions alone would not restore them.
    pub fn exceptions(&self) -> Exceptions<'_> {
        self.over(self.defaults()).unwrap_or_else(|| Exceptions {
            kind: self.kind,
            over_defaults: false,
            facts: self.all().map(Cow::Borrowed).collect(),
            outcomes: Vec::new(),
        })
    }

    /// The exceptions to some defaults. None where they would not restore the facts. That is so where a rule has not
    /// reported, or has both its default and an exception, or two facts differ only in what does not decide their
    /// order.
    fn over(&self, defaults: &DefaultFacts) -> Option<Exceptions<'_>> {
        let numbered = defaults.numbered();
        let mut reported = vec![Reported::Nothing; numbered.len()];
        let mut exceptions =
            Exceptions { kind: self.kind, over_defaults: true, facts: Vec::new(), outcomes: Vec::new() };
        let (mut next, mut before): (usize, Option<&Fact>) = (0, None);
        for fact in self.all() {
            if before.is_some_and(|before| is_tie(before, fact)) {
                return None;
            }
            before = Some(fact);
            // Facts without a place stand in rule order: mostly the next rule reports.
            let is_next = numbered.get(next).is_some_and(|default| default.fact().rule == fact.rule);
            let at = if is_next { Some(next) } else { defaults.find(&fact.rule) };
            let of_rule = at.and_then(|at| Some((numbered.get(at)?.fact(), reported.get_mut(at)?)));
            next = at.map_or(next, |at| at + 1);
            match of_rule {
                Some((default, reported)) if default == fact => match reported {
                    Reported::Nothing => *reported = Reported::Default,
                    _ => return None,
                },
                Some((_, reported)) if *reported == Reported::Default => return None,
                Some((_, reported)) => {
                    *reported = Reported::Exception;
                    exceptions.add(fact);
                }
                None => exceptions.add(fact),
            }
        }
        reported.iter().all(|reported| *reported != Reported::Nothing).then_some(exceptions)
    }

    /// Restores facts that were written over the defaults `written`. They are numbered by `rules`.
    pub fn restore(exceptions: Exceptions<'_>, written: &RuleDefaults, rules: &'static RuleIndex) -> Self {
        let Exceptions { kind, over_defaults, facts, outcomes } = exceptions;
        let facts: Vec<Fact> = facts.into_iter().map(Cow::into_owned).collect();
        let shares = over_defaults && std::ptr::eq(written, rules.defaults());
        let numbered = if shares { numbered(written, &outcomes, facts) } else { Err(facts) };
        match numbered {
            Ok(numbered) => Self::over_defaults(rules, kind, numbered),
            Err(mut facts) => {
                facts.extend(outcomes.iter().map(fact_of));
                let named: BTreeSet<&str> = facts.iter().map(|fact| fact.rule.as_str()).collect();
                let is_unnamed = |fact: &&Fact| over_defaults && !named.contains(fact.rule.as_str());
                let mut all: Vec<Fact> = written.of_kind(kind).facts().filter(is_unnamed).cloned().collect();
                all.extend(facts);
                Self::new(rules, kind, all)
            }
        }
    }
}

/// The numbered facts of a written form; gives the facts back where one names a rule of another rule set.
fn numbered(
    rules: &RuleDefaults,
    outcomes: &[OutcomeRow<'_>],
    facts: Vec<Fact>,
) -> Result<Vec<NumberedFact>, Vec<Fact>> {
    let mut next = 0;
    let mut near = |id: &str| {
        let number = rules.number_near(next, id)?;
        next = number + 1;
        Some(number)
    };
    let ids = outcomes.iter().map(|(rule, ..)| &**rule).chain(facts.iter().map(|fact| fact.rule.as_str()));
    let Some(numbers) = ids.map(&mut near).collect::<Option<Vec<usize>>>() else { return Err(facts) };
    let (of_outcomes, of_facts) = numbers.split_at(outcomes.len());
    let outcomes = outcomes.iter().zip(of_outcomes).map(|(row, number)| rules.numbered(*number, row));
    let facts = facts.into_iter().zip(of_facts).map(|(fact, number)| NumberedFact::own(Some(*number), fact));
    Ok(outcomes.chain(facts).collect())
}

impl<'a> Exceptions<'a> {
    fn add(&mut self, fact: &'a Fact) {
        let is_outcome = fact.severity == Severity::Info
            && fact.confidence == Confidence::High
            && fact.value.is_null()
            && fact.place == Place::default();
        if is_outcome {
            let rule = Cow::Borrowed(fact.rule.as_str());
            self.outcomes.push((rule, fact.version, fact.outcome, Cow::Borrowed(&*fact.evidence)));
        } else {
            self.facts.push(Cow::Borrowed(fact));
        }
    }
}

/// True where two neighbours are equal in everything that decides their order.
fn is_tie(one: &Fact, other: &Fact) -> bool {
    one.rule == other.rule && one.outcome == other.outcome && one.evidence == other.evidence && one.place == other.place
}
