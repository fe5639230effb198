//! Findings as one method sees them: its own code, its own severity, and which of its questions were answered.
//!
//! This is the one place where a rubric reads the rules' codes. The numbers stand with each method.

use std::collections::BTreeMap;

use capdex_model::fact::{Fact, Outcome, Place, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::facts::{OutcomeSet, RuleSet};
use capdex_model::rule::{FAMILIES, Lifecycle, RuleIndex, RuleMeta};
use capdex_model::score::Coverage;

use super::over_rules::OverRules;

/// A finding in the words of one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MethodFinding<'a> {
    /// The method's code.
    pub(super) code: &'static str,
    /// The severity that the method gives the code, not above what context left of it.
    pub(super) severity: Severity,
    /// Our rule.
    pub(super) rule: &'static str,
    /// The place where it stands.
    pub(super) place: &'a Place,
}

/// For each rule, by its number, its meta data and its codes, where it is stable and carries codes of the family.
type RuleCodes = Vec<Option<(&'static RuleMeta, &'static [String])>>;

/// By family, the stable rules that carry a code of it. Measures carry none.
static CATALOGUES: OverRules<BTreeMap<&'static str, RuleCodes>> = OverRules::new(|rules| {
    let coded = |meta: &'static RuleMeta, family: &str| {
        // Rules on trial carry codes already, and must not move a published score.
        let codes = meta.codes.get(family).filter(|codes| !codes.is_empty() && meta.lifecycle == Lifecycle::Stable)?;
        Some((meta, codes.as_slice()))
    };
    FAMILIES
        .iter()
        // By the rule's number, so that a fact finds its codes without a search.
        .map(|family| (*family, rules.all().iter().map(|meta| coded(meta, family)).collect()))
        .collect()
});

/// The stable rules that carry a code of the family, sorted by id.
pub(super) fn coded_rules(rules: &'static RuleIndex, family: &str) -> impl Iterator<Item = &'static RuleMeta> {
    CATALOGUES.of(rules).get(family).into_iter().flatten().flatten().map(|(meta, _)| *meta)
}

/// The true facts of rules that carry codes of the family, with those rules and codes, in the order of the facts.
pub(super) fn coded_facts<'a>(
    facts: &'a SparseFacts,
    family: &str,
) -> impl Iterator<Item = (&'a Fact, &'static RuleMeta, &'static [String])> {
    let catalogue = CATALOGUES.of(facts.rules()).get(family);
    facts.found().filter_map(move |(number, fact)| {
        let (meta, codes) = (*catalogue?.get(number?)?)?;
        Some((fact, meta, codes))
    })
}

/// The measures and the coded rules of a family: what a rubric needs.
pub(super) fn needs(rules: &'static RuleIndex, family: &str, measures: &[&'static str]) -> Vec<&'static str> {
    let mut needs: Vec<&'static str> = coded_rules(rules, family).map(|meta| meta.id.as_str()).collect();
    needs.extend_from_slice(measures);
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// The way in which a method counts what one rule finds: under the one of the rule's codes that weighs most. That does
/// not depend on the fact, so that a worse fact never moves to a code under which it would cost less.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodedRule {
    rule: &'static RuleMeta,
    code: &'static str,
    published: Option<Severity>,
}

impl CodedRule {
    /// The code of the highest rank, then of the highest severity, then the first; none of no codes.
    pub(super) fn of<R: Ord>(
        rule: &'static RuleMeta,
        codes: &'static [String],
        published: impl Fn(&str) -> Option<Severity>,
        rank: impl Fn(&str) -> R,
    ) -> Option<Self> {
        let weight = |code: &str| (rank(code), published(code).unwrap_or(rule.severity));
        // Reversed, because `max_by_key` gives the last of equals and the first code is meant.
        let code = codes.iter().rev().max_by_key(|code| weight(code))?.as_str();
        Some(Self { rule, code, published: published(code) })
    }

    /// The fact as the method sees it. A code without a published severity has the fact's own; a published one is cut to
    /// the fact's where context made the fact milder than its rule.
    pub(super) fn finding<'a>(&self, fact: &'a Fact) -> MethodFinding<'a> {
        let severity = match self.published {
            // A rule lowers a fact in a test or in documentation: the method must not raise it again.
            Some(severity) if fact.severity < self.rule.severity => severity.min(fact.severity),
            Some(severity) => severity,
            None => fact.severity,
        };
        MethodFinding { code: self.code, severity, rule: self.rule.id.as_str(), place: &fact.place }
    }
}

/// The codes under which a method counts what each rule finds, by the rule's number.
pub(super) struct Codes(Vec<Option<CodedRule>>);

impl Codes {
    /// For a family. `published` gives the severity that the method publishes for a code, if it does.
    pub(super) fn of(rules: &'static RuleIndex, family: &str, published: impl Fn(&str) -> Option<Severity>) -> Self {
        Self::ranked(rules, family, published, |_| 0_u8)
    }

    /// The same where the method would rather see some of a rule's codes than others: those of the highest rank.
    pub(super) fn ranked<R: Ord>(
        rules: &'static RuleIndex,
        family: &str,
        published: impl Fn(&str) -> Option<Severity>,
        rank: impl Fn(&str) -> R,
    ) -> Self {
        let rules = CATALOGUES.of(rules).get(family).into_iter().flatten();
        let counted = |(meta, codes): (&'static RuleMeta, _)| CodedRule::of(meta, codes, &published, &rank);
        Self(rules.map(|rule| rule.and_then(counted)).collect())
    }

    /// The findings that count, in the order of the facts.
    pub(super) fn counted<'a>(&self, facts: &'a SparseFacts) -> Vec<MethodFinding<'a>> {
        let counted = |(number, fact)| Some(self.0.get::<usize>(number?)?.as_ref()?.finding(fact));
        facts.found().filter_map(counted).collect()
    }
}

/// One finding for each key, the severest, the first among equals; in the order of the keys.
pub(super) fn distinct_by<'a, K: Ord>(
    mut findings: Vec<MethodFinding<'a>>,
    key: impl Fn(&MethodFinding<'a>) -> K,
) -> Vec<MethodFinding<'a>> {
    // The sort is stable, so that among equals the first in the order of the facts stays.
    findings.sort_by(|a, b| key(a).cmp(&key(b)).then(b.severity.cmp(&a.severity)));
    findings.dedup_by(|later, kept| key(later) == key(kept));
    findings
}

/// The numbers of rules that were asked and that could answer.
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

/// The outcome of each rule, for questions of coverage.
pub(super) struct Outcomes<'a> {
    set: &'a OutcomeSet,
    rules: &'static RuleIndex,
}

impl<'a> Outcomes<'a> {
    /// One outcome for each rule that reported.
    pub(super) fn of(facts: &'a SparseFacts) -> Self {
        Self { set: facts.outcome_set(), rules: facts.rules() }
    }

    /// The outcome of a rule, if it reported.
    pub(super) fn get(&self, rule: &str) -> Option<Outcome> {
        self.set.get(self.rules.number(rule)?)
    }

    /// The first of the rules that has not reported.
    pub(super) fn unreported(&self, rules: &Asked) -> Option<&'static str> {
        // The bit sets answer for nearly every capability; a rule unknown here has no bit and is looked for by name.
        if self.set.has_all(&rules.set) && rules.are_known {
            return None;
        }
        rules.ids.iter().copied().find(|rule| self.get(rule).is_none())
    }

    /// The numbers of the rules that apply and that could look.
    pub(super) fn answered(&self, rules: &Asked) -> Answered {
        let (asked, answered) = self.set.count(&rules.set);
        Answered { asked, answered }
    }
}

/// Rules that a rubric asks.
pub(super) struct Asked {
    ids: Vec<&'static str>,
    set: RuleSet,
    /// True where this version knows all of them.
    are_known: bool,
}

impl Asked {
    /// Some rules of an index.
    pub(super) fn new(rules: &RuleIndex, ids: impl IntoIterator<Item = &'static str>) -> Self {
        let ids: Vec<&'static str> = ids.into_iter().collect();
        let mut set = RuleSet::default();
        ids.iter().filter_map(|rule| rules.number(rule)).for_each(|number| set.add(number));
        let are_known = ids.iter().all(|rule| rules.number(rule).is_some());
        Self { ids, set, are_known }
    }

    /// True where a rule, by its number, is one of them.
    pub(super) fn has(&self, number: usize) -> bool {
        self.set.has(number)
    }
}
