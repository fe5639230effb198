//! The index of names: entities gathered into parties by their publishers, and names by the parties that have them.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{COMMON_FROM, folded, is_plain};
use super::{CollisionCorpus, Server};
use capdex_model::source_role::Ecosystem;
use capdex_model::time::Timestamp;
/// Holders of a name that others are compared with, the oldest first.
const MOST_TARGETS: usize = 16;

/// The parties and names of a `CollisionCorpus`.
pub(super) struct CollisionIndex<'a> {
    pub(super) corpus: &'a CollisionCorpus,
    /// The party of each entity: all entities that share a publisher, directly or through others.
    parties: BTreeMap<&'a str, usize>,
    /// By folded name the servers that have it, with their spelling.
    pub(super) tools: BTreeMap<String, Vec<(&'a Server, &'a str)>>,
    /// By folded name the parties that had it first.
    first: BTreeMap<String, FirstParties<'a>>,
}

/// The parties that had a name first, no more than decide whether it is rare.
#[derive(Default)]
struct FirstParties<'a> {
    /// The parties of any kind, with the entity by which each came.
    any: Vec<(usize, &'a str)>,
    /// The parties with a proven publisher.
    proven: Vec<(usize, &'a str)>,
}

impl<'a> CollisionIndex<'a> {
    pub(super) fn of(corpus: &'a CollisionCorpus) -> Self {
        let mut tools: BTreeMap<String, Vec<(&Server, &str)>> = BTreeMap::new();
        for server in &corpus.servers {
            for name in server.tools.keys() {
                tools.entry(folded(name)).or_default().push((server, name));
            }
        }
        // Names of signs only fold to nothing and would all be one.
        tools.remove("");
        let since = |server: &Server| corpus.popularity.get(&server.entity).and_then(|popularity| popularity.since);
        for holders in tools.values_mut() {
            // Oldest first, those of unknown age last: a newcomer without a date must not become the original.
            holders.sort_by_cached_key(|(server, name)| (since(server).is_none(), since(server), &server.slug, *name));
        }
        let parties = parties(corpus);
        let first = tools.iter().map(|(name, holders)| (name.clone(), first(corpus, &parties, holders))).collect();
        Self { corpus, parties, tools, first }
    }

    /// The party of an entity.
    pub(super) fn party(&self, entity: &str) -> Option<usize> {
        self.parties.get(entity).copied()
    }

    /// The number of parties that have a tool of this folded name.
    pub(super) fn parties_with(&self, name: &str) -> usize {
        let holders = self.tools.get(name).into_iter().flatten();
        // Entities without a party would count as one; all that have servers have one.
        holders.map(|(server, _)| self.party(&server.entity)).collect::<BTreeSet<_>>().len()
    }

    /// True where a folded name is shown as one that few share. Weighs nothing: see [`CollisionIndex::is_rare_for`].
    pub(super) fn is_rare(&self, name: &str) -> bool {
        !is_plain(name) && self.parties_with(name) < COMMON_FROM
    }

    /// True where a folded name says whose tool it is, as far as somebody who came later is concerned. Only parties
    /// count that were there long before, or not after and with a proven publisher: whoever came later cannot make a name
    /// common.
    pub(super) fn is_rare_for(&self, name: &str, entity: &str) -> bool {
        // Without a date nobody can be said to have come later.
        let Some(later) = self.since(entity).filter(|_| !is_plain(name)) else { return false };
        let Some(first) = self.first.get(name) else { return true };
        let long = first.any.iter().filter(|(_, other)| self.corpus.popularity.long_before(other, later).is_some());
        // Entries without a proven publisher can be made in any number to make a name look common.
        let proven = first.proven.iter().filter(|(_, other)| self.since(other).is_some_and(|since| since <= later));
        let parties: BTreeSet<usize> = long.chain(proven).map(|(party, _)| *party).collect();
        parties.len() < COMMON_FROM
    }

    fn since(&self, entity: &str) -> Option<Timestamp> {
        self.corpus.popularity.get(entity).and_then(|popularity| popularity.since)
    }

    /// The holders of a folded name that others are compared with: the oldest, which nobody displaces by coming later.
    pub(super) fn targets(&self, name: &str) -> impl Iterator<Item = (&'a Server, &'a str)> {
        self.tools.get(name).into_iter().flatten().copied().take(MOST_TARGETS)
    }

    /// The time since when `target` was there, where that is long before `entity` came, which is another party.
    pub(super) fn precedes(&self, target: &str, entity: &str) -> Option<String> {
        if target == entity || self.party(target) == self.party(entity) {
            return None;
        }
        // The target's age is measured against the newcomer's arrival, not against today.
        let since = self.corpus.popularity.long_before(target, self.since(entity)?)?;
        Some(format!("there since {since}"))
    }

    /// True where two entities are packages of one registry, or rows of one, whose publishers are known and are others.
    /// Copies of repositories are what forges are for.
    pub(super) fn are_known_strangers(&self, one: &str, other: &str) -> bool {
        let kinds = |entity: &str| -> BTreeSet<&str> {
            let publishers =
                self.corpus.popularity.get(entity).into_iter().flat_map(|popularity| &popularity.publishers);
            // `npm-scope:acme` and `npm-user:ann` are both of npm: the first part names the registry.
            let kinds = publishers.filter_map(|publisher| publisher.split([':', '-']).next());
            let has_accounts = |word: &str| Ecosystem::of_word(word).is_some_and(Ecosystem::has_accounts);
            kinds.filter(|kind| *kind == "namespace" || has_accounts(kind)).collect()
        };
        self.party(one) != self.party(other) && !kinds(one).is_disjoint(&kinds(other))
    }

    /// True where one of two entities says that it has to do with the other.
    pub(super) fn are_claimed(&self, one: &str, other: &str) -> bool {
        let pair = |a: &str, b: &str| self.corpus.claimed.contains(&(a.to_owned(), b.to_owned()));
        pair(one, other) || pair(other, one)
    }
}

/// The parties that had a name first, from its holders with the oldest first.
fn first<'a>(
    corpus: &CollisionCorpus,
    parties: &BTreeMap<&str, usize>,
    holders: &[(&'a Server, &str)],
) -> FirstParties<'a> {
    let mut first = FirstParties::default();
    let add = |to: &mut Vec<(usize, &'a str)>, party: usize, entity: &'a str| {
        // More than decide rarity are never asked for; a common name keeps no list of thousands.
        if to.len() < COMMON_FROM && to.iter().all(|(known, _)| *known != party) {
            to.push((party, entity));
        }
    };
    for (server, _) in holders {
        let Some(party) = parties.get(server.entity.as_str()) else { continue };
        add(&mut first.any, *party, &server.entity);
        if corpus.popularity.get(&server.entity).is_some_and(|popularity| !popularity.publishers.is_empty()) {
            add(&mut first.proven, *party, &server.entity);
        }
    }
    first
}

/// Numbers for the sets of entities that share publishers.
fn parties(corpus: &CollisionCorpus) -> BTreeMap<&str, usize> {
    let entities =
        corpus.servers.iter().map(|server| &server.entity).chain(corpus.listings.iter().map(|(_, entity)| entity));
    let entities: BTreeSet<&str> = entities.map(String::as_str).collect();
    let mut parent: Vec<usize> = (0..entities.len()).collect();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, entity) in entities.iter().enumerate() {
        for publisher in corpus.popularity.get(entity).into_iter().flat_map(|popularity| &popularity.publishers) {
            match first.get(publisher.as_str()) {
                Some(other) => {
                    let (one, other) = (root(&mut parent, at), root(&mut parent, *other));
                    // The lesser place stays root, so that numbers do not depend on the order of publishers.
                    if let Some(slot) = parent.get_mut(one.max(other)) {
                        *slot = one.min(other);
                    }
                }
                None => drop(first.insert(publisher, at)),
            }
        }
    }
    entities.into_iter().enumerate().map(|(at, entity)| (entity, root(&mut parent, at))).collect()
}

fn root(parent: &mut [usize], node: usize) -> usize {
    let mut at = node;
    while let Some(next) = parent.get(at).copied().filter(|next| *next != at) {
        // Halve the way for the next time.
        let after = parent.get(next).copied().unwrap_or(next);
        if let Some(slot) = parent.get_mut(at) {
            *slot = after;
        }
        at = after;
    }
    at
}
