//! `mcpbundles/seed`: the security posture of an MCP server over MCPBundles' 18 published rules.
//!
//! The rules and severities are published, the arithmetic is ours, as `page.md` says. Never asks a model; what one said counts in
//! the variant `judged` alone.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{Coverage, RubricRef, Score, ScorePart, ScoreText};
use capdex_model::time::AsOf;

use super::findings::{self, Answered, Asked, Codes, Excuses, Method, MethodFinding, Outcomes};
use super::over_rules::OverRules;
use super::reads::Reads;
use super::terms::{CachedText, NO_RULES, distinct, push_looked, term};
use super::{Rubric, RubricMeta, text_digest};

pub mod judged;

const NUMBERS: &str = include_str!("weights.toml");
const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "mcpbundles";
const ANNOTATIONS: &str = "measure-tool-annotations";

/// MCPBundles' published catalogue with a posture of ours.
pub struct McpBundles;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct McpBundlesNumbers {
    reads: Reads,
    excuses: Excuses,
    posture: Posture,
    codes: BTreeMap<String, Severity>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posture {
    penalties: BTreeMap<Severity, i64>,
    labels: Vec<String>,
    directory: Vec<String>,
}

static TABLE: LazyLock<McpBundlesNumbers> =
    LazyLock::new(|| toml::from_str(NUMBERS).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "mcpbundles/seed".into(), version: "4".into(), text: text_digest(NUMBERS, PAGE) },
    title: "MCPBundles: 18 cited rules over tool metadata; the posture of 0 to 100 is ours",
    page: PAGE,
    published_at: "www.mcpbundles.com/learn/mcp-security, the post How We Score MCP Server Security",
    published_read: "2026-11-21",
    published_sha256: "043c6e0cb643bcb4163e13411150b788c2e0129b9275f6d984482de7b2b27e8c",
    kinds: &[Kind::McpServer],
    scale: (0, 100),
    by_day: false,
});

/// The rules that count: a rule that answers for the directory layer alone is shown where it speaks, and not asked for.
static NEEDS: OverRules<Vec<&'static str>> = OverRules::new(|rules| {
    let mut needs: Vec<&str> = counting_rules(rules).chain([ANNOTATIONS]).collect();
    needs.sort_unstable();
    needs
});

static ASKED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, NEEDS.of(rules).iter().copied()));
static CODED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, counting_rules(rules)));

/// What it looks at, and what it makes of what context excuses.
pub(super) fn method() -> Method<'static> {
    Method { reads: &TABLE.reads, excuses: &TABLE.excuses }
}

/// The severity of a code.
pub(super) fn published(code: &str) -> Option<Severity> {
    // `Info` has no penalty: what the method has not shipped moves nothing.
    if is_of_directory(code) { Some(Severity::Info) } else { TABLE.codes.get(code).copied() }
}

static CODES: OverRules<Codes> =
    OverRules::new(|rules| Codes::ranked(rules, FAMILY, published, |code| !is_of_directory(code)));

/// The rules with a code that the method has shipped.
fn counting_rules(rules: &'static RuleIndex) -> impl Iterator<Item = &'static str> {
    let counts = |codes: &[String]| codes.iter().any(|code| !is_of_directory(code));
    let coded = findings::coded_rules(rules, FAMILY);
    coded.filter(move |meta| meta.codes.get(FAMILY).is_some_and(|codes| counts(codes))).map(|meta| meta.id.as_str())
}

impl Rubric for McpBundles {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, _at: AsOf) -> Score {
        scored(facts, &META.rubric, &judge(), &[])
    }
}

/// The score of a rubric of this method, with what a model added and the part that says whether one was asked.
fn scored(facts: &SparseFacts, rubric: &RubricRef, judge: &ScorePart, added: &[MethodFinding<'static>]) -> Score {
    // Also a score without a value says whether a model was asked.
    let none = |reason: ScoreText| {
        let mut score = Score::none(rubric.clone(), Coverage::NONE, reason);
        score.parts.push(judge.clone());
        score
    };
    if facts.kind != Kind::McpServer {
        return none(NOT_FOR.said(facts.kind, (), || format!("MCPBundles publishes no score for a {}", facts.kind)));
    }
    let (outcomes, rules) = (Outcomes::of(facts), facts.rules());
    if let Some(rule) = outcomes.unreported(ASKED.of(rules)) {
        return none(format!("rule {rule} has not reported").into());
    }
    // Without a tool there is nothing that the 18 rules are about.
    let Some(quality) = facts.value(ANNOTATIONS).and_then(quality) else {
        return none("no tool definition could be read".into());
    };
    // No rule that could look means no score, or 100 would be given for unread tools.
    let answered = outcomes.answered(CODED.of(rules));
    if answered.answered == 0 {
        return none("none of the rules that feed it could look".into());
    }
    let mut findings = CODES.of(rules).counted(facts, &method());
    findings.extend_from_slice(added);
    compute(findings, (rubric, judge), answered, quality)
}

/// Why a capability of another kind has no value.
static NOT_FOR: CachedText<()> = CachedText::new();

/// True for a code of the layer that compares servers: designed and not shipped by the method.
fn is_of_directory(code: &str) -> bool {
    TABLE.posture.directory.iter().any(|of_directory| of_directory == code)
}

/// The counts of the measure over a server's tools.
#[derive(Deserialize)]
struct ToolCounts {
    tools: usize,
    described: usize,
    annotations_required: usize,
    annotations_written: usize,
}

/// The quality of 0 to 100; none where no tool was read.
fn quality(value: &Value) -> Option<Points> {
    let counted = ToolCounts::deserialize(value).ok()?;
    // A server that needs no annotation has written none: the denominator must not be zero.
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let written = share(counted.annotations_written, counted.annotations_required);
    let mean = (share(counted.described, counted.tools) + written) / 2.0;
    (counted.tools > 0).then(|| Points::round_from((mean * 100.0).clamp(0.0, 100.0)))
}

fn compute(
    findings: Vec<MethodFinding<'_>>,
    (rubric, judge): (&RubricRef, &ScorePart),
    answered: Answered,
    quality: Points,
) -> Score {
    let (of_directory, findings): (Vec<MethodFinding<'_>>, Vec<MethodFinding<'_>>) =
        findings.into_iter().partition(|finding| is_of_directory(finding.code));
    // Each code costs once, at its worst: the number of tools that a server has must not decide.
    let worst_by_code = findings::distinct_by(findings.clone(), |finding| finding.code);
    let mut score = Score::none(rubric.clone(), answered.coverage(), "");
    score.terms.reserve_exact(worst_by_code.len() + 2);
    score.terms.push(term("posture", Points::whole(100), NO_RULES, "nothing found"));
    let mut value = Points::whole(100);
    for finding in &worst_by_code {
        let penalty = Points::whole(TABLE.posture.penalties.get(&finding.severity).copied().unwrap_or(0));
        // The term names every rule behind the code, also those with milder findings.
        let behind = findings.iter().filter(|other| other.code == finding.code).map(|other| other.rule);
        score.terms.push(term(finding.code, -penalty, distinct(behind), finding.severity.as_str()));
        value = value - penalty;
    }
    // The floor is a term of its own, so that the terms still add up to the value.
    if value < Points::ZERO {
        score.terms.push(term("floor", -value, NO_RULES, "not below 0"));
        value = Points::ZERO;
    }
    score.value = Some(value);
    score.grade = grade(&worst_by_code);
    score.parts = parts(value, answered, quality);
    score.parts.push(judge.clone());
    score.parts.extend(directory(&of_directory));
    score
}

/// The worst severity of what is no mere label, or `clean`.
fn grade(findings: &[MethodFinding<'_>]) -> ScoreText {
    let is_label = |finding: &&MethodFinding<'_>| TABLE.posture.labels.iter().any(|label| label == finding.code);
    let serious = findings.iter().filter(|finding| !is_label(finding));
    let worst = serious.map(|finding| finding.severity).filter(|severity| *severity > Severity::Info).max();
    worst.map_or("clean", Severity::as_str).into()
}

fn parts(value: Points, answered: Answered, quality: Points) -> Vec<ScorePart> {
    let mut looked = String::with_capacity(32);
    push_looked(&mut looked, answered);
    let part = |name: &'static str, value: Points, coverage: Coverage, note: ScoreText| ScorePart {
        name: name.into(),
        value: Some(value),
        coverage,
        note,
    };
    vec![
        part("security_posture", value, answered.coverage(), looked.into()),
        part("quality", quality, Coverage::FULL, "descriptions and annotations; moves nothing".into()),
    ]
}

/// The part of the directory layer, where it says anything.
fn directory(findings: &[MethodFinding<'_>]) -> Option<ScorePart> {
    let codes = distinct(findings.iter().map(|finding| finding.code));
    (!codes.is_empty()).then(|| ScorePart {
        name: "directory".into(),
        value: None,
        coverage: Coverage::NONE,
        note: format!("{}: designed and not shipped by the method, without weight", codes.join(", ")).into(),
    })
}

/// No model is ever asked, and every result says so, also one without a value.
fn judge() -> ScorePart {
    ScorePart {
        name: "llm_judge_used".into(),
        value: Some(Points::ZERO),
        coverage: Coverage::FULL,
        note: "llm_judge_used: false".into(),
    }
}

#[cfg(test)]
mod tests;
