//! `mcpbundles/judged`: the same with what a language model added. It has no vote, and no other rubric reads what a model said.
//!
//! The model is not asked here: the caller hands in what it said.

use std::sync::LazyLock;

use capdex_model::capability::Kind;
use capdex_model::fact::{Place, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::score::{Coverage, RubricRef, Score, ScorePart};

use super::{MethodFinding, NUMBERS, TABLE, scored};
use crate::{RubricMeta, text_digest};

const PAGE: &str = include_str!("page.md");

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "mcpbundles/judged".into(), version: "1".into(), text: text_digest(NUMBERS, PAGE) },
    title: "MCPBundles with its language model: the 18 rules, and what a judge that the operator configured added",
    page: PAGE,
    published_at: "www.mcpbundles.com/learn/mcp-security, the post How We Score MCP Server Security",
    published_read: "2026-11-21",
    published_sha256: "043c6e0cb643bcb4163e13411150b788c2e0129b9275f6d984482de7b2b27e8c",
    kinds: &[Kind::McpServer],
    scale: (0, 100),
    by_day: false,
});

static NOWHERE: LazyLock<Place> = LazyLock::new(Place::default);

/// The description of the variant.
pub fn meta() -> &'static RubricMeta {
    &META
}

/// What a model said of one server.
#[derive(Clone, Copy, Debug)]
pub struct JudgeSaid<'a> {
    /// True where every tool was asked about and every answer counts.
    pub is_used: bool,
    /// Which model, or why it does not count.
    pub note: &'a str,
    /// The code of each finding, with the finding's name.
    pub findings: &'a [(&'static str, &'static str)],
}

/// The severity of a finding of the judge: that of its code.
pub fn severity(code: &str) -> Severity {
    TABLE.codes.get(code).copied().unwrap_or(Severity::Info)
}

/// The score with what a model said. Where the model does not count, what it found does not either.
pub fn score(facts: &SparseFacts, said: &JudgeSaid<'_>) -> Score {
    let finding = |(code, rule): &(&'static str, &'static str)| MethodFinding {
        code,
        severity: severity(code),
        rule,
        place: &NOWHERE,
    };
    let added: Vec<MethodFinding<'static>> =
        if said.is_used { said.findings.iter().map(finding).collect() } else { Vec::new() };
    let part = ScorePart {
        name: "llm_judge_used".into(),
        value: Some(if said.is_used { Points::whole(1) } else { Points::ZERO }),
        coverage: Coverage::FULL,
        note: format!("llm_judge_used: {}; {}", said.is_used, said.note).into(),
    };
    scored(facts, &META.rubric, &part, &added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rubric as _;
    use crate::mcpbundles::McpBundles;
    use crate::mcpbundles::tests::judged_example;
    use crate::tests::day;

    const ORDER: (&str, &str) = ("E001", "judge:instruction-control");
    const SECRET: (&str, &str) = ("SAFE-T1007", "judge:credential-setup");

    fn said(is_used: bool, findings: &[(&'static str, &'static str)]) -> Score {
        score(&judged_example(), &JudgeSaid { is_used, note: "m", findings })
    }

    #[test]
    fn it_only_ever_takes_away_and_each_code_costs_once() {
        let seed = McpBundles.score(&judged_example(), day()).value.expect("a value");
        assert_eq!(said(true, &[]).value, Some(seed));
        let one = said(true, &[SECRET]);
        assert_eq!(one.value, Some(seed - Points::whole(10)));
        assert_eq!(said(true, &[SECRET, SECRET]).value, one.value);
        let both = said(true, &[SECRET, ORDER]);
        assert_eq!((both.value, &*both.grade), (Some(seed - Points::whole(50)), "critical"));
        let sum: Points = both.terms.iter().fold(Points::ZERO, |sum, term| sum + term.points);
        assert_eq!(Some(sum), both.value);
    }

    #[test]
    fn a_judge_that_does_not_count_leaves_the_seed_s_value_and_says_so() {
        let seed = McpBundles.score(&judged_example(), day());
        let without = said(false, &[ORDER]);
        assert_eq!((without.value, &without.grade, &without.terms), (seed.value, &seed.grade, &seed.terms));
        let part = without.parts.iter().find(|part| part.name == "llm_judge_used").expect("a part");
        assert_eq!((part.value, &*part.note), (Some(Points::ZERO), "llm_judge_used: false; m"));
        let used = said(true, &[]);
        let part = used.parts.iter().find(|part| part.name == "llm_judge_used").expect("a part");
        assert_eq!(&*part.note, "llm_judge_used: true; m");
    }

    #[test]
    fn every_code_of_the_judge_has_a_severity_of_the_table() {
        let of = |code| severity(code).as_str();
        assert_eq!(
            ["E001", "W001", "SAFE-T1501", "SAFE-T1004", "SAFE-T1007"].map(of),
            ["critical", "low", "high", "medium", "medium"]
        );
    }
}
