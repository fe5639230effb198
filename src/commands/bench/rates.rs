//! Rates with their 95 % Wilson intervals: recall, false positives, and each rule's own.

use std::collections::{BTreeMap, BTreeSet};

use capdex_dataset::escape;
use capdex_model::fact::Severity;
use capdex_model::rule::detection::DetectionSet;
use capdex_model::rule::measured::{MeasuredSet, Rate};
use capdex_model::time::AsOf;

use super::CaseFindings;
use super::set::{BenchCase, BenchSet};
use crate::commands::summary;
use crate::output::Out;

/// The labels that are counted.
const MALICIOUS: &str = "malicious";
const BENIGN: &str = "benign";

/// The number of rules that fire on benign cases and are printed apart.
const NOISIEST: usize = 15;

/// The results of each rule on a set.
pub(super) fn measured(set: &BenchSet, verdicts: &[CaseFindings]) -> MeasuredSet {
    let mut measured = MeasuredSet {
        digest: set.digest.to_string(),
        benign: set.labelled(BENIGN),
        malicious: set.labelled(MALICIOUS),
        rules: BTreeMap::new(),
    };
    for (case, verdict) in set.cases.iter().zip(verdicts) {
        // Other labels are scanned for their speed and say nothing about rates.
        if case.label != MALICIOUS && case.label != BENIGN {
            continue;
        }
        for (rule, severity) in &verdict.rules {
            measured.rules.entry(rule.clone()).or_default().add(case.label == MALICIOUS, *severity);
        }
    }
    measured
}

/// How many cases of each subset and source are flagged, with the rule set and the day.
pub(super) fn detection(set: &BenchSet, verdicts: &[CaseFindings], at: AsOf) -> DetectionSet {
    let mut flagged = DetectionSet {
        digest: set.digest.to_string(),
        rules: capdex_rules::INDEX.digest().to_string(),
        day: at.0.to_string().chars().take(10).collect(),
        groups: BTreeMap::new(),
    };
    for (case, verdict) in set.cases.iter().zip(verdicts) {
        flagged.add(&case.label, [("subset", &case.subset), ("source", &case.source)], verdict.worst);
    }
    flagged
}

/// Prints how many cases of each subset and source are flagged.
pub(super) fn print_groups(flagged: &DetectionSet, out: &mut Out) -> anyhow::Result<()> {
    let mut table = summary::table();
    table.set_header(["flagged, %", "cases", "critical", "high or worse", "medium or worse"]);
    for (label, groups) in &flagged.groups {
        for (group, counts) in groups {
            let rate = |hits| Rate { hits, of: counts.of }.to_string();
            let name = format!("{label} {group}");
            table.add_row([
                escape::escape(&name).into_owned(),
                counts.of.to_string(),
                rate(counts.critical),
                rate(counts.high),
                rate(counts.medium),
            ]);
        }
    }
    out.line(table)?;
    Ok(())
}

/// Prints the rates by label, subset and category, then each rule's own, the noisiest apart.
pub(super) fn print(set: &BenchSet, verdicts: &[CaseFindings], out: &mut Out) -> anyhow::Result<()> {
    let rows: Vec<(&BenchCase, &CaseFindings)> = set.cases.iter().zip(verdicts).collect();
    let mut table = summary::table();
    table.set_header(["flagged, %", "cases", "critical", "high or worse", "medium or worse", "low or worse"]);
    let labels: BTreeSet<&str> = rows.iter().map(|(case, _)| case.label.as_str()).collect();
    for label in labels {
        let labelled: Vec<_> = rows.iter().copied().filter(|(case, _)| case.label == label).collect();
        add(&mut table, label, &labelled);
        add_groups(&mut table, "subset", &labelled, |case| &case.subset);
        add_groups(&mut table, "category", &labelled, |case| &case.category);
    }
    out.line(table)?;
    print_rules(&measured(set, verdicts), out)
}

fn add_groups(
    table: &mut comfy_table::Table,
    word: &str,
    rows: &[(&BenchCase, &CaseFindings)],
    key: impl Fn(&BenchCase) -> &String,
) {
    let keys: BTreeSet<&String> = rows.iter().map(|(case, _)| key(case)).filter(|key| !key.is_empty()).collect();
    for each in keys {
        let group: Vec<_> = rows.iter().copied().filter(|(case, _)| key(case) == each).collect();
        add(table, &format!("  {word} {}", escape::escape(each)), &group);
    }
}

fn add(table: &mut comfy_table::Table, name: &str, rows: &[(&BenchCase, &CaseFindings)]) {
    let at_least = |severity: Severity| {
        let flagged = rows.iter().filter(|(_, verdict)| verdict.worst.is_some_and(|worst| worst >= severity)).count();
        // Shares come with their interval, because small subsets tell less than their percentages seem to.
        Rate { hits: flagged as u64, of: rows.len() as u64 }.to_string()
    };
    table.add_row([
        escape::escape(name).into_owned(),
        rows.len().to_string(),
        at_least(Severity::Critical),
        at_least(Severity::High),
        at_least(Severity::Medium),
        at_least(Severity::Low),
    ]);
}

fn print_rules(measured: &MeasuredSet, out: &mut Out) -> anyhow::Result<()> {
    let mut table = summary::table();
    table.set_header(["rule", "malicious", "at high+", "benign", "at high+", "benign, %", "benign at high+, %"]);
    for (rule, hits) in &measured.rules {
        table.add_row([
            rule.clone(),
            hits.malicious.to_string(),
            hits.malicious_high.to_string(),
            hits.benign.to_string(),
            hits.benign_high.to_string(),
            Rate { hits: hits.benign, of: measured.benign }.to_string(),
            Rate { hits: hits.benign_high, of: measured.benign }.to_string(),
        ]);
    }
    out.line(table)?;
    // Facts without weight fire on benign cases by design.
    let is_finding = |rule: &str| capdex_rules::INDEX.find(rule).is_some_and(|meta| meta.severity > Severity::Info);
    let mut noisy: Vec<_> = measured.rules.iter().filter(|(rule, hits)| hits.benign > 0 && is_finding(rule)).collect();
    // High severity first: those are the false positives that stop a build.
    noisy.sort_by_key(|(rule, hits)| (std::cmp::Reverse((hits.benign_high, hits.benign)), *rule));
    let names: Vec<String> = noisy
        .iter()
        .take(NOISIEST)
        .map(|(rule, hits)| format!("{rule} {}/{}", hits.benign_high, hits.benign))
        .collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    out.line(format_args!("fire most on benign cases (at high or critical/at any severity): {names}"))?;
    Ok(())
}
