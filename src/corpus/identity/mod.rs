//! Identity: which listings of which directories are one thing.
//!
//! Pure: the same statements in any order give the same entities. The caller reads listings from the store, and other
//! passes say what is bad.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;

mod artifact_id;
mod edge;
mod events;
mod manifests;
mod nodes;
mod overrides;
mod resolve;
mod settle;
mod statement;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use edge::{IdentityEdge, Reason};
pub use events::{Contents, EventKind, IdentityAnchor, IdentityAnchors, IdentityEvent, Look, anchors, events};
pub use manifests::{NamedManifest, is_manifest, named_by};
pub use overrides::{OverrideDecision, Overrides, OverridesError};
pub use settle::KnownEntities;
pub use statement::Statement;

/// The packages that repositories hold, as far as their bytes were read: by `github:owner/name` or
/// `git:host/owner/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// The manifests of packages.
    pub manifests: BTreeMap<String, Vec<NamedManifest>>,
    /// The folders of skills.
    pub skills: BTreeMap<String, BTreeSet<String>>,
}

/// The groups that are one thing each, by the statements' places.
pub(crate) struct Resolution {
    pub(crate) components: Vec<Vec<usize>>,
    pub(crate) edges: Vec<Vec<IdentityEdge>>,
}

/// One listing and the entity that it is a listing of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identified {
    /// The listing.
    pub listing: ListingKey,
    /// The entity's id.
    pub entity: String,
    /// Why, and what else it has to do with; strongest first.
    pub edges: Vec<IdentityEdge>,
}

/// The knowledge that the pass reads beside the statements.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The packages that repositories hold.
    pub proofs: Proofs,
    /// The decisions of the operator.
    pub overrides: Overrides,
    /// The ids of before.
    pub known: KnownEntities,
    /// Listings whose artifact is another one than before, under the same name.
    pub replaced: BTreeSet<ListingKey>,
}

/// Sorts statements, as [`identify`] needs them.
pub fn sort(statements: &mut [Statement]) {
    statements.sort_by(|one, other| one.member.key.cmp(&other.member.key));
}

/// The entity of every listing, sorted by listing. The statements must be sorted by [`sort`].
pub fn identify(statements: &[Statement], given: &Given) -> Vec<Identified> {
    let Resolution { components, edges } = resolve::resolve(statements, &given.proofs, &given.overrides);
    let key = |at: &usize| statements.get(*at).map(|said| &said.member.key);
    let keys: Vec<Vec<&ListingKey>> =
        components.iter().map(|members| members.iter().filter_map(key).collect()).collect();
    let precedence =
        statements.iter().map(|said| (said.member.key.source.as_str(), said.member.role.precedence)).collect();
    let ids = settle::settle(&keys, &precedence, &given.known, &given.replaced);
    let mut entity_of: BTreeMap<usize, &str> = BTreeMap::new();
    for (members, id) in components.iter().zip(&ids) {
        entity_of.extend(members.iter().map(|at| (*at, id.as_str())));
    }
    let identified = statements.iter().zip(edges).enumerate().map(|(at, (said, edges))| Identified {
        listing: said.member.key.clone(),
        entity: entity_of.get(&at).copied().unwrap_or_default().to_owned(),
        edges,
    });
    identified.collect()
}
