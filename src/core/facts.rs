//! `Facts`: all answers about one capability, in their order.
//!
//! Nearly every rule answers that it found nothing or that the question makes no sense: such an answer exists once and is
//! shared by all capabilities. Must not know any rubric.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::canonical;
use crate::capability::Kind;
use crate::digest::Digest;
use crate::fact::{Fact, Outcome};
use crate::ids::RuleId;
use crate::rules;
use crate::said::{RuleSet, Said};
use crate::sighting::RULE_PREFIX;

/// One answer: of its own, or one that every capability shares.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The place of its rule among all rules; none for a rule that this version does not know.
    number: Option<usize>,
    held: Held,
}

/// An answer that every capability shares, with its canonical text: facts hold hundreds of them.
#[derive(Debug)]
pub(crate) struct Silence {
    fact: Fact,
    canonical: String,
}

impl Silence {
    pub(crate) fn new(fact: Fact) -> Self {
        Self { canonical: canonical::of_fact(&fact), fact }
    }

    /// What it says.
    pub(crate) const fn fact(&self) -> &Fact {
        &self.fact
    }
}

/// What the rules that run answer about a kind where they find nothing: one answer of each, in their order and without a
/// place.
#[derive(Debug)]
pub(crate) struct Nothing {
    answers: Vec<Answer>,
    said: Said,
    /// For each number how many of the answers are of rules before it.
    before: Vec<usize>,
}

impl Nothing {
    /// Takes shared answers, in the order of the rules.
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        let said = said_by(&answers);
        let last = answers.last().and_then(|answer| answer.number).map_or(0, |number| number + 1);
        let before = |number| answers.partition_point(|answer| answer.number < Some(number));
        let before = (0..=last).map(before).collect();
        Self { answers, said, before }
    }

    /// The answers of the rules from one number to before another.
    fn between(&self, from: usize, to: usize) -> &[Answer] {
        let before = |number: usize| self.before.get(number).copied().unwrap_or(self.answers.len());
        self.answers.get(before(from)..before(to)).unwrap_or_default()
    }

    /// The answers.
    pub(crate) fn answers(&self) -> &[Answer] {
        &self.answers
    }
}

/// What each rule said, by its number.
fn said_by(answers: &[Answer]) -> Said {
    let mut said = Said::default();
    for answer in answers {
        answer.number.into_iter().for_each(|number| said.add(number, answer.fact().outcome));
    }
    said
}

#[derive(Clone, Debug)]
enum Held {
    Shared(&'static Silence),
    Own(Box<Fact>),
}

impl Answer {
    /// An answer that is always the same.
    pub(crate) const fn shared(number: usize, silence: &'static Silence) -> Self {
        Self { number: Some(number), held: Held::Shared(silence) }
    }

    /// An answer about this capability alone.
    pub(crate) fn own(number: Option<usize>, fact: Fact) -> Self {
        Self { number, held: Held::Own(Box::new(fact)) }
    }

    /// What it says.
    pub(crate) fn fact(&self) -> &Fact {
        match &self.held {
            Held::Shared(silence) => &silence.fact,
            Held::Own(fact) => fact,
        }
    }

    /// Its canonical text.
    fn canonical(&self) -> Cow<'_, str> {
        match &self.held {
            Held::Shared(silence) => Cow::Borrowed(&silence.canonical),
            Held::Own(fact) => Cow::Owned(canonical::of_fact(fact)),
        }
    }

    /// What it says, to be changed.
    pub(crate) fn fact_mut(&mut self) -> &mut Fact {
        if let Held::Shared(silence) = &self.held {
            self.held = Held::Own(Box::new(silence.fact.clone()));
        }
        match &mut self.held {
            Held::Own(fact) => fact,
            Held::Shared(_) => unreachable!("a shared answer was copied above"),
        }
    }

    /// The order of answers. Numbers are in the order of ids.
    fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.fact(), other.fact());
        let rules = || match (self.number, other.number) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.rule.cmp(&b.rule),
        };
        let placed = match (a.is_placed(), b.is_placed()) {
            (false, false) => Ordering::Equal,
            _ => a.place.cmp(&b.place),
        };
        placed.then_with(rules).then_with(|| (a.outcome, &a.evidence).cmp(&(b.outcome, &b.evidence)))
    }
}

impl PartialEq for Answer {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Shared(one), Held::Shared(other)) if std::ptr::eq(*one, *other) => true,
            _ => self.fact() == other.fact(),
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fact().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fact = Fact::deserialize(deserializer)?;
        Ok(Self::own(rules::number(fact.rule.as_str()), fact))
    }
}

/// All facts about one capability, in the order (file, line, column, pointer, rule).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// The kind of the capability that they are about.
    pub kind: Kind,
    /// The facts.
    facts: Vec<Answer>,
    /// What each rule said, once somebody asked.
    #[serde(skip)]
    said: OnceLock<Said>,
    /// The places of those that are true, once somebody asked: few of hundreds, and every rubric asks many times.
    #[serde(skip)]
    truths: OnceLock<Vec<usize>>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.facts) == (other.kind, &other.facts)
    }
}

impl Facts {
    /// Sorts the facts and keeps them.
    pub fn new(kind: Kind, facts: Vec<Fact>) -> Self {
        let mut next = 0;
        let own = |fact: Fact| {
            let number = rules::number_near(next, fact.rule.as_str());
            next = number.map_or(next, |number| number + 1);
            Answer::own(number, fact)
        };
        Self::sorted(kind, facts.into_iter().map(own).collect())
    }

    const fn ordered(kind: Kind, facts: Vec<Answer>) -> Self {
        Self { kind, facts, said: OnceLock::new(), truths: OnceLock::new() }
    }

    fn sorted(kind: Kind, mut facts: Vec<Answer>) -> Self {
        facts.sort_by(Answer::order);
        Self::ordered(kind, facts)
    }

    /// What rules told that this version knows, and for every rule that told nothing its usual answer.
    pub(crate) fn told(kind: Kind, usual: &Nothing, mut told: Vec<Answer>) -> Self {
        told.sort_by(Answer::order);
        let (mut said, mut has_told) = (usual.said.clone(), RuleSet::default());
        for answer in &told {
            let Some(number) = answer.number else { continue };
            let outcome = answer.fact().outcome;
            if has_told.has(number) {
                said.add(number, outcome)
            } else {
                said.put(number, outcome)
            }
            has_told.add(number);
        }
        let (mut facts, mut truths) = (Vec::with_capacity(usual.answers.len() + told.len()), Vec::new());
        let mut push = |facts: &mut Vec<Answer>, answer: Answer| {
            if answer.fact().outcome == Outcome::True {
                truths.push(facts.len());
            }
            facts.push(answer);
        };
        let (mut told, mut next) = (told.into_iter().peekable(), 0);
        for number in has_told.numbers() {
            facts.extend_from_slice(usual.between(next, number));
            next = number + 1;
            // What has no place stands before everything else, in the order of the rules.
            let is_next = |answer: &Answer| answer.number < Some(next) && !answer.fact().is_placed();
            while let Some(answer) = told.next_if(is_next) {
                push(&mut facts, answer);
            }
        }
        facts.extend_from_slice(usual.between(next, usize::MAX));
        told.for_each(|answer| push(&mut facts, answer));
        Self { kind, facts, said: said.into(), truths: truths.into() }
    }

    /// Every fact, in their order.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Fact> {
        self.facts.iter().map(Answer::fact)
    }

    /// Those that are true, each with the number of its rule, where this version knows the rule.
    pub(crate) fn found(&self) -> impl Iterator<Item = (Option<usize>, &Fact)> {
        self.truths().map(|answer| (answer.number, answer.fact()))
    }

    fn truths(&self) -> impl Iterator<Item = &Answer> {
        let is_true = |answer: &Answer| answer.fact().outcome == Outcome::True;
        let places = || self.facts.iter().enumerate().filter(|(_, answer)| is_true(answer)).map(|(at, _)| at).collect();
        self.truths.get_or_init(places).iter().filter_map(|at| self.facts.get(*at))
    }

    /// The facts of one rule.
    pub fn of<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.all().filter(move |fact| fact.rule.as_str() == rule)
    }

    /// The findings: what users are shown.
    pub fn findings(&self) -> impl Iterator<Item = &Fact> {
        self.truths().map(Answer::fact).filter(|fact| fact.is_finding())
    }

    /// The findings in what is there, without those that only say what a pass saw: what passes go by, so that none takes
    /// another's word, or its own of last night, for a second signal.
    pub fn findings_of_its_own(&self) -> impl Iterator<Item = &Fact> {
        self.findings().filter(|fact| !fact.rule.as_str().starts_with(RULE_PREFIX))
    }

    /// Whether any fact of the rule is true.
    pub fn is_true(&self, rule: &str) -> bool {
        self.truths().any(|answer| answer.fact().rule.as_str() == rule)
    }

    /// The measured value of a rule that measures, where it could be measured.
    pub fn value(&self, rule: &str) -> Option<&Value> {
        self.truths().map(Answer::fact).find(|fact| fact.rule.as_str() == rule).map(|fact| &fact.value)
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

    /// What each rule of this version said, as in [`Facts::outcomes`].
    pub(crate) fn said(&self) -> &Said {
        self.said.get_or_init(|| said_by(&self.facts))
    }

    /// The same facts where not everything could be read: what was looked for and not found becomes `Unavailable`,
    /// since its absence is not proven.
    #[must_use]
    pub fn with_absence_unproven(mut self) -> Self {
        for answer in self.facts.iter_mut().filter(|answer| answer.fact().outcome == Outcome::False) {
            let fact = answer.fact_mut();
            fact.outcome = Outcome::Unavailable;
            fact.evidence = "not everything could be read".to_owned();
        }
        Self::sorted(self.kind, self.facts)
    }

    /// Their canonical JSON: object keys sorted, no white space.
    pub fn canonical(&self) -> String {
        canonical::of_facts(self.kind, self.facts.iter().map(Answer::canonical))
    }

    /// The digest over all facts, of their canonical JSON: the key under which scores are kept.
    pub fn digest(&self) -> Digest {
        Digest::of(self.canonical().as_bytes())
    }
}
