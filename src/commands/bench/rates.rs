//! Rates with their 95 % Wilson intervals: recall, false positives, and each rule's own.

use std::collections::{BTreeMap, BTreeSet};

use capdex_core::fact::Severity;

use super::{Case, Verdict};
use crate::commands::summary;
use crate::output::{self, Out};

/// A share with its 95 % Wilson interval, in percent.
struct Rate {
    hits: u64,
    of: u64,
}

impl Rate {
    fn interval(&self) -> (f64, f64) {
        const Z: f64 = 1.96;
        if self.of == 0 {
            return (0.0, 0.0);
        }
        let (n, share) = (self.of as f64, self.hits as f64 / self.of as f64);
        let denominator = 1.0 + Z * Z / n;
        let centre = (share + Z * Z / (2.0 * n)) / denominator;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / denominator;
        (100.0 * (centre - half).max(0.0), 100.0 * (centre + half).min(1.0))
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (low, high) = self.interval();
        let share = 100.0 * self.hits as f64 / (self.of.max(1)) as f64;
        write!(f, "{share:.1} [{low:.1}, {high:.1}]")
    }
}

fn rate(cases: &[Case], verdicts: &[Verdict], label: &str, subset: Option<&str>, at_least: Severity) -> Rate {
    let rows = cases.iter().zip(verdicts);
    let chosen = rows.filter(|(case, _)| case.label == label && subset.is_none_or(|subset| case.subset == subset));
    let mut rate = Rate { hits: 0, of: 0 };
    for (_, verdict) in chosen {
        rate.of += 1;
        rate.hits += u64::from(verdict.worst.is_some_and(|worst| worst >= at_least));
    }
    rate
}

/// Prints the rates by label and subset, then each rule's hits at high or critical.
pub(super) fn print(cases: &[Case], verdicts: &[Verdict], out: &mut Out) -> anyhow::Result<()> {
    let mut table = summary::table();
    table.set_header(["flagged, %", "cases", "high or critical", "medium or worse", "low or worse"]);
    let groups: BTreeSet<(&str, &str)> = cases.iter().map(|case| (case.label.as_str(), case.subset.as_str())).collect();
    let labels: BTreeSet<&str> = groups.iter().map(|(label, _)| *label).collect();
    for label in labels {
        add(&mut table, cases, verdicts, label, None);
        for (_, subset) in groups.iter().filter(|(each, _)| *each == label) {
            add(&mut table, cases, verdicts, label, Some(subset));
        }
    }
    out.line(table)?;
    print_rules(cases, verdicts, out)
}

fn add(table: &mut comfy_table::Table, cases: &[Case], verdicts: &[Verdict], label: &str, subset: Option<&str>) {
    let of = |severity| rate(cases, verdicts, label, subset, severity);
    let name = subset.map_or_else(|| label.to_owned(), |subset| format!("  {subset}"));
    let high = of(Severity::High);
    table.add_row([
        output::escape(&name).into_owned(),
        high.of.to_string(),
        high.to_string(),
        of(Severity::Medium).to_string(),
        of(Severity::Low).to_string(),
    ]);
}

fn print_rules(cases: &[Case], verdicts: &[Verdict], out: &mut Out) -> anyhow::Result<()> {
    let mut counts: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    let benign = cases.iter().filter(|case| case.label == "benign").count() as u64;
    for (case, verdict) in cases.iter().zip(verdicts) {
        for (rule, severity) in &verdict.rules {
            let (malicious, benign_high, benign_any) = counts.entry(rule).or_default();
            let is_high = *severity >= Severity::High;
            match case.label.as_str() {
                "malicious" => *malicious += 1,
                "benign" => {
                    *benign_high += u64::from(is_high);
                    *benign_any += 1;
                }
                _ => {}
            }
        }
    }
    let mut table = summary::table();
    table.set_header(["rule", "malicious cases", "benign at high+", "benign at any", "benign at any, %"]);
    for (rule, (malicious, high, any)) in counts {
        let share = Rate { hits: any, of: benign };
        table.add_row([rule.to_owned(), malicious.to_string(), high.to_string(), any.to_string(), share.to_string()]);
    }
    out.line(table)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Rate;

    #[test]
    fn intervals_are_wilsons() {
        let (low, high) = Rate { hits: 1, of: 10 }.interval();
        assert!((low - 1.79).abs() < 0.01 && (high - 40.42).abs() < 0.01, "{low} {high}");
        assert_eq!(Rate { hits: 0, of: 0 }.interval(), (0.0, 0.0));
    }
}
