//! `spiderrating/oss-0.3.4`: the public engine's score of a server or a skill, its flaws and its defaults included.
//!
//! Source: the package spidershield 0.3.4, regular expressions only. `tests/differential.py` compares the two over real
//! tools and skills. A variant has no voice in the verdict.

use std::sync::LazyLock;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{Coverage, RubricRef, Score, ScoreText};
use capdex_model::time::AsOf;

use super::super::findings::Outcomes;
use super::super::terms::{CachedText, NO_RULES, distinct, push_number, term};
use super::super::{Rubric, RubricMeta};
use super::description::{self, ToolSignals};
use super::layers::{OF_METADATA, WeightedLayer, add_terms, coverage_over, described_by, five, part, push_counts};
use super::metadata as claims;
use super::numbers::{self as shared, Dimensions, ENGINE};
use super::{ARCHITECTURE, CODED, METADATA, NEEDS, SKILL, TOOLS, architecture, grade_by, rated};

mod metadata;
mod numbers;
mod security;

use numbers::TABLE;
use security::OssSecurityLayer;

const PAGE: &str = include_str!("page.md");

/// SpiderRating's public engine, version 0.3.4.
pub struct Oss;

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef {
        id: "spiderrating/oss-0.3.4".into(),
        version: "1".into(),
        text: Digest::of_fields([shared::ENGINE_TEXT, numbers::TEXT, PAGE].map(str::as_bytes)),
    },
    title: "SpiderRating as its public engine 0.3.4 computes it, flaws and defaults included",
    page: PAGE,
    published_at: "the package spidershield 0.3.4 of the Python package index (wheel)",
    published_read: "2026-11-22",
    published_sha256: "fb1fd3751bff6295cc22d52c793c6134239b17cccff2fce077c5e4b4c4143839",
    kinds: &[Kind::Skill, Kind::McpServer],
    scale: (0, 10),
    by_day: true,
});

impl Rubric for Oss {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, at: AsOf) -> Score {
        static NOT_RATED: CachedText<()> = CachedText::new();
        rated(&META, facts, ("the engine rates no", &NOT_RATED), |outcomes| {
            let inputs = OssInputs::of(facts, outcomes, at);
            if inputs.is_nothing() {
                let reason = "nothing that the engine reads could be read";
                return Score::none(META.rubric.clone(), Coverage::NONE, reason);
            }
            compute(facts.kind, &inputs)
        })
    }

    fn holds_until(&self, facts: &SparseFacts, at: AsOf) -> i64 {
        claims::read(facts.value(METADATA)).next_age(at.day(), metadata::steps())
    }
}

/// The data that the arithmetic starts from.
struct OssInputs<'a> {
    tools: Vec<ToolSignals<'a>>,
    dimensions: Option<Dimensions>,
    security: OssSecurityLayer,
    /// The share of the security layer that could be answered.
    answered: Coverage,
    /// The architecture bonus, which the engine shows and never adds.
    bonus: Option<f64>,
    metadata: metadata::OssMetadataLayer,
    metadata_known: bool,
    banned: bool,
}

impl<'a> OssInputs<'a> {
    fn of(facts: &'a SparseFacts, outcomes: &Outcomes<'_>, at: AsOf) -> Self {
        let tools = facts.value(TOOLS).map(description::tools_of).unwrap_or_default();
        // An empty text is no text to the engine.
        let text = facts.value(SKILL).filter(|value| value["length"] != 0);
        let dimensions = match facts.kind {
            Kind::Skill => text.and_then(description::of_skill),
            _ => description::of_signals(&tools),
        };
        let project = facts.value(ARCHITECTURE);
        let rated = project.and_then(|value| value["rated_files"].as_u64()).unwrap_or(0);
        let answered = outcomes.answered(CODED.of(facts.rules())).coverage();
        let stated = facts.value(METADATA);
        let claimed = claims::read(stated);
        Self {
            tools,
            dimensions,
            security: security::of(facts, rated),
            // The engine rates source files of a server; with none it looked at nothing, whatever our rules saw.
            answered: if facts.kind == Kind::Skill || rated > 0 { answered } else { Coverage::NONE },
            bonus: project.and_then(architecture::bonus_of),
            metadata: metadata::layer(&claimed, at.start_of_day()),
            metadata_known: stated.is_some(),
            banned: is_banned(&claimed),
        }
    }

    fn is_nothing(&self) -> bool {
        self.dimensions.is_none() && self.answered == Coverage::NONE && !self.metadata_known
    }
}

/// The engine looks at a licence's name only where no file holds the licence: there it knows none of the banned names.
fn is_banned(claimed: &claims::MetadataClaims<'_>) -> bool {
    let banned = |name: &str| TABLE.constraints.banned_licences.iter().any(|one| one.eq_ignore_ascii_case(name));
    !claimed.license_file && claimed.license_name.is_some_and(banned)
}

fn compute(kind: Kind, inputs: &OssInputs<'_>) -> Score {
    let mut layers = layers(kind, inputs);
    let mut score = Score::none(META.rubric.clone(), coverage_over(&layers), "");
    let [described, secured, known] = layers.each_ref().map(|layer| layer.value);
    let of = |value: Option<Points>| value.unwrap_or(Points::ZERO).as_f64();
    let weights = &TABLE.layers;
    // The engine has a value for every layer, known or not, and so no weights to scale up.
    let sum = of(described) * weights.description + of(secured) * weights.security + of(known) * weights.metadata;
    let overall = Points::round_from(sum.clamp(0.0, 10.0));
    add_parts(&mut score, &mut layers, inputs);
    add_terms(&mut score, layers, overall);
    constrain(&mut score, kind, inputs, overall);
    score
}

/// The three layers with the engine's own values where it has no data; coverage says where.
fn layers(kind: Kind, inputs: &OssInputs<'_>) -> [WeightedLayer; 3] {
    let imputed = |known: bool, value: f64| -> ScoreText {
        if known {
            return "".into();
        }
        let mut said = String::with_capacity(32);
        said.push_str("no data: the engine puts ");
        Points::round_from(value).push_to(&mut said);
        said.into()
    };
    let described = inputs.dimensions.as_ref();
    let description = described
        .map_or(TABLE.missing.description, |values| description::composite(values, &ENGINE.dimensions).as_f64());
    let security = &inputs.security;
    let counted = || {
        let mut counted = String::with_capacity(64);
        push_counts(&mut counted, |severity| security.count(severity));
        counted.push_str("; no bonus is added");
        counted.into()
    };
    let layer = |name, weight, value, coverage, note, rules| WeightedLayer {
        name,
        weight,
        value: Some(Points::round_from(value)),
        coverage,
        note,
        rules,
    };
    let rated = inputs.answered > Coverage::NONE;
    [
        layer(
            "description",
            TABLE.layers.description,
            description,
            if described.is_some() { Coverage::FULL } else { Coverage::NONE },
            imputed(described.is_some(), description),
            described_by(kind),
        ),
        layer(
            "security",
            TABLE.layers.security,
            security.value,
            inputs.answered,
            if rated { counted() } else { imputed(false, security.value) },
            distinct(security.rules.iter().copied()),
        ),
        layer(
            "metadata",
            TABLE.layers.metadata,
            inputs.metadata.value,
            inputs.metadata.coverage,
            imputed(inputs.metadata_known, inputs.metadata.value),
            OF_METADATA,
        ),
    ]
}

/// The engine's constraint, the first that holds: it forces the grade and cuts the value.
fn constrain(score: &mut Score, kind: Kind, inputs: &OssInputs<'_>, overall: Points) {
    let numbers = &TABLE.constraints;
    let critical = inputs.security.count(Severity::Critical) > 0;
    let forced = match kind {
        Kind::Skill if inputs.security.malicious => Some("known_malicious: grade F, 2 at most"),
        _ if critical => Some("critical_vulnerability: grade F, 2 at most"),
        Kind::Skill => None,
        _ if inputs.tools.is_empty() => Some("no_tools: grade F, 2 at most"),
        _ => None,
    };
    // The engine asks for the licence of servers alone.
    let banned = kind != Kind::Skill && inputs.banned;
    let (grade, most, cap) = match forced {
        Some(cap) => (ScoreText::Borrowed("F"), numbers.forced_most, Some(cap)),
        None if banned && overall >= Points::round_from(numbers.banned_floor) => {
            ("D".into(), numbers.banned_most, Some("license_banned: grade D, 4.9 at most"))
        }
        None if banned => ("F".into(), numbers.forced_most, Some("license_banned: grade F, 2 at most")),
        None => (grade_by(&TABLE.grades, overall.as_f64()), 10.0, None),
    };
    let value = overall.min(Points::round_from(most));
    score.value = Some(value);
    score.grade = grade;
    if let Some(cap) = cap {
        score.caps.push(cap.into());
    }
    if value != overall {
        score.terms.push(term("constraint", value - overall, NO_RULES, "the value is cut with the grade"));
    }
}

/// The layers, the five dimensions, the parts of metadata, the bonus, then each tool.
fn add_parts(score: &mut Score, layers: &mut [WeightedLayer], inputs: &OssInputs<'_>) {
    let metadata = &inputs.metadata;
    score.parts.reserve_exact(layers.len() + 5 + metadata.parts.len() + 1 + inputs.tools.len());
    score.parts.extend(layers.iter_mut().map(WeightedLayer::part));
    let known = if inputs.dimensions.is_some() { Coverage::FULL } else { Coverage::NONE };
    for (name, value) in five(inputs.dimensions.as_ref()) {
        let shown = description::round(value.unwrap_or(TABLE.missing.description), 1);
        score.parts.push(part(name, Some(Points::round_from(shown)), known, ""));
    }
    let of_metadata = metadata.parts.iter();
    score
        .parts
        .extend(of_metadata.map(|(name, value)| part(*name, Some(Points::round_from(*value)), metadata.coverage, "")));
    let known = if inputs.bonus.is_some() { Coverage::FULL } else { Coverage::NONE };
    let bonus = inputs.bonus.map(Points::round_from);
    score.parts.push(part("architecture_bonus", bonus, known, "shown and never added"));
    let alone = inputs.tools.len() == 1;
    for (tool, number) in inputs.tools.iter().zip(1..) {
        let mut name = String::with_capacity(8);
        name.push_str("tool ");
        push_number(&mut name, number);
        let value = Points::round_from(description::tool_score(tool, alone));
        score.parts.push(part(name, Some(value), Coverage::FULL, said_of(tool, alone)));
    }
}

/// A tool's name, the signals that it has and how far it stands apart.
fn said_of(tool: &ToolSignals<'_>, alone: bool) -> String {
    let signals = [
        (tool.action_verb, "verb"),
        (tool.scenario, "scenario"),
        (tool.parameters, "parameters"),
        (tool.returns, "returns"),
        (tool.examples, "examples"),
        (tool.errors, "errors"),
    ];
    let mut said = String::with_capacity(tool.name.len() + 80);
    said.push_str(tool.name);
    let mut before = ": ";
    for (_, signal) in signals.iter().filter(|(has, _)| *has) {
        said.extend([before, signal]);
        before = ", ";
    }
    said.push_str(if before == ": " { ": no signal; apart " } else { "; apart " });
    Points::round_from(description::disambiguation(tool, alone)).push_to(&mut said);
    said
}

#[cfg(test)]
mod tests;
