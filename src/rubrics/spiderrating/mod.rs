//! `spiderrating/seed`: SpiderRating's three layers of 0 to 10, its grades and its hard constraints.
//!
//! Source: the methodology page; where it is silent, the public engine 0.3.4 or a choice of ours, as `page.md` says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Place, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{Coverage, RubricRef, Score, ScoreText};
use capdex_model::time::AsOf;

use super::findings::{self, Asked, Codes, Method, MethodFinding, Outcomes};
use super::over_rules::OverRules;
use super::terms::CachedText;
use super::{Rubric, RubricMeta};

mod architecture;
mod description;
mod layers;
pub mod live;
mod metadata;
mod numbers;
pub mod oss;

use layers::{SpiderRatingInputs, add_parts, add_terms, coverage_over, issues, layers, overall};
use numbers::{Dimensions, ENGINE, TABLE};

const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "spiderrating";
const TOOLS: &str = "measure-tool-descriptions";
const SKILL: &str = "measure-skill-description";
const NAME: &str = "measure-skill-name";
const ARCHITECTURE: &str = "measure-architecture";
const METADATA: &str = "measure-metadata";

/// The code of a name that is almost another's.
const TYPOSQUAT: &str = "TS-W007";
/// The code of a name that was taken down as malicious.
const TAKEN_DOWN: &str = "TS-E015";

const NO_LAYER: &str = "none of the three layers has any data";
/// Why a server of which no tool could be read has no value.
const NO_TOOL: &str = "no tool of the server could be read, and a server is rated by its tools";
const ANY_CRITICAL: &str = "any critical security issue: grade F";
const KNOWN_MALICIOUS: &str = "known malicious: grade F";
const WEAK_SECURITY: &str = "security below 5: grade C at most";
const NO_SOURCE: &str = "no source repository: grade D at most";

/// SpiderRating's published method.
pub struct SpiderRating;

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "spiderrating/seed".into(), version: "5".into(), text: text() },
    title: "SpiderRating: description, security and metadata, 0 to 10, with grades A to F",
    page: PAGE,
    published_at: "spiderrating.com, the page Methodology",
    published_read: "2026-11-21",
    published_sha256: "ae854b82d9c05b288a9665c1575e33735f3c93d9257f87595d30be14cae8a337",
    kinds: &[Kind::Skill, Kind::McpServer],
    scale: (0, 10),
    by_day: true,
});

fn text() -> Digest {
    Digest::of_fields([numbers::TEXT, numbers::ENGINE_TEXT, PAGE].map(str::as_bytes))
}

static NEEDS: OverRules<Vec<&'static str>> =
    OverRules::new(|rules| findings::needs(rules, FAMILY, &[TOOLS, SKILL, NAME, ARCHITECTURE, METADATA]));

static CODES: OverRules<Codes> = OverRules::new(|rules| Codes::of(rules, FAMILY, published));

static ASKED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, NEEDS.of(rules).iter().copied()));

/// The rules with codes, and the same with the measure of a skill's name.
static CODED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, coded(rules)));
static CODED_AND_NAME: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, coded(rules).chain([NAME])));

fn coded(rules: &'static RuleIndex) -> impl Iterator<Item = &'static str> {
    findings::coded_rules(rules, FAMILY).map(|meta| meta.id.as_str())
}

impl Rubric for SpiderRating {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, at: AsOf) -> Score {
        static NOT_RATED: CachedText<()> = CachedText::new();
        rated(&META, facts, ("SpiderRating rates no", &NOT_RATED), |outcomes| {
            compute(facts.kind, &inputs(facts, outcomes, at))
        })
    }

    fn holds_until(&self, facts: &SparseFacts, at: AsOf) -> i64 {
        holds_until(facts, at)
    }
}

/// The day on which an age that the layers of the method and of its live variant look at passes a step of theirs.
fn holds_until(facts: &SparseFacts, at: AsOf) -> i64 {
    metadata::read(facts.value(METADATA)).next_age(at.day(), metadata::steps())
}

/// The score of a kind that the method or its variant rates and of which all that it needs has been reported. `no` begins
/// what is said of another kind.
fn rated(
    meta: &RubricMeta,
    facts: &SparseFacts,
    (no, said): (&str, &'static CachedText<()>),
    score: impl FnOnce(&Outcomes<'_>) -> Score,
) -> Score {
    let none = |reason: ScoreText| Score::none(meta.rubric.clone(), Coverage::NONE, reason);
    if !meta.kinds.contains(&facts.kind) {
        return none(said.said(facts.kind, (), || format!("{no} {}", facts.kind)));
    }
    let outcomes = Outcomes::of(facts);
    match outcomes.unreported(ASKED.of(facts.rules())) {
        Some(rule) => none(format!("rule {rule} has not reported").into()),
        None => score(&outcomes),
    }
}

/// The facts in the terms of the page.
fn inputs<'a>(facts: &'a SparseFacts, outcomes: &Outcomes<'_>, at: AsOf) -> SpiderRatingInputs<'a> {
    let stated = facts.value(METADATA);
    let claimed = metadata::read(stated);
    SpiderRatingInputs {
        dimensions: dimensions(facts),
        findings: with_names(facts, CODES.of(facts.rules()).counted(facts, &method())),
        answered: outcomes.answered(CODED_AND_NAME.of(facts.rules())),
        bonus: facts.value(ARCHITECTURE).and_then(architecture::bonus_of),
        // Only a source that says "none" counts: silence is no missing repository.
        no_source: claimed.repository == Some(false),
        metadata: metadata::layer(facts.kind, &claimed, at.start_of_day()),
        metadata_known: stated.is_some(),
    }
}

/// What it looks at, and what it makes of what context excuses.
pub(super) fn method() -> Method<'static> {
    Method { reads: &TABLE.reads, excuses: &TABLE.excuses }
}

/// The codes of some facts that only the name of a skill has.
#[cfg(test)]
pub(super) fn codes_of_name(facts: &SparseFacts) -> Vec<&'static str> {
    with_names(facts, Vec::new()).into_iter().map(|finding| finding.code).collect()
}

/// The severity that SpiderRating gives a code; its own output writes `TS-SEC-` before the category of a server's issue.
pub(super) fn published(code: &str) -> Option<Severity> {
    // Both spellings stand in rules and in published output.
    ENGINE.codes.get(code.strip_prefix("TS-SEC-").unwrap_or(code)).copied()
}

/// Adds what the letter of the published method says of a skill's name and no finding says yet: that it is as near to a
/// target as the page says, or that it is one of those that were taken down.
fn with_names<'a>(facts: &SparseFacts, mut findings: Vec<MethodFinding<'a>>) -> Vec<MethodFinding<'a>> {
    static NOWHERE: Place = Place { file: String::new(), line: 0, column: 0, pointer: String::new() };
    let Some(name) = facts.value(NAME) else { return findings };
    let is_near = name.get("target").is_some_and(serde_json::Value::is_string);
    let is_taken_down = name.get("taken_down").and_then(serde_json::Value::as_bool) == Some(true);
    for (code, holds) in [(TYPOSQUAT, is_near), (TAKEN_DOWN, is_taken_down)] {
        // The measure and a rule may see the same name: it is one issue.
        if holds && findings.iter().all(|finding| finding.code != code) {
            let severity = published(code).unwrap_or(Severity::Medium);
            findings.push(MethodFinding { code, severity, rule: NAME, place: &NOWHERE });
        }
    }
    findings
}

fn dimensions(facts: &SparseFacts) -> Option<Dimensions> {
    match facts.kind {
        Kind::Skill => facts.value(SKILL).and_then(description::of_skill),
        _ => facts.value(TOOLS).and_then(description::of_tools),
    }
}

fn compute(kind: Kind, inputs: &SpiderRatingInputs<'_>) -> Score {
    let findings = issues(&inputs.findings);
    let mut layers = layers(kind, inputs, &findings, &TABLE.layers);
    let coverage = coverage_over(&layers);
    let Some(overall) = overall(&layers) else {
        return Score::none(META.rubric.clone(), coverage, NO_LAYER);
    };
    // Scaled up from what is left, a server would be best of all where nobody could read its tools.
    let [description, ..] = &layers;
    if kind == Kind::McpServer && description.value.is_none() {
        return Score::none(META.rubric.clone(), coverage, NO_TOOL);
    }
    let value = Points::round_from(overall);
    let mut score = Score::none(META.rubric.clone(), coverage, "");
    score.value = Some(value);
    add_parts(&mut score, &mut layers, inputs);
    let [_, security, _] = &layers;
    constrain(&mut score, value, security.value, &findings, inputs.no_source);
    add_terms(&mut score, layers, value);
    score
}

/// Grades the value and applies the hard constraints. Each is noted where it holds, but the missing repository only
/// where it lowers the grade.
fn constrain(
    score: &mut Score,
    value: Points,
    security: Option<Points>,
    findings: &[MethodFinding<'_>],
    no_source: bool,
) {
    let mut lowest = value;
    if security.is_some_and(|security| security < Points::whole(TABLE.constraints.security_floor)) {
        score.caps.push(WEAK_SECURITY.into());
        lowest = lowest.min(cap_at("C"));
    }
    // Letters compare as grades do: `"A" < "D"`.
    if no_source && &*grade(value) < "D" {
        score.caps.push(NO_SOURCE.into());
        lowest = lowest.min(cap_at("D"));
    }
    let malicious = |finding: &MethodFinding<'_>| TABLE.known_malicious.iter().any(|code| code == finding.code);
    if findings.iter().any(malicious) {
        score.caps.push(KNOWN_MALICIOUS.into());
        // No layer can make up for a known malicious code.
        lowest = Points::ZERO;
    }
    if findings.iter().any(|finding| finding.severity == Severity::Critical) {
        score.caps.push(ANY_CRITICAL.into());
        lowest = Points::ZERO;
    }
    score.grade = grade(lowest);
}

/// The grade of a value: that of the highest threshold it reaches.
fn grade(value: Points) -> ScoreText {
    grade_by(&TABLE.grades, value.as_f64())
}

/// The name of the highest threshold, in whole points, that a value reaches.
fn grade_by(thresholds: &'static BTreeMap<String, i64>, value: f64) -> ScoreText {
    let reached = thresholds.iter().filter(|(_, lowest)| value >= **lowest as f64);
    reached.max_by_key(|(_, lowest)| **lowest).map_or("n/a", |(name, _)| name.as_str()).into()
}

/// The lowest value of a grade: a cut to it gives that grade.
fn cap_at(grade: &str) -> Points {
    TABLE.grades.get(grade).copied().map_or(Points::ZERO, Points::whole)
}

#[cfg(test)]
mod tests;
