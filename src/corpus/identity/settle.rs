//! Names for entities that stay from night to night.
//!
//! An entity keeps the id that most of its members had before; where that is even, the least such id. If several
//! entities that would keep one id, the one with most of its former members does. An id is given once: what is new
//! takes the first of its members' keys, registries of artifacts before directories, and a number behind it where that
//! was an id before. A member whose artifact was replaced by another under the same name (a re-created repository) has
//! no vote.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;

/// The ids of before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownEntities {
    /// The entity of each listing.
    pub entities: BTreeMap<ListingKey, String>,
    /// Every id that was ever given.
    pub taken: BTreeSet<String>,
}

/// An id for each component, which is a sorted list of its members' keys. `precedence` is that of each source's role.
pub(super) fn settle(
    components: &[Vec<&ListingKey>],
    precedence: &BTreeMap<&str, u8>,
    known: &KnownEntities,
    replaced: &BTreeSet<ListingKey>,
) -> Vec<String> {
    let mut bids: Vec<(usize, &str, usize)> = Vec::new();
    for (at, members) in components.iter().enumerate() {
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        // A re-created repository would carry the trust in the old one over to a stranger.
        for member in members.iter().filter(|member| !replaced.contains(**member)) {
            if let Some(id) = known.entities.get(*member) {
                *votes.entry(id).or_default() += 1;
            }
        }
        bids.extend(votes.into_iter().map(|(id, votes)| (votes, id, at)));
    }
    // Most votes first, then the least id, then the first component.
    bids.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2))));
    let mut ids: Vec<Option<String>> = vec![None; components.len()];
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    for (_, id, at) in bids {
        // Each id goes to one component and each component takes one id: a split must not give one twice.
        if let Some(slot @ None) = ids.get_mut(at)
            && kept.insert(id)
        {
            *slot = Some(id.to_owned());
        }
    }
    // Ids of entities that are gone stay taken: a link to one must never lead to something else.
    let mut taken: BTreeSet<String> = known.taken.iter().cloned().chain(kept.into_iter().map(str::to_owned)).collect();
    let named =
        components.iter().zip(ids).map(|(members, id)| id.unwrap_or_else(|| new_id(members, precedence, &mut taken)));
    named.collect()
}

/// The first key that is no id yet, else the first with a number behind it.
fn new_id(members: &[&ListingKey], precedence: &BTreeMap<&str, u8>, taken: &mut BTreeSet<String>) -> String {
    let rank = |key: &ListingKey| precedence.get(key.source.as_str()).copied().unwrap_or(u8::MAX);
    let first = members.iter().min_by_key(|key| (rank(key), **key)).map(ToString::to_string).unwrap_or_default();
    let numbered = (2_u64..).map(|number| format!("{first}#{number}"));
    let id = std::iter::once(first.clone()).chain(numbered).find(|id| !taken.contains(id)).unwrap_or(first);
    taken.insert(id.clone());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(texts: &[&str]) -> Vec<ListingKey> {
        texts.iter().map(|text| text.parse().expect("a key")).collect()
    }

    fn settled(components: &[&[&str]], known: &KnownEntities) -> Vec<String> {
        let owned: Vec<Vec<ListingKey>> = components.iter().map(|members| keys(members)).collect();
        let lent: Vec<Vec<&ListingKey>> = owned.iter().map(|members| members.iter().collect()).collect();
        settle(&lent, &BTreeMap::from([("npm", 0), ("official-registry", 6)]), known, &BTreeSet::new())
    }

    fn known(pairs: &[(&str, &str)]) -> KnownEntities {
        let entities = pairs.iter().map(|(key, id)| (key.parse().expect("a key"), (*id).to_owned())).collect();
        KnownEntities { entities, taken: pairs.iter().map(|(_, id)| (*id).to_owned()).collect() }
    }

    #[test]
    fn a_new_entity_is_named_after_where_its_artifact_is() {
        assert_eq!(settled(&[&["glama:a/b", "npm:b", "official-registry:c"]], &KnownEntities::default()), ["npm:b"]);
    }

    #[test]
    fn members_come_and_go_and_the_id_stays() {
        let before = known(&[("glama:b", "glama:b"), ("mcp-so:b", "glama:b")]);
        assert_eq!(settled(&[&["glama:b", "mcp-so:b", "npm:b"]], &before), ["glama:b"]);
        assert_eq!(settled(&[&["mcp-so:b", "npm:b"]], &before), ["glama:b"]);
    }

    #[test]
    fn of_two_parts_the_larger_keeps_the_id_and_of_two_wholes_one_goes() {
        let before = known(&[("a:1", "a:1"), ("a:2", "a:1"), ("a:3", "a:1"), ("b:1", "b:1")]);
        assert_eq!(settled(&[&["a:1"], &["a:2", "a:3"], &["b:1"]], &before), ["a:1#2", "a:1", "b:1"]);
        assert_eq!(settled(&[&["a:1", "a:2", "a:3", "b:1"]], &before), ["a:1"]);
    }

    #[test]
    fn a_replaced_member_has_no_vote_and_an_id_is_given_once() {
        let before = known(&[("github:a/b", "github:a/b"), ("glama:a/b", "github:a/b")]);
        let owned = keys(&["github:a/b"]);
        let other = keys(&["glama:a/b"]);
        let components = [owned.iter().collect(), other.iter().collect()];
        let replaced = BTreeSet::from(["github:a/b".parse().expect("a key")]);
        assert_eq!(
            settle(&components, &BTreeMap::from([("github", 2)]), &before, &replaced),
            ["github:a/b#2", "github:a/b"]
        );
    }
}
