//! `spiderrating/oss-0.3.4`: what the public engine makes of a server or a skill, its flaws and its defaults included.
//!
//! Source: the package spidershield 0.3.4, regular expressions only. `tests/differential.py` compares the two over real
//! tools and skills. Must not be used in the verdict.

use std::sync::LazyLock;

use crate::capability::Kind;
use crate::digest::Digest;
use crate::fact::{Facts, Outcome, Severity};
use crate::points::Points;
use crate::score::{Coverage, Part, RubricRef, Score};
use crate::time::AsOf;

use super::super::findings::Outcomes;
use super::super::terms::term;
use super::super::{Rubric, RubricMeta};
use super::description::{self, ToolSignals};
use super::layers::{Layer, add_terms, coverage_over, five};
use super::metadata as claims;
use super::numbers::{self as shared, Dimensions, ENGINE};
use super::{ARCHITECTURE, CODED, METADATA, NEEDS, SKILL, TOOLS, architecture, grade_by, rated};

mod metadata;
mod numbers;
mod security;

use numbers::TABLE;
use security::Security;

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

    fn needs(&self) -> &[&'static str] {
        &NEEDS
    }

    fn score(&self, facts: &Facts, at: AsOf) -> Score {
        rated(&META, facts, "the engine rates no", |outcomes| {
            let inputs = Inputs::of(facts, outcomes, at);
            if inputs.is_nothing() {
                let reason = "nothing that the engine reads could be read";
                return Score::none(META.rubric.clone(), Coverage::NONE, reason);
            }
            compute(facts.kind, &inputs)
        })
    }
}

/// What the arithmetic starts from.
struct Inputs {
    tools: Vec<ToolSignals>,
    dimensions: Option<Dimensions>,
    security: Security,
    /// How much of the security layer could be answered.
    answered: Coverage,
    /// The architecture bonus, which the engine shows and never adds.
    bonus: Option<f64>,
    metadata: metadata::Layer,
    metadata_known: bool,
    banned: bool,
}

impl Inputs {
    fn of(facts: &Facts, outcomes: &Outcomes<'_>, at: AsOf) -> Self {
        let tools = facts.value(TOOLS).map(description::tools_of).unwrap_or_default();
        // An empty text is no text to the engine.
        let text = facts.value(SKILL).filter(|value| value["length"] != 0);
        let dimensions = match facts.kind {
            Kind::Skill => text.and_then(description::of_skill),
            _ => description::of_signals(&tools),
        };
        let project = facts.value(ARCHITECTURE);
        let rated = project.and_then(|value| value["rated_files"].as_u64()).unwrap_or(0);
        let answered = outcomes.answered(&CODED).coverage();
        let claimed = claims::read(facts.value(METADATA));
        Self {
            tools,
            dimensions,
            security: security::of(facts, rated),
            answered: if facts.kind == Kind::Skill || rated > 0 { answered } else { Coverage::NONE },
            bonus: project.and_then(architecture::bonus_of),
            metadata: metadata::layer(&claimed, at.start_of_day()),
            metadata_known: outcomes.get(METADATA) == Some(Outcome::True),
            banned: is_banned(&claimed),
        }
    }

    fn is_nothing(&self) -> bool {
        self.dimensions.is_none() && self.answered == Coverage::NONE && !self.metadata_known
    }
}

/// The engine looks at a licence's name only where no file holds the licence: there it knows none of the banned names.
fn is_banned(claimed: &claims::Claimed) -> bool {
    let banned = |name: &String| TABLE.constraints.banned_licences.iter().any(|one| one.eq_ignore_ascii_case(name));
    !claimed.license_file && claimed.license_name.as_ref().is_some_and(banned)
}

fn compute(kind: Kind, inputs: &Inputs) -> Score {
    let layers = layers(kind, inputs);
    let mut score = Score::none(META.rubric.clone(), coverage_over(&layers), "");
    let [described, secured, known] = [0, 1, 2].map(|at: usize| layers.get(at).and_then(|layer| layer.value));
    let of = |value: Option<Points>| value.unwrap_or(Points::ZERO).as_f64();
    let weights = &TABLE.layers;
    let sum = of(described) * weights.description + of(secured) * weights.security + of(known) * weights.metadata;
    let overall = Points::round_from(sum.clamp(0.0, 10.0));
    add_terms(&mut score, &layers, overall);
    constrain(&mut score, kind, inputs, overall);
    add_parts(&mut score, &layers, inputs);
    score
}

/// The three layers with the engine's own values where it has no data; coverage says where.
fn layers(kind: Kind, inputs: &Inputs) -> [Layer; 3] {
    let imputed =
        |known: bool, value: f64| if known { String::new() } else { format!("no data: the engine puts {value}") };
    let described = inputs.dimensions.as_ref();
    let description = described
        .map_or(TABLE.missing.description, |values| description::composite(values, &ENGINE.dimensions).as_f64());
    let security = &inputs.security;
    let counts =
        [Severity::Critical, Severity::High, Severity::Medium, Severity::Low].map(|severity| security.count(severity));
    let [critical, high, medium, low] = counts;
    let counted = format!("{critical} critical, {high} high, {medium} medium, {low} low; no bonus is added");
    let layer = |name, weight, value, coverage, note, rules| Layer {
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
            vec![if kind == Kind::Skill { SKILL } else { TOOLS }.to_owned()],
        ),
        layer(
            "security",
            TABLE.layers.security,
            security.value,
            inputs.answered,
            if rated { counted } else { imputed(false, security.value) },
            security.rules.iter().cloned().collect(),
        ),
        layer(
            "metadata",
            TABLE.layers.metadata,
            inputs.metadata.value,
            inputs.metadata.coverage,
            imputed(inputs.metadata_known, inputs.metadata.value),
            vec![METADATA.to_owned()],
        ),
    ]
}

/// The engine's constraint, the first that holds: it forces the grade and cuts the value.
fn constrain(score: &mut Score, kind: Kind, inputs: &Inputs, overall: Points) {
    let numbers = &TABLE.constraints;
    let critical = inputs.security.count(Severity::Critical) > 0;
    let forced = match kind {
        Kind::Skill if inputs.security.malicious => Some("known_malicious: grade F, 2 at most"),
        _ if critical => Some("critical_vulnerability: grade F, 2 at most"),
        Kind::Skill => None,
        _ if inputs.tools.is_empty() => Some("no_tools: grade F, 2 at most"),
        _ => None,
    };
    let banned = kind != Kind::Skill && inputs.banned;
    let (grade, most, cap) = match forced {
        Some(cap) => ("F".to_owned(), numbers.forced_most, Some(cap)),
        None if banned && overall >= Points::round_from(numbers.banned_floor) => {
            ("D".to_owned(), numbers.banned_most, Some("license_banned: grade D, 4.9 at most"))
        }
        None if banned => ("F".to_owned(), numbers.forced_most, Some("license_banned: grade F, 2 at most")),
        None => (grade_by(&TABLE.grades, overall.as_f64()), 10.0, None),
    };
    let value = overall.min(Points::round_from(most));
    score.value = Some(value);
    score.grade = grade;
    if let Some(cap) = cap {
        score.caps.push(cap.to_owned());
    }
    if value != overall {
        score.terms.push(term("constraint", value - overall, Vec::new(), "the value is cut with the grade"));
    }
}

/// The layers, the five dimensions, the parts of metadata, the bonus, then each tool.
fn add_parts(score: &mut Score, layers: &[Layer], inputs: &Inputs) {
    let part = |name: &str, value: Option<f64>, coverage: Coverage, note: String| Part {
        name: name.into(),
        value: value.map(Points::round_from),
        coverage,
        note,
    };
    score.parts.extend(layers.iter().map(|layer| Part {
        name: layer.name.into(),
        value: layer.value,
        coverage: layer.coverage,
        note: layer.note.clone(),
    }));
    let known = if inputs.dimensions.is_some() { Coverage::FULL } else { Coverage::NONE };
    for (name, value) in five(inputs.dimensions.as_ref()) {
        let shown = description::round(value.unwrap_or(TABLE.missing.description), 1);
        score.parts.push(part(name, Some(shown), known, String::new()));
    }
    let metadata = &inputs.metadata;
    score.parts.extend(metadata.parts.map(|(name, value)| part(name, Some(value), metadata.coverage, String::new())));
    let known = if inputs.bonus.is_some() { Coverage::FULL } else { Coverage::NONE };
    score.parts.push(part("architecture_bonus", inputs.bonus, known, "shown and never added".to_owned()));
    let alone = inputs.tools.len() == 1;
    for (tool, number) in inputs.tools.iter().zip(1..) {
        let value = Some(description::tool_score(tool, alone));
        score.parts.push(part(&format!("tool {number}"), value, Coverage::FULL, said_of(tool, alone)));
    }
}

/// A tool's name, the signals that it has and how far it stands apart.
fn said_of(tool: &ToolSignals, alone: bool) -> String {
    let signals = [
        (tool.action_verb, "verb"),
        (tool.scenario, "scenario"),
        (tool.parameters, "parameters"),
        (tool.returns, "returns"),
        (tool.examples, "examples"),
        (tool.errors, "errors"),
    ];
    let has: Vec<&str> = signals.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
    let apart = description::round(description::disambiguation(tool, alone), 2);
    format!("{}: {}; apart {apart}", tool.name, if has.is_empty() { "no signal".into() } else { has.join(", ") })
}

#[cfg(test)]
mod tests;
