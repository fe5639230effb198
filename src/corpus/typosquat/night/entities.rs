//! `Entities`: the things that listings are listings of, with who answers for each and whether it is established.
//!
//! Names are compared elsewhere; here things are only known by what their listings say of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{Corpus, CorpusMember};
use crate::established::{EntityPopularity, PopularityByEntity};
use capdex_model::time::{AsOf, Timestamp};

/// One thing, however many directories list it.
#[derive(Debug)]
pub(super) struct Entity<'a> {
    /// Its listings, by key.
    pub(super) members: Vec<&'a CorpusMember>,
    /// The publishers that prove to answer for any of them.
    pub(super) publishers: BTreeSet<&'a str>,
    /// Its users, as the source counts them that counts most.
    pub(super) popularity: Option<u64>,
    /// When it appeared, where a registry says so that dates its entries itself.
    pub(super) created: Option<Timestamp>,
    /// True where others may be taken for it.
    pub(super) is_target: bool,
    /// True where it is so known, and for so long, that it is taken for nobody.
    pub(super) is_established: bool,
}

/// All things that are listed now.
#[derive(Debug)]
pub(super) struct Entities<'a> {
    all: Vec<Entity<'a>>,
    by_name: BTreeMap<&'a str, u32>,
    descriptions: BTreeMap<String, u32>,
}

impl<'a> Entities<'a> {
    pub(super) fn of(corpus: &'a Corpus, as_of: AsOf) -> Self {
        let mut grouped: BTreeMap<&str, Vec<&CorpusMember>> = BTreeMap::new();
        // A listing that is gone can be installed by nobody.
        for member in corpus.members().iter().filter(|member| member.is_active) {
            grouped.entry(&member.entity).or_default().push(member);
        }
        let popularity = PopularityByEntity::of(corpus);
        let by_name = grouped.keys().copied().zip(0..).collect();
        let all: Vec<Entity<'_>> = grouped
            .into_iter()
            .filter_map(|(name, members)| Some(entity(members, popularity.get(name)?, as_of)))
            .collect();
        let mut descriptions: BTreeMap<String, u32> = BTreeMap::new();
        for entity in &all {
            // A set, because the listings of one thing mostly repeat its description: a thing counts once.
            let own: BTreeSet<String> = entity.descriptions().collect();
            own.into_iter().for_each(|text| *descriptions.entry(text).or_default() += 1);
        }
        Self { all, by_name, descriptions }
    }

    pub(super) fn get(&self, number: u32) -> Option<&Entity<'a>> {
        self.all.get(number as usize)
    }

    /// The thing that a listing is one of, where it is listed now.
    pub(super) fn number_of(&self, member: &CorpusMember) -> Option<u32> {
        self.by_name.get(member.entity.as_str()).copied()
    }

    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &Entity<'a>)> {
        (0..).zip(&self.all)
    }

    /// The number of things that describe themselves in exactly these words.
    pub(super) fn count_described(&self, description: &str) -> u32 {
        self.descriptions.get(description).copied().unwrap_or(0)
    }
}

impl Entity<'_> {
    /// The description that its listings give it: small letters, one blank between words.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = String> {
        let described = self.members.iter().filter_map(|member| member.description.as_deref());
        described
            .map(|text| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|text| !text.is_empty())
    }
}

fn entity<'a>(members: Vec<&'a CorpusMember>, popularity: &EntityPopularity, as_of: AsOf) -> Entity<'a> {
    let is_established = popularity.why(as_of.0).is_some();
    Entity {
        publishers: members.iter().flat_map(|member| member.publishers.iter().map(String::as_str)).collect(),
        popularity: members.iter().filter_map(|member| member.popularity).max(),
        // Elsewhere a date is what its publisher wrote, and an old one would excuse a newcomer.
        created: members.iter().filter(|member| member.role.dates_entries).filter_map(|member| member.created).min(),
        is_target: popularity.is_popular || is_established,
        is_established,
        members,
    }
}
