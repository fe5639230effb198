//! Signals: what the listings of one entity lend each other of their claims.
//!
//! A link lends where it is proved from both sides or by a registry. A listing that only says that it belongs to a famous
//! repository is shown its stars and gets none. Pure: the caller reads listings and entities, and stores the answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::identity::{Identified, Reason, Statement};
use crate::union::Union;
use capdex_model::approved::ApprovedNames;
use capdex_model::entity_signals::{
    EntitySignals, LentSignal, LinkProof, SignalKind, SignalValue, rounded, rounded_uses,
};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims};
use capdex_model::time::Timestamp;

#[cfg(test)]
mod tests;

/// Values of one signal that are kept of one listing at most. A thing with more listings tells nothing by the rest.
const MAX_LENDERS: usize = 8;

/// The signals that one listing states itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSignals {
    values: Vec<(SignalKind, SignalValue)>,
    since: Timestamp,
}

impl StatedSignals {
    /// The signals of claims that are so since an instant, and the uses that the source counts beside them. Counts are cut:
    /// a star more is no news to the whole entity.
    pub fn of(claims: &Claims, uses: Option<u64>, since: Timestamp) -> Self {
        let cut = |kind: SignalKind, value| match value {
            SignalValue::Count(count) if kind == SignalKind::Installs => SignalValue::Count(rounded_uses(count)),
            SignalValue::Count(count) => SignalValue::Count(rounded(count)),
            other => other,
        };
        let counted = |kind: SignalKind| uses.filter(|_| kind == SignalKind::Installs).map(SignalValue::Count);
        let stated = |kind: &SignalKind| Some((*kind, cut(*kind, kind.of(claims).or_else(|| counted(*kind))?)));
        Self { values: SignalKind::ALL.iter().filter_map(stated).collect(), since }
    }

    /// The installs among them.
    fn installs(&self) -> Claim<u64> {
        let count = self.values.iter().find_map(|(kind, value)| match (kind, value) {
            (SignalKind::Installs, SignalValue::Count(count)) => Some(*count),
            _ => None,
        });
        count.map_or(Claim::Unknown, Claim::Known)
    }
}

/// What is known of the directories beside their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Some directory was walked to its end: that none lists a thing is known then.
    pub directories: bool,
    /// So was the official registry.
    pub official: bool,
}

/// What each listing's entity adds to its claims; listings to which nothing is added are left out. Statements, entities
/// and stated signals are of the same listings in the same order. `approved` is the operator's own list of what may be used.
pub fn join(
    statements: &[Statement],
    identified: &[Identified],
    stated: &[StatedSignals],
    walked: Walked,
    approved: &ApprovedNames,
) -> BTreeMap<ListingKey, EntitySignals> {
    let links = Links::of(statements, identified);
    let presence = Presence::of(statements, identified);
    let mut joined = BTreeMap::new();
    for (at, (said, of)) in statements.iter().zip(identified).enumerate() {
        let mut signals = EntitySignals { lent: links.lent(at, identified, stated), ..EntitySignals::default() };
        signals.installs = stated.get(at).map_or(Claim::Unknown, StatedSignals::installs);
        if let Some(entity) = presence.entities.get(of.entity.as_str()) {
            if walked.directories || !entity.lists.is_empty() {
                signals.registries = Claim::Known(u64::try_from(entity.lists.len()).unwrap_or(u64::MAX));
            }
            if walked.official && !entity.is_official {
                signals.official = Claim::Known(false);
            }
        }
        let member = &said.member;
        let key = member.key.to_string();
        signals.approved = approved.has(member.identities.iter().map(String::as_str).chain([key.as_str()]));
        if !signals.is_empty() {
            joined.insert(said.member.key.clone(), signals);
        }
    }
    joined
}

/// The proof that an edge is; none for one that joins nothing.
const fn proof_of(reason: Reason) -> Option<LinkProof> {
    match reason {
        Reason::OperatorJoined => Some(LinkProof::Operator),
        Reason::IsRepository
        | Reason::IsArtefact
        | Reason::MirrorOf
        | Reason::VersionOf
        | Reason::Attested
        | Reason::BuiltFrom
        | Reason::RegistryVerified
        | Reason::NamespaceDomain
        | Reason::NamespaceOwner => Some(LinkProof::Registry),
        Reason::NamesEachOther | Reason::Manifest => Some(LinkProof::BothSides),
        Reason::PinnedArchive
        | Reason::AboutPackage
        | Reason::AboutEndpoint
        | Reason::AboutRepository
        | Reason::NamedSkill
        | Reason::Claims
        | Reason::PartOf => Some(LinkProof::OneSide),
        Reason::OperatorParted | Reason::ForkOf | Reason::Shared | Reason::Publisher => None,
    }
}

/// The repository of an artifact id of a place in one, and whether it is the whole.
fn repository_of(id: &str) -> Option<(&str, bool)> {
    let of = id.strip_prefix("repo:").map(|_| id)?;
    Some(of.split_once('#').map_or((of, true), |(whole, _)| (whole, false)))
}

/// Which listings are linked, and by what.
struct Links<'a> {
    /// The set of proved links in which each listing is.
    set: Vec<usize>,
    members: BTreeMap<usize, Vec<usize>>,
    /// The ids that the proved links of a set lead to.
    ids: BTreeMap<usize, BTreeSet<&'a str>>,
    /// The listings that are an artifact themselves, by its id.
    owners: BTreeMap<&'a str, Vec<usize>>,
    /// The weakest proof that ties each listing to the others, and its reason.
    ties: Vec<(LinkProof, Reason)>,
    active: Vec<bool>,
}

impl<'a> Links<'a> {
    fn of(statements: &'a [Statement], identified: &'a [Identified]) -> Self {
        let mut sets = Union::of(identified.len());
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        let mut owners: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut ties = Vec::with_capacity(identified.len());
        for (at, of) in identified.iter().enumerate() {
            let mut tie: Option<(LinkProof, Reason)> = None;
            for edge in &of.edges {
                // What was built from a repository together with other things is lent by it, and is not it.
                let is_part = edge.reason == Reason::BuiltFrom;
                let Some(proof) = proof_of(edge.reason).filter(|proof| proof.lends() && !is_part) else { continue };
                if matches!(edge.reason, Reason::IsRepository | Reason::IsArtefact) {
                    owners.entry(&edge.to).or_default().push(at);
                } else {
                    tie = Some(tie.map_or((proof, edge.reason), |known| known.max((proof, edge.reason))));
                }
                let node = *named.entry(&edge.to).or_insert_with(|| sets.add());
                sets.join(at, node);
            }
            ties.push(tie.unwrap_or((LinkProof::Operator, Reason::IsArtefact)));
        }
        let set: Vec<usize> = (0..identified.len()).map(|at| sets.root(at)).collect();
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut ids: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for (at, set) in set.iter().enumerate() {
            members.entry(*set).or_default().push(at);
        }
        for (id, node) in named {
            ids.entry(sets.root(node)).or_default().insert(id);
        }
        let active = statements.iter().map(|said| said.member.is_active).collect();
        Self { set, members, ids, owners, ties, active }
    }

    /// Everything that others state of what a listing is, proved or merely claimed; sorted.
    fn lent(&self, at: usize, identified: &[Identified], stated: &[StatedSignals]) -> Vec<LentSignal> {
        let mut lenders: BTreeMap<usize, (LinkProof, Reason, bool)> = BTreeMap::new();
        let set = self.set.get(at).copied().unwrap_or(at);
        let own = self.ties.get(at).copied().unwrap_or((LinkProof::Operator, Reason::IsArtefact));
        for other in self.members.get(&set).into_iter().flatten().copied().filter(|other| *other != at) {
            // The weaker of the two ties is what the link rests on.
            let (proof, reason) = own.max(self.ties.get(other).copied().unwrap_or(own));
            lenders.insert(other, (proof, reason, true));
        }
        // A place in a repository is not the repository, which lends it what is of all its parts.
        for (whole, _) in self.ids.get(&set).into_iter().flatten().filter_map(|id| repository_of(id)).filter(|of| !of.1)
        {
            for other in self.owners.get(whole).into_iter().flatten().copied().filter(|other| *other != at) {
                lenders.entry(other).or_insert((own.0, own.1, false));
            }
        }
        for edge in identified.get(at).map(|of| of.edges.as_slice()).unwrap_or_default() {
            let (proof, is_whole) = match (edge.reason, proof_of(edge.reason)) {
                (Reason::BuiltFrom, Some(proof)) => (proof, false),
                (_, Some(LinkProof::OneSide)) => (LinkProof::OneSide, true),
                _ => continue,
            };
            let whole = repository_of(&edge.to).map_or(edge.to.as_str(), |(whole, _)| whole);
            for other in self.owners.get(whole).into_iter().flatten().copied().filter(|other| *other != at) {
                lenders.entry(other).or_insert((proof, edge.reason, is_whole));
            }
        }
        let mut lent = Vec::new();
        let mut counts: BTreeMap<SignalKind, usize> = BTreeMap::new();
        // A listing that is gone says nothing of now.
        for (other, (proof, reason, is_whole)) in lenders {
            let (Some(true), Some(said), Some(of)) = (self.active.get(other), stated.get(other), identified.get(other))
            else {
                continue;
            };
            for (kind, value) in said.values.iter().filter(|(kind, _)| is_whole || kind.is_of_repository()) {
                let count = counts.entry(*kind).or_default();
                if *count < MAX_LENDERS {
                    *count += 1;
                    let (from, reason) = (of.listing.clone(), reason.as_str().to_owned());
                    lent.push(LentSignal { kind: *kind, value: *value, from, at: said.since, proof, reason });
                }
            }
        }
        lent.sort();
        lent
    }
}

/// The directories that list each entity.
#[derive(Default)]
struct Presence<'a> {
    entities: BTreeMap<&'a str, ListedEntity<'a>>,
}

#[derive(Default)]
struct ListedEntity<'a> {
    lists: BTreeSet<&'a str>,
    is_official: bool,
}

impl<'a> Presence<'a> {
    fn of(statements: &'a [Statement], identified: &'a [Identified]) -> Self {
        let mut presence = Self::default();
        for (said, of) in statements.iter().zip(identified) {
            let entity = presence.entities.entry(of.entity.as_str()).or_default();
            if said.member.is_active {
                // The registry that a package is published in is no directory that lists it.
                entity.lists.extend(said.directory());
                entity.is_official |= said.is_official();
            }
        }
        presence
    }
}
