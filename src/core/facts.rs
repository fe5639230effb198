//! `Facts`: all answers about one capability, in their order.
//!
//! Nearly every rule answers that it found nothing or that the question makes no sense: such an answer exists once and is
//! shared by all capabilities. Must not know any rubric.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::ser::SerializeStruct as _;
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
    /// The rules that answer.
    rules: RuleSet,
}

impl Nothing {
    /// Takes shared answers, in the order of the rules.
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        let said = said_by(&answers);
        let mut rules = RuleSet::default();
        answers.iter().filter_map(|answer| answer.number).for_each(|number| rules.add(number));
        Self { answers, said, rules }
    }

    /// Whether a rule of this number answers.
    fn has(&self, number: usize) -> bool {
        self.rules.has(number)
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
///
/// What is usual about a kind is not copied for each capability: it is read out of one list between what was told.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The kind of the capability that they are about.
    pub kind: Kind,
    /// What is said by every rule of which nothing was told; none where all was told.
    usual: Option<&'static Nothing>,
    /// What was told, in its order.
    told: Vec<Answer>,
    /// The rules of which something was told.
    has_told: RuleSet,
    /// What each rule said, once somebody asked.
    said: OnceLock<Said>,
    /// The places among those told of those that are true, once somebody asked: every rubric asks many times.
    truths: OnceLock<Vec<usize>>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.answers().eq(other.answers())
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut whole = serializer.serialize_struct("Facts", 2)?;
        whole.serialize_field("kind", &self.kind)?;
        whole.serialize_field("facts", &self.answers().collect::<Vec<&Answer>>())?;
        whole.end()
    }
}

impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Facts")]
        struct Whole {
            kind: Kind,
            facts: Vec<Answer>,
        }
        Whole::deserialize(deserializer).map(|whole| Self::ordered(whole.kind, whole.facts))
    }
}

/// The answers of [`Facts`], in their order.
struct Answers<'a> {
    /// What is usual and not yet given, that of which something was told among it.
    usual: &'a [Answer],
    /// What was told and is not yet given.
    told: &'a [Answer],
    has_told: &'a RuleSet,
    /// How many are to come.
    left: usize,
}

impl<'a> Iterator for Answers<'a> {
    type Item = &'a Answer;

    fn next(&mut self) -> Option<&'a Answer> {
        let is_told = |answer: &Answer| answer.number.is_some_and(|number| self.has_told.has(number));
        while let Some((_, rest)) = self.usual.split_first().filter(|(usual, _)| is_told(usual)) {
            self.usual = rest;
        }
        // What has no place stands before everything else, in the order of the rules.
        let comes_first = |told: &Answer, usual: &Answer| told.number < usual.number && !told.fact().is_placed();
        let (from, first) = match (self.told.first(), self.usual.first()) {
            (Some(told), Some(usual)) if !comes_first(told, usual) => (&mut self.usual, usual),
            (None, Some(usual)) => (&mut self.usual, usual),
            (told, _) => (&mut self.told, told?),
        };
        *from = from.get(1..).unwrap_or_default();
        self.left = self.left.saturating_sub(1);
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Answers<'_> {}

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

    fn ordered(kind: Kind, told: Vec<Answer>) -> Self {
        let (said, truths) = (OnceLock::new(), OnceLock::new());
        Self { kind, usual: None, told, has_told: RuleSet::default(), said, truths }
    }

    fn sorted(kind: Kind, mut told: Vec<Answer>) -> Self {
        told.sort_by(Answer::order);
        Self::ordered(kind, told)
    }

    /// What rules told that this version knows, and for every rule that told nothing its usual answer.
    pub(crate) fn told(kind: Kind, usual: &'static Nothing, mut told: Vec<Answer>) -> Self {
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
        Self { usual: Some(usual), has_told, said: said.into(), ..Self::ordered(kind, told) }
    }

    fn answers(&self) -> Answers<'_> {
        let usual = self.usual.map_or(&[][..], |usual| &usual.answers);
        let replaced =
            self.usual.map_or(0, |usual| self.has_told.numbers().filter(|number| usual.has(*number)).count());
        Answers { usual, told: &self.told, has_told: &self.has_told, left: usual.len() - replaced + self.told.len() }
    }

    /// Every fact, in their order.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Fact> {
        self.answers().map(Answer::fact)
    }

    /// Those that are true, each with the number of its rule, where this version knows the rule.
    pub(crate) fn found(&self) -> impl Iterator<Item = (Option<usize>, &Fact)> {
        self.truths().map(|answer| (answer.number, answer.fact()))
    }

    /// What is usual is never true.
    fn truths(&self) -> impl Iterator<Item = &Answer> {
        let is_true = |answer: &Answer| answer.fact().outcome == Outcome::True;
        let places = || self.told.iter().enumerate().filter(|(_, answer)| is_true(answer)).map(|(at, _)| at).collect();
        self.truths.get_or_init(places).iter().filter_map(|at| self.told.get(*at))
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
        self.said.get_or_init(|| said_by(&self.told))
    }

    /// The same facts where not everything could be read: what was looked for and not found becomes `Unavailable`,
    /// since its absence is not proven.
    #[must_use]
    pub fn with_absence_unproven(self) -> Self {
        let mut answers: Vec<Answer> = self.answers().cloned().collect();
        for answer in answers.iter_mut().filter(|answer| answer.fact().outcome == Outcome::False) {
            let fact = answer.fact_mut();
            fact.outcome = Outcome::Unavailable;
            fact.evidence = "not everything could be read".to_owned();
        }
        Self::sorted(self.kind, answers)
    }

    /// Their canonical JSON, in the form of RFC 8785.
    pub fn canonical(&self) -> String {
        canonical::of_facts(self.kind, self.answers().map(Answer::canonical))
    }

    /// The digest over all facts, of their canonical JSON: the key under which scores are kept.
    pub fn digest(&self) -> Digest {
        Digest::of(self.canonical().as_bytes())
    }
}
