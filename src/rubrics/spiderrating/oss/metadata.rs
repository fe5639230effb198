//! The engine's metadata layer: what it makes of one answer of a forge, its own values in place of what it was not told.
//!
//! Reads the value of `measure-metadata`. Source: the public engine, version 0.3.4.

use capdex_model::score::Coverage;
use capdex_model::time::Timestamp;

use super::super::description::round;
use super::super::metadata::MetadataClaims;
use super::numbers::TABLE;

/// The layer and its parts, each with one decimal.
pub(super) struct OssMetadataLayer {
    pub(super) value: f64,
    pub(super) parts: [(&'static str, f64); 3],
    /// The share of the five signals that were known; the engine has a value of its own for the others.
    pub(super) coverage: Coverage,
}

/// The layer of what is claimed.
pub(super) fn layer(claimed: &MetadataClaims<'_>, day: Timestamp) -> OssMetadataLayer {
    let (provenance, maintenance, popularity) = (provenance(claimed), maintenance(claimed, day), popularity(claimed));
    let weights = &TABLE.metadata.weights;
    let sum = provenance * weights.provenance + maintenance * weights.maintenance + popularity * weights.popularity;
    let known = [
        claimed.license.is_some(),
        claimed.description_length.is_some(),
        claimed.stars.is_some(),
        claimed.forks.is_some(),
        claimed.pushed.is_some(),
    ];
    OssMetadataLayer {
        value: round(sum.clamp(0.0, 10.0), 1),
        parts: [("provenance", provenance), ("maintenance", maintenance), ("popularity", popularity)],
        coverage: Coverage::of(known.iter().filter(|known| **known).count(), known.len()),
    }
}

/// The numbers of days at which the layer changes.
pub(super) fn steps() -> impl Iterator<Item = i64> + Clone {
    TABLE.metadata.maintenance.pushed.iter().map(|(below, _)| *below)
}

fn provenance(claimed: &MetadataClaims<'_>) -> f64 {
    let numbers = &TABLE.metadata.provenance;
    // `NOASSERTION` is the forge's word for a licence that it does not recognise.
    let licensed = claimed.license == Some(true) && claimed.license_name != Some("NOASSERTION");
    let described = claimed.description_length.is_some_and(|length| length > numbers.description_longer);
    let starred = claimed.stars.is_some_and(|stars| stars > numbers.stars_more);
    let worth = |has: bool, points: f64| if has { points } else { 0.0 };
    let extra =
        worth(licensed, numbers.licence) + worth(described, numbers.description) + worth(starred, numbers.stars);
    (numbers.base + extra).min(10.0)
}

fn maintenance(claimed: &MetadataClaims<'_>, day: Timestamp) -> f64 {
    let numbers = &TABLE.metadata.maintenance;
    // The engine has a value of its own for an unknown push: it is shown with the coverage that it deserves.
    let Some(pushed) = claimed.pushed else { return numbers.unknown };
    let age = pushed.days_until(day);
    numbers.pushed.iter().find(|(below, _)| age < *below).map_or(numbers.older, |(_, points)| *points)
}

fn popularity(claimed: &MetadataClaims<'_>) -> f64 {
    let numbers = &TABLE.metadata.popularity;
    let step = |steps: &[(u64, f64)], count: Option<u64>| {
        let reached = steps.iter().find(|(least, _)| count.unwrap_or(0) >= *least);
        reached.map_or(0.0, |(_, points)| *points)
    };
    (step(&numbers.stars, claimed.stars) + step(&numbers.forks, claimed.forks)).min(10.0)
}
