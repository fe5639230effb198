//! `Relation`: what two things have to do with each other, as far as it is proven.
//!
//! Claims count against a newcomer only where it is proven that somebody else answers for it: one project often lists
//! itself under two registries with one description and one repository.

use super::super::candidate::Space;
use super::super::hosts::Host;
use super::super::judge::TyposquatSignal;
use super::super::name::Name;
use super::entities::{Entities, Entity};
use capdex_model::ids::ListingKey;
use capdex_model::source_role::Ecosystem;

/// A description of fewer words is nobody's own.
const OWN_WORDS: usize = 6;
/// Things that describe themselves in the same words after which the words are a template.
const TEMPLATE: u32 = 4;

/// True where the two are proven to be of different owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Registries that give names once say two names.
    Others,
    /// Nothing is proven either way.
    Unknown,
}

impl Relation {
    /// The relation of a newcomer and a target; none where they are one thing or have an owner in common.
    pub(super) fn between(
        space: Space,
        (text, newcomer): (&str, &Entity<'_>),
        target: Option<(&str, &Entity<'_>)>,
    ) -> Option<Self> {
        let Some((of_target, target)) = target else { return Some(Self::Unknown) };
        // The pass `identity` has settled that already.
        let is_same =
            newcomer.members.first().zip(target.members.first()).is_some_and(|(one, other)| one.entity == other.entity);
        if is_same || newcomer.publishers.iter().any(|publisher| target.publishers.contains(publisher)) {
            return None;
        }
        let registries = |entity: &Entity<'_>| {
            entity
                .publishers
                .iter()
                .filter_map(|publisher| publisher.split_once(':'))
                .map(|(at, _)| at.to_owned())
                .collect::<Vec<_>>()
        };
        let (ours, theirs) = (registries(newcomer), registries(target));
        if space == Space::Host {
            let domain = |text: &str| Host::read(text).map(|host| host.domain);
            let are_two = ours.is_empty() && theirs.is_empty() && domain(text) != domain(of_target);
            if are_two {
                return Some(Self::Others);
            }
        }
        // Only where one registry gave both names can they be said to be two owners.
        let is_comparable = ours.iter().any(|at| theirs.contains(at));
        Some(if is_comparable { Self::Others } else { Self::Unknown })
    }

    /// The things that the newcomer claims and that are the target's.
    pub(super) fn signals(
        self,
        entities: &Entities<'_>,
        newcomer: &Entity<'_>,
        target: &Entity<'_>,
        name: &Name,
        signals: &mut Vec<TyposquatSignal>,
        reasons: &mut Vec<String>,
    ) {
        // One project may stand under two registries: without a proof nothing is a copy.
        if self != Self::Others {
            return;
        }
        signals.push(TyposquatSignal::OtherOwner);
        if is_copied(entities, newcomer, target) {
            signals.push(TyposquatSignal::CopiedDescription);
            reasons.push("it describes itself in the other's words".to_owned());
        }
        if let Some(repository) = claimed_repository(newcomer, target) {
            signals.push(TyposquatSignal::RepositoryClaim);
            reasons.push(format!("it names the other's repository as its own: {repository}"));
        }
        if newcomer.descriptions().any(|text| claims_to_be(&text, name)) {
            signals.push(TyposquatSignal::ClaimedBrand);
            reasons.push("it calls itself the official one".to_owned());
        }
    }
}

/// True where the forge says that the newcomer's repository was forked from the target's.
pub(super) fn is_fork(newcomer: &Entity<'_>, target: &Entity<'_>) -> bool {
    let is_of_target = |parent| target.members.iter().any(|member| member.repository_id == Some(parent));
    newcomer.members.iter().filter_map(|member| member.fork_of).any(is_of_target)
}

/// True where the newcomer describes itself in the target's words, all of them or four in five.
fn is_copied(entities: &Entities<'_>, newcomer: &Entity<'_>, target: &Entity<'_>) -> bool {
    newcomer.descriptions().any(|ours| {
        let is_template = entities.count_described(&ours) >= TEMPLATE;
        !is_template && target.descriptions().any(|theirs| is_nearly(&ours, &theirs))
    })
}

fn is_nearly(one: &str, other: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (one, other) = (words(one), words(other));
    let common = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    let all = one.len() + other.len() - common;
    common >= OWN_WORDS && common * 5 >= all * 4
}

/// A repository that both name and whose owner answers for the target, not for the newcomer.
fn claimed_repository(newcomer: &Entity<'_>, target: &Entity<'_>) -> Option<String> {
    let of_target = |key: &str| {
        target.members.iter().any(|member| {
            member.key.to_string() == key || member.references.iter().any(|reference| reference.to_string() == key)
        })
    };
    let claimed = newcomer.members.iter().flat_map(|member| &member.references);
    let is_forge = |key: &&ListingKey| Ecosystem::of_word(&key.source).is_some_and(Ecosystem::is_forge);
    let repositories = claimed.filter(is_forge).map(ToString::to_string);
    repositories.into_iter().find(|key| {
        let owner = key.rsplit_once('/').map_or(key.as_str(), |(owner, _)| owner);
        of_target(key) && !newcomer.publishers.contains(owner)
    })
}

/// True where a description in small letters calls the thing the official one of that name.
fn claims_to_be(description: &str, name: &Name) -> bool {
    let words: Vec<&str> = description.split(|letter: char| !letter.is_alphanumeric()).collect();
    let says_so = words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        *word == "official" && !matches!(before, "not" | "un" | "non" | "no" | "an")
    });
    let brand = name.core().unwrap_or_else(|| name.compared().letters.iter().collect());
    says_so && brand.len() >= 4 && words.contains(&brand.as_str())
}
