//! `RuleDefaults`: the rules of one rule set in order, and the fact that each states where it finds nothing.
//!
//! Nearly every rule finds nothing in nearly every capability. That fact is made once for each rule and shared, so that
//! [`SparseFacts`](super::SparseFacts) keep only the exceptions. It is handed to whoever builds or reads facts: a value
//! type must not reach for the rule engine.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use crate::ids::RuleId;
use crate::kind::Kind;
use crate::rule::{Lifecycle, RuleMeta};

use super::default_fact::DefaultFact;
use super::numbered::NumberedFact;
use super::outcome_set::{OutcomeSet, RuleSet};

/// The defaults of one kind, as they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenDefaults<'a> {
    /// The kind that they are about.
    pub kind: Kind,
    /// In the order of the rules.
    pub answers: Vec<DefaultRow<'a>>,
}

/// The default facts of one kind: one for each rule that runs, in rule order and without a place.
#[derive(Debug)]
pub struct DefaultFacts {
    kind: Kind,
    facts: Vec<NumberedFact>,
    outcomes: OutcomeSet,
    rules: RuleSet,
    /// The written form and its digest, made at the first question.
    written: OnceLock<(String, Digest)>,
}

impl DefaultFacts {
    fn new(kind: Kind, facts: Vec<NumberedFact>) -> Self {
        let (mut outcomes, mut rules) = (OutcomeSet::default(), RuleSet::default());
        for (number, fact) in facts.iter().filter_map(|fact| Some((fact.number()?, fact.fact()))) {
            outcomes.add(number, fact.outcome);
            rules.add(number);
        }
        Self { kind, facts, outcomes, rules, written: OnceLock::new() }
    }

    /// The facts, in rule order.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Fact> {
        self.facts.iter().map(NumberedFact::fact)
    }

    /// The facts as rows, from which [`RuleDefaults::of_rows`] restores them.
    pub fn rows(&self) -> impl Iterator<Item = DefaultRow<'_>> {
        self.facts().map(|fact| (Cow::Borrowed(fact.rule.as_str()), fact.version, fact.outcome))
    }

    /// The written form, `{"kind": …, "answers": [[rule, version, outcome], …]}`, and its SHA-256.
    pub fn written(&self) -> (&str, &Digest) {
        let write = || {
            let written = WrittenDefaults { kind: self.kind, answers: self.rows().collect() };
            let text = serde_json::to_string(&written).expect("our own types serialise");
            let digest = Digest::of(text.as_bytes());
            (text, digest)
        };
        let (text, digest) = self.written.get_or_init(write);
        (text, digest)
    }

    /// The facts with their rule numbers.
    pub(super) fn numbered(&self) -> &[NumberedFact] {
        &self.facts
    }

    /// The outcome of each rule.
    pub(super) const fn outcomes(&self) -> &OutcomeSet {
        &self.outcomes
    }

    /// True where the rule of this number has a default here.
    pub(super) fn has(&self, number: usize) -> bool {
        self.rules.has(number)
    }

    /// The default of a rule, and its index.
    pub(super) fn find(&self, rule: &RuleId) -> Option<usize> {
        self.facts.binary_search_by(|fact| fact.fact().rule.cmp(rule)).ok()
    }
}

/// A rule that reports, with its number where its rule set is known.
#[derive(Clone, Copy, Debug)]
pub struct NumberedRule<'a> {
    /// Its place in the rule set, as [`RuleDefaults::number`] gives it.
    pub number: Option<usize>,
    /// The id of the rule.
    pub id: &'a RuleId,
    /// Its version.
    pub version: u32,
}

impl NumberedRule<'_> {
    fn own(self, outcome: Outcome, missing: &str) -> NumberedFact {
        NumberedFact::own(self.number, outcome_fact(self.id, self.version, outcome, missing))
    }
}

/// A default as it is written: rule, version, outcome. Severity is `info`, confidence `high`, and the rest is empty.
pub type DefaultRow<'a> = (Cow<'a, str>, u32, Outcome);

/// A fact that is no more than an outcome, as it is written: rule, version, outcome, and the missing data if any.
pub type OutcomeRow<'a> = (Cow<'a, str>, u32, Outcome, Cow<'a, str>);

/// The facts of one rule that are made once and shared.
#[derive(Debug)]
struct SharedFacts {
    absent: Arc<DefaultFact>,
    not_applicable: Arc<DefaultFact>,
    /// Missing data in the words that the rule used first: mostly it uses no others.
    unavailable: OnceLock<Arc<DefaultFact>>,
    /// A finding in the whole capability in fixed words, the first that the rule used.
    found: OnceLock<Arc<DefaultFact>>,
}

/// The rules of one rule set with their default facts.
#[derive(Debug)]
pub struct RuleDefaults {
    /// Sorted: the index of a rule is its number.
    ids: Vec<RuleId>,
    shared: Vec<SharedFacts>,
    /// By kind, in the order of [`Kind::ALL`].
    by_kind: [Arc<DefaultFacts>; Kind::ALL.len()],
}

impl RuleDefaults {
    /// The defaults of rules, which are sorted by id.
    pub fn new(rules: &[&RuleMeta]) -> Self {
        let shared: Vec<SharedFacts> = rules.iter().map(|rule| SharedFacts::of(rule)).collect();
        let by_kind = Kind::ALL.map(|kind| {
            // Retired rules stay in the list, so that old facts of theirs can be read.
            let runs = |meta: &RuleMeta| meta.lifecycle != Lifecycle::Retired;
            let running = rules.iter().zip(&shared).enumerate().filter(|(_, (rule, _))| runs(rule));
            let default = |(number, (rule, shared)): (usize, (&&RuleMeta, &SharedFacts))| {
                let applies = rule.kinds.contains(&kind);
                let fact = if applies { &shared.absent } else { &shared.not_applicable };
                NumberedFact::shared(number, Arc::clone(fact))
            };
            Arc::new(DefaultFacts::new(kind, running.map(default).collect()))
        });
        Self { ids: rules.iter().map(|rule| rule.id.clone()).collect(), shared, by_kind }
    }

    /// Defaults as they were written, perhaps by another rule set; those of one kind in the order of the rules.
    ///
    /// The facts that it restores are numbered by the rule set that reads them.
    pub fn of_rows<'a>(rows: impl IntoIterator<Item = (Kind, DefaultRow<'a>)>) -> Self {
        let mut facts: [Vec<NumberedFact>; Kind::ALL.len()] = Default::default();
        for (kind, (rule, version, outcome)) in rows {
            let fact = fact_of(&(rule, version, outcome, Cow::Borrowed("")));
            if let Some(facts) = facts.get_mut(kind as usize) {
                facts.push(NumberedFact::own(None, fact));
            }
        }
        let of_kind = |kind: Kind| {
            let facts = facts.get_mut(kind as usize).map(std::mem::take).unwrap_or_default();
            Arc::new(DefaultFacts::new(kind, facts))
        };
        Self { ids: Vec::new(), shared: Vec::new(), by_kind: Kind::ALL.map(of_kind) }
    }

    /// The defaults of every kind as rows.
    pub fn rows(&self) -> impl Iterator<Item = (Kind, DefaultRow<'_>)> {
        Kind::ALL.into_iter().flat_map(|kind| self.of_kind(kind).rows().map(move |row| (kind, row)))
    }

    /// The defaults of a kind.
    pub fn of_kind(&self, kind: Kind) -> &Arc<DefaultFacts> {
        // The array has a place for every kind.
        self.by_kind.get(kind as usize).unwrap_or(&self.by_kind[0])
    }

    /// True where both give the same defaults for every kind.
    pub fn gives_the_same_as(&self, other: &Self) -> bool {
        self.by_kind.iter().zip(&other.by_kind).all(|(one, other)| one.facts == other.facts)
    }

    /// The number of a rule: its place among all, in the order of their ids. None for a rule of another rule set.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.ids.binary_search_by(|rule| rule.as_str().cmp(id)).ok()
    }

    /// The number of a rule that is probably `likely`.
    ///
    /// Facts stand mostly in rule order: a search for each was a tenth of the time that reading them took.
    pub fn number_near(&self, likely: usize, id: &str) -> Option<usize> {
        if self.ids.get(likely).is_some_and(|rule| rule.as_str() == id) { Some(likely) } else { self.number(id) }
    }

    /// The fact that the rule looked and found nothing.
    pub fn absent(&self, rule: NumberedRule<'_>) -> NumberedFact {
        self.share(rule, |shared| Arc::clone(&shared.absent)).unwrap_or_else(|| rule.own(Outcome::False, ""))
    }

    /// The fact that the rule's question makes no sense here.
    pub fn not_applicable(&self, rule: NumberedRule<'_>) -> NumberedFact {
        let shared = self.share(rule, |shared| Arc::clone(&shared.not_applicable));
        shared.unwrap_or_else(|| rule.own(Outcome::NotApplicable, ""))
    }

    /// The fact that data is missing, and which. `cut` bounds the words that a fact may hold.
    pub fn unavailable(&self, rule: NumberedRule<'_>, missing: &str, cut: fn(&str) -> String) -> NumberedFact {
        let new = || rule.own(Outcome::Unavailable, &cut(missing));
        let first = |shared: &SharedFacts| {
            Arc::clone(shared.unavailable.get_or_init(|| DefaultFact::new(new().fact().clone())))
        };
        self.share(rule, first).filter(|first| first.fact().evidence == missing).unwrap_or_else(new)
    }

    /// The fact that something is there, in the capability as a whole. `new` makes it of `words` and nothing else.
    pub fn found_in_whole(&self, rule: NumberedRule<'_>, words: &'static str, new: impl Fn() -> Fact) -> NumberedFact {
        let first = |shared: &SharedFacts| Arc::clone(shared.found.get_or_init(|| DefaultFact::new(new())));
        let shared = self.share(rule, first).filter(|first| first.fact().evidence == words);
        shared.unwrap_or_else(|| NumberedFact::own(rule.number, new()))
    }

    /// A shared fact of a rule; none for a rule of another rule set.
    fn share(&self, rule: NumberedRule<'_>, of: impl Fn(&SharedFacts) -> Arc<DefaultFact>) -> Option<NumberedFact> {
        let number = rule.number?;
        self.shared.get(number).map(|shared| NumberedFact::shared(number, of(shared)))
    }

    /// A written outcome, shared where the rule of this number states just that.
    pub(super) fn numbered(&self, number: usize, row: &OutcomeRow<'_>) -> NumberedFact {
        let (_, version, outcome, missing) = row;
        let shared = self.shared.get(number).and_then(|shared| match outcome {
            Outcome::False => Some(&shared.absent),
            Outcome::NotApplicable => Some(&shared.not_applicable),
            Outcome::Unavailable if *version == shared.absent.fact().version => {
                Some(shared.unavailable.get_or_init(|| DefaultFact::new(fact_of(row))))
            }
            _ => None,
        });
        let same =
            |shared: &&Arc<DefaultFact>| shared.fact().version == *version && shared.fact().evidence == **missing;
        match shared.filter(same) {
            Some(shared) => NumberedFact::shared(number, Arc::clone(shared)),
            None => NumberedFact::own(Some(number), fact_of(row)),
        }
    }
}

impl SharedFacts {
    fn of(rule: &RuleMeta) -> Self {
        let fact = |outcome| DefaultFact::new(outcome_fact(&rule.id, rule.version, outcome, ""));
        Self {
            absent: fact(Outcome::False),
            not_applicable: fact(Outcome::NotApplicable),
            unavailable: OnceLock::new(),
            found: OnceLock::new(),
        }
    }
}

/// The fact behind a written outcome.
pub fn fact_of((rule, version, outcome, missing): &OutcomeRow<'_>) -> Fact {
    outcome_fact(&RuleId::new(rule), *version, *outcome, missing)
}

fn outcome_fact(rule: &RuleId, version: u32, outcome: Outcome, missing: &str) -> Fact {
    Fact {
        rule: rule.clone(),
        version,
        outcome,
        severity: Severity::Info,
        confidence: Confidence::High,
        place: Place::default(),
        surface: FactSurface::Whole,
        voice: None,
        evidence: missing.to_owned(),
        value: serde_json::Value::Null,
    }
}
