//! The three layers: what the page makes of each, and the arithmetic that its variants share.
//!
//! The page and its variants grade differently, and do so by themselves.

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::points::Points;
use capdex_model::score::{Coverage, Score, ScorePart, ScoreText, ScoreTexts};

use super::super::findings::{self, Answered, MethodFinding};
use super::super::terms::{close, distinct, push_looked, push_number, term};
use super::numbers::{Dimensions, Layers, TABLE};
use super::{ARCHITECTURE, METADATA, SKILL, TOOLS, description, metadata};

/// The data that the arithmetic starts from.
pub(super) struct SpiderRatingInputs<'a> {
    pub(super) dimensions: Option<Dimensions>,
    pub(super) findings: Vec<MethodFinding<'a>>,
    pub(super) answered: Answered,
    pub(super) bonus: Option<f64>,
    pub(super) no_source: bool,
    pub(super) metadata: metadata::MetadataLayer,
    pub(super) metadata_known: bool,
}

/// A layer with its share of the whole.
pub(super) struct WeightedLayer {
    pub(super) name: &'static str,
    pub(super) weight: f64,
    pub(super) value: Option<Points>,
    pub(super) coverage: Coverage,
    pub(super) note: ScoreText,
    pub(super) rules: ScoreTexts,
}

/// A code in a file is one issue.
pub(super) fn issues<'a>(findings: &[MethodFinding<'a>]) -> Vec<MethodFinding<'a>> {
    findings::distinct_by(findings.to_vec(), |finding| (finding.code, finding.place.file.as_str()))
}

/// The layers of the page with given shares.
pub(super) fn layers(
    kind: Kind,
    inputs: &SpiderRatingInputs<'_>,
    findings: &[MethodFinding<'_>],
    weights: &Layers,
) -> [WeightedLayer; 3] {
    [
        WeightedLayer { weight: weights.description, ..description_layer(kind, inputs.dimensions.as_ref()) },
        WeightedLayer {
            weight: weights.security,
            ..security_layer(findings, inputs.answered, inputs.bonus.unwrap_or(0.0))
        },
        WeightedLayer { weight: weights.metadata, ..metadata_layer(&inputs.metadata, inputs.metadata_known) },
    ]
}

/// The weighted mean of the layers that have data.
pub(super) fn overall(layers: &[WeightedLayer]) -> Option<f64> {
    metadata::weighted(layers.iter().filter_map(|layer| layer.value.map(|value| (layer.weight, value.as_f64()))))
}

/// The measure behind the description layer, alone.
pub(super) const fn described_by(kind: Kind) -> ScoreTexts {
    const OF_SKILL: &[ScoreText] = &[ScoreText::Borrowed(SKILL)];
    const OF_TOOLS: &[ScoreText] = &[ScoreText::Borrowed(TOOLS)];
    ScoreTexts::Borrowed(if matches!(kind, Kind::Skill) { OF_SKILL } else { OF_TOOLS })
}

/// The measure behind the metadata layer, alone.
pub(super) const OF_METADATA: ScoreTexts = ScoreTexts::Borrowed(&[ScoreText::Borrowed(METADATA)]);

fn description_layer(kind: Kind, dimensions: Option<&Dimensions>) -> WeightedLayer {
    let missing = if kind == Kind::Skill { "no SKILL.md could be read" } else { "no tool description could be read" };
    WeightedLayer {
        name: "description",
        weight: 0.0,
        value: dimensions.map(|values| description::composite(values, &TABLE.dimensions)),
        coverage: if dimensions.is_some() { Coverage::FULL } else { Coverage::NONE },
        note: if dimensions.is_some() { "" } else { missing }.into(),
        rules: described_by(kind),
    }
}

/// 10 minus the penalties plus the bonus, cut to 0..10; none where no rule could look.
pub(super) fn security_layer(findings: &[MethodFinding<'_>], answered: Answered, bonus: f64) -> WeightedLayer {
    let lost = |finding: &MethodFinding<'_>| TABLE.security.penalties.get(&finding.severity).copied().unwrap_or(0);
    // Penalties are whole hundredths, so that their sum is exact.
    let penalties = Points::hundredths(findings.iter().map(lost).sum());
    let bonus = Points::round_from(bonus);
    let value = (Points::whole(10) - penalties + bonus).clamp_to(Points::ZERO, Points::whole(10));
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let mut note = String::with_capacity(96);
    note.push_str("10 - ");
    penalties.push_to(&mut note);
    note.push_str(" + ");
    bonus.push_to(&mut note);
    note.push_str(": ");
    push_counts(&mut note, count);
    note.push_str("; ");
    push_looked(&mut note, answered);
    WeightedLayer {
        name: "security",
        weight: 0.0,
        // With no rule that could look there is no value, however high the bonus.
        value: (answered.answered > 0).then_some(value),
        coverage: answered.coverage(),
        note: note.into(),
        // The bonus comes from the measure, which so stands behind the number too.
        rules: distinct(findings.iter().map(|finding| finding.rule).chain([ARCHITECTURE])),
    }
}

/// Adds "0 critical, 1 high, 2 medium, 3 low" to what is said.
pub(super) fn push_counts(said: &mut String, count: impl Fn(Severity) -> usize) {
    for severity in [Severity::Critical, Severity::High, Severity::Medium, Severity::Low] {
        push_number(said, count(severity));
        said.push(' ');
        said.push_str(severity.as_str());
        if severity != Severity::Low {
            said.push_str(", ");
        }
    }
}

fn metadata_layer(layer: &metadata::MetadataLayer, known: bool) -> WeightedLayer {
    let value = layer.value.filter(|_| known).map(Points::round_from);
    let note = if value.is_some() { "known signals only" } else { "nobody states any of its signals" };
    let (name, note, rules) = ("metadata", note.into(), OF_METADATA);
    WeightedLayer { name, weight: 0.0, value, coverage: layer.coverage, note, rules }
}

/// The layers' coverages by their weights.
pub(super) fn coverage_over(layers: &[WeightedLayer]) -> Coverage {
    let sum: f64 = layers.iter().map(|layer| layer.weight * f64::from(layer.coverage.as_thousandths())).sum();
    Coverage::thousandths(sum.round_ties_even() as u16)
}

/// The layers as terms, and what rounding adds.
pub(super) fn add_terms(score: &mut Score, layers: [WeightedLayer; 3], value: Points) {
    // Shares are of the layers that have data: a missing one gives its weight to the others.
    let total: f64 = layers.iter().filter(|layer| layer.value.is_some()).map(|layer| layer.weight).sum();
    score.terms.reserve_exact(layers.len() + 2);
    for layer in layers {
        let Some(points) = layer.value else { continue };
        let share = layer.weight / total;
        let mut note = String::with_capacity(16);
        Points::round_from(description::round(share * 100.0, 1)).push_to(&mut note);
        note.push_str(" % of ");
        points.push_to(&mut note);
        score.terms.push(term(layer.name, Points::round_from(share * points.as_f64()), layer.rules, note));
    }
    close(&mut score.terms, value, "the weighted sum, rounded to two decimals");
}

/// The five dimensions by name, unrounded.
pub(super) fn five(values: Option<&Dimensions>) -> [(&'static str, Option<f64>); 5] {
    [
        ("intent_clarity", values.map(|values| values.intent_clarity)),
        ("permission_scope", values.map(|values| values.permission_scope)),
        ("side_effects", values.map(|values| values.side_effects)),
        ("capability_disclosure", values.map(|values| values.capability_disclosure)),
        ("operational_boundaries", values.map(|values| values.operational_boundaries)),
    ]
}

/// The layers, the dimensions, the parts of metadata and the bonus.
pub(super) fn add_parts(score: &mut Score, layers: &mut [WeightedLayer], inputs: &SpiderRatingInputs<'_>) {
    let SpiderRatingInputs { dimensions, metadata, bonus, .. } = inputs;
    let part = |name: &'static str, value: Option<Points>, coverage: Coverage| part(name, value, coverage, "");
    score.parts.reserve_exact(layers.len() + 5 + metadata.parts.len() + 1);
    score.parts.extend(layers.iter_mut().map(WeightedLayer::part));
    if dimensions.is_some() {
        let shown = |value: f64| Points::round_from(description::round(value, 1));
        let five = five(dimensions.as_ref());
        score.parts.extend(five.map(|(name, value)| part(name, value.map(shown), Coverage::FULL)));
    }
    let of_metadata = metadata.parts.iter();
    score.parts.extend(of_metadata.map(|each| part(each.name, each.value.map(Points::round_from), each.coverage())));
    let coverage = if bonus.is_some() { Coverage::FULL } else { Coverage::NONE };
    score.parts.push(part("architecture_bonus", bonus.map(Points::round_from), coverage));
}

/// A part of the score.
pub(super) fn part(
    name: impl Into<ScoreText>,
    value: Option<Points>,
    coverage: Coverage,
    note: impl Into<ScoreText>,
) -> ScorePart {
    ScorePart { name: name.into(), value, coverage, note: note.into() }
}

impl WeightedLayer {
    /// The layer as a part of the score, which takes its note.
    pub(super) fn part(&mut self) -> ScorePart {
        part(self.name, self.value, self.coverage, std::mem::take(&mut self.note))
    }
}
