//! Shards of a search. A search gives a thousand results at most. One that has more is split by what its results are
//! counted in, until each part has fewer.
//!
//! Source: GitHub, "About search": 1,000 results for each search, `incomplete_results` where a search ran out of time.

use serde::{Deserialize, Serialize};

/// The first second of GitHub.
const FIRST: u64 = 1_175_000_000;

/// The largest file that is searched.
const MAX_FILE_BYTES: u64 = 384 * 1024;

/// A part of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shard {
    /// Stars, from and to; all where none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stars: Option<(u64, u64)>,
    /// When it was made, in seconds, from and to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<(u64, u64)>,
    /// The file's size in bytes, from and to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<(u64, u64)>,
}

impl Shard {
    /// The search for this part of it.
    pub(super) fn search(&self, query: &str) -> String {
        let mut text = query.to_owned();
        let mut add = |name: &str, range: Option<(u64, u64)>, shown: fn(u64) -> String| match range {
            None => {}
            Some((from, to)) if from == to => text.push_str(&format!(" {name}:{}", shown(from))),
            Some((from, u64::MAX)) => text.push_str(&format!(" {name}:>={}", shown(from))),
            Some((from, to)) => text.push_str(&format!(" {name}:{}..{}", shown(from), shown(to))),
        };
        add("stars", self.stars, |count| count.to_string());
        add("created", self.created, instant);
        add("size", self.size, |bytes| bytes.to_string());
        text
    }

    /// Two parts of a search for repositories that together are this one; none where it cannot be split. `now` is the
    /// last second that counts.
    pub(super) fn split_repositories(&self, query: &str, now: u64) -> Option<[Self; 2]> {
        // A query that names stars itself would get a second, contradicting qualifier.
        if !query.contains("stars:") {
            let range = self.stars.unwrap_or((0, u64::MAX));
            if let Some([less, more]) = geometric(range) {
                return Some([less, more].map(|stars| Self { stars: Some(stars), ..self.clone() }));
            }
        }
        if query.contains("created:") {
            return None;
        }
        // Where one number of stars alone has too many results, the day of creation tells them apart.
        let halves = arithmetic(self.created.unwrap_or((FIRST, now.max(FIRST))))?;
        Some(halves.map(|created| Self { created: Some(created), ..self.clone() }))
    }

    /// The counterpart of [`Shard::split_repositories`] for a search of code.
    pub(super) fn split_code(&self, query: &str) -> Option<[Self; 2]> {
        if query.contains("size:") {
            return None;
        }
        let halves = geometric(self.size.unwrap_or((0, MAX_FILE_BYTES)))?;
        Some(halves.map(|size| Self { size: Some(size), ..self.clone() }))
    }
}

/// Halves of a range of counts, most of which are small. Each end is counted from one, and the middle is the root of
/// their product.
fn geometric((from, to): (u64, u64)) -> Option<[(u64, u64); 2]> {
    // No repository has more stars than fit into 32 bits; without an end the middle would be far too high.
    let end = to.min(u64::from(u32::MAX));
    if from >= end {
        return None;
    }
    // Clamped, so that both halves hold something and the splitting ends.
    let middle = ((from + 1).saturating_mul(end + 1)).isqrt().saturating_sub(1).clamp(from, end - 1);
    Some([(from, middle), (middle + 1, to)])
}

fn arithmetic((from, to): (u64, u64)) -> Option<[(u64, u64); 2]> {
    if from >= to {
        return None;
    }
    let middle = from + (to - from) / 2;
    Some([(from, middle), (middle + 1, to)])
}

/// Seconds as GitHub reads an instant.
fn instant(seconds: u64) -> String {
    let time = i64::try_from(seconds).map(capdex_model::time::Timestamp::from_unix_seconds);
    time.map(|time| time.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_795_305_600;

    /// Splits until each part is small enough, and gives the parts with how many results each has.
    fn split_all(stars: &[(u64, u64)]) -> (Vec<(Shard, usize)>, usize) {
        let (mut waiting, mut parts, mut asked) = (vec![Shard::default()], Vec::new(), 0);
        while let Some(shard) = waiting.pop() {
            asked += 1;
            let within = |range: Option<(u64, u64)>, value: u64| range.is_none_or(|(a, b)| (a..=b).contains(&value));
            let holds = |(star, made): &&(u64, u64)| within(shard.stars, *star) && within(shard.created, *made);
            let count = stars.iter().filter(holds).count();
            match shard.split_repositories("topic:x", NOW).filter(|_| count > 1_000) {
                Some(halves) => waiting.extend(halves),
                None => parts.push((shard, count)),
            }
        }
        (parts, asked)
    }

    #[test]
    fn a_search_with_many_results_is_covered_by_few_parts_below_the_cap() {
        // Most repositories have few stars: 6,000 with none, made one after another, and a tail.
        let none = (0..6_000).map(|number| (0, FIRST + number * 50_000));
        let tail = (0..3_000).map(|number| (1 + number * number % 700, FIRST + number));
        let all: Vec<(u64, u64)> = none.chain(tail).collect();
        let (parts, asked) = split_all(&all);
        assert!(parts.iter().all(|(_, count)| *count <= 1_000));
        assert_eq!(parts.iter().map(|(_, count)| count).sum::<usize>(), all.len(), "each result once");
        assert!(asked < 80, "{asked} searches");
    }

    #[test]
    fn a_search_is_written_as_github_reads_it() {
        let shard = Shard { stars: Some((3, 9)), created: Some((FIRST, FIRST)), size: None };
        assert_eq!(shard.search("topic:x"), "topic:x stars:3..9 created:2007-03-27T12:53:20Z");
        let open = Shard { stars: Some((65_536, u64::MAX)), ..Shard::default() };
        assert_eq!(open.search("topic:x"), "topic:x stars:>=65536");
        assert_eq!(Shard::default().search("topic:x"), "topic:x");
    }

    #[test]
    fn what_the_query_fixes_itself_is_not_split() {
        let shard = Shard::default();
        assert_eq!(shard.split_repositories("stars:5 created:>2020", NOW), None);
        assert_eq!(shard.split_code("filename:x size:5"), None);
        let by_date = shard.split_repositories("topic:x stars:5", NOW).expect("by date");
        assert!(by_date.iter().all(|half| half.stars.is_none() && half.created.is_some()));
    }

    proptest! {
        #[test]
        fn halves_are_the_whole(from in 0_u64..1_000_000, length in 1_u64..1_000_000) {
            for split in [geometric, arithmetic] {
                let [low, high] = split((from, from + length)).expect("more than one");
                prop_assert_eq!((low.0, high.1, low.1 + 1), (from, from + length, high.0));
                prop_assert!(low.0 <= low.1 && high.0 <= high.1);
            }
        }
    }
}
