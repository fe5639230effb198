//! `Corpus`: the listings of all directories, as the passes see them that compare listings with each other.
//!
//! The pass `identity` says what is the same thing, [`publisher`] who answers for it.

use std::collections::BTreeSet;

use crate::publisher;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::release_line;
use capdex_model::source_role::{SourceRole, SourceRoles};
use capdex_model::time::Timestamp;
/// One listing of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusMember {
    /// The source and the name there.
    pub key: ListingKey,
    /// The role of its source, as the passes see it.
    pub role: SourceRole,
    /// The identities of its locators, which stay over versions (`npm:@scope/name`), sorted.
    pub identities: Vec<String>,
    /// The keys of other sources that it names: claims of whoever wrote the listing, not proofs.
    pub references: Vec<ListingKey>,
    /// The publishers that prove to answer for it, sorted (`npm-scope:acme`, `github:acme`, `namespace:com.acme`,
    /// `npm-user:ann`).
    pub publishers: BTreeSet<String>,
    /// The id of the thing that it is a listing of, as the pass `identity` settled it; its own key before that.
    pub entity: String,
    /// Downloads, installs or stars, as its source counts them; none where nobody says.
    pub popularity: Option<u64>,
    /// When the package first appeared, where the source says so.
    pub created: Option<Timestamp>,
    /// When the listed version was published, where the source says so.
    pub published: Option<Timestamp>,
    /// When a night of ours first saw it.
    pub first_seen: Timestamp,
    /// Its one-line description.
    pub description: Option<String>,
    /// The address of its repository as written.
    pub repository: Option<String>,
    /// The number by which the forge knows its repository, where the source says it.
    pub repository_id: Option<u64>,
    /// The number of the repository that its own was forked from, as the forge says.
    pub fork_of: Option<u64>,
    /// True where it was there at the last visit.
    pub is_active: bool,
}

impl CorpusMember {
    /// The member that a listing makes, as an entity of its own.
    pub fn of(
        listing: &Listing,
        roles: &SourceRoles,
        popularity: Option<u64>,
        first_seen: Timestamp,
        is_active: bool,
    ) -> Self {
        let identities: BTreeSet<String> = listing.locators.iter().map(|locator| locator.identity()).collect();
        let claims = &listing.claims;
        Self {
            key: listing.key.clone(),
            role: roles.of_source(&listing.key.source),
            publishers: publisher::of(
                &listing.key,
                roles,
                &identities,
                claims.maintainers.known().map_or(&[], Vec::as_slice),
            ),
            identities: identities.into_iter().collect(),
            references: listing.references.iter().map(package_named).collect(),
            // Until the pass `identity` has settled the entities, each listing stands for itself.
            entity: listing.key.to_string(),
            // Stars come last: they say less about use than downloads do.
            popularity: popularity.or(claims.downloads_monthly.known().copied()).or(claims
                .repository_signals
                .stars
                .known()
                .copied()),
            created: claims.created.known().copied(),
            published: claims.published.known().copied(),
            first_seen,
            description: claims.description.known().cloned(),
            repository: claims.repository.known().cloned(),
            repository_id: claims.repository_signals.repository_id.known().copied(),
            fork_of: claims.repository_signals.fork_of.known().copied(),
            is_active,
        }
    }
}

/// What a reference names, without the release line of a package.
fn package_named(reference: &ListingKey) -> ListingKey {
    if release_line::has_lines(&reference.source) {
        return ListingKey::new(&reference.source, release_line::package_of(&reference.name));
    }
    reference.clone()
}

/// All listings, sorted by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    members: Vec<CorpusMember>,
}

impl Corpus {
    /// Sorts the listings.
    pub fn new(mut members: Vec<CorpusMember>) -> Self {
        members.sort_by(|one, other| one.key.cmp(&other.key));
        Self { members }
    }

    /// The listings, sorted by key.
    pub fn members(&self) -> &[CorpusMember] {
        &self.members
    }

    /// The listing of a key.
    pub fn member(&self, key: &ListingKey) -> Option<&CorpusMember> {
        // `new` sorted them by key, and `members` hands out no mutable access that could undo it.
        let at = self.members.binary_search_by(|member| member.key.cmp(key)).ok()?;
        self.members.get(at)
    }
}
