//! `spiderrating/live-2026-03`: the composition and the grades that the published rows of March 2026 show.
//!
//! The layers are those of `seed`. Source: the publisher's own rows (CC0); how well they are reproduced is tested over
//! all of them. A variant has no voice in the verdict.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{RubricRef, Score, ScoreText};
use capdex_model::time::AsOf;

use super::super::terms::CachedText;
use super::super::{Rubric, RubricMeta};
use super::numbers::{self, Layers};
use super::{
    NEEDS, NO_LAYER, SpiderRatingInputs, add_parts, add_terms, coverage_over, grade_by, holds_until, inputs, issues,
    layers, overall, rated,
};

const PAGE: &str = include_str!("page.md");
const TEXT: &str = include_str!("weights.toml");

/// SpiderRating as its live site computed it in March 2026.
pub struct Live;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LiveNumbers {
    layers: Layers,
    grades: BTreeMap<String, i64>,
    constraints: LiveConstraints,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LiveConstraints {
    criticals_f: usize,
    description_d: f64,
    description_c: f64,
}

static TABLE: LazyLock<LiveNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef {
        id: "spiderrating/live-2026-03".into(),
        version: "3".into(),
        text: Digest::of_fields([TEXT, numbers::TEXT, numbers::ENGINE_TEXT, PAGE].map(str::as_bytes)),
    },
    title: "SpiderRating as its published rows of March 2026 compose and grade it",
    page: PAGE,
    published_at: "the publisher's list awesome-mcp-security, data/servers.json at f6f2696 (CC0)",
    published_read: "2026-11-22",
    published_sha256: "385b537bd143d0647cd46681e56905ccf4fa40517383cf250ac5fab15d010446",
    kinds: &[Kind::McpServer],
    scale: (0, 10),
    by_day: true,
});

impl Rubric for Live {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, at: AsOf) -> Score {
        static NOT_HELD: CachedText<()> = CachedText::new();
        rated(&META, facts, ("the published rows hold no", &NOT_HELD), |outcomes| {
            compute(facts.kind, &inputs(facts, outcomes, at))
        })
    }

    fn holds_until(&self, facts: &SparseFacts, at: AsOf) -> i64 {
        holds_until(facts, at)
    }
}

fn compute(kind: Kind, inputs: &SpiderRatingInputs<'_>) -> Score {
    let findings = issues(&inputs.findings);
    let mut layers = layers(kind, inputs, &findings, &TABLE.layers);
    let coverage = coverage_over(&layers);
    let Some(sum) = overall(&layers) else { return Score::none(META.rubric.clone(), coverage, NO_LAYER) };
    let [description, ..] = &layers;
    // The published rows hold no such server, so that nothing says how one would be graded.
    let Some(described) = description.value else {
        return Score::none(META.rubric.clone(), coverage, "the published rows hold no server without tools");
    };
    let criticals = findings.iter().filter(|finding| finding.severity == Severity::Critical).count();
    let composed = grade(sum, described.as_f64(), criticals);
    let mut score = Score::none(META.rubric.clone(), coverage, "");
    score.value = Some(composed.value);
    score.grade = composed.grade;
    score.caps = composed.caps;
    add_parts(&mut score, &mut layers, inputs);
    add_terms(&mut score, layers, composed.value);
    score
}

/// The composition that the rows show of one server: its score, its grade and what lowered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The overall score, rounded to two decimals.
    pub value: Points,
    /// From A to F.
    pub grade: ScoreText,
    /// The constraints that lowered the grade.
    pub caps: Vec<ScoreText>,
}

/// The overall score and the grade of given layers, each from 0 to 10, and a number of critical issues.
pub fn compose(description: f64, security: f64, metadata: f64, criticals: usize) -> Composed {
    let weights = &TABLE.layers;
    let sum = weights.description * description + weights.security * security + weights.metadata * metadata;
    grade(sum, description, criticals)
}

/// Grades a sum, unrounded, by its band and the constraints. Later letters are worse.
fn grade(sum: f64, description: f64, criticals: usize) -> Composed {
    let numbers = &TABLE.constraints;
    let band = grade_by(&TABLE.grades, sum);
    let constraints = [
        (criticals >= numbers.criticals_f, "F", "three critical issues or more: grade F"),
        (criticals > 0, "D", "a critical issue: grade D at most"),
        (description < numbers.description_d, "D", "descriptions below 2: grade D at most"),
        (description < numbers.description_c, "C", "descriptions below 3: grade C at most"),
    ];
    // A constraint that lowers nothing is not noted.
    let holding = || constraints.iter().filter(|(holds, cap, _)| *holds && *cap > &*band);
    let grade = holding().map(|(_, cap, _)| *cap).max().map_or_else(|| band.clone(), ScoreText::Borrowed);
    let caps =
        holding().filter(|(_, cap, _)| *cap == grade).map(|(.., note)| ScoreText::Borrowed(*note)).take(1).collect();
    Composed { value: Points::round_from(sum), grade, caps }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::tests::{day, fact, reported};
    use super::*;
    use capdex_model::fact::Outcome;

    fn graded(description: f64, security: f64, metadata: f64, criticals: usize) -> (Points, ScoreText, usize) {
        let composed = compose(description, security, metadata, criticals);
        (composed.value, composed.grade, composed.caps.len())
    }

    #[test]
    fn published_rows_come_out_as_printed() {
        // Facts of the published rows: context7, opcua-mcp, a row at 4.9994 that is printed as 5.
        assert_eq!(graded(5.5, 9.6, 9.65, 0), (Points::hundredths(806), "B".into(), 0));
        assert_eq!(graded(8.3, 9.28, 5.84, 0), (Points::hundredths(794), "B".into(), 0));
        assert_eq!(graded(2.1, 8.61, 4.55, 0), (Points::whole(5), "D".into(), 0));
    }

    #[test]
    fn a_constraint_lowers_the_grade_and_never_raises_it() {
        assert_eq!(graded(10.0, 10.0, 10.0, 1).1, "D");
        assert_eq!(graded(10.0, 10.0, 10.0, 3).1, "F");
        assert_eq!((graded(2.9, 10.0, 10.0, 0).1, graded(1.9, 10.0, 10.0, 0).1), ("C".into(), "D".into()));
        assert_eq!(graded(1.0, 1.0, 1.0, 2), (Points::whole(1), "F".into(), 0));
    }

    #[test]
    fn a_server_without_described_tools_has_no_value() {
        let mut facts: Vec<_> = reported(Kind::McpServer, &[], Outcome::False).all().cloned().collect();
        facts.retain(|fact| fact.rule.as_str() != super::super::TOOLS);
        facts.push(fact(super::super::TOOLS, Outcome::Unavailable, Severity::Info, json!(null)));
        let score = Live.score(&SparseFacts::new(&capdex_rules::INDEX, Kind::McpServer, facts), day());
        assert_eq!((score.value, &*score.reason), (None, "the published rows hold no server without tools"));
    }
}
