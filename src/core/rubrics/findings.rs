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

type Catalogue = BTreeMap<&'static str, &'static RuleMeta>;

/// By family, the stable rules that carry a code of it, by id. Measures carry none.
static CATALOGUES: LazyLock<BTreeMap<&'static str, Catalogue>> = LazyLock::new(|| {
    let carries = |meta: &RuleMeta, family: &str| meta.codes.get(family).is_some_and(|codes| !codes.is_empty());
    FAMILIES
        .iter()
        .map(|family| {
            let stable = rules::all().iter().copied().filter(|meta| meta.lifecycle == Lifecycle::Stable);
            (*family, stable.filter(|meta| carries(meta, family)).map(|meta| (meta.id.as_str(), meta)).collect())
        })
        .collect()
});

/// The stable rules that carry a code of the family, sorted by id.
pub(super) fn coded_rules(family: &str) -> impl Iterator<Item = &'static RuleMeta> {
    CATALOGUES.get(family).into_iter().flat_map(|catalogue| catalogue.values().copied())
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
    let Some(catalogue) = CATALOGUES.get(family) else { return Vec::new() };
    let found = facts.all().iter().filter(|fact| fact.outcome == Outcome::True);
    found
        .filter_map(|fact| {
            let meta = catalogue.get(fact.rule.as_str())?;
            let codes = meta.codes.get(family)?;
            resolve(codes, fact, meta.severity, &published, &rank)
        })
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

/// What each rule said, for questions of coverage: sorted by rule.
pub(super) struct Outcomes<'a>(Vec<(&'a str, Outcome)>);

impl<'a> Outcomes<'a> {
    /// One outcome for each rule that reported.
    pub(super) fn of(facts: &'a Facts) -> Self {
        let mut outcomes: Vec<(&str, Outcome)> =
            facts.all().iter().map(|fact| (fact.rule.as_str(), fact.outcome)).collect();
        // Facts without a place come first and in this order already.
        outcomes.sort_by_key(|(rule, _)| *rule);
        outcomes.dedup_by(|next, held| {
            let same = next.0 == held.0;
            if same {
                held.1 = held.1.or(next.1);
            }
            same
        });
        Self(outcomes)
    }

    /// What a rule said, if it reported.
    pub(super) fn get(&self, rule: &str) -> Option<Outcome> {
        let at = self.0.binary_search_by_key(&rule, |(rule, _)| rule).ok()?;
        self.0.get(at).map(|(_, outcome)| *outcome)
    }

    /// The first of the rules that has not reported.
    pub(super) fn unreported(&self, rules: &[&'static str]) -> Option<&'static str> {
        self.each(rules.iter().copied()).find(|(_, outcome)| outcome.is_none()).map(|(rule, _)| rule)
    }

    /// How many of the rules apply and could look.
    pub(super) fn answered<'r>(&self, rules: impl IntoIterator<Item = &'r str>) -> Answered {
        let mut answered = Answered::default();
        for (_, outcome) in self.each(rules) {
            match outcome {
                None | Some(Outcome::NotApplicable) => {}
                Some(Outcome::Unavailable) => answered.asked += 1,
                Some(Outcome::True | Outcome::False) => {
                    answered.asked += 1;
                    answered.answered += 1;
                }
            }
        }
        answered
    }

    /// What each of the rules said. Rules in their order, as lists of them mostly are, are found side by side.
    fn each<'r>(&self, rules: impl IntoIterator<Item = &'r str>) -> impl Iterator<Item = (&'r str, Option<Outcome>)> {
        let mut rest = self.0.as_slice();
        rules.into_iter().map(move |rule| {
            // Steps that double find the next of a long list as quickly as the next of a short one.
            let mut step = 1;
            while rest.get(step).is_some_and(|(passed, _)| *passed < rule) {
                rest = rest.get(step..).unwrap_or_default();
                step *= 2;
            }
            let near = rest.get(..step.saturating_add(1)).unwrap_or(rest);
            rest = rest.get(near.partition_point(|(passed, _)| *passed < rule)..).unwrap_or_default();
            match rest.first() {
                Some((found, outcome)) if *found == rule => (rule, Some(*outcome)),
                _ => (rule, self.get(rule)),
            }
        })
    }
}
