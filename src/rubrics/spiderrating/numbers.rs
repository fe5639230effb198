//! SpiderRating's numbers as types: those of the page and ours (`weights.toml`), those of the public engine
//! (`engine.toml`).
//!
//! The layers read their numbers here and nowhere else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::fact::Severity;

use super::super::findings::Excuses;
use super::super::reads::Reads;

/// The text of the numbers of the page, and ours where it names a signal without points.
pub(super) const TEXT: &str = include_str!("weights.toml");
/// The text of the public engine's numbers.
pub(super) const ENGINE_TEXT: &str = include_str!("engine.toml");

/// The numbers of the page.
pub(super) static TABLE: LazyLock<SpiderRatingNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));
/// The numbers of the public engine.
pub(super) static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| toml::from_str(ENGINE_TEXT).expect("the compiled-in numbers parse, as tested"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingNumbers {
    pub(super) reads: Reads,
    pub(super) excuses: Excuses,
    pub(super) known_malicious: Vec<String>,
    pub(super) layers: Layers,
    pub(super) dimensions: Dimensions,
    pub(super) security: SpiderRatingSecurity,
    pub(super) metadata: SpiderRatingMetadata,
    pub(super) grades: BTreeMap<String, i64>,
    pub(super) constraints: SpiderRatingConstraints,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Engine {
    pub(super) dimensions: Dimensions,
    pub(super) signals: SpiderRatingSignals,
    pub(super) tool: SpiderRatingTool,
    pub(super) mapping: Mapping,
    pub(super) skill: SpiderRatingSkill,
    pub(super) architecture: Architecture,
    pub(super) codes: BTreeMap<String, Severity>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layers {
    pub(super) description: f64,
    pub(super) security: f64,
    pub(super) metadata: f64,
}

/// Five numbers, one for each dimension: weights in the file, values in the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dimensions {
    pub(super) intent_clarity: f64,
    pub(super) permission_scope: f64,
    pub(super) side_effects: f64,
    pub(super) capability_disclosure: f64,
    pub(super) operational_boundaries: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingSignals {
    pub(super) action_verb: f64,
    pub(super) scenario: f64,
    pub(super) parameters: f64,
    pub(super) returns: f64,
    pub(super) examples: f64,
    pub(super) errors: f64,
    pub(super) disambiguation: f64,
    pub(super) length: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingTool {
    pub(super) single_tool_disambiguation: f64,
    pub(super) overlap_tolerated: f64,
    pub(super) lengths: Vec<(u64, f64)>,
    pub(super) long: u64,
    pub(super) long_factor: f64,
    pub(super) densities: Vec<(f64, f64)>,
    pub(super) density_floor: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mapping {
    pub(super) intent_action_verb: f64,
    pub(super) intent_scenario: f64,
    pub(super) side_effects_floor: f64,
    pub(super) capability_examples: f64,
    pub(super) capability_disambiguation: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingSkill {
    pub(super) title: f64,
    pub(super) purpose: f64,
    pub(super) verb: f64,
    pub(super) requirements: f64,
    pub(super) binaries: f64,
    pub(super) file_access: f64,
    pub(super) effects: f64,
    pub(super) no_effects: f64,
    pub(super) undo: f64,
    pub(super) long_enough: u64,
    pub(super) long_enough_points: f64,
    pub(super) examples: f64,
    pub(super) limits: f64,
    pub(super) steps: f64,
    pub(super) scope: f64,
    pub(super) when: f64,
    pub(super) length_points: f64,
    pub(super) length_divisor: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingSecurity {
    pub(super) penalties: BTreeMap<Severity, i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Architecture {
    pub(super) divisor: f64,
    pub(super) most: f64,
    pub(super) tests: Vec<(u64, f64)>,
    pub(super) handling: Vec<(f64, f64)>,
    pub(super) handling_some: f64,
    pub(super) readme: Vec<(u64, f64)>,
    pub(super) typescript: f64,
    pub(super) types: Vec<(f64, f64)>,
    pub(super) types_some: f64,
    pub(super) dependency_files: Vec<(u64, f64)>,
    pub(super) environment_example: f64,
    pub(super) environment_documented: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingMetadata {
    pub(super) weights: MetadataWeights,
    pub(super) points: MetadataPoints,
    pub(super) popularity: SpiderRatingPopularity,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetadataWeights {
    pub(super) provenance: f64,
    pub(super) maintenance: f64,
    pub(super) popularity: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetadataPoints {
    pub(super) provenance_signal: f64,
    pub(super) maintenance_signal: f64,
    pub(super) recency: Vec<(i64, f64)>,
    pub(super) old_enough_days: i64,
    pub(super) contributors: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingPopularity {
    pub(super) stars: Count,
    pub(super) downloads_monthly: Count,
    pub(super) forks: Count,
    pub(super) watchers: Count,
    pub(super) installs: Count,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    pub(super) share: f64,
    pub(super) full: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpiderRatingConstraints {
    pub(super) security_floor: i64,
}
