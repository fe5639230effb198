//! Which entities are established: known for long, listed widely, or used by many.
//!
//! Counts and dates come from sources, and the name of an entity plays no part. Must not judge.

use std::collections::{BTreeMap, BTreeSet};

use crate::passes::corpus::Corpus;
use crate::time::Timestamp;

/// Days by which something must be older than what is compared with it.
const OLDER_BY_DAYS: i64 = 90;
/// Directories in which something must be listed.
const SOURCES: usize = 3;
/// Listings of a source with a count of users, below which the most used tenth means nothing.
const MIN_COUNTED: usize = 20;

/// How entities stand, from what the listings of each say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    entities: BTreeMap<String, Standing>,
}

/// How one entity stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// When it was there first: as its registry says, else when a night of ours saw it.
    pub since: Option<Timestamp>,
    /// The sources that list it now.
    pub sources: BTreeSet<String>,
    /// Whether a source counts it among the most used tenth of what it lists.
    pub is_popular: bool,
    /// The greatest count of users that a source states.
    pub popularity: Option<u64>,
    /// Who proves to answer for one of its listings.
    pub vendors: BTreeSet<String>,
}

impl Standings {
    /// From the listings, whose entities must be settled.
    pub fn of(corpus: &Corpus) -> Self {
        let popular = thresholds(corpus);
        let mut entities: BTreeMap<String, Standing> = BTreeMap::new();
        for member in corpus.members() {
            let standing = entities.entry(member.entity.clone()).or_default();
            let since = member.created.map_or(member.first_seen, |created| created.min(member.first_seen));
            standing.since = Some(standing.since.map_or(since, |known| known.min(since)));
            standing.vendors.extend(member.vendors.iter().cloned());
            if member.is_active {
                standing.sources.insert(member.key.source.clone());
            }
            let bar = popular.get(member.key.source.as_str()).copied();
            standing.is_popular |= member.popularity.zip(bar).is_some_and(|(count, bar)| count >= bar);
            standing.popularity = standing.popularity.max(member.popularity);
        }
        Self { entities }
    }

    /// How an entity stands; none for one that no listing is of.
    pub fn get(&self, entity: &str) -> Option<&Standing> {
        self.entities.get(entity)
    }

    /// Whether an entity was there long before an instant: age alone, since listings and downloads can be had at once.
    pub fn is_older(&self, entity: &str, at: Timestamp) -> bool {
        let since = self.entities.get(entity).and_then(|standing| standing.since);
        since.is_some_and(|since| since.days_until(at) >= OLDER_BY_DAYS)
    }

    /// Why an entity counts as established for somebody who came at an instant; none where it does not.
    pub fn why(&self, entity: &str, at: Timestamp) -> Option<String> {
        let standing = self.entities.get(entity)?;
        let since = standing.since.filter(|since| since.days_until(at) >= OLDER_BY_DAYS);
        if let Some(since) = since {
            return Some(format!("there since {since}"));
        }
        if standing.sources.len() >= SOURCES {
            return Some(format!("listed in {} directories", standing.sources.len()));
        }
        standing.is_popular.then(|| "among the most used of its directory".to_owned())
    }
}

/// From which count on a listing of a source is among the most used tenth.
fn thresholds(corpus: &Corpus) -> BTreeMap<&str, u64> {
    let mut counts: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for member in corpus.members() {
        if let Some(count) = member.popularity {
            counts.entry(&member.key.source).or_default().push(count);
        }
    }
    let enough = counts.into_iter().filter(|(_, counts)| counts.len() >= MIN_COUNTED);
    let bars = enough.filter_map(|(source, mut counts)| {
        counts.sort_unstable();
        let bar = counts.get(counts.len() * 9 / 10).copied().filter(|bar| *bar > 0)?;
        Some((source, bar))
    });
    bars.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ListingKey;
    use crate::listing::{Claims, Listing};
    use crate::passes::corpus::Member;

    fn member(key: &str, entity: &str, popularity: Option<u64>, day: i64) -> Member {
        let key: ListingKey = key.parse().expect("a key");
        let listing = Listing { key, locators: Vec::new(), claims: Claims::default(), references: Vec::new() };
        let seen = Timestamp::from_unix_seconds(day * 86_400);
        Member { entity: entity.to_owned(), ..Member::of(&listing, popularity, seen, true) }
    }

    #[test]
    fn age_breadth_or_use_establish() {
        let mut members = vec![
            member("a:1", "old", None, 0),
            member("a:2", "wide", None, 95),
            member("b:2", "wide", None, 96),
            member("c:2", "wide", None, 97),
            member("a:3", "new", None, 99),
        ];
        members.extend((0..20).map(|at| member(&format!("d:{at}"), &format!("d{at}"), Some(at), 99)));
        let standings = Standings::of(&Corpus::new(members));
        let at = Timestamp::from_unix_seconds(100 * 86_400);
        let is = |entity: &str| standings.why(entity, at).is_some();
        assert_eq!(
            ["old", "wide", "new", "d17", "d18", "d19", "none"].map(is),
            [true, true, false, false, true, true, false]
        );
    }
}
