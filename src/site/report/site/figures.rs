//! Figures: the counts behind the plots.
//!
//! Counts only; nothing here holds text of strangers.

use std::collections::BTreeMap;

use capdex_model::capability::Kind;
use capdex_model::fact::{Outcome, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::points::Points;
use capdex_model::score::{Band, Score};
use capdex_rubrics::{RUBRICS, Rubric};

use super::CapabilitySummary;

/// Columns of the distribution of one rubric's values.
pub(crate) const STEPS: usize = 10;

/// The four published methods, in their order, each with its place in [`RUBRICS`].
pub(crate) fn seeds() -> impl Iterator<Item = (usize, &'static dyn Rubric)> {
    RUBRICS.iter().copied().enumerate().filter(|(_, rubric)| rubric.meta().rubric.is_seed())
}

/// Everything counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// Capabilities of each kind in each band.
    pub(crate) bands: BTreeMap<(Kind, Band), u64>,
    /// By thousandths of disagreement; none with fewer than two known bands.
    pub(crate) disagreement: BTreeMap<Option<u16>, u64>,
    /// The number of values in each tenth of the scale, by the place of the rubric.
    pub(crate) spread: BTreeMap<usize, [u64; STEPS]>,
    /// The values by hundredths, for the median, by the place of the rubric.
    pub(crate) values: BTreeMap<usize, BTreeMap<Points, u64>>,
    /// The number of capabilities with a band by both of two seed rubrics, and with the same one, by their places.
    pub(crate) pairs: BTreeMap<(usize, usize), (u64, u64)>,
    /// By completeness.
    pub(crate) completeness: BTreeMap<&'static str, u64>,
    /// The number of capabilities in which each rule found something, and the worst severity.
    pub(crate) rules: BTreeMap<String, (u64, Severity)>,
    /// The capabilities in which each rule found something, in the order in which they were read.
    pub(crate) holders: BTreeMap<String, Vec<CapabilityId>>,
    /// Findings by severity.
    pub(crate) findings: BTreeMap<Severity, u64>,
    /// Capabilities by the source of the listing that speaks for them.
    pub(crate) sources: BTreeMap<String, u64>,
    /// Answers of rules that lacked data, and all answers that could be given.
    pub(crate) unavailable: (u64, u64),
}

impl Figures {
    /// Counts one capability.
    pub(super) fn count(&mut self, row: &CapabilitySummary, facts: &SparseFacts, scores: &[Score]) {
        *self.bands.entry((row.kind, row.band)).or_default() += 1;
        *self.disagreement.entry(row.disagreement.map(|share| share.as_thousandths())).or_default() += 1;
        *self.completeness.entry(row.completeness).or_default() += 1;
        *self.sources.entry(row.listing.source.clone()).or_default() += 1;
        self.scores(row, scores);
        // One count for each capability, however many places the rule found in it.
        let mut worst: BTreeMap<&str, Severity> = BTreeMap::new();
        for fact in facts.findings() {
            *self.findings.entry(fact.severity).or_default() += 1;
            let known = worst.entry(fact.rule.as_str()).or_insert(fact.severity);
            *known = fact.severity.max(*known);
        }
        for (rule, severity) in worst {
            let (count, known) = self.rules.entry(rule.to_owned()).or_insert((0, severity));
            (*count, *known) = (*count + 1, severity.max(*known));
            self.holders.entry(rule.to_owned()).or_default().push(row.id);
        }
        // A question that makes no sense for a kind is no lack of data.
        for outcome in facts.outcomes().into_values().filter(|outcome| *outcome != Outcome::NotApplicable) {
            self.unavailable.0 += u64::from(outcome == Outcome::Unavailable);
            self.unavailable.1 += 1;
        }
    }

    fn scores(&mut self, row: &CapabilitySummary, scores: &[Score]) {
        for (place, rubric) in RUBRICS.iter().enumerate() {
            // A number of what little a method knows would stand among its answers.
            let Some(value) = row.answer(place) else { continue };
            *self.values.entry(place).or_default().entry(value).or_default() += 1;
            let step = step_of(value, rubric.meta().scale);
            if let Some(count) = self.spread.entry(place).or_default().get_mut(step) {
                *count += 1;
            }
        }
        let band = |rubric: &dyn Rubric| {
            let score = scores.iter().find(|score| score.rubric.id == rubric.meta().rubric.id)?;
            // Unknown is no voice: two methods that know nothing do not agree.
            Some(rubric.band(score)).filter(|band| *band != Band::Unknown)
        };
        let bands: Vec<(usize, Band)> = seeds().filter_map(|(place, rubric)| Some((place, band(rubric)?))).collect();
        for (at, (one, first)) in bands.iter().enumerate() {
            // Each pair once, with the smaller place first.
            for (other, second) in bands.iter().skip(at + 1) {
                let (both, same) = self.pairs.entry((*one, *other)).or_default();
                (*both, *same) = (*both + 1, *same + u64::from(first == second));
            }
        }
    }

    /// Capabilities in a band, of one kind or of all.
    pub(crate) fn in_band(&self, kind: Option<Kind>, band: Band) -> u64 {
        let wanted =
            self.bands.iter().filter(|((of, in_band), _)| *in_band == band && kind.is_none_or(|kind| kind == *of));
        wanted.map(|(_, count)| count).sum()
    }

    /// Capabilities of a kind.
    pub(crate) fn of_kind(&self, kind: Kind) -> u64 {
        self.bands.iter().filter(|((of, _), _)| *of == kind).map(|(_, count)| count).sum()
    }
}

/// The tenth of a scale in which a value lies; its end belongs to the last.
fn step_of(value: Points, (low, high): (i64, i64)) -> usize {
    let (value, low, high) = (value.as_hundredths(), low * 100, high * 100);
    // In hundredths and whole numbers, so that a value on a border falls on the same side everywhere.
    let step = (value - low).max(0) * STEPS as i64 / (high - low).max(1);
    usize::try_from(step).unwrap_or(0).min(STEPS - 1)
}

/// The middle one of counted values, the lower of two; none of none.
pub(crate) fn median(values: &BTreeMap<Points, u64>) -> Option<Points> {
    let all: u64 = values.values().sum();
    let mut seen = 0;
    values
        .iter()
        .find(|(_, count)| {
            seen += **count;
            // The first value up to which half of all lie; the map is sorted by value.
            seen * 2 >= all
        })
        .map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_step() {
        let steps = [-5, 0, 9, 10, 55, 99, 100].map(|value| step_of(Points::whole(value), (0, 100)));
        assert_eq!(steps, [0, 0, 0, 1, 5, 9, 9]);
        assert_eq!(step_of(Points::hundredths(950), (0, 10)), 9);
    }

    #[test]
    fn the_median_is_a_value_that_is_there() {
        let of = |values: &[(i64, u64)]| {
            median(&values.iter().map(|(value, count)| (Points::whole(*value), *count)).collect())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(1, 1), (9, 1)]), Some(Points::whole(1)));
        assert_eq!(of(&[(1, 1), (5, 3), (9, 1)]), Some(Points::whole(5)));
    }
}
