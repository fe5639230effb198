//! `Entities`: the things that listings are listings of, with who answers for each and whether it is established.
//!
//! Must not know names that look alike.

use std::collections::{BTreeMap, BTreeSet};

use crate::passes::corpus::{Corpus, Member};
use crate::time::{AsOf, Timestamp};

/// So many users establish a thing, whatever its source ranks by.
const MANY_USERS: u64 = 10_000;
/// Fewer do not, even among the most popular tenth of a source.
const FEW_USERS: u64 = 100;
/// Directories that establish a thing by listing it.
const DIRECTORIES: usize = 3;
/// Days without which nothing establishes a thing: listings and downloads can be had at once, age cannot.
const LEAST_DAYS: i64 = 90;
/// Sources that publishers fill themselves: being in them says nothing.
const FILLED_BY_PUBLISHERS: [&str; 14] = [
    "npm",
    "pypi",
    "github",
    "git",
    "oci",
    "mcp",
    "folder",
    "official-registry",
    "github-registry",
    "pulsemcp",
    "sub-registry",
    "marketplaces",
    "smithery",
    "clawhub",
];
/// Registries that date what they hold themselves.
const DATED: [&str; 4] = ["npm", "pypi", "official-registry", "github-registry"];
/// Days after which a thing is established where its source counts no users at all.
const LONG_DAYS: i64 = 365;

/// One thing, however many directories list it.
#[derive(Debug)]
pub(super) struct Entity<'a> {
    /// Its listings, by key.
    pub(super) members: Vec<&'a Member>,
    /// Who proves to answer for any of them.
    pub(super) vendors: BTreeSet<&'a str>,
    /// Its users, as the source counts them that counts most.
    pub(super) popularity: Option<u64>,
    /// When it appeared, where a source says so.
    pub(super) created: Option<Timestamp>,
    /// Whether others may be taken for it.
    pub(super) is_target: bool,
    /// Whether it is so known, and for so long, that it is taken for nobody.
    pub(super) is_established: bool,
}

/// All things that are listed now.
#[derive(Debug)]
pub(super) struct Entities<'a> {
    all: Vec<Entity<'a>>,
    by_name: BTreeMap<&'a str, u32>,
    known_vendors: BTreeSet<&'a str>,
    descriptions: BTreeMap<String, u32>,
}

impl<'a> Entities<'a> {
    pub(super) fn of(corpus: &'a Corpus, as_of: AsOf) -> Self {
        let mut grouped: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
        for member in corpus.members().iter().filter(|member| member.is_active) {
            grouped.entry(&member.entity).or_default().push(member);
        }
        let bars = bars(corpus);
        let by_name = grouped.keys().copied().zip(0..).collect();
        let all: Vec<Entity<'_>> = grouped.into_values().map(|members| entity(members, &bars, as_of)).collect();
        let established = all.iter().filter(|entity| entity.is_established);
        let known_vendors = established.flat_map(|entity| entity.vendors.iter().copied()).collect();
        let mut descriptions: BTreeMap<String, u32> = BTreeMap::new();
        for entity in &all {
            let own: BTreeSet<String> = entity.descriptions().collect();
            own.into_iter().for_each(|text| *descriptions.entry(text).or_default() += 1);
        }
        Self { all, by_name, known_vendors, descriptions }
    }

    pub(super) fn get(&self, number: u32) -> Option<&Entity<'a>> {
        self.all.get(number as usize)
    }

    /// The thing that a listing is one of, where it is listed now.
    pub(super) fn number_of(&self, member: &Member) -> Option<u32> {
        self.by_name.get(member.entity.as_str()).copied()
    }

    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &Entity<'a>)> {
        (0..).zip(&self.all)
    }

    /// Whether somebody who answers for a thing answers for something established.
    pub(super) fn has_known_vendor(&self, entity: &Entity<'_>) -> bool {
        entity.vendors.iter().any(|vendor| self.known_vendors.contains(vendor))
    }

    /// How many things describe themselves in exactly these words.
    pub(super) fn count_described(&self, description: &str) -> u32 {
        self.descriptions.get(description).copied().unwrap_or(0)
    }
}

impl Entity<'_> {
    /// How its listings describe it: small letters, one blank between words.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = String> {
        let described = self.members.iter().filter_map(|member| member.description.as_deref());
        described
            .map(|text| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|text| !text.is_empty())
    }
}

/// From how many users on a listing is among the most popular tenth of its source; none for sources that count none.
fn bars(corpus: &Corpus) -> BTreeMap<&str, u64> {
    let mut counts: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for member in corpus.members().iter().filter(|member| member.is_active) {
        counts.entry(&member.key.source).or_default().extend(member.popularity);
    }
    let bar = |counts: &mut Vec<u64>| {
        counts.sort_unstable();
        counts.get(counts.len() - counts.len() / 10 - 1).map(|bar| (*bar).max(FEW_USERS))
    };
    counts
        .into_iter()
        .filter(|(_, counts)| !counts.is_empty())
        .filter_map(|(source, mut counts)| Some((source, bar(&mut counts)?)))
        .collect()
}

fn entity<'a>(members: Vec<&'a Member>, bars: &BTreeMap<&str, u64>, as_of: AsOf) -> Entity<'a> {
    let created = members.iter().filter_map(|member| member.created).min();
    let sources = members.iter().map(|member| member.key.source.as_str());
    let directories: BTreeSet<&str> = sources.filter(|source| !FILLED_BY_PUBLISHERS.contains(source)).collect();
    let is_popular = members.iter().any(|member| {
        let bar = bars.get(member.key.source.as_str()).copied().unwrap_or(MANY_USERS).min(MANY_USERS);
        member.popularity.is_some_and(|popularity| popularity >= bar)
    });
    let is_counted = members.iter().any(|member| bars.contains_key(member.key.source.as_str()));
    let dated = members.iter().filter(|member| DATED.contains(&member.key.source.as_str()));
    let dated = dated.filter_map(|member| member.created);
    let since = members.iter().map(|member| member.first_seen).chain(dated).min();
    let is_there_for = |days: i64| since.is_some_and(|since| since.days_until(as_of.0) >= days);
    let is_known = is_popular || directories.len() >= DIRECTORIES || (!is_counted && is_there_for(LONG_DAYS));
    let is_established = is_known && is_there_for(LEAST_DAYS);
    Entity {
        vendors: members.iter().flat_map(|member| member.vendors.iter().map(String::as_str)).collect(),
        popularity: members.iter().filter_map(|member| member.popularity).max(),
        created,
        is_target: is_popular || is_established,
        is_established,
        members,
    }
}
