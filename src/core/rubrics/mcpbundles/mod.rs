//! `mcpbundles/seed`: the security posture of an MCP server over MCPBundles' 18 published rules.
//!
//! The rules and severities are published, the arithmetic is ours, as `page.md` says. Never asks a model.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::capability::Kind;
use crate::fact::{Facts, Severity};
use crate::points::Points;
use crate::score::{Coverage, Part, RubricRef, Score};
use crate::time::AsOf;

use super::findings::{self, Answered, Asked, Finding, Outcomes};
use super::terms::{distinct, term};
use super::{Rubric, RubricMeta, bands, text_digest};

const NUMBERS: &str = include_str!("weights.toml");
const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "mcpbundles";
const ANNOTATIONS: &str = "measure-tool-annotations";

/// MCPBundles' published catalogue with a posture of ours.
pub struct McpBundles;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
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

static TABLE: LazyLock<Numbers> =
    LazyLock::new(|| toml::from_str(NUMBERS).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "mcpbundles/seed".into(), version: "3".into(), text: text_digest(NUMBERS, PAGE) },
    title: "MCPBundles: 18 cited rules over tool metadata; the posture of 0 to 100 is ours",
    page: PAGE,
    published_at: "www.mcpbundles.com/learn/mcp-security, the post How We Score MCP Server Security",
    published_read: "2026-11-21",
    published_sha256: "043c6e0cb643bcb4163e13411150b788c2e0129b9275f6d984482de7b2b27e8c",
    kinds: &[Kind::McpServer],
    scale: (0, 100),
    by_day: false,
});

/// What counts: a rule that answers for the directory layer alone is shown where it speaks, and not asked for.
static NEEDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut needs: Vec<&str> = counting_rules().chain([ANNOTATIONS]).collect();
    needs.sort_unstable();
    needs
});

static ASKED: LazyLock<Asked> = LazyLock::new(|| Asked::new(NEEDS.iter().copied()));
static CODED: LazyLock<Asked> = LazyLock::new(|| Asked::new(counting_rules()));

/// The rules with a code that the method has shipped.
fn counting_rules() -> impl Iterator<Item = &'static str> {
    let counts = |codes: &[String]| codes.iter().any(|code| !is_of_directory(code));
    let coded = findings::coded_rules(FAMILY);
    coded.filter(move |meta| meta.codes.get(FAMILY).is_some_and(|codes| counts(codes))).map(|meta| meta.id.as_str())
}

impl Rubric for McpBundles {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self) -> &[&'static str] {
        &NEEDS
    }

    fn score(&self, facts: &Facts, _at: AsOf) -> Score {
        let none = |reason: String| {
            let mut score = Score::none(META.rubric.clone(), Coverage::NONE, reason);
            score.parts.push(judge());
            score
        };
        if facts.kind != Kind::McpServer {
            return none(format!("MCPBundles publishes no score for a {}", facts.kind));
        }
        let outcomes = Outcomes::of(facts);
        if let Some(rule) = outcomes.unreported(&ASKED) {
            return none(format!("rule {rule} has not reported"));
        }
        let Some(quality) = facts.value(ANNOTATIONS).and_then(quality) else {
            return none("no tool definition could be read".into());
        };
        let answered = outcomes.answered(&CODED);
        if answered.answered == 0 {
            return none("none of the rules that feed it could look".into());
        }
        let published =
            |code: &str| if is_of_directory(code) { Some(Severity::Info) } else { TABLE.codes.get(code).copied() };
        let findings = findings::counted_by(facts, FAMILY, published, |code| !is_of_directory(code));
        compute(findings, answered, quality)
    }
}

/// Whether a code is one of the layer that compares servers: designed and not shipped by the method.
fn is_of_directory(code: &str) -> bool {
    TABLE.posture.directory.iter().any(|of_directory| of_directory == code)
}

/// What the measure counted over a server's tools.
#[derive(Deserialize)]
struct Counted {
    tools: usize,
    described: usize,
    annotations_required: usize,
    annotations_written: usize,
}

/// The quality of 0 to 100; none where no tool was read.
fn quality(value: &Value) -> Option<Points> {
    let counted = Counted::deserialize(value).ok()?;
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let written = share(counted.annotations_written, counted.annotations_required);
    let mean = (share(counted.described, counted.tools) + written) / 2.0;
    (counted.tools > 0).then(|| Points::round_from((mean * 100.0).clamp(0.0, 100.0)))
}

fn compute(findings: Vec<Finding>, answered: Answered, quality: Points) -> Score {
    let (of_directory, findings): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| is_of_directory(&finding.code));
    let ours = findings::worst_of_ours(&findings);
    let all_rules = rules_by_code(&findings);
    let worst_by_code = findings::distinct_by(findings, |finding| finding.code.clone());
    let mut score = Score::none(META.rubric.clone(), answered.coverage(), "");
    score.terms.push(term("posture", Points::whole(100), Vec::new(), "nothing found"));
    let mut value = Points::whole(100);
    for finding in &worst_by_code {
        let penalty = Points::whole(TABLE.posture.penalties.get(&finding.severity).copied().unwrap_or(0));
        let rules = all_rules.get(&finding.code).cloned().unwrap_or_default();
        score.terms.push(term(&finding.code, -penalty, rules, finding.severity.as_str()));
        value = value - penalty;
    }
    if value < Points::ZERO {
        score.terms.push(term("floor", -value, Vec::new(), "not below 0"));
        value = Points::ZERO;
    }
    score.value = Some(value);
    score.grade = grade(&worst_by_code);
    score.parts = parts(value, answered, quality);
    score.parts.extend(directory(&of_directory));
    bands::note_mild_cause(&mut score, ours);
    score
}

/// Our rules behind each code.
fn rules_by_code(findings: &[Finding]) -> BTreeMap<String, Vec<String>> {
    let codes = distinct(findings.iter().map(|finding| finding.code.as_str()));
    codes
        .into_iter()
        .map(|code| {
            let behind = findings.iter().filter(|finding| finding.code == code).map(|finding| finding.rule.as_str());
            let rules = distinct(behind);
            (code, rules)
        })
        .collect()
}

/// The worst severity of what is no mere label, or `clean`.
fn grade(findings: &[Finding]) -> String {
    let serious = findings.iter().filter(|finding| !TABLE.posture.labels.contains(&finding.code));
    let worst = serious.map(|finding| finding.severity).filter(|severity| *severity > Severity::Info).max();
    worst.map_or("clean", Severity::as_str).to_owned()
}

fn parts(value: Points, answered: Answered, quality: Points) -> Vec<Part> {
    let looked = format!("{} of {} rules could look", answered.answered, answered.asked);
    let part = |name: &str, value: Points, coverage: Coverage, note: &str| Part {
        name: name.into(),
        value: Some(value),
        coverage,
        note: note.into(),
    };
    vec![
        part("security_posture", value, answered.coverage(), &looked),
        part("quality", quality, Coverage::FULL, "descriptions and annotations; moves nothing"),
        judge(),
    ]
}

/// What the directory layer would say, where it says anything.
fn directory(findings: &[Finding]) -> Option<Part> {
    let codes = distinct(findings.iter().map(|finding| finding.code.as_str()));
    (!codes.is_empty()).then(|| Part {
        name: "directory".into(),
        value: None,
        coverage: Coverage::NONE,
        note: format!("{}: designed and not shipped by the method, without weight", codes.join(", ")),
    })
}

/// No model is ever asked, and every result says so, also one without a value.
fn judge() -> Part {
    Part {
        name: "llm_judge_used".into(),
        value: Some(Points::ZERO),
        coverage: Coverage::FULL,
        note: "llm_judge_used: false".into(),
    }
}

#[cfg(test)]
mod tests;
