//! `Night`: the names of all directories against those that are established among them and on lists of popular names.
//!
//! From the newer and less used name towards the established one, and only across owners; the other way where what bears the
//! name does harm. The caller says what a newcomer does, and [`Night::candidate`] joins that.

mod entities;
mod names;
mod registries;
mod relation;

use std::cmp::Reverse;

use super::candidate::{Space, TyposquatCandidate};
use super::hosts::{Host, Hosts};
use super::judge::{BenignMark, CaseBasis, TyposquatCase, TyposquatSignal, WIDE_GAP, gap_of};
use super::kinds::{TyposquatKind, is_family};
use super::likeness::Likeness;
use super::list::NameListLine;
use super::name::Name;
use super::targets::{TargetMatch, Targets, distance_of};
use crate::corpus::{Corpus, CorpusMember};
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::time::AsOf;
use entities::{Entities, Entity};
pub use names::InnerName;
use names::{NameBearers, names_of};
use relation::Relation;

/// A name that so many established things, or things of so many proven owners, bear says nothing about any of them.
const GENERIC: usize = 4;
/// Things of one name that are compared at most: a name cannot flood a night.
const MOST_BEARERS: usize = 64;
/// A newcomer must have appeared so many days after a target of known age.
const LATER_DAYS: i64 = 30;
/// Years that make a newcomer new beside its target, in days.
const NEW_DAYS: i64 = 730;

/// The store's knowledge of the bytes behind a newcomer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// Rules that found something high or critical, sorted.
    pub high: Vec<String>,
    /// Scripts that run when it is installed, by name, sorted.
    pub install_scripts: Vec<String>,
}

/// A newcomer's name that is almost an established one.
#[derive(Clone, Debug)]
pub struct Suspect<'a> {
    /// The listings of the newcomer, whose conduct decides.
    pub listings: Vec<&'a ListingKey>,
    candidate: TyposquatCandidate,
    case: TyposquatCase,
}

impl Suspect<'_> {
    /// The capability that bears the name, where the conduct of nothing else in its listings counts.
    pub fn capability(&self) -> Option<CapabilityId> {
        self.candidate.capability
    }
}

/// A name that is compared with the established ones.
#[derive(Debug)]
struct Newcomer<'a> {
    space: Space,
    borne: NameBearers<'a>,
    /// What speaks for the name itself: it is taken for nobody's, unless what bears it does harm.
    marks: Vec<BenignMark>,
}

/// A name that others may be taken for.
#[derive(Debug)]
struct TyposquatTarget<'a> {
    text: String,
    space: Space,
    /// The established things that bear it; none for one that only a list knows.
    by: Vec<(u32, &'a CorpusMember)>,
    line: Option<NameListLine>,
}

impl TyposquatTarget<'_> {
    /// A candidate with what is known of the target alone.
    fn candidate(
        &self,
        space: Space,
        kind: TyposquatKind,
        bearer: Option<(&Entity<'_>, &CorpusMember)>,
    ) -> TyposquatCandidate {
        let of_line = || self.line.iter().filter_map(|line| line.owner.clone()).collect();
        TyposquatCandidate {
            space,
            name: String::new(),
            target: self.text.clone(),
            kind,
            distance: 0,
            severity: Severity::Info,
            rank: 0,
            reasons: Vec::new(),
            signals: Vec::new(),
            listing: None,
            capability: None,
            target_listing: bearer.map(|(_, member)| member.key.to_string()),
            popularity: None,
            target_popularity: None,
            owners: Vec::new(),
            target_owners: bearer.map_or_else(of_line, |(entity, _)| publishers_of(entity)),
        }
    }
}

/// The targets of one space, indexed, each with its number among all targets.
type Indexed = (Space, Targets, Vec<u32>);

/// Everything that a night compares, indexed.
#[derive(Debug)]
pub struct Night<'a> {
    entities: Entities<'a>,
    newcomers: Vec<Newcomer<'a>>,
    targets: Vec<TyposquatTarget<'a>>,
    /// For each space but hosts.
    indexes: Vec<Indexed>,
    hosts: Hosts,
    of_host: Vec<u32>,
}

impl<'a> Night<'a> {
    /// Sorts the names of a corpus into newcomers and targets, and indexes the targets. `popular` are the lines of lists of
    /// popular names.
    pub fn new(corpus: &'a Corpus, inner: &[InnerName], popular: Vec<NameListLine>, as_of: AsOf) -> Self {
        let entities = Entities::of(corpus, as_of);
        let mut names = names_of(corpus, &entities, inner);
        let listed = listed(popular);
        let scopes: std::collections::BTreeSet<String> =
            listed_scopes(&listed).map(|scope| scope.text.to_lowercase()).collect();
        let (mut newcomers, mut targets) = (Vec::new(), Vec::new());
        for ((space, folded), mut borne) in std::mem::take(&mut names) {
            let is_established = |number: &u32| entities.get(*number).is_some_and(|entity| entity.is_established);
            let is_target = |number: &u32| entities.get(*number).is_some_and(|entity| entity.is_target);
            let is_listed = space == Space::Name && listed.contains_key(&folded);
            let established = borne.by.iter().filter(|(number, _)| is_established(number)).count();
            // A name that several established things bear belongs to none of them.
            if established >= GENERIC {
                continue;
            }
            let by: Vec<_> = borne.by.iter().filter(|(number, _)| is_target(number)).copied().collect();
            if !by.is_empty() {
                targets.push(TyposquatTarget { text: borne.text.clone(), space, by, line: None });
            }
            let is_scope = space == Space::Publisher && scopes.contains(&folded);
            // A list may hold a hostile name, what is old and used may have been sold, and accounts cost nothing: no package
            // is left out. Names of publishers, hosts and tools are taken for nobody's where they are known, and a name of
            // many owners is a word.
            let is_known = established > 0 || is_listed || is_scope;
            let is_of_many = is_of_many_owners(&borne, &entities);
            let is_compared = match space {
                Space::Name => true,
                Space::Skill => !is_known,
                _ => !is_known && !is_of_many,
            };
            if is_compared {
                // Who proves who he is comes first.
                borne.by.sort_by_key(|(number, _)| entities.get(*number).is_none_or(|it| it.publishers.is_empty()));
                borne.by.truncate(MOST_BEARERS);
                let marks = [(is_known, BenignMark::Established), (is_of_many, BenignMark::OfManyOwners)];
                let marks = marks.into_iter().filter_map(|(is_so, mark)| is_so.then_some(mark)).collect();
                newcomers.push(Newcomer { space, borne, marks });
            }
        }
        targets.extend(listed_scopes(&listed));
        targets.extend(listed.into_values().map(|line| {
            let is_host = Host::is_written_as_one(&line.name) && Host::read(&line.name).is_some();
            let space = if is_host && line.name.contains("://") { Space::Host } else { Space::Name };
            TyposquatTarget { text: line.name.clone(), space, by: Vec::new(), line: Some(line) }
        }));
        // Most popular first: the index of hosts keeps the first of each domain.
        targets
            .sort_by_cached_key(|target| (Reverse(popularity(target, &entities)), target.space, target.text.clone()));
        let (hosts, of_host) = hosts(&targets);
        let indexes =
            [Space::Name, Space::Skill, Space::Publisher, Space::Tool].map(|space| index(space, &targets)).into();
        Self { entities, newcomers, targets, indexes, hosts, of_host }
    }

    /// The number of names that are compared: the numbers that [`Night::suspects`] takes.
    pub fn newcomers(&self) -> usize {
        self.newcomers.len()
    }

    /// The number of names that others are compared with.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The targets that one newcomer's name is almost, without those that are told apart by who stands behind them.
    pub fn suspects(&self, newcomer: usize) -> Vec<Suspect<'_>> {
        let Some(newcomer) = self.newcomers.get(newcomer) else { return Vec::new() };
        let (space, borne) = (newcomer.space, &newcomer.borne);
        let Some(name) = Name::read(&borne.text) else { return Vec::new() };
        let mut suspects = Vec::new();
        for found in self.found(space, &name, &borne.text) {
            let Some(target) = self.targets.get(found.target as usize) else { continue };
            for (number, member) in &borne.by {
                let Some(entity) = self.entities.get(*number) else { continue };
                let suspect = self.suspect(space, found.kind, (&borne.text, &name), (entity, member), target);
                suspects.extend(suspect.map(|mut suspect| {
                    suspect.candidate.capability = borne.inside.get(number).copied();
                    suspect.case.marks.extend(&newcomer.marks);
                    suspect
                }));
            }
        }
        suspects
    }

    /// The targets found in a space, by their numbers. The names of tools are nobody's, and honest ones are a letter
    /// apart (`list_notes`, `list_nodes`): of them only what hardly anybody chooses by accident.
    fn found(&self, space: Space, name: &Name, text: &str) -> Vec<TargetMatch> {
        let renumbered = |of: &[u32], found: Vec<TargetMatch>| -> Vec<TargetMatch> {
            let number = |found: TargetMatch| {
                of.get(found.target as usize).map(|target| TargetMatch { target: *target, ..found })
            };
            found.into_iter().filter_map(number).collect()
        };
        if space == Space::Host {
            let found = Host::read(text).map(|host| self.hosts.of(&host)).unwrap_or_default();
            return renumbered(&self.of_host, found);
        }
        let Some((_, targets, of)) = self.indexes.iter().find(|(of, _, _)| *of == space) else { return Vec::new() };
        let mut found = targets.of(name);
        if space == Space::Tool {
            found.retain(|found| found.kind.is_deceptive());
        }
        renumbered(of, found)
    }

    /// A newcomer that bears a name like a target's, marked where it is not the newer and less used one. None where the two
    /// have to do with each other.
    fn suspect(
        &self,
        space: Space,
        kind: TyposquatKind,
        (text, name): (&str, &Name),
        (entity, member): (&Entity<'a>, &'a CorpusMember),
        target: &TyposquatTarget<'a>,
    ) -> Option<Suspect<'_>> {
        let other = target.by.iter().find_map(|(number, member)| Some((self.entities.get(*number)?, *member)));
        let of_target = Name::read(&target.text)?;
        // A list says nothing of owners, and a scope has one.
        let is_of_one_scope =
            || name.scoped().zip(of_target.scoped()).is_some_and(|((one, _), (other, _))| one == other);
        if other.is_none() && is_of_one_scope() {
            return None;
        }
        let relation =
            Relation::between(space, (text, entity), other.map(|(entity, _)| (target.text.as_str(), entity)))?;
        let popularity = popularity(target, &self.entities);
        let days = other.and_then(|(other, _)| Some(other.created?.days_until(entity.created?)));
        // An unknown age or count does not excuse a newcomer, and a known one no harm: old packages are sold, users counted
        // by whoever likes.
        let is_later = days.is_none_or(|days| days >= LATER_DAYS);
        let is_less = entity.popularity.zip(popularity).is_none_or(|(few, many)| few < many);
        let gap = gap_of(entity.popularity, popularity);
        let mut signals: Vec<TyposquatSignal> = Vec::new();
        let mut reasons = vec![kind.sentence().to_owned()];
        reasons.extend(name.oddity().map(str::to_owned));
        if let Some((other, _)) = other {
            relation.signals(&self.entities, entity, other, &of_target, &mut signals, &mut reasons);
        }
        if let Some(days) = days.filter(|days| *days >= NEW_DAYS) {
            signals.push(TyposquatSignal::NewPublisher);
            reasons.push(format!("it appeared {days} days after the other"));
        }
        signals.extend(gap.is_some_and(|gap| gap >= WIDE_GAP).then_some(TyposquatSignal::PopularityGap));
        signals.sort_unstable();
        let likeness = Likeness::of(kind, name, &of_target);
        let mut marks = Vec::new();
        marks.extend(is_of_family(space, kind, name, &of_target).then_some(BenignMark::Family));
        // Forks keep description and repository, and stand under a scope of their own.
        let looks_forked = kind == TyposquatKind::Scope && likeness < Likeness::Close && is_copied(&signals);
        let is_forked = other.is_some_and(|(other, _)| relation::is_fork(entity, other));
        marks.extend((looks_forked || is_forked).then_some(BenignMark::Fork));
        marks.extend((!is_later).then_some(BenignMark::NotNewer));
        marks.extend((!is_less).then_some(BenignMark::NotLessUsed));
        let mut candidate = target.candidate(space, kind, other);
        candidate.name = text.to_owned();
        candidate.distance = u64::try_from(distance_of(name, &of_target)).unwrap_or(u64::MAX);
        candidate.reasons = reasons;
        candidate.listing = Some(member.key.to_string());
        (candidate.popularity, candidate.target_popularity) = (entity.popularity, popularity);
        candidate.owners = publishers_of(entity);
        let case = TyposquatCase { kind, likeness, marks, signals, gap: gap.unwrap_or(0), basis: CaseBasis::Crawl };
        Some(Suspect { listings: entity.members.iter().map(|member| &member.key).collect(), candidate, case })
    }

    /// A suspect with what it does, judged.
    pub fn candidate(suspect: &Suspect<'_>, conduct: &Conduct) -> TyposquatCandidate {
        let (mut candidate, mut case) = (suspect.candidate.clone(), suspect.case.clone());
        if !conduct.high.is_empty() {
            case.signals.push(TyposquatSignal::HighFindings);
            candidate.reasons.push(format!("the rules found in it: {}", conduct.high.join(", ")));
        }
        if !conduct.install_scripts.is_empty() {
            case.signals.push(TyposquatSignal::InstallScript);
            candidate.reasons.push(format!("it runs when installed: {}", conduct.install_scripts.join(", ")));
        }
        case.signals.sort_unstable();
        candidate.judged(&case)
    }
}

/// True where things of many owners, each proven, bear a name: what nobody answers for can be had in any number.
fn is_of_many_owners(borne: &NameBearers<'_>, entities: &Entities<'_>) -> bool {
    let mut known = std::collections::BTreeSet::new();
    let mut owners = 0;
    for entity in borne.by.iter().filter_map(|(number, _)| entities.get(*number)) {
        let is_other = !entity.publishers.is_empty() && entity.publishers.is_disjoint(&known);
        owners += usize::from(is_other);
        known.extend(entity.publishers.iter().copied());
    }
    owners >= GENERIC
}

/// The lines of lists by their small letters; of several with one name the most popular.
fn listed(lines: Vec<NameListLine>) -> std::collections::BTreeMap<String, NameListLine> {
    let mut listed: std::collections::BTreeMap<String, NameListLine> = std::collections::BTreeMap::new();
    for line in lines {
        let known = listed.entry(line.name.to_lowercase()).or_insert_with(|| line.clone());
        if line.popularity > known.popularity {
            *known = line;
        }
    }
    listed
}

/// The scopes of listed names: who writes one of them otherwise poses as its owner.
fn listed_scopes<'a>(
    listed: &std::collections::BTreeMap<String, NameListLine>,
) -> impl Iterator<Item = TyposquatTarget<'a>> + use<'a> {
    let mut scopes: std::collections::BTreeMap<String, NameListLine> = std::collections::BTreeMap::new();
    for line in listed.values() {
        let scope = line.name.strip_prefix('@').and_then(|rest| rest.split_once('/'));
        let Some((scope, _)) = scope.filter(|(scope, _)| !scope.is_empty()) else { continue };
        let known = scopes.entry(scope.to_owned()).or_default();
        known.popularity = known.popularity.max(line.popularity);
    }
    scopes.into_iter().map(|(scope, line)| {
        let line = NameListLine { name: scope, ..line };
        TyposquatTarget { text: line.name.clone(), space: Space::Publisher, by: Vec::new(), line: Some(line) }
    })
}

fn popularity(target: &TyposquatTarget<'_>, entities: &Entities<'_>) -> Option<u64> {
    let of_entities = target.by.iter().filter_map(|(number, _)| entities.get(*number)?.popularity).max();
    of_entities.max(target.line.as_ref().and_then(|line| line.popularity))
}

fn publishers_of(entity: &Entity<'_>) -> Vec<String> {
    entity.publishers.iter().map(|publisher| (*publisher).to_owned()).collect()
}

/// Letters that only look alike are no version of anything.
fn is_of_family(space: Space, kind: TyposquatKind, name: &Name, target: &Name) -> bool {
    let is_spelled =
        !matches!(kind, TyposquatKind::Confusable | TyposquatKind::HostConfusable | TyposquatKind::Homophone);
    space != Space::Host && is_spelled && is_family(name, target)
}

fn is_copied(signals: &[TyposquatSignal]) -> bool {
    signals.iter().any(|signal| matches!(signal, TyposquatSignal::CopiedDescription | TyposquatSignal::RepositoryClaim))
}

fn index(space: Space, targets: &[TyposquatTarget<'_>]) -> Indexed {
    let of_space = (0_u32..).zip(targets).filter(|(_, target)| target.space == space);
    let named = of_space.filter_map(|(number, target)| Some((Name::read(&target.text)?, number)));
    let (names, numbers): (Vec<Name>, Vec<u32>) = named.unzip();
    (space, Targets::new(names), numbers)
}

/// The hosts among the targets, one for each registrable domain, and the number of each.
fn hosts(targets: &[TyposquatTarget<'_>]) -> (Hosts, Vec<u32>) {
    let mut domains = std::collections::BTreeSet::new();
    let is_host = |target: &TyposquatTarget<'_>| {
        let may_be_one = target.line.is_some() && target.space == Space::Name;
        target.space == Space::Host || (may_be_one && Host::is_written_as_one(&target.text))
    };
    let hosts = (0_u32..).zip(targets).filter(|(_, target)| is_host(target));
    let hosts = hosts.filter_map(|(number, target)| Some((Host::read(&target.text)?, number)));
    let (hosts, numbers): (Vec<Host>, Vec<u32>) = hosts.filter(|(host, _)| domains.insert(host.domain.clone())).unzip();
    (Hosts::new(hosts), numbers)
}

#[cfg(test)]
mod tests;
