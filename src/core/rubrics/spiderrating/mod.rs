//! `spiderrating/seed`: SpiderRating's three layers of 0 to 10, its grades and its hard constraints.
//!
//! Source: the methodology page; where it is silent, the public engine 0.3.4 or a choice of ours, as `page.md` says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::capability::Kind;
use crate::digest::Digest;
use crate::fact::{Facts, Outcome, Place, Severity};
use crate::points::Points;
use crate::score::{Coverage, Part, RubricRef, Score};
use crate::time::AsOf;

use super::findings::{self, Answered, Finding, Outcomes};
use super::terms::{close, distinct, term};
use super::{Rubric, RubricMeta, bands};

mod architecture;
mod description;
pub mod live;
mod metadata;
mod numbers;
pub mod oss;

use numbers::{Dimensions, ENGINE, Layers, TABLE};

const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "spiderrating";
const TOOLS: &str = "measure-tool-descriptions";
const SKILL: &str = "measure-skill-description";
const NAME: &str = "measure-skill-name";
const ARCHITECTURE: &str = "measure-architecture";
const METADATA: &str = "measure-metadata";

/// The code of a name that is almost another's.
const TYPOSQUAT: &str = "TS-W007";

const NO_LAYER: &str = "none of the three layers has any data";
const ANY_CRITICAL: &str = "any critical security issue: grade F";
const KNOWN_MALICIOUS: &str = "known malicious: grade F";
const WEAK_SECURITY: &str = "security below 5: grade C at most";
const NO_SOURCE: &str = "no source repository: grade D at most";

/// SpiderRating's published method.
pub struct SpiderRating;

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "spiderrating/seed".into(), version: "2".into(), text: text() },
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

static NEEDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| findings::needs(FAMILY, &[TOOLS, SKILL, NAME, ARCHITECTURE, METADATA]));

impl Rubric for SpiderRating {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self) -> &[&'static str] {
        &NEEDS
    }

    fn score(&self, facts: &Facts, at: AsOf) -> Score {
        let rubric = || META.rubric.clone();
        if !META.kinds.contains(&facts.kind) {
            return Score::none(rubric(), Coverage::NONE, format!("SpiderRating rates no {}", facts.kind));
        }
        let outcomes = Outcomes::of(facts);
        if let Some(rule) = outcomes.unreported(&NEEDS) {
            return Score::none(rubric(), Coverage::NONE, format!("rule {rule} has not reported"));
        }
        compute(facts.kind, inputs(facts, &outcomes, at))
    }
}

/// What the facts say, in the terms of the page.
fn inputs(facts: &Facts, outcomes: &Outcomes<'_>, at: AsOf) -> Inputs {
    let claimed = metadata::read(facts.value(METADATA));
    Inputs {
        dimensions: dimensions(facts),
        findings: with_typosquat(facts, findings::counted(facts, FAMILY, published)),
        answered: outcomes.answered(findings::coded_rules(FAMILY).map(|meta| meta.id.as_str())),
        bonus: facts.value(ARCHITECTURE).and_then(architecture::bonus_of),
        no_source: claimed.repository == Some(false),
        metadata: metadata::layer(facts.kind, &claimed, at.start_of_day()),
        metadata_known: outcomes.get(METADATA) == Some(Outcome::True),
    }
}

/// The severity that SpiderRating gives a code; its own output writes `TS-SEC-` before the category of a server's issue.
fn published(code: &str) -> Option<Severity> {
    ENGINE.codes.get(code.strip_prefix("TS-SEC-").unwrap_or(code)).copied()
}

/// Adds a typosquat where a skill's name is as near to a target as the page says and no finding says so yet.
fn with_typosquat(facts: &Facts, mut findings: Vec<Finding>) -> Vec<Finding> {
    let near = facts.value(NAME).is_some_and(|value| value.get("target").is_some_and(serde_json::Value::is_string));
    if near && findings.iter().all(|finding| finding.code != TYPOSQUAT) {
        findings.push(Finding {
            code: TYPOSQUAT.into(),
            severity: published(TYPOSQUAT).unwrap_or(Severity::Medium),
            ours: Severity::Info,
            rule: NAME.into(),
            place: Place::default(),
        });
    }
    findings
}

fn dimensions(facts: &Facts) -> Option<Dimensions> {
    match facts.kind {
        Kind::Skill => facts.value(SKILL).and_then(description::of_skill),
        _ => facts.value(TOOLS).and_then(description::of_tools),
    }
}

/// What the arithmetic starts from.
struct Inputs {
    dimensions: Option<Dimensions>,
    findings: Vec<Finding>,
    answered: Answered,
    bonus: Option<f64>,
    no_source: bool,
    metadata: metadata::Layer,
    metadata_known: bool,
}

/// A layer with its share of the whole.
struct Layer {
    name: &'static str,
    weight: f64,
    value: Option<Points>,
    coverage: Coverage,
    note: String,
    rules: Vec<String>,
}

fn compute(kind: Kind, inputs: Inputs) -> Score {
    let ours = findings::worst_of_ours(&inputs.findings);
    let findings = issues(&inputs.findings);
    let layers = layers(kind, &inputs, &findings, &TABLE.layers);
    let coverage = coverage_over(&layers);
    let Some(overall) = overall(&layers) else {
        return Score::none(META.rubric.clone(), coverage, NO_LAYER);
    };
    let value = Points::round_from(overall);
    let mut score = Score::none(META.rubric.clone(), coverage, "");
    score.value = Some(value);
    add_terms(&mut score, &layers, value);
    add_parts(&mut score, &layers, &inputs.dimensions, &inputs.metadata, inputs.bonus);
    let [_, security, _] = &layers;
    constrain(&mut score, value, security.value, &findings, inputs.no_source);
    bands::note_mild_cause(&mut score, ours);
    score
}

/// A code in a file is one issue.
fn issues(findings: &[Finding]) -> Vec<Finding> {
    findings::distinct_by(findings.to_vec(), |finding| (finding.code.clone(), finding.place.file.clone()))
}

fn layers(kind: Kind, inputs: &Inputs, findings: &[Finding], weights: &Layers) -> [Layer; 3] {
    [
        Layer { weight: weights.description, ..description_layer(kind, inputs.dimensions.as_ref()) },
        Layer { weight: weights.security, ..security_layer(findings, inputs.answered, inputs.bonus.unwrap_or(0.0)) },
        Layer { weight: weights.metadata, ..metadata_layer(&inputs.metadata, inputs.metadata_known) },
    ]
}

/// The weighted mean of the layers that have data.
fn overall(layers: &[Layer]) -> Option<f64> {
    metadata::weighted(layers.iter().filter_map(|layer| layer.value.map(|value| (layer.weight, value.as_f64()))))
}

fn description_layer(kind: Kind, dimensions: Option<&Dimensions>) -> Layer {
    let rule = if kind == Kind::Skill { SKILL } else { TOOLS };
    let missing = if kind == Kind::Skill { "no SKILL.md could be read" } else { "no tool description could be read" };
    Layer {
        name: "description",
        weight: 0.0,
        value: dimensions.map(|values| description::composite(values, &TABLE.dimensions)),
        coverage: if dimensions.is_some() { Coverage::FULL } else { Coverage::NONE },
        note: if dimensions.is_some() { String::new() } else { missing.into() },
        rules: vec![rule.into()],
    }
}

/// 10 minus the penalties plus the bonus, cut to 0..10; none where no rule could look.
fn security_layer(findings: &[Finding], answered: Answered, bonus: f64) -> Layer {
    let lost = |finding: &Finding| TABLE.security.penalties.get(&finding.severity).copied().unwrap_or(0);
    let penalties = Points::hundredths(findings.iter().map(lost).sum());
    let bonus = Points::round_from(bonus);
    let value = (Points::whole(10) - penalties + bonus).clamp_to(Points::ZERO, Points::whole(10));
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let note = format!(
        "10 - {penalties} + {bonus}: {} critical, {} high, {} medium, {} low; {} of {} rules could look",
        count(Severity::Critical),
        count(Severity::High),
        count(Severity::Medium),
        count(Severity::Low),
        answered.answered,
        answered.asked
    );
    Layer {
        name: "security",
        weight: 0.0,
        value: (answered.answered > 0).then_some(value),
        coverage: answered.coverage(),
        note,
        rules: distinct(findings.iter().map(|finding| finding.rule.as_str()).chain([ARCHITECTURE])),
    }
}

fn metadata_layer(layer: &metadata::Layer, known: bool) -> Layer {
    let value = layer.value.filter(|_| known).map(Points::round_from);
    let note = if value.is_some() { "known signals only" } else { "nobody states any of its signals" };
    Layer {
        name: "metadata",
        weight: 0.0,
        value,
        coverage: layer.coverage,
        note: note.into(),
        rules: vec![METADATA.into()],
    }
}

/// The layers' coverages by their weights.
fn coverage_over(layers: &[Layer]) -> Coverage {
    let sum: f64 = layers.iter().map(|layer| layer.weight * f64::from(layer.coverage.as_thousandths())).sum();
    Coverage::thousandths(sum.round_ties_even() as u16)
}

fn add_terms(score: &mut Score, layers: &[Layer], value: Points) {
    let total: f64 = layers.iter().filter(|layer| layer.value.is_some()).map(|layer| layer.weight).sum();
    for layer in layers {
        let Some(points) = layer.value else { continue };
        let share = layer.weight / total;
        let note = format!("{} % of {points}", description::round(share * 100.0, 1));
        score.terms.push(term(layer.name, Points::round_from(share * points.as_f64()), layer.rules.clone(), note));
    }
    close(&mut score.terms, value, "the weighted sum, rounded to two decimals");
}

/// The five dimensions by name, unrounded.
fn five(values: Option<&Dimensions>) -> [(&'static str, Option<f64>); 5] {
    [
        ("intent_clarity", values.map(|values| values.intent_clarity)),
        ("permission_scope", values.map(|values| values.permission_scope)),
        ("side_effects", values.map(|values| values.side_effects)),
        ("capability_disclosure", values.map(|values| values.capability_disclosure)),
        ("operational_boundaries", values.map(|values| values.operational_boundaries)),
    ]
}

fn add_parts(
    score: &mut Score,
    layers: &[Layer],
    dimensions: &Option<Dimensions>,
    metadata: &metadata::Layer,
    bonus: Option<f64>,
) {
    let part = |name: &str, value: Option<Points>, coverage: Coverage, note: &str| Part {
        name: name.into(),
        value,
        coverage,
        note: note.into(),
    };
    score.parts.extend(layers.iter().map(|layer| part(layer.name, layer.value, layer.coverage, &layer.note)));
    if dimensions.is_some() {
        let shown = |value: f64| Points::round_from(description::round(value, 1));
        let five = five(dimensions.as_ref());
        score.parts.extend(five.map(|(name, value)| part(name, value.map(shown), Coverage::FULL, "")));
    }
    let of_metadata =
        metadata.parts.iter().map(|each| part(each.name, each.value.map(Points::round_from), each.coverage(), ""));
    score.parts.extend(of_metadata);
    let coverage = if bonus.is_some() { Coverage::FULL } else { Coverage::NONE };
    score.parts.push(part("architecture_bonus", bonus.map(Points::round_from), coverage, ""));
}

/// Grades the value and applies the hard constraints. Each is noted where it holds, but the missing repository only
/// where it lowers the grade.
fn constrain(score: &mut Score, value: Points, security: Option<Points>, findings: &[Finding], no_source: bool) {
    let mut lowest = value;
    if security.is_some_and(|security| security < Points::whole(TABLE.constraints.security_floor)) {
        score.caps.push(WEAK_SECURITY.into());
        lowest = lowest.min(cap_at("C"));
    }
    if no_source && grade(value).as_str() < "D" {
        score.caps.push(NO_SOURCE.into());
        lowest = lowest.min(cap_at("D"));
    }
    let malicious = |finding: &Finding| TABLE.known_malicious.contains(&finding.code);
    if findings.iter().any(malicious) {
        score.caps.push(KNOWN_MALICIOUS.into());
        lowest = Points::ZERO;
    }
    if findings.iter().any(|finding| finding.severity == Severity::Critical) {
        score.caps.push(ANY_CRITICAL.into());
        lowest = Points::ZERO;
    }
    score.grade = grade(lowest);
}

/// The grade of a value: that of the highest threshold it reaches.
fn grade(value: Points) -> String {
    grade_by(&TABLE.grades, value.as_f64())
}

/// The name of the highest threshold, in whole points, that a value reaches.
fn grade_by(thresholds: &BTreeMap<String, i64>, value: f64) -> String {
    let reached = thresholds.iter().filter(|(_, lowest)| value >= **lowest as f64);
    reached.max_by_key(|(_, lowest)| **lowest).map_or_else(|| "n/a".into(), |(name, _)| name.clone())
}

/// The lowest value of a grade: a cut to it gives that grade.
fn cap_at(grade: &str) -> Points {
    TABLE.grades.get(grade).copied().map_or(Points::ZERO, Points::whole)
}

#[cfg(test)]
mod tests;
