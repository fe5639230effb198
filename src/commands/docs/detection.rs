//! The page of detection rates, from the figures beside the rules.

use std::fmt::Write as _;

use capdex_model::rule::detection::{DetectionSet, Flagged};
use capdex_model::rule::measured::Rate;

use super::pages::{cell, page};

const HOW: &str = "How many cases of labelled sets have a finding at a severity or worse, with 95 % Wilson intervals. On malicious cases \
                   that is recall, on benign ones the rate of false alarms. Sets whose name ends in `-train`, and those without an \
                   ending, were read while the rules were written. Those that end in `-check` are other publishers' and were \
                   measured only: nobody has read their texts. Expect the rates of the latter.\n\n\
                   Written by `capdex bench --rates-only --detection src/rules/detection.json SET…`, then `capdex docs docs`.\n\n";

/// The page.
pub(super) fn detection() -> String {
    let mut text = page("Detection");
    text.push_str(HOW);
    for (name, set) in &capdex_rules::detection().sets {
        section(&mut text, name, set);
    }
    text
}

fn section(text: &mut String, name: &str, set: &DetectionSet) {
    let _ = writeln!(text, "## {name}\n");
    let _ = writeln!(text, "Measured {} with rule set `{}`, on the file `{}`.\n", set.day, set.rules, set.digest);
    let _ = writeln!(
        text,
        "| cases | number | critical, % | high or worse, % | medium or worse, % |\n|---|---|---|---|---|"
    );
    for (label, groups) in &set.groups {
        for (group, flagged) in groups {
            row(text, &format!("{label}, {group}"), *flagged);
        }
    }
    text.push('\n');
}

fn row(text: &mut String, name: &str, flagged: Flagged) {
    let rate = |hits| Rate { hits, of: flagged.of };
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {} |",
        cell(name),
        flagged.of,
        rate(flagged.critical),
        rate(flagged.high),
        rate(flagged.medium)
    );
}
