//! The names of a night, space by space: which things bear which name.
//!
//! Likeness is asked of the names afterwards.

use std::collections::BTreeMap;

use super::super::candidate::Space;
use super::super::hosts::Host;
use super::entities::{Entities, Entity};
use crate::corpus::{Corpus, CorpusMember};
use capdex_model::ids::{CapabilityId, ListingKey, split_registry};
use capdex_model::source_role::{Ecosystem, Rows};

/// A name that only the bytes of a listing know: of a skill inside a package, of a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InnerName {
    /// The listing that speaks for the bytes.
    pub listing: ListingKey,
    /// The space of the name.
    pub space: Space,
    /// The name.
    pub name: String,
    /// The capability that bears it, where the name is its own and nobody else's in the listing.
    pub capability: Option<CapabilityId>,
}

/// One name of one space, and the things that bear it.
#[derive(Debug, Default)]
pub(super) struct NameBearers<'a> {
    /// The name as one of them writes it.
    pub(super) text: String,
    /// The things, ascending, each with the listing that bears it.
    pub(super) by: Vec<(u32, &'a CorpusMember)>,
    /// The capabilities inside of them that bear it.
    pub(super) inside: BTreeMap<u32, CapabilityId>,
}

/// The names of every space, by their small letters.
pub(super) type NamesBySpace<'a> = BTreeMap<(Space, String), NameBearers<'a>>;

pub(super) fn names_of<'a>(corpus: &'a Corpus, entities: &Entities<'a>, inner: &[InnerName]) -> NamesBySpace<'a> {
    let mut names = NamesBySpace::new();
    for (number, entity) in entities.numbered() {
        for member in &entity.members {
            // A skill is chosen among skills, by its name there: what packages are called is no likeness of it.
            let space = if member.role.rows == Rows::Skills { Space::Skill } else { Space::Name };
            for text in own_names(member) {
                add(&mut names, space, text, number, member);
            }
            for host in addresses(member).chain(namespaces(member)) {
                add(&mut names, Space::Host, host, number, member);
            }
        }
        for (text, member) in publishers(entity) {
            add(&mut names, Space::Publisher, text, number, member);
        }
    }
    for inner in inner {
        let Some(member) = corpus.member(&inner.listing) else { continue };
        let Some(number) = entities.number_of(member) else { continue };
        let borne = add(&mut names, inner.space, inner.name.clone(), number, member);
        if let Some(capability) = inner.capability {
            borne.inside.entry(number).or_insert(capability);
        }
    }
    for borne in names.values_mut() {
        borne.by.sort_by_key(|(number, member)| (*number, &member.key));
        // One thing bears a name once, however many listings of it say so.
        borne.by.dedup_by_key(|(number, _)| *number);
    }
    names
}

fn add<'a, 'names>(
    names: &'names mut NamesBySpace<'a>,
    space: Space,
    text: String,
    number: u32,
    member: &'a CorpusMember,
) -> &'names mut NameBearers<'a> {
    let borne = names.entry((space, text.to_lowercase())).or_default();
    if borne.text.is_empty() {
        borne.text = text;
    }
    if borne.by.last().is_none_or(|(last, _)| *last != number) {
        borne.by.push((number, member));
    }
    borne
}

/// The name of a listing: a package by its whole name, whatever registry has it, everything else by the last part of its
/// name.
fn own_names(member: &CorpusMember) -> Vec<String> {
    let mut names = Vec::new();
    let key = member.key.to_string();
    for identity in member.identities.iter().map(String::as_str).chain([key.as_str()]) {
        let Some((word, name)) = split_registry(identity).0.split_once(':') else { continue };
        let own = member.role.ecosystem().filter(|_| word == member.key.source);
        let last = name.rsplit('/').next().unwrap_or(name);
        let name = match own.or_else(|| Ecosystem::of_word(word)) {
            Some(Ecosystem::Npm | Ecosystem::Pypi) => name,
            Some(Ecosystem::Mcp) => continue,
            // Without the tag of the image, or its digest.
            Some(Ecosystem::Oci) => last.split([':', '@']).next().unwrap_or(last),
            None if word == "pinned" => continue,
            Some(Ecosystem::GitHub | Ecosystem::Git | Ecosystem::Folder) | None => last,
        };
        names.push(name.to_owned());
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The hosts of its endpoints.
fn addresses(member: &CorpusMember) -> impl Iterator<Item = String> {
    let of_identity = member.identities.iter().filter_map(|identity| identity.strip_prefix("mcp:"));
    let is_endpoint = member.role.ecosystem() == Some(Ecosystem::Mcp);
    let own = is_endpoint.then_some(member.key.name.as_str());
    let referred =
        member.references.iter().filter(|key| key.source == Ecosystem::Mcp.as_str()).map(|key| key.name.as_str());
    of_identity.chain(own).chain(referred).filter_map(Host::read).map(|host| host.text)
}

/// The hosts whose owners the registry verified: a namespace is one written backwards.
fn namespaces(member: &CorpusMember) -> impl Iterator<Item = String> {
    let namespaces = member.publishers.iter().filter_map(|publisher| publisher.strip_prefix("namespace:"));
    let of_domains = namespaces.filter(|namespace| !namespace.starts_with("io.github."));
    let hosts = of_domains.map(|namespace| namespace.rsplit('.').collect::<Vec<_>>().join("."));
    hosts.filter_map(|host| Host::read(&host)).map(|host| host.text)
}

/// The one who answers for it, without the word that says where. An account under several registries is one name.
fn publishers<'a>(entity: &Entity<'a>) -> impl Iterator<Item = (String, &'a CorpusMember)> {
    let of_member = |member: &&'a CorpusMember| {
        let member: &'a CorpusMember = member;
        member.publishers.iter().filter_map(move |publisher| {
            let (at, name) = publisher.split_once(':')?;
            // A namespace is compared as the host that it is, and that of an account is counted as the account.
            (at != "namespace").then(|| (name.rsplit('/').next().unwrap_or(name).to_owned(), member))
        })
    };
    entity.members.iter().flat_map(of_member).collect::<Vec<_>>().into_iter()
}
