//! The page's map of the OWASP MCP Top 10, filled in for one capability: who looked, and what was found.
//!
//! Moves no number. Must not know the checks.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::fact::Facts;
use crate::rules::{self, Lifecycle};
use crate::score::Part;

use super::super::findings::{Asked, Outcomes};
use super::super::terms::{push_looked, push_number};
use super::numbers::TABLE;

/// How rules cite a risk.
const CITE: &str = "owasp-mcp:";

/// One risk and the stable rules that cite it, by id.
struct Risk {
    name: String,
    /// The beginning of what is said of it.
    said: String,
    rules: Vec<&'static str>,
    asked: Asked,
}

static RISKS: LazyLock<Vec<Risk>> = LazyLock::new(|| {
    let mut citing: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for meta in rules::all().iter().filter(|meta| meta.lifecycle == Lifecycle::Stable) {
        for code in meta.cites.iter().filter_map(|cite| cite.strip_prefix(CITE)) {
            citing.entry(code).or_default().push(meta.id.as_str());
        }
    }
    let risk = |(code, (title, published)): (&'static String, &'static (String, String))| {
        let mut rules = citing.get(code.as_str()).cloned().unwrap_or_default();
        rules.sort_unstable();
        let (name, said) = (format!("{CITE}{code}"), format!("{title}, {published} by the method; "));
        Risk { name, said, asked: Asked::new(rules.iter().copied()), rules }
    };
    TABLE.owasp_mcp.iter().map(risk).collect()
});

/// A part for each risk: how many of the rules that cite it could look, and how many findings they made.
pub(super) fn parts(facts: &Facts, outcomes: &Outcomes<'_>) -> Vec<Part> {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in facts.findings() {
        *found.entry(finding.rule.as_str()).or_default() += 1;
    }
    // Mostly nothing is found: then no name has to be looked up.
    let count = |rules: &[&str]| -> usize {
        if found.is_empty() { 0 } else { rules.iter().filter_map(|rule| found.get(rule)).sum() }
    };
    let part = |risk: &Risk| {
        let answered = outcomes.answered(&risk.asked);
        let findings = count(&risk.rules);
        let mut note = String::with_capacity(risk.said.len() + 48);
        note.push_str(&risk.said);
        push_number(&mut note, findings);
        note.push_str(" findings; ");
        push_looked(&mut note, answered);
        Part { name: risk.name.clone(), value: None, coverage: answered.coverage(), note }
    };
    RISKS.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::Kind;
    use crate::fact::Outcome;
    use crate::rubrics::tests::reported;

    #[test]
    fn every_risk_is_there_with_the_word_that_the_page_gives_it() {
        let facts = reported(Kind::McpServer, &[], Outcome::False);
        let parts = parts(&facts, &Outcomes::of(&facts));
        let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
        assert_eq!(names, (1..=10).map(|number| format!("owasp-mcp:MCP{number:02}")).collect::<Vec<_>>());
        let covered = parts.iter().filter(|part| part.note.contains(", covered by the method")).count();
        assert_eq!(covered, 4);
        assert!(parts.iter().any(|part| part.coverage.as_thousandths() == 1000));
    }
}
