//! The documented total order of capabilities in the ranked dataset: best first.
//!
//! The store and the dataset sort by the same key. Trust compares a capability with all others of its kind, so that the order
//! is made in two steps: the [`Merit`] of each, then [`Standings`] over all.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capdex_model::capability::Kind;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::score::{Band, Score};
use serde_json::Value;

/// Orders by trust: what ranks unless a rubric is asked for.
pub const TRUST: &str = "trust";

/// The methods whose values make the trust.
const METHODS: [&str; 4] = ["spiderrating/seed", "saferskills/seed", "mcpbundles/seed", "agentscore/seed"];

/// What a capability brings to the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merit {
    /// Its kind: it is compared with its like.
    pub kind: Kind,
    /// The verdict's band.
    pub band: Band,
    /// The value by each of the four methods; none where it has none.
    values: [Option<Points>; 4],
    /// The value by the rubric that was asked for; none for [`TRUST`].
    asked: Option<Points>,
    /// The mean coverage over the scores of the four methods, in thousandths.
    coverage: u16,
    /// Known users, see [`users`]; they decide where all else is equal, and are looked up for those alone.
    users: Option<u64>,
    /// The bytes of its files, which decide where users do not, and are looked up for those alone.
    bytes: Option<u64>,
    /// The different words of its files, which decide where bytes do not, and are looked up for those alone.
    words: Option<u64>,
    /// The folders above it in its package, which decide where words do not.
    depth: usize,
}

impl Merit {
    /// The merit by the verdict's band and the scores, without users. `rank_by` is [`TRUST`] or a rubric's id.
    pub fn of(kind: Kind, band: Band, scores: &[Score], rank_by: &str) -> Self {
        let value = |id: &str| scores.iter().find(|score| score.rubric.id == id).and_then(|score| score.value);
        // Variants of a method would weigh its coverage twice.
        let seeds = || scores.iter().filter(|score| score.rubric.is_seed());
        let sum: usize = seeds().map(|score| usize::from(score.coverage.as_thousandths())).sum();
        let mean = sum.checked_div(seeds().count()).and_then(|mean| u16::try_from(mean).ok());
        let (values, coverage) = (METHODS.map(value), mean.unwrap_or(0));
        Self { kind, band, values, asked: value(rank_by), coverage, users: None, bytes: None, words: None, depth: 0 }
    }

    /// The same with its known users.
    #[must_use]
    pub const fn with_users(self, users: Option<u64>) -> Self {
        Self { users, ..self }
    }

    /// The same with the bytes of its files.
    #[must_use]
    pub const fn with_bytes(self, bytes: Option<u64>) -> Self {
        Self { bytes, ..self }
    }

    /// The same with the different words of its files.
    #[must_use]
    pub const fn with_words(self, words: Option<u64>) -> Self {
        Self { words, ..self }
    }

    /// The same with the number of folders above it in its package.
    #[must_use]
    pub const fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The bytes of its files, where they were looked up.
    pub const fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// The different words of its files, where they were looked up.
    pub const fn words(&self) -> Option<u64> {
        self.words
    }
}

/// The rule that measures [`users`].
pub const MEASURE: &str = "measure-metadata";

/// The parts of it that count them.
pub const USERS: [&str; 3] = ["downloads_monthly", "installs", "stars"];

/// Known users of a capability: monthly downloads, installs or stars, whichever is most. None where nothing is known.
pub fn users(facts: &SparseFacts) -> Option<u64> {
    facts.value(MEASURE).and_then(users_in)
}

/// The same out of what [`MEASURE`] measured.
pub fn users_in(known: &Value) -> Option<u64> {
    USERS.iter().filter_map(|name| known.get(name)?.as_u64()).max()
}

/// The values of all capabilities, by kind and method.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    by_kind: BTreeMap<Kind, KindStandings>,
}

/// The values of one kind.
#[derive(Clone, Debug, Default)]
struct KindStandings {
    members: usize,
    /// By method, sorted.
    values: [Vec<Points>; 4],
}

impl Standings {
    /// Over the merits of everything that takes a rank.
    pub fn of<'a>(merits: impl IntoIterator<Item = &'a Merit>) -> Self {
        let mut by_kind: BTreeMap<Kind, KindStandings> = BTreeMap::new();
        for merit in merits {
            let of_kind = by_kind.entry(merit.kind).or_default();
            of_kind.members += 1;
            for (values, value) in of_kind.values.iter_mut().zip(merit.values) {
                values.extend(value);
            }
        }
        for of_kind in by_kind.values_mut() {
            let members = of_kind.members;
            for values in &mut of_kind.values {
                // A method that answers for few says nothing about the order of all.
                if values.len() * 2 < members {
                    values.clear();
                }
                values.sort_unstable();
            }
        }
        Self { by_kind }
    }

    /// The mean percentile of the capability's values among its kind, 0 to 100 with two decimals, over the methods that answer
    /// for at least half of the kind. None where none of these answers for it. Equals share the middle of their places.
    pub fn trust(&self, merit: &Merit) -> Option<Points> {
        let of_kind = self.by_kind.get(&merit.kind)?;
        let percentile = |(values, value): (&Vec<Points>, Option<Points>)| {
            let value = value.filter(|_| !values.is_empty())?;
            let below = values.partition_point(|other| *other < value);
            let equal = values.partition_point(|other| *other <= value) - below;
            Some(((2 * below + equal) as i64, 2 * values.len() as i64))
        };
        let percentiles: Vec<Points> = of_kind
            .values
            .iter()
            .zip(merit.values)
            .filter_map(percentile)
            .map(|(part, of)| Points::whole(100).share(part, of))
            .collect();
        let count = i64::try_from(percentiles.len()).ok().filter(|count| *count > 0)?;
        Some(percentiles.into_iter().sum::<Points>().share(1, count))
    }

    /// The key that the capability is ordered by. `by_trust` is false where a rubric's own value is to rank.
    pub fn key(&self, merit: &Merit, by_trust: bool) -> RankKey {
        let value = if by_trust { self.trust(merit) } else { merit.asked };
        RankKey {
            band: place(merit.band),
            value: Reverse(value),
            coverage: Reverse(merit.coverage),
            users: Reverse(merit.users),
            // Unknown last.
            bytes: merit.bytes.unwrap_or(u64::MAX),
            words: merit.words.unwrap_or(u64::MAX),
            depth: merit.depth,
        }
    }
}

/// The key that a capability is ordered by; smaller is better. Whoever sorts by it has the capabilities in the order of slug and
/// id already, which decide where all of it is equal. Fields compare in this order:
///
/// 1. the verdict's band: ok, watch, unknown, caution, block;
/// 2. trust, or the value by the rubric that was asked for, highest first, none last;
/// 3. the mean coverage over the scores of the four methods, highest first;
/// 4. known users, most first, unknown last;
/// 5. the bytes of its files, fewest first: of equals the one that takes less reading;
/// 6. the different words of its files, fewest first;
/// 7. the folders above it in its package, fewest first: a copy nearer to the root is the one that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankKey {
    band: u8,
    value: Reverse<Option<Points>>,
    coverage: Reverse<u16>,
    users: Reverse<Option<u64>>,
    bytes: u64,
    words: u64,
    depth: usize,
}

/// The place of a band in the order of filters and ranks: unknown stands between what looks harmless and what asks for a review.
pub const fn place(band: Band) -> u8 {
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

    fn score(id: &'static str, value: Option<i64>, coverage: u16) -> Score {
        let rubric = RubricRef { id: id.into(), version: "1".into(), text: Digest::of(b"") };
        Score { value: value.map(Points::whole), ..Score::none(rubric, Coverage::thousandths(coverage), "") }
    }

    fn merit_by(rank_by: &str, band: Band, scores: &[Score], users: Option<u64>) -> Merit {
        Merit::of(Kind::Skill, band, scores, rank_by).with_users(users)
    }

    fn merit(band: Band, value: Option<i64>, coverage: u16, users: Option<u64>) -> Merit {
        merit_by(TRUST, band, &[score("saferskills/seed", value, coverage)], users)
    }

    #[test]
    fn each_field_decides_only_where_the_ones_before_it_are_equal() {
        let best_first = [
            merit(Band::Ok, Some(10), 0, None),
            merit(Band::Watch, Some(100), 1000, None),
            merit(Band::Watch, Some(90), 1000, Some(7)),
            merit(Band::Watch, Some(90), 1000, None).with_bytes(Some(3)).with_words(Some(1)),
            merit(Band::Watch, Some(90), 1000, None).with_bytes(Some(3)).with_words(Some(2)),
            merit(Band::Watch, Some(90), 1000, None).with_bytes(Some(3)),
            merit(Band::Watch, Some(90), 1000, None).with_bytes(Some(3)).with_depth(2),
            merit(Band::Watch, Some(90), 1000, None).with_bytes(Some(9)),
            merit(Band::Watch, Some(90), 1000, None),
            merit(Band::Watch, Some(90), 500, Some(90)),
            merit(Band::Watch, None, 1000, Some(90)),
            merit(Band::Unknown, Some(100), 1000, None),
            merit(Band::Caution, Some(100), 1000, None),
            merit(Band::Block, Some(100), 1000, None),
        ];
        let standings = Standings::of(&best_first);
        let keys = best_first.map(|merit| standings.key(&merit, true));
        assert!(keys.is_sorted());
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn trust_is_the_mean_place_among_its_kind() {
        let two = |first, second| {
            let scores = [score("saferskills/seed", first, 0), score("spiderrating/seed", second, 0)];
            merit_by(TRUST, Band::Ok, &scores, None)
        };
        let all = [two(Some(100), Some(9)), two(Some(100), Some(3)), two(Some(60), Some(6)), two(Some(20), None)];
        let standings = Standings::of(&all);
        let trust = |merit: &Merit| standings.trust(merit).map(|trust| trust.to_string());
        // 100 twice: the middle of the upper half. 9 is the best of three.
        assert_eq!(trust(&all[0]).as_deref(), Some("79.17"));
        assert_eq!(trust(&all[1]).as_deref(), Some("45.84"));
        assert_eq!(trust(&all[3]).as_deref(), Some("12.5"));
        assert_eq!(trust(&two(None, None)), None);
    }

    #[test]
    fn a_method_that_answers_for_few_has_no_say() {
        let one = |value, rare| {
            let scores = [score("saferskills/seed", Some(value), 0), score("agentscore/seed", rare, 0)];
            merit_by(TRUST, Band::Ok, &scores, None)
        };
        let all = [one(50, Some(1)), one(60, None), one(70, None)];
        let standings = Standings::of(&all);
        let alone = [one(50, None), one(60, None), one(70, None)];
        assert_eq!(standings.trust(&all[0]), Standings::of(&alone).trust(&alone[0]));
    }

    #[test]
    fn the_coverage_of_variants_does_not_count() {
        let seed = score("saferskills/seed", Some(5), 900);
        let alone = merit_by(TRUST, Band::Ok, std::slice::from_ref(&seed), None);
        assert_eq!(merit_by(TRUST, Band::Ok, &[seed, score("saferskills/other", Some(1), 0)], None), alone);
    }

    #[test]
    fn another_rubric_can_rank() {
        let by = |value| merit_by("spiderrating/seed", Band::Ok, &[score("spiderrating/seed", value, 0)], None);
        let (high, low) = (by(Some(9)), by(Some(2)));
        let none = Standings::default();
        assert!(none.key(&high, false) < none.key(&low, false));
        assert_eq!(none.key(&high, true), none.key(&low, true));
    }
}
