//! Findings as one method sees them: its own code, its own severity, and which of its questions were answered.
//!
//! This is the one place where a rubric asks the rules for their codes. Must not know any method's numbers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::fact::{Fact, Facts, Outcome, Place, Severity};
use crate::rules::{self, FAMILIES, Lifecycle, RuleMeta};
use crate::score::Coverage;

/// A finding in the words of one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The method's code.
    pub(super) code: String,
    /// The severity that the method gives the code, not above what context left of it.
    pub(super) severity: Severity,
    /// The severity that our rule gave the fact.
    pub(super) ours: Severity,
    /// Our rule.
    pub(super) rule: String,
    /// Where it stands.
    pub(super) place: Place,
}

/// For each rule, by its number, its meta data and its codes, where it is stable and carries codes of the family.
type Catalogue = Vec<Option<(&'static RuleMeta, &'static [String])>>;

/// By family, the stable rules that carry a code of it. Measures carry none.
static CATALOGUES: LazyLock<BTreeMap<&'static str, Catalogue>> = LazyLock::new(|| {
    let coded = |meta: &'static RuleMeta, family: &str| {
        let codes = meta.codes.get(family).filter(|codes| !codes.is_empty() && meta.lifecycle == Lifecycle::Stable)?;
        Some((meta, codes.as_slice()))
    };
    FAMILIES.iter().map(|family| (*family, rules::all().iter().map(|meta| coded(meta, family)).collect())).collect()
});

/// The stable rules that carry a code of the family, sorted by id.
pub(super) fn coded_rules(family: &str) -> impl Iterator<Item = &'static RuleMeta> {
    CATALOGUES.get(family).into_iter().flatten().flatten().map(|(meta, _)| *meta)
}

/// The true facts of rules that carry codes of the family, with those rules and codes, in the order of the facts.
pub(super) fn coded_facts<'a>(
    facts: &'a Facts,
    family: &str,
) -> impl Iterator<Item = (&'a Fact, &'static RuleMeta, &'static [String])> {
    let catalogue = CATALOGUES.get(family);
    facts.found().filter_map(move |(number, fact)| {
        let (meta, codes) = (*catalogue?.get(number?)?)?;
        Some((fact, meta, codes))
    })
}

/// The measures and the coded rules of a family: what a rubric needs.
pub(super) fn needs(family: &str, measures: &[&'static str]) -> Vec<&'static str> {
    let mut needs: Vec<&'static str> = coded_rules(family).map(|meta| meta.id.as_str()).collect();
    needs.extend_from_slice(measures);
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// The findings that the family counts, in the order of the facts. `published` gives the severity that the method
/// publishes for a code, if it does.
pub(super) fn counted(facts: &Facts, family: &str, published: impl Fn(&str) -> Option<Severity>) -> Vec<Finding> {
    counted_by(facts, family, published, |_| 0_u8)
}

/// The same where the method would rather see some of a rule's codes than others: those of the highest rank.
pub(super) fn counted_by<R: Ord>(
    facts: &Facts,
    family: &str,
    published: impl Fn(&str) -> Option<Severity>,
    rank: impl Fn(&str) -> R,
) -> Vec<Finding> {
    coded_facts(facts, family)
        .filter_map(|(fact, meta, codes)| resolve(codes, fact, meta.severity, &published, &rank))
        .collect()
}

/// The fact under the code of its rule that weighs most: of the highest rank, then of the highest severity, then the
/// first. That choice does not depend on the fact, so that a worse fact never moves to a code under which it would cost
/// less. A code without a published severity has the fact's own; a published one is cut to the fact's where context made
/// the fact milder than its rule.
pub(super) fn resolve<R: Ord>(
    codes: &[String],
    fact: &Fact,
    rule_severity: Severity,
    published: impl Fn(&str) -> Option<Severity>,
    rank: impl Fn(&str) -> R,
) -> Option<Finding> {
    let weight = |code: &str| (rank(code), published(code).unwrap_or(rule_severity));
    let code = codes.iter().rev().max_by_key(|code| weight(code))?.as_str();
    let severity = match published(code) {
        Some(severity) if fact.severity < rule_severity => severity.min(fact.severity),
        Some(severity) => severity,
        None => fact.severity,
    };
    Some(Finding {
        code: code.to_owned(),
        severity,
        ours: fact.severity,
        rule: fact.rule.as_str().to_owned(),
        place: fact.place.clone(),
    })
}

/// One finding for each key, the severest, the first among equals; in the order of the keys.
pub(super) fn distinct_by<K: Ord>(findings: Vec<Finding>, key: impl Fn(&Finding) -> K) -> Vec<Finding> {
    let mut kept: BTreeMap<K, Finding> = BTreeMap::new();
    for finding in findings {
        let key = key(&finding);
        let milder = kept.get(&key).is_none_or(|standing| standing.severity < finding.severity);
        if milder {
            kept.insert(key, finding);
        }
    }
    kept.into_values().collect()
}

/// The worst severity that our own rules gave any of the findings.
pub(super) fn worst_of_ours(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.ours).max()
}

/// How many of some rules were asked and could answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answered {
    /// The rules to which the question applies.
    pub(super) asked: usize,
    /// Those of them that could look.
    pub(super) answered: usize,
}

impl Answered {
    /// The share, nothing for nothing asked.
    pub(super) fn coverage(self) -> Coverage {
        Coverage::of(self.answered, self.asked)
    }
}

/// What each rule said, for questions of coverage.
pub(super) struct Outcomes<'a>(&'a [Option<Outcome>]);

impl<'a> Outcomes<'a> {
    /// One outcome for each rule that reported.
    pub(super) fn of(facts: &'a Facts) -> Self {
        Self(facts.said())
    }

    /// What a rule said, if it reported.
    pub(super) fn get(&self, rule: &str) -> Option<Outcome> {
        self.at(rules::number(rule)?)
    }

    /// The first of the rules that has not reported.
    pub(super) fn unreported(&self, rules: &Asked) -> Option<&'static str> {
        let unreported = |(_, number): &(&str, Option<usize>)| number.and_then(|number| self.at(number)).is_none();
        rules.0.iter().find(|rule| unreported(rule)).map(|(id, _)| *id)
    }

    /// How many of the rules apply and could look.
    pub(super) fn answered(&self, rules: &Asked) -> Answered {
        let mut answered = Answered::default();
        for outcome in rules.0.iter().filter_map(|(_, number)| self.at((*number)?)) {
            answered.asked += usize::from(outcome != Outcome::NotApplicable);
            answered.answered += usize::from(matches!(outcome, Outcome::True | Outcome::False));
        }
        answered
    }

    fn at(&self, number: usize) -> Option<Outcome> {
        self.0.get(number).copied().flatten()
    }
}

/// Rules that a rubric asks, each with its number.
pub(super) struct Asked(Vec<(&'static str, Option<usize>)>);

impl Asked {
    /// Some rules.
    pub(super) fn new(rules: impl IntoIterator<Item = &'static str>) -> Self {
        Self(rules.into_iter().map(|rule| (rule, rules::number(rule))).collect())
    }
}
