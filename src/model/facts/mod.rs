//! `SparseFacts`: stores only the facts that differ from the rule set's defaults, and restores the full list.
//!
//! One form serves everywhere: in memory, in the store ([`Exceptions`]), in the digest and in the dataset.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::corpus_signal::RULE_PREFIX;
use crate::digest::Digest;
use crate::fact::{Fact, Outcome};
use crate::ids::RuleId;
use crate::kind::Kind;
use crate::rule::RuleIndex;

mod canonical;
mod default_fact;
mod defaults;
mod exceptions;
mod numbered;
mod outcome_set;

pub use defaults::{DefaultFacts, DefaultRow, NumberedRule, OutcomeRow, RuleDefaults, WrittenDefaults, fact_of};
pub use exceptions::Exceptions;
pub use numbered::NumberedFact;
pub use outcome_set::{OutcomeSet, RuleSet};

/// All facts about one capability, in the order (file, line, column, pointer, rule).
///
/// The default facts of a [`Kind`] are shared. Iteration merges them with the exceptions of this capability in rule order.
#[derive(Clone, Debug)]
pub struct SparseFacts {
    /// The kind of the capability that they are about.
    pub kind: Kind,
    /// The rules that number them.
    rules: &'static RuleIndex,
    /// The defaults of the kind.
    defaults: Arc<DefaultFacts>,
    /// True where every rule without an exception has its default. False where `exceptions` are all facts.
    over_defaults: bool,
    /// In their order.
    exceptions: Vec<NumberedFact>,
    /// The rules that have an exception.
    excepted: RuleSet,
    /// The outcome of each rule, computed at the first question.
    outcomes: OnceLock<OutcomeSet>,
    /// The indices of the true exceptions, computed at the first question: every rubric asks many times.
    truths: OnceLock<Vec<usize>>,
}

impl PartialEq for SparseFacts {
    fn eq(&self, other: &Self) -> bool {
        // By content and not by form: the same facts may be kept over defaults or whole.
        self.kind == other.kind && self.numbered().eq(other.numbered())
    }
}

impl Serialize for SparseFacts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut whole = serializer.serialize_struct("SparseFacts", 2)?;
        whole.serialize_field("kind", &self.kind)?;
        whole.serialize_field("facts", &self.numbered().collect::<Vec<&NumberedFact>>())?;
        whole.end()
    }
}

/// The full list of facts, merged from defaults and exceptions in rule order.
struct Merged<'a> {
    /// The defaults that are still to come, those of rules with an exception among them.
    defaults: &'a [NumberedFact],
    /// The exceptions that are still to come.
    exceptions: &'a [NumberedFact],
    excepted: &'a RuleSet,
    left: usize,
}

impl<'a> Iterator for Merged<'a> {
    type Item = &'a NumberedFact;

    fn next(&mut self) -> Option<&'a NumberedFact> {
        let is_excepted = |fact: &NumberedFact| fact.number().is_some_and(|number| self.excepted.has(number));
        while let Some((_, rest)) = self.defaults.split_first().filter(|(default, _)| is_excepted(default)) {
            self.defaults = rest;
        }
        // A fact without a place stands before every placed one, in the order of the rules.
        let comes_first = |exception: &NumberedFact, default: &NumberedFact| {
            exception.number() < default.number() && !exception.fact().is_placed()
        };
        let (from, first) = match (self.exceptions.first(), self.defaults.first()) {
            (Some(exception), Some(default)) if !comes_first(exception, default) => (&mut self.defaults, default),
            (None, Some(default)) => (&mut self.defaults, default),
            (exception, _) => (&mut self.exceptions, exception?),
        };
        *from = from.get(1..).unwrap_or_default();
        self.left = self.left.saturating_sub(1);
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Merged<'_> {}

impl SparseFacts {
    /// Sorts a full list of facts and keeps it, numbered by `rules`.
    pub fn new(rules: &'static RuleIndex, kind: Kind, facts: Vec<Fact>) -> Self {
        let (mut next, defaults) = (0, rules.defaults());
        let own = |fact: Fact| {
            let number = defaults.number_near(next, fact.rule.as_str());
            next = number.map_or(next, |number| number + 1);
            NumberedFact::own(number, fact)
        };
        Self::full(rules, kind, facts.into_iter().map(own).collect())
    }

    /// The default facts of a kind, but for the rules that `exceptions` name.
    pub fn over_defaults(rules: &'static RuleIndex, kind: Kind, mut exceptions: Vec<NumberedFact>) -> Self {
        exceptions.sort_by(NumberedFact::order);
        let defaults = Arc::clone(rules.defaults().of_kind(kind));
        let (mut outcomes, mut excepted) = (defaults.outcomes().clone(), RuleSet::default());
        for exception in &exceptions {
            let Some(number) = exception.number() else { continue };
            let outcome = exception.fact().outcome;
            // The first exception of a rule takes the place of its default, the next ones join it.
            if excepted.has(number) {
                outcomes.add(number, outcome)
            } else {
                outcomes.put(number, outcome)
            }
            excepted.add(number);
        }
        let (outcomes, truths) = (outcomes.into(), OnceLock::new());
        Self { kind, rules, defaults, over_defaults: true, exceptions, excepted, outcomes, truths }
    }

    fn full(rules: &'static RuleIndex, kind: Kind, mut exceptions: Vec<NumberedFact>) -> Self {
        exceptions.sort_by(NumberedFact::order);
        let (defaults, excepted) = (Arc::clone(rules.defaults().of_kind(kind)), RuleSet::default());
        let (outcomes, truths) = (OnceLock::new(), OnceLock::new());
        Self { kind, rules, defaults, over_defaults: false, exceptions, excepted, outcomes, truths }
    }

    /// The rules that number these facts.
    pub const fn rules(&self) -> &'static RuleIndex {
        self.rules
    }

    /// The defaults of the kind, in the rule set that these facts are numbered by.
    pub fn defaults(&self) -> &DefaultFacts {
        &self.defaults
    }

    fn numbered(&self) -> Merged<'_> {
        let replaced = self.excepted.numbers().filter(|number| self.defaults.has(*number)).count();
        let defaults = if self.over_defaults { self.defaults.numbered() } else { &[] };
        let left = defaults.len() - replaced + self.exceptions.len();
        Merged { defaults, exceptions: &self.exceptions, excepted: &self.excepted, left }
    }

    /// Every fact, in their order.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Fact> {
        self.numbered().map(NumberedFact::fact)
    }

    /// The true facts, each with the number of its rule; none for a rule of another rule set.
    pub fn found(&self) -> impl Iterator<Item = (Option<usize>, &Fact)> {
        self.truths().map(|fact| (fact.number(), fact.fact()))
    }

    /// The true facts. A default is never true.
    fn truths(&self) -> impl Iterator<Item = &NumberedFact> {
        let is_true = |fact: &NumberedFact| fact.fact().outcome == Outcome::True;
        let indices =
            || self.exceptions.iter().enumerate().filter(|(_, fact)| is_true(fact)).map(|(at, _)| at).collect();
        self.truths.get_or_init(indices).iter().filter_map(|at| self.exceptions.get(*at))
    }

    /// The facts of one rule.
    pub fn of<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.all().filter(move |fact| fact.rule.as_str() == rule)
    }

    /// The findings: what users are shown.
    pub fn findings(&self) -> impl Iterator<Item = &Fact> {
        self.truths().map(NumberedFact::fact).filter(|fact| fact.is_finding())
    }

    /// The findings in what is there, without those that only say what a pass saw. Passes go by these, so that none
    /// takes another's word, or its own of last night, for a second signal.
    pub fn findings_of_its_own(&self) -> impl Iterator<Item = &Fact> {
        self.findings().filter(|fact| !fact.rule.as_str().starts_with(RULE_PREFIX))
    }

    /// True where any fact of the rule is true.
    pub fn is_true(&self, rule: &str) -> bool {
        self.truths().any(|fact| fact.fact().rule.as_str() == rule)
    }

    /// The measured value of a rule that measures, where it could be measured.
    pub fn value(&self, rule: &str) -> Option<&Value> {
        self.truths().map(NumberedFact::fact).find(|fact| fact.rule.as_str() == rule).map(|fact| &fact.value)
    }

    /// One outcome for each rule that reported: `True` if any of its facts is, else `Unavailable` if any is, else
    /// what it said.
    pub fn outcomes(&self) -> BTreeMap<&RuleId, Outcome> {
        let mut outcomes = BTreeMap::new();
        for fact in self.all() {
            let outcome = outcomes.entry(&fact.rule).or_insert(fact.outcome);
            *outcome = outcome.or(fact.outcome);
        }
        outcomes
    }

    /// The same by rule number, as bit sets. Rules of another rule set are left out.
    pub fn outcome_set(&self) -> &OutcomeSet {
        let of_all = || {
            let mut outcomes = OutcomeSet::default();
            let numbered = self.exceptions.iter().filter_map(|fact| Some((fact.number()?, fact.fact().outcome)));
            numbered.for_each(|(number, outcome)| outcomes.add(number, outcome));
            outcomes
        };
        self.outcomes.get_or_init(of_all)
    }

    /// The same facts where not everything could be read: what was looked for and not found becomes `Unavailable`,
    /// since its absence is not proven.
    #[must_use]
    pub fn with_absence_unproven(self) -> Self {
        let mut facts: Vec<NumberedFact> = self.numbered().cloned().collect();
        for absent in facts.iter_mut().filter(|fact| fact.fact().outcome == Outcome::False) {
            // Defaults are shared: `fact_mut` copies those that change.
            let fact = absent.fact_mut();
            fact.outcome = Outcome::Unavailable;
            fact.evidence = "not everything could be read".to_owned();
        }
        Self::full(self.rules, self.kind, facts)
    }

    /// The same facts with another answer of one rule.
    #[must_use]
    pub fn with_answer(self, rule: &str, answer: Vec<NumberedFact>) -> Self {
        let others = self.numbered().filter(|fact| fact.fact().rule.as_str() != rule).cloned();
        let facts = others.chain(answer).collect();
        Self::full(self.rules, self.kind, facts)
    }

    /// Their canonical JSON: object keys sorted, no white space.
    pub fn canonical(&self) -> String {
        canonical::of_facts(self.kind, self.numbered().map(NumberedFact::canonical))
    }

    /// The digest over all facts, of their canonical JSON: the key under which scores are kept.
    pub fn digest(&self) -> Digest {
        Digest::of(self.canonical().as_bytes())
    }
}
