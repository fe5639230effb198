//! Packages of one name in two registries: what installers take for each other (dependency confusion).
//!
//! Which of the two an installer gets depends on its settings, and on which has the higher version. Mirrors are one thing
//! already, as the pass `identity` settled it.

use std::collections::BTreeMap;

use super::super::judge::{BenignMark, CaseBasis, TyposquatCase, TyposquatSignal};
use super::super::kinds::TyposquatKind;
use super::super::likeness::Likeness;
use super::entities::Entity;
use super::{Night, Space, Suspect, TyposquatTarget, publishers_of};
use crate::corpus::{Corpus, CorpusMember};
use capdex_model::ids::split_registry;

impl<'a> Night<'a> {
    /// Every package of the ecosystem's own registry, or of a third one, whose name another registry has too. The operator's
    /// other registry is what people mean by it, so its package is the one that others may be taken for.
    pub fn across_registries(&self, corpus: &'a Corpus) -> Vec<Suspect<'a>> {
        let mut named: BTreeMap<&str, Vec<(&str, u32, &'a CorpusMember)>> = BTreeMap::new();
        for member in corpus.members().iter().filter(|member| member.is_active) {
            let Some(number) = self.entities.number_of(member) else { continue };
            for identity in &member.identities {
                let (package, registry) = split_registry(identity);
                if package.starts_with("npm:") || package.starts_with("pypi:") {
                    named.entry(package).or_default().push((registry.unwrap_or_default(), number, member));
                }
            }
        }
        let mut suspects = Vec::new();
        for (package, mut bearers) in named {
            // The registry with the first name after the ecosystem's own, which has none, is the one that is meant.
            bearers.sort_by_key(|(registry, number, member)| (registry.is_empty(), *registry, *number, &member.key));
            let Some(((at, number, target), others)) = bearers.split_first() else { continue };
            let newcomers = others.iter().filter(|(registry, other, _)| registry != at && other != number);
            for (registry, newcomer, member) in newcomers {
                suspects.extend(self.same_name(package, (at, *number, target), (registry, *newcomer, member)));
            }
        }
        suspects
    }

    fn same_name(
        &self,
        package: &str,
        (at, of_target, target): (&str, u32, &'a CorpusMember),
        (registry, of_newcomer, member): (&str, u32, &'a CorpusMember),
    ) -> Option<Suspect<'a>> {
        let (entity, other) = (self.entities.get(of_newcomer)?, self.entities.get(of_target)?);
        let kind = TyposquatKind::Registry;
        let name = package.split_once(':').map_or(package, |(_, name)| name).to_owned();
        let written = |registry: &str| if registry.is_empty() { "the public registry" } else { registry }.to_owned();
        let mut signals: Vec<TyposquatSignal> = Vec::new();
        let mut reasons =
            vec![kind.sentence().to_owned(), format!("one is in {}, the other in {}", written(registry), written(at))];
        let is_mirror = is_alike(entity, other);
        if !is_mirror && entity.descriptions().any(|text| other.descriptions().any(|of| of == text)) {
            signals.push(TyposquatSignal::CopiedDescription);
            reasons.push("it describes itself in the other's words".to_owned());
        }
        let whole = TyposquatTarget { text: name.clone(), space: Space::Name, by: Vec::new(), line: None };
        let mut candidate = whole.candidate(Space::Name, kind, Some((other, target)));
        candidate.name = name;
        candidate.reasons = reasons;
        candidate.listing = Some(member.key.to_string());
        (candidate.popularity, candidate.target_popularity) = (entity.popularity, other.popularity);
        candidate.owners = publishers_of(entity);
        let marks = is_mirror.then_some(BenignMark::Mirror).into_iter().collect();
        let case = TyposquatCase { kind, likeness: Likeness::Close, marks, signals, gap: 0, basis: CaseBasis::Crawl };
        Some(Suspect { listings: entity.members.iter().map(|member| &member.key).collect(), candidate, case })
    }
}

/// True where two things say the same of themselves and name one repository and the same accounts, as a mirror does that has
/// another version yet.
fn is_alike(one: &Entity<'_>, other: &Entity<'_>) -> bool {
    let accounts = |entity: &Entity<'_>| -> Vec<String> {
        // The word before the colon is the table that lists them.
        let names = entity.publishers.iter().filter_map(|publisher| Some(publisher.split_once(':')?.1.to_owned()));
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    let repositories = |entity: &'_ Entity<'_>| -> Vec<String> {
        entity.members.iter().filter_map(|member| member.repository.clone()).collect()
    };
    let is_described = one.descriptions().any(|text| other.descriptions().any(|of| of == text));
    let is_named = repositories(one).iter().any(|repository| repositories(other).contains(repository));
    is_described && is_named && !accounts(one).is_empty() && accounts(one) == accounts(other)
}
