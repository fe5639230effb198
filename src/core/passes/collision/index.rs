//! Who has which name: entities gathered into parties by their vendors, and names by the parties that have them.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{COMMON_FROM, folded, is_plain};
use super::{Server, World};

/// The parties and names of a world.
pub(super) struct Index<'a> {
    pub(super) world: &'a World,
    /// The party of each entity: all entities that share a vendor, directly or through others.
    parties: BTreeMap<&'a str, usize>,
    /// By folded name the servers that have it, with their spelling.
    pub(super) tools: BTreeMap<String, Vec<(&'a Server, &'a str)>>,
}

impl<'a> Index<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        let mut tools: BTreeMap<String, Vec<(&Server, &str)>> = BTreeMap::new();
        for server in &world.servers {
            for name in server.tools.keys() {
                tools.entry(folded(name)).or_default().push((server, name));
            }
        }
        tools.remove("");
        Self { world, parties: parties(world), tools }
    }

    /// The party of an entity.
    pub(super) fn party(&self, entity: &str) -> Option<usize> {
        self.parties.get(entity).copied()
    }

    /// How many parties have a tool of this folded name.
    pub(super) fn parties_with(&self, name: &str) -> usize {
        let holders = self.tools.get(name).into_iter().flatten();
        holders.map(|(server, _)| self.party(&server.entity)).collect::<BTreeSet<_>>().len()
    }

    /// Whether a folded name is one that says whose tool it is.
    pub(super) fn is_rare(&self, name: &str) -> bool {
        !is_plain(name) && self.parties_with(name) < COMMON_FROM
    }

    /// Why `target` is established and came before `entity`, which is another party; none where it is not so.
    pub(super) fn precedes(&self, target: &str, entity: &str) -> Option<String> {
        if target == entity || self.party(target) == self.party(entity) {
            return None;
        }
        let since = |entity: &str| self.world.standings.get(entity).and_then(|standing| standing.since);
        let (first, later) = (since(target)?, since(entity)?);
        if first >= later {
            return None;
        }
        self.world.standings.why(target, later)
    }

    /// Whether two entities are packages of one registry, or rows of one, whose publishers are known and are others. Copies
    /// of repositories are what forges are for.
    pub(super) fn are_known_strangers(&self, one: &str, other: &str) -> bool {
        let kinds = |entity: &str| -> BTreeSet<&str> {
            let vendors = self.world.standings.get(entity).into_iter().flat_map(|standing| &standing.vendors);
            let kinds = vendors.filter_map(|vendor| vendor.split([':', '-']).next());
            kinds.filter(|kind| matches!(*kind, "npm" | "pypi" | "namespace")).collect()
        };
        self.party(one) != self.party(other) && !kinds(one).is_disjoint(&kinds(other))
    }

    /// Whether one of two entities says that it has to do with the other.
    pub(super) fn are_claimed(&self, one: &str, other: &str) -> bool {
        let pair = |a: &str, b: &str| self.world.claimed.contains(&(a.to_owned(), b.to_owned()));
        pair(one, other) || pair(other, one)
    }
}

/// Numbers for the sets of entities that share vendors.
fn parties(world: &World) -> BTreeMap<&str, usize> {
    let entities =
        world.servers.iter().map(|server| &server.entity).chain(world.listings.iter().map(|(_, entity)| entity));
    let entities: BTreeSet<&str> = entities.map(String::as_str).collect();
    let mut parent: Vec<usize> = (0..entities.len()).collect();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, entity) in entities.iter().enumerate() {
        for vendor in world.standings.get(entity).into_iter().flat_map(|standing| &standing.vendors) {
            match first.get(vendor.as_str()) {
                Some(other) => {
                    let (one, other) = (root(&mut parent, at), root(&mut parent, *other));
                    if let Some(slot) = parent.get_mut(one.max(other)) {
                        *slot = one.min(other);
                    }
                }
                None => drop(first.insert(vendor, at)),
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
