//! Detection on the labelled development sets: the bars that must hold, and the figures that the manual prints.
//!
//! Reads real data where `CAPDEX_DATA` names it (`labelled/`: origins and licences in its manifest). The sets are small and
//! the rules were written beside them: what holds here is a floor, not a promise.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::capdex::Capdex;

/// A bar: label, subset, the least and the most that may be flagged at high or critical, in percent.
type Bar = (&'static str, &'static str, f64, f64);

const SKILLS: [Bar; 3] =
    [("malicious", "core", 60.0, 100.0), ("benign", "plain", 0.0, 1.0), ("benign", "hardneg", 0.0, 4.0)];
const TOOLS: [Bar; 4] = [
    ("malicious", "core", 60.0, 100.0),
    ("malicious", "hard", 60.0, 100.0),
    ("benign", "tool", 0.0, 0.5),
    ("benign", "server", 0.0, 3.0),
];

#[test]
fn skills_are_told_apart() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    holds(&data, "skills", &SKILLS);
}

#[test]
fn tools_lists_are_told_apart() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    holds(&data, "mcp-tools", &TOOLS);
}

fn holds(data: &str, set: &str, bars: &[Bar]) {
    let file = format!("{data}/labelled/{set}.jsonl.gz");
    let capdex = Capdex::offline();
    let run =
        capdex.run(&["bench", &file, "--rounds", "1", "--measure", "measured.json", "--verdicts", "verdicts.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);

    let read = |path: &str| std::fs::read_to_string(capdex.path().join(path)).expect("bench wrote it");
    let high = severities(&read("verdicts.jsonl"));
    let manifest =
        std::fs::read_to_string(format!("{data}/labelled/{set}.tsv")).expect("the manifest stands beside its set");
    for (label, subset, least, most) in bars {
        let cases: Vec<&str> = manifest
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .filter(|row| row.get(1..3) == Some(&[*label, *subset]))
            .filter_map(|row| row.first().copied())
            .collect();
        let flagged = cases.iter().filter(|case| high.get(**case) == Some(&true)).count();
        let share = 100.0 * flagged as f64 / cases.len() as f64;
        assert!((*least..=*most).contains(&share), "{set}: {flagged} of {} {label} {subset}", cases.len());
    }

    let now: Value = serde_json::from_str(&read("measured.json")).expect("bench writes JSON");
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules/measured.json");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(kept).expect("is there")).expect("is JSON");
    assert!(
        now[set] == kept[set],
        "the figures are stale: capdex bench {set}.jsonl.gz --rounds 1 --measure src/rules/measured.json, then capdex docs docs"
    );
}

/// Whether each case was flagged at high or critical.
fn severities(verdicts: &str) -> BTreeMap<String, bool> {
    verdicts
        .lines()
        .map(|line| {
            let verdict: Value = serde_json::from_str(line).expect("a verdict is JSON");
            let text = |key: &str| verdict[key].as_str().expect("a verdict has it").to_owned();
            (text("case"), matches!(text("severity").as_str(), "high" | "critical"))
        })
        .collect()
}
