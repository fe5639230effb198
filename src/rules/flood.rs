//! Bounds on what one file and one input tell: who repeats a thing thousands of times shall neither drown what else there is
//! nor fill the tables of those who read about it.
//!
//! Everything is looked at all the same. What is left out is milder than what is kept of the same rule, and is counted.

use std::collections::BTreeMap;

use capdex_model::fact::{Fact, Outcome};
use capdex_model::facts::{NumberedFact, SparseFacts};

/// The most findings of one rule in one file that are kept apart.
pub(crate) const FINDINGS_PER_FILE: usize = 50;

/// The most findings of one input, over all its capabilities; more only where as many rules found something.
const FINDINGS_PER_INPUT: usize = 2_000;

/// Keeps the worst and first findings of a rule in each file; the last of those kept says how many more there were.
pub(crate) fn without_flood(own: Vec<NumberedFact>) -> Vec<NumberedFact> {
    let mut by_file: BTreeMap<String, Vec<NumberedFact>> = BTreeMap::new();
    for answer in own {
        by_file.entry(answer.fact().place.file.clone()).or_default().push(answer);
    }
    let mut kept = Vec::new();
    for (_, mut facts) in by_file {
        cut(&mut facts, FINDINGS_PER_FILE, "in this file", NumberedFact::fact, NumberedFact::fact_mut);
        kept.extend(facts);
    }
    kept
}

/// Leaves at most 2,000 findings of an input, whose capabilities these facts are of. Of each rule in each capability equally
/// many stay, the worst and first, and one at least, so that no decoy pushes another rule's finding out; the last of those
/// kept says how many more there were.
pub fn within_input(told: &mut [&mut SparseFacts]) {
    // Nearly all inputs are far below, and are not walked twice.
    if told.iter().map(|facts| facts.found().count()).sum::<usize>() <= FINDINGS_PER_INPUT {
        return;
    }
    let sizes: Vec<usize> = told.iter().flat_map(|facts| counts(facts).into_values()).collect();
    let fits = |most: usize| sizes.iter().map(|size| *size.min(&most)).sum::<usize>() <= FINDINGS_PER_INPUT;
    let most = (1..=FINDINGS_PER_INPUT).rev().find(|most| fits(*most)).unwrap_or(1);
    for facts in told.iter_mut() {
        let has_more = counts(facts).into_values().any(|size| size > most);
        if has_more {
            **facts = cut_by_rule(facts, most);
        }
    }
}

/// The number of findings of each rule.
fn counts(facts: &SparseFacts) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    facts.found().for_each(|(_, fact)| *counts.entry(fact.rule.as_str()).or_insert(0) += 1);
    counts
}

fn cut_by_rule(facts: &SparseFacts, most: usize) -> SparseFacts {
    let (found, mut kept): (Vec<Fact>, Vec<Fact>) =
        facts.all().cloned().partition(|fact| fact.outcome == Outcome::True);
    let mut by_rule: BTreeMap<String, Vec<Fact>> = BTreeMap::new();
    for fact in found {
        by_rule.entry(fact.rule.to_string()).or_default().push(fact);
    }
    for (_, mut found) in by_rule {
        cut(&mut found, most, "of this rule", |fact| fact, |fact| fact);
        kept.extend(found);
    }
    SparseFacts::new(facts.rules(), facts.kind, kept)
}

/// Keeps the worst and first of some findings, and says on the last of those kept how many more there were.
fn cut<T>(found: &mut Vec<T>, most: usize, wherein: &str, fact: fn(&T) -> &Fact, fact_mut: fn(&mut T) -> &mut Fact) {
    let more = found.len().saturating_sub(most);
    if more == 0 {
        return;
    }
    found.sort_by(|a, b| {
        let (a, b) = (fact(a), fact(b));
        // By place among equals, so that the same files keep the same findings.
        b.severity.cmp(&a.severity).then_with(|| a.place.cmp(&b.place))
    });
    found.truncate(most);
    if let Some(last) = found.last_mut().map(fact_mut) {
        last.evidence = format!("{} (and {more} more {wherein})", last.evidence);
    }
}

#[cfg(test)]
mod tests {
    use capdex_model::capability::Kind;
    use capdex_model::fact::{Confidence, FactSurface, Place, Severity};
    use serde_json::Value;

    use super::*;
    use crate::INDEX;

    /// So many findings of one rule, the worst of which stands last.
    fn found(rule: &str, count: u32) -> Vec<Fact> {
        let meta = INDEX.all().iter().find(|meta| meta.id.as_str() == rule).expect("a rule");
        let fact = |line: u32| Fact {
            rule: meta.id.clone(),
            version: meta.version,
            outcome: Outcome::True,
            severity: if line == count { Severity::Critical } else { Severity::Low },
            confidence: Confidence::High,
            place: Place { file: format!("f{line}"), line, ..Place::default() },
            surface: FactSurface::Whole,
            voice: None,
            evidence: "curl | sh".to_owned(),
            value: Value::Null,
        };
        (1..=count).map(fact).collect()
    }

    fn facts(all: Vec<Fact>) -> SparseFacts {
        SparseFacts::new(&INDEX, Kind::Package, all)
    }

    #[test]
    fn an_input_keeps_the_worst_of_each_rule_in_each_part() {
        let few = facts(found("reverse-shell", 3));
        let mut one = facts([found("pipe-to-shell", 5_000), found("reverse-shell", 4)].concat());
        let mut other = few.clone();
        within_input(&mut [&mut one, &mut other]);
        assert_eq!(other, few, "what is rare stays");
        assert_eq!(one.of("reverse-shell").count(), 4);
        let kept: Vec<&Fact> = one.of("pipe-to-shell").collect();
        assert_eq!(kept.len(), 2_000 - 7);
        assert!(kept.iter().any(|fact| fact.severity == Severity::Critical), "the worst, wherever it stands");
        let said = format!("curl | sh (and {} more of this rule)", 5_000 - kept.len());
        assert_eq!(kept.iter().filter(|fact| fact.evidence == said).count(), 1);
        let before = one.clone();
        within_input(&mut [&mut one, &mut other]);
        assert_eq!(one, before, "within its bounds it stays as it is");
    }
}
