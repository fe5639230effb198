//! The documented total order of capabilities in the ranked dataset: best first.
//!
//! The store and the dataset sort by the same key.

use std::cmp::Reverse;

use capdex_model::ids::CapabilityId;
use capdex_model::points::Points;
use capdex_model::score::{Band, Score, Verdict};

/// The rubric whose value orders capabilities of one band, unless another is asked for.
pub const DEFAULT_RANK_BY: &str = "saferskills/seed";

/// The key that a capability is ordered by; smaller is better. Fields compare in this order:
///
/// 1. the verdict's band: ok, watch, unknown, caution, block;
/// 2. the chosen rubric's value, highest first, none last;
/// 3. the mean coverage over the scores of the four seed rubrics that were given, highest first;
/// 4. the slug, in the order of its code points;
/// 5. the id, so that the order is total.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankKey {
    score_key: ScoreRankKey,
    slug: String,
    id: CapabilityId,
}

/// The first three: enough for whoever has capabilities in the order of the other two already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScoreRankKey {
    band: u8,
    value: Reverse<Option<Points>>,
    coverage: Reverse<u16>,
}

/// The key of one capability. `rank_by` is a rubric's id; a rubric that gave no score ranks as one without a value.
pub fn rank_key(verdict: &Verdict, scores: &[Score], rank_by: &str, slug: &str, id: CapabilityId) -> RankKey {
    RankKey { score_key: score_rank_key(verdict, scores, rank_by), slug: slug.to_owned(), id }
}

/// The part of the key that decides before the name does.
pub fn score_rank_key(verdict: &Verdict, scores: &[Score], rank_by: &str) -> ScoreRankKey {
    let value = scores.iter().find(|score| score.rubric.id == rank_by).and_then(|score| score.value);
    // Variants of a method would weigh its coverage twice.
    let seeds = || scores.iter().filter(|score| score.rubric.is_seed());
    let sum: usize = seeds().map(|score| usize::from(score.coverage.as_thousandths())).sum();
    let mean = sum.checked_div(seeds().count()).and_then(|mean| u16::try_from(mean).ok());
    ScoreRankKey { band: place(verdict.band), value: Reverse(value), coverage: Reverse(mean.unwrap_or(0)) }
}

/// Unknown stands between what looks harmless and what asks for a review.
const fn place(band: Band) -> u8 {
    match band {
        Band::Ok => 0,
        Band::Watch => 1,
        Band::Unknown => 2,
        Band::Caution => 3,
        Band::Block => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::digest::Digest;
    use capdex_model::score::{Coverage, RubricRef};

    fn score(value: Option<i64>, coverage: u16) -> Score {
        let rubric = RubricRef { id: DEFAULT_RANK_BY.into(), version: "1".into(), text: Digest::of(b"") };
        Score { value: value.map(Points::whole), ..Score::none(rubric, Coverage::thousandths(coverage), "") }
    }

    fn key(band: Band, value: Option<i64>, coverage: u16, slug: &str, id: &[u8]) -> RankKey {
        let verdict = Verdict { band, disagreement: None };
        rank_key(&verdict, &[score(value, coverage)], DEFAULT_RANK_BY, slug, CapabilityId(Digest::of(id)))
    }

    #[test]
    fn each_field_decides_only_where_the_ones_before_it_are_equal() {
        let best_first = [
            key(Band::Ok, Some(10), 0, "z", b"1"),
            key(Band::Watch, Some(100), 1000, "b", b"1"),
            key(Band::Watch, Some(90), 1000, "a", b"1"),
            key(Band::Watch, Some(90), 500, "a", b"1"),
            key(Band::Watch, Some(90), 500, "b", b"1"),
            key(Band::Watch, None, 1000, "a", b"1"),
            key(Band::Unknown, Some(100), 1000, "a", b"1"),
            key(Band::Caution, Some(100), 1000, "a", b"1"),
            key(Band::Block, Some(100), 1000, "a", b"1"),
        ];
        assert!(best_first.is_sorted());
        let mut shuffled: Vec<RankKey> = best_first.iter().rev().cloned().collect();
        shuffled.sort();
        assert_eq!(shuffled, best_first);
    }

    #[test]
    fn the_coverage_of_variants_does_not_count() {
        let verdict = Verdict { band: Band::Ok, disagreement: None };
        let id = CapabilityId(Digest::of(b"1"));
        let mut variant = score(Some(1), 0);
        variant.rubric.id = "saferskills/other".into();
        let seed = score(Some(5), 900);
        let alone = rank_key(&verdict, std::slice::from_ref(&seed), DEFAULT_RANK_BY, "a", id);
        assert_eq!(rank_key(&verdict, &[seed, variant], DEFAULT_RANK_BY, "a", id), alone);
    }

    #[test]
    fn two_capabilities_never_tie() {
        assert_ne!(key(Band::Ok, None, 0, "a", b"1"), key(Band::Ok, None, 0, "a", b"2"));
    }

    #[test]
    fn another_rubric_can_rank() {
        let verdict = Verdict { band: Band::Ok, disagreement: None };
        let id = CapabilityId(Digest::of(b"1"));
        let by = |rubric| rank_key(&verdict, &[score(Some(5), 0)], rubric, "a", id);
        assert!(by(DEFAULT_RANK_BY) < by("spiderrating/seed"));
    }
}
