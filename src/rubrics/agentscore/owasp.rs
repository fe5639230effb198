//! The page's map of the OWASP MCP Top 10, filled in for one capability: who looked, and what was found.
//!
//! Moves no number; the checks are computed without it.

use std::collections::BTreeMap;

use capdex_model::facts::SparseFacts;
use capdex_model::rule::Lifecycle;
use capdex_model::score::{ScorePart, ScoreText};

use super::super::findings::{Answered, Asked, Outcomes};
use super::super::over_rules::OverRules;
use super::super::terms::{CachedText, push_looked, push_number};
use super::numbers::TABLE;

/// The beginning of a rule's citation of a risk.
const CITE: &str = "owasp-mcp:";

/// One risk and the stable rules that cite it, by id.
struct OwaspRisk {
    name: String,
    /// The beginning of what is said of it.
    said: String,
    asked: Asked,
    /// The text where nothing is found.
    clean: CachedText<Answered>,
}

static RISKS: OverRules<Vec<OwaspRisk>> = OverRules::new(|rules| {
    let mut citing: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    // A rule on trial may still be wrong, and must not show as one that looked.
    for meta in rules.all().iter().filter(|meta| meta.lifecycle == Lifecycle::Stable) {
        for code in meta.cites.iter().filter_map(|cite| cite.strip_prefix(CITE)) {
            citing.entry(code).or_default().push(meta.id.as_str());
        }
    }
    let risk = |(code, (title, published)): (&'static String, &'static (String, String))| {
        let mut ids = citing.get(code.as_str()).cloned().unwrap_or_default();
        ids.sort_unstable();
        let (name, said) = (format!("{CITE}{code}"), format!("{title}, {published} by the method; "));
        OwaspRisk { name, said, asked: Asked::new(rules, ids), clean: CachedText::new() }
    };
    TABLE.owasp_mcp.iter().map(risk).collect()
});

/// The number of risks.
pub(super) fn count() -> usize {
    TABLE.owasp_mcp.len()
}

/// Adds a part for each risk: how many of the rules that cite it could look, and how many findings they made.
pub(super) fn add_parts(parts: &mut Vec<ScorePart>, facts: &SparseFacts, outcomes: &Outcomes<'_>) {
    let findings = facts.found().filter(|(_, fact)| fact.is_finding());
    let found: Vec<usize> = findings.filter_map(|(number, _)| number).collect();
    parts.extend(RISKS.of(facts.rules()).iter().map(|risk| {
        let answered = outcomes.answered(&risk.asked);
        let findings = found.iter().filter(|number| risk.asked.has(**number)).count();
        let note = || risk.note(findings, answered);
        // A clean risk reads the same for nearly every capability, and its text is shared.
        let note = if findings == 0 { risk.clean.said(facts.kind, answered, note) } else { note().into() };
        ScorePart { name: ScoreText::Borrowed(&risk.name), value: None, coverage: answered.coverage(), note }
    }));
}

impl OwaspRisk {
    fn note(&self, findings: usize, answered: Answered) -> String {
        let mut note = String::with_capacity(self.said.len() + 48);
        note.push_str(&self.said);
        push_number(&mut note, findings);
        note.push_str(" findings; ");
        push_looked(&mut note, answered);
        note
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::reported;
    use capdex_model::capability::Kind;
    use capdex_model::fact::Outcome;

    #[test]
    fn every_risk_is_there_with_the_word_that_the_page_gives_it() {
        let facts = reported(Kind::McpServer, &[], Outcome::False);
        let mut parts = Vec::new();
        add_parts(&mut parts, &facts, &Outcomes::of(&facts));
        let names: Vec<String> = parts.iter().map(|part| part.name.to_string()).collect();
        assert_eq!(names, (1..=10).map(|number| format!("owasp-mcp:MCP{number:02}")).collect::<Vec<_>>());
        let covered = parts.iter().filter(|part| part.note.contains(", covered by the method")).count();
        assert_eq!(covered, 4);
        assert!(parts.iter().any(|part| part.coverage.as_thousandths() == 1000));
    }
}
