//! The numbers that only the public engine has: `weights.toml` as types.
//!
//! The variant reads its numbers here and nowhere else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::fact::Severity;

use super::super::numbers::{Layers, MetadataWeights};

/// The text of the numbers file.
pub(super) const TEXT: &str = include_str!("weights.toml");

/// The numbers.
pub(super) static TABLE: LazyLock<OssNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssNumbers {
    pub(super) layers: Layers,
    pub(super) missing: Missing,
    pub(super) security: OssSecurity,
    pub(super) skill: OssSkill,
    pub(super) metadata: OssMetadata,
    pub(super) grades: BTreeMap<String, i64>,
    pub(super) constraints: OssConstraints,
    pub(super) categories: Categories,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Missing {
    pub(super) description: f64,
    pub(super) security: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssSecurity {
    pub(super) penalties: BTreeMap<Severity, f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssSkill {
    pub(super) malicious: f64,
    pub(super) tampered: f64,
    pub(super) suspicious: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssMetadata {
    pub(super) weights: MetadataWeights,
    pub(super) provenance: Provenance,
    pub(super) maintenance: Maintenance,
    pub(super) popularity: OssPopularity,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provenance {
    pub(super) base: f64,
    pub(super) licence: f64,
    pub(super) description: f64,
    pub(super) description_longer: u64,
    pub(super) stars: f64,
    pub(super) stars_more: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Maintenance {
    pub(super) unknown: f64,
    pub(super) pushed: Vec<(i64, f64)>,
    pub(super) older: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssPopularity {
    pub(super) stars: Vec<(u64, f64)>,
    pub(super) forks: Vec<(u64, f64)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OssConstraints {
    pub(super) forced_most: f64,
    pub(super) banned_floor: f64,
    pub(super) banned_most: f64,
    pub(super) banned_licences: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Categories {
    pub(super) python: Vec<String>,
    pub(super) script: Vec<String>,
    pub(super) any: Vec<String>,
}
