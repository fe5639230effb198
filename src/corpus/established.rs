//! Entities that are established: there for long, and known besides.
//!
//! Counts and dates come from sources, and the name of an entity plays no part. Age is needed always: listings and
//! downloads can be had at once, age cannot.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{Corpus, CorpusMember};
use capdex_model::source_role::FilledBy;
use capdex_model::time::Timestamp;
/// Days without which nothing is established.
const LEAST_DAYS: i64 = 90;
/// Days after which an entity is established where no source of it counts users at all.
const LONG_DAYS: i64 = 365;
/// Directories that make an entity known by listing it.
const DIRECTORIES: usize = 3;
/// So many users make an entity known, whatever its source ranks by.
const MANY_USERS: u64 = 10_000;
/// Fewer do not, even among the most popular tenth of a source.
const FEW_USERS: u64 = 100;

/// The popularity of each entity, from what its listings say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PopularityByEntity {
    entities: BTreeMap<String, EntityPopularity>,
}

/// The popularity of one entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityPopularity {
    /// When it was there first: as its registry says, else when a night of ours saw it.
    pub since: Option<Timestamp>,
    /// The directories that others fill and that list it now.
    pub directories: BTreeSet<String>,
    /// True where a source counts it among the most used tenth of what it lists.
    pub is_popular: bool,
    /// True where a source of it counts users at all.
    pub is_counted: bool,
    /// The greatest count of users that a source states.
    pub popularity: Option<u64>,
    /// The publishers that prove to answer for one of its listings.
    pub publishers: BTreeSet<String>,
}

impl PopularityByEntity {
    /// From the listings, whose entities must be settled.
    pub fn of(corpus: &Corpus) -> Self {
        let bars = bars(corpus);
        let mut entities: BTreeMap<String, EntityPopularity> = BTreeMap::new();
        for member in corpus.members() {
            entities.entry(member.entity.clone()).or_default().add(member, &bars);
        }
        Self { entities }
    }

    /// The popularity of an entity; none for one that no listing is of.
    pub fn get(&self, entity: &str) -> Option<&EntityPopularity> {
        self.entities.get(entity)
    }

    /// The time since which an entity was there, where that is long before an instant.
    pub fn long_before(&self, entity: &str, at: Timestamp) -> Option<Timestamp> {
        let popularity = self.entities.get(entity)?;
        popularity.since.filter(|_| popularity.is_older_by(LEAST_DAYS, at))
    }

    /// Why an entity counts as established for somebody who came at an instant; none where it does not.
    pub fn why(&self, entity: &str, at: Timestamp) -> Option<String> {
        self.entities.get(entity)?.why(at)
    }
}

impl EntityPopularity {
    fn add(&mut self, member: &CorpusMember, bars: &BTreeMap<&str, u64>) {
        let source = member.key.source.as_str();
        // A date counts only where the registry sets it itself; elsewhere the publisher could write any.
        let dated = member.created.filter(|_| member.role.dates_entries);
        let since = dated.map_or(member.first_seen, |created| created.min(member.first_seen));
        // An entity is as old as its oldest listing: a new directory entry must not make it young.
        self.since = Some(self.since.map_or(since, |known| known.min(since)));
        self.publishers.extend(member.publishers.iter().cloned());
        // Age, publishers and the highest count outlive a listing; only what follows needs it to be there now.
        self.popularity = self.popularity.max(member.popularity);
        if !member.is_active {
            return;
        }
        // Being in a list that others fill is more than a publisher's own word.
        if member.role.filled_by == FilledBy::Others {
            self.directories.insert(source.to_owned());
        }
        let bar = bars.get(source).copied();
        self.is_counted |= bar.is_some();
        // Ten thousand users are many anywhere, even where the most used tenth of a source has more.
        let bar = bar.unwrap_or(MANY_USERS).min(MANY_USERS);
        self.is_popular |= member.popularity.is_some_and(|count| count >= bar);
    }

    fn is_older_by(&self, days: i64, at: Timestamp) -> bool {
        self.since.is_some_and(|since| since.days_until(at) >= days)
    }

    /// Why it counts as established for somebody who came at an instant; none where it does not.
    pub fn why(&self, at: Timestamp) -> Option<String> {
        // Age is asked for first: stars, downloads and entries can be bought in a day.
        let since = self.since.filter(|_| self.is_older_by(LEAST_DAYS, at))?;
        if self.is_popular {
            return Some(format!("there since {since}, and among the most used of its directory"));
        }
        if self.directories.len() >= DIRECTORIES {
            return Some(format!("there since {since}, and listed in {} directories", self.directories.len()));
        }
        // A count that exists and is low speaks against it; only where nobody counts may age alone speak.
        (!self.is_counted && self.is_older_by(LONG_DAYS, at)).then(|| format!("there since {since}"))
    }
}

/// The count of users from which a listing is among the most used tenth of its source; none for sources that count
/// none.
fn bars(corpus: &Corpus) -> BTreeMap<&str, u64> {
    let mut counts: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    // Listings that are gone would keep the bar where a purged directory once had it.
    for member in corpus.members().iter().filter(|member| member.is_active) {
        counts.entry(&member.key.source).or_default().extend(member.popularity);
    }
    let bars = counts.into_iter().filter_map(|(source, mut counts)| {
        counts.sort_unstable();
        // A source of fewer than ten that count still has a bar: the greatest of them.
        let at = counts.len().checked_sub(counts.len() / 10 + 1)?;
        Some((source, (*counts.get(at)?).max(FEW_USERS)))
    });
    bars.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusMember;
    use crate::testing::roles;
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::{Claims, Listing};

    fn member(key: &str, entity: &str, popularity: Option<u64>, day: i64) -> CorpusMember {
        let key: ListingKey = key.parse().expect("a key");
        let listing = Listing { key, locators: Vec::new(), claims: Claims::default(), references: Vec::new() };
        let seen = Timestamp::from_unix_seconds(day * 86_400);
        CorpusMember { entity: entity.to_owned(), ..CorpusMember::of(&listing, &roles(), popularity, seen, true) }
    }

    #[test]
    fn age_with_breadth_or_use_establishes() {
        let mut members = vec![
            member("a:1", "old", None, -400),
            member("glama:2", "wide", None, 5),
            member("mcp-so:2", "wide", None, 96),
            member("skillsmp:2", "wide", None, 97),
            member("glama:4", "wide and new", None, 95),
            member("mcp-so:4", "wide and new", None, 96),
            member("skillsmp:4", "wide and new", None, 97),
            member("npm:5", "filled", None, 5),
            member("pypi:5", "filled", None, 5),
            member("smithery:5", "filled", None, 5),
            member("corp:5", "filled", None, 5),
            member("a:3", "new", None, 99),
            member("e:6", "used and new", Some(20_000), 99),
            member("f:7", "unused and old", Some(3), -400),
        ];
        members.extend((0..20).map(|at| member(&format!("d:{at}"), &format!("d{at}"), Some(100 + at), 5)));
        let popularity = PopularityByEntity::of(&Corpus::new(members));
        let at = Timestamp::from_unix_seconds(100 * 86_400);
        let is = |entity: &str| popularity.why(entity, at).is_some();
        assert_eq!(["old", "wide", "d18", "d19"].map(is), [true; 4]);
        let not = ["wide and new", "filled", "new", "used and new", "unused and old", "d16", "none"];
        assert_eq!(not.map(is), [false; 7]);
    }

    #[test]
    fn a_date_counts_where_a_registry_gives_it() {
        let dated = |key: &str| {
            let created = Some(Timestamp::from_unix_seconds(-500 * 86_400));
            CorpusMember { created, ..member(key, key, None, 99) }
        };
        let popularity = PopularityByEntity::of(&Corpus::new(vec![dated("npm:a"), dated("elsewhere:a")]));
        let at = Timestamp::from_unix_seconds(100 * 86_400);
        assert_eq!(["npm:a", "elsewhere:a"].map(|entity| popularity.long_before(entity, at).is_some()), [true, false]);
    }
}
