//! The metadata layer: provenance, maintenance and popularity from what sources claim.
//!
//! Reads the value of `measure-metadata`. The page names the signals; the points are ours. A signal that nobody states
//! is left out and the rest is scaled up.

use serde::Deserialize;
use serde_json::Value;

use capdex_model::capability::Kind;
use capdex_model::score::Coverage;
use capdex_model::time::Timestamp;

use super::description::round;
use super::numbers::{Count, MetadataPoints, TABLE};
use crate::NEVER;

/// The claims of sources; `None` where nobody says.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct MetadataClaims<'a> {
    pub(super) repository: Option<bool>,
    pub(super) license: Option<bool>,
    pub(super) license_name: Option<&'a str>,
    #[serde(default)]
    pub(super) license_file: bool,
    owner: Option<bool>,
    deprecated: Option<bool>,
    archived: Option<bool>,
    pub(super) description_length: Option<u64>,
    maintainers: Option<u64>,
    contributors: Option<u64>,
    created: Option<Timestamp>,
    published: Option<Timestamp>,
    pub(super) pushed: Option<Timestamp>,
    commits_quarter: Option<u64>,
    commits_year: Option<u64>,
    version_count: Option<u64>,
    releases: Option<u64>,
    downloads_monthly: Option<u64>,
    pub(super) stars: Option<u64>,
    pub(super) forks: Option<u64>,
    watchers: Option<u64>,
    installs: Option<u64>,
}

/// One part of the layer on a scale of 0 to 10, and how many of its signals were there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetadataPart {
    pub(super) name: &'static str,
    weight: f64,
    pub(super) value: Option<f64>,
    known: usize,
    signals: usize,
}

impl MetadataPart {
    pub(super) fn coverage(&self) -> Coverage {
        Coverage::of(self.known, self.signals)
    }
}

/// The layer with its parts.
pub(super) struct MetadataLayer {
    pub(super) value: Option<f64>,
    pub(super) parts: [MetadataPart; 3],
    pub(super) coverage: Coverage,
}

/// The claims from the value of the measure; all unknown where there is none.
pub(super) fn read(value: Option<&Value>) -> MetadataClaims<'_> {
    value.and_then(|value| MetadataClaims::deserialize(value).ok()).unwrap_or_default()
}

impl MetadataClaims<'_> {
    /// The first day after `day` on which an age passes one of these numbers of days, from below or onto it.
    pub(super) fn next_age(&self, day: i64, steps: impl Iterator<Item = i64> + Clone) -> i64 {
        let dates = [self.created, self.published, self.pushed].into_iter().flatten();
        // The day on whose beginning a thing is no day old yet.
        let born = dates.map(|date| -(-date.unix_seconds()).div_euclid(86_400));
        // Of `age < step` the answer changes where the age is the step, of `age <= step` and `age > step` on the day after.
        let passes = born.flat_map(|born| steps.clone().flat_map(move |step| [born + step, born + step + 1]));
        passes.filter(|passes| *passes > day).min().unwrap_or(NEVER)
    }
}

/// The numbers of days at which the layer changes.
pub(super) fn steps() -> impl Iterator<Item = i64> + Clone {
    let points: &MetadataPoints = &TABLE.metadata.points;
    points.recency.iter().map(|(within, _)| *within).chain([points.old_enough_days])
}

/// The layer, its value rounded to two decimals; none where no signal is known. A skill is measured by its downloads
/// first and a server by its stars.
pub(super) fn layer(kind: Kind, claimed: &MetadataClaims<'_>, day: Timestamp) -> MetadataLayer {
    let weights = &TABLE.metadata.weights;
    let parts = [
        part("provenance", weights.provenance, &provenance(claimed, day)),
        part("maintenance", weights.maintenance, &maintenance(claimed, day)),
        popularity(weights.popularity, kind, claimed),
    ];
    let value = weighted(parts.iter().filter_map(|part| part.value.map(|value| (part.weight, value))));
    let known = parts.iter().map(|part| part.known).sum();
    let signals = parts.iter().map(|part| part.signals).sum();
    MetadataLayer { value: value.map(|value| round(value, 2)), parts, coverage: Coverage::of(known, signals) }
}

/// The weighted mean over what is there; none over nothing.
pub(super) fn weighted(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (weight, value) in values {
        sum += weight * value;
        weights += weight;
    }
    (weights > 0.0).then(|| (sum / weights).clamp(0.0, 10.0))
}

/// Each signal as (points reached, points possible), where known.
type MetadataSignals<const N: usize> = [Option<(f64, f64)>; N];

fn provenance(claimed: &MetadataClaims<'_>, day: Timestamp) -> MetadataSignals<5> {
    let points: &MetadataPoints = &TABLE.metadata.points;
    let full = points.provenance_signal;
    let yes = |has: bool| (if has { full } else { 0.0 }, full);
    [
        claimed.repository.map(yes),
        claimed.license.map(yes),
        claimed.owner.map(yes),
        claimed.created.map(|created| yes(created.days_until(day) > points.old_enough_days)),
        // A forge's `archived` outweighs a registry's message, which may be about one version.
        claimed.archived.or(claimed.deprecated).map(|given_up| yes(!given_up)),
    ]
}

fn maintenance(claimed: &MetadataClaims<'_>, day: Timestamp) -> MetadataSignals<4> {
    let points: &MetadataPoints = &TABLE.metadata.points;
    let full = points.maintenance_signal;
    let yes = |has: bool| (if has { full } else { 0.0 }, full);
    let recency =
        |age: i64| points.recency.iter().find(|(within, _)| age <= *within).map_or(0.0, |(_, points)| *points);
    [
        age_of_work(claimed, day).map(|age| (recency(age), full)),
        // Versions that a registry has, else releases at the forge.
        claimed.version_count.or(claimed.releases).map(|count| yes(count >= 1)),
        // Accounts that may publish stand in where no forge counts committers.
        claimed.contributors.or(claimed.maintainers).map(|count| yes(count >= points.contributors)),
        claimed.description_length.map(|length| yes(length > 0)),
    ]
}

/// The age of the last work in days: the last push, else what commits were counted, else the last release.
fn age_of_work(claimed: &MetadataClaims<'_>, day: Timestamp) -> Option<i64> {
    let pushed = claimed.pushed.map(|pushed| pushed.days_until(day));
    let counted = || match (claimed.commits_quarter, claimed.commits_year) {
        (Some(1..), _) => Some(QUARTER),
        (_, Some(1..)) => Some(YEAR),
        // A year without commits is older than a year; how much older makes no difference to the steps.
        (_, Some(0)) => Some(YEAR + 1),
        (Some(0) | None, None) => None,
    };
    pushed.or_else(counted).or_else(|| claimed.published.map(|published| published.days_until(day)))
}

/// Days in which commits are counted: the most that a counted commit can be old.
const QUARTER: i64 = 90;
const YEAR: i64 = 365;

/// Three counts, each on a logarithmic scale.
fn popularity(weight: f64, kind: Kind, claimed: &MetadataClaims<'_>) -> MetadataPart {
    let numbers = &TABLE.metadata.popularity;
    let stars = claimed.stars.map(|count| scaled(count, numbers.stars));
    let downloads = claimed.downloads_monthly.map(|count| scaled(count, numbers.downloads_monthly));
    let first = if kind == Kind::Skill { downloads.or(stars) } else { stars.or(downloads) };
    let forks = claimed.forks.map(|count| scaled(count, numbers.forks));
    let watchers = claimed.watchers.map(|count| scaled(count, numbers.watchers));
    let installs = || claimed.installs.map(|count| scaled(count, numbers.installs));
    part("popularity", weight, &[first, forks, watchers.or_else(installs)])
}

/// The worth of a count, as (reached, possible).
fn scaled(count: u64, of: Count) -> (f64, f64) {
    let full = log2(of.full.saturating_add(1));
    let reached = (log2(count.saturating_add(1)) as f64 / full as f64).min(1.0);
    (of.share * reached, of.share)
}

fn part(name: &'static str, weight: f64, signals: &[Option<(f64, f64)>]) -> MetadataPart {
    let known = || signals.iter().flatten();
    // Only known signals are possible points: silence of a source must not cost any.
    let possible: f64 = known().map(|(_, possible)| possible).sum();
    let reached: f64 = known().map(|(reached, _)| reached).sum();
    let value = (possible > 0.0).then(|| round(10.0 * reached / possible, 2));
    MetadataPart { name, weight, value, known: known().count(), signals: signals.len() }
}

/// The binary logarithm of a number of at least 1, in 65,536ths, rounded down. In integers, so that it is the same on
/// every machine; the standard library's logarithm is the platform's.
fn log2(number: u64) -> u64 {
    let whole = number.max(1).ilog2();
    let mut rest = u128::from(number.max(1)) << (63 - whole);
    let mut result = u64::from(whole);
    for _ in 0..16 {
        rest = (rest * rest) >> 63;
        let bit = rest >> 64;
        result = (result << 1) | u64::from(bit == 1);
        rest >>= bit;
    }
    result
}
