//! Two plain lists: names that somebody has, against names that are popular.
//!
//! A line is a name, how popular it is and whose it is, with tabs between; the last two may be missing. Lists of any
//! directory have this form.

use std::cmp::Reverse;

use super::candidate::{Space, TyposquatCandidate};
use super::hosts::{Host, Hosts};
use super::judge::{BenignMark, CaseBasis, TyposquatCase, TyposquatSignal, WIDE_GAP, gap_of};
use super::kinds::{TyposquatKind, is_family};
use super::likeness::Likeness;
use super::name::Name;
use super::targets::{TargetMatch, Targets, distance_of};
use capdex_model::fact::Severity;

/// A line of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameListLine {
    /// The name.
    pub name: String,
    /// The number of users.
    pub popularity: Option<u64>,
    /// Its place, from 1, in a list that gives places and no numbers.
    pub rank: Option<u64>,
    /// Whose it is.
    pub owner: Option<String>,
}

/// Reads a list. A first line that names its columns says whether the second is a count or a place (`download_rank`).
/// Empty lines and those that begin with `#` are left out.
pub fn read(text: &str) -> Vec<NameListLine> {
    // Lists are often saved by spreadsheets, which put a mark before the first line.
    let mut lines = text.trim_start_matches('\u{FEFF}').lines().filter(|line| !line.trim().is_empty()).peekable();
    let header = lines.next_if(|line| is_header(line));
    let gives_rank = header.is_some_and(|line| line.split('\t').nth(1).is_some_and(|cell| cell.contains("rank")));
    let lines = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let mut cells = line.split('\t').map(str::trim);
        let name = cells.next().unwrap_or_default().to_owned();
        let number = cells.next().and_then(|cell| cell.parse::<u64>().ok());
        let owner = cells.next().filter(|owner| !owner.is_empty()).map(str::to_owned);
        let (popularity, rank) = if gives_rank { (None, number) } else { (number, None) };
        NameListLine { name, popularity, rank, owner }
    });
    lines.filter(|line| !line.name.is_empty()).collect()
}

fn is_header(line: &str) -> bool {
    let mut cells = line.split('\t').map(|cell| cell.trim().to_lowercase());
    let is_name =
        cells.next().is_some_and(|cell| matches!(cell.as_str(), "name" | "package" | "package_name" | "project"));
    is_name && cells.next().is_none_or(|cell| cell.parse::<u64>().is_err())
}

/// The popular names, ready to be compared with.
#[derive(Debug)]
pub struct PopularNames {
    lines: Vec<NameListLine>,
    targets: Targets,
    scopes: Targets,
    hosts: Hosts,
    /// The line of each host.
    of_host: Vec<u32>,
    unread: usize,
    is_within: bool,
}

impl PopularNames {
    /// Indexes a list; of lines with one name the most popular counts. `is_within` says that its own lines are looked at:
    /// then being on it says nothing, and only those that are more popular are targets.
    pub fn new(mut lines: Vec<NameListLine>, is_within: bool) -> Self {
        let all = lines.len();
        let mut names: Vec<(NameListLine, Name)> =
            lines.drain(..).filter_map(|line| Name::read(&line.name).map(|name| (line, name))).collect();
        let unread = all - names.len();
        let order = |line: &NameListLine| (Reverse(line.popularity), line.rank.unwrap_or(u64::MAX), line.name.clone());
        // Most popular first, so that the line that stays of equal names is the one that counts.
        names.sort_by_cached_key(|(line, _)| order(line));
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|(line, _)| seen.insert(line.name.to_lowercase()));
        let (lines, names): (Vec<NameListLine>, Vec<Name>) = names.into_iter().unzip();
        let mut scopes: Vec<Name> = Vec::new();
        let mut domains = std::collections::BTreeSet::new();
        let (mut hosts, mut of_host) = (Vec::new(), Vec::new());
        let mut seen = std::collections::BTreeSet::new();
        for (number, (line, name)) in (0_u32..).zip(lines.iter().zip(&names)) {
            if let Some((scope, _)) = name.scoped().filter(|(scope, _)| seen.insert((*scope).to_owned())) {
                scopes.extend(Name::read(scope));
            }
            let host = Some(&line.name).filter(|name| Host::is_written_as_one(name)).and_then(|name| Host::read(name));
            // One host of a domain is enough: all others of it have the same owner.
            if let Some(host) = host.filter(|host| domains.insert(host.domain.clone())) {
                hosts.push(host);
                of_host.push(number);
            }
        }
        Self {
            lines,
            targets: Targets::new(names),
            scopes: Targets::new(scopes),
            hosts: Hosts::new(hosts),
            of_host,
            unread,
            is_within,
        }
    }

    /// The number of lines that were empty names or too long to be compared.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// The targets that a line's name may be taken for, best first. None where the name cannot be compared.
    pub fn candidates(&self, line: &NameListLine) -> Option<Vec<TyposquatCandidate>> {
        let name = Name::read(&line.name)?;
        let mut found: Vec<(Space, TargetMatch)> = Vec::new();
        if let Some(host) =
            Some(&line.name).filter(|name| Host::is_written_as_one(name)).and_then(|name| Host::read(name))
        {
            let of_hosts = self.hosts.of(&host).into_iter().filter_map(|found| {
                let target = *self.of_host.get(found.target as usize)?;
                Some((Space::Host, TargetMatch { target, ..found }))
            });
            found.extend(of_hosts);
        }
        // A host is a name too: the same target is reported once, as a host.
        for of_name in self.targets.of(&name) {
            if !found.iter().any(|(_, host)| host.target == of_name.target) {
                found.push((Space::Name, of_name));
            }
        }
        // Where a list is compared with itself, being on it says nothing.
        let is_popular = !self.is_within && self.targets.has(&name);
        let candidate = |(space, found): (Space, TargetMatch)| self.candidate(space, found, line, &name, is_popular);
        let mut candidates: Vec<TyposquatCandidate> = found.into_iter().filter_map(candidate).collect();
        candidates.extend(self.of_scope(line, &name, is_popular));
        candidates.sort_by(TyposquatCandidate::order);
        Some(candidates)
    }

    fn candidate(
        &self,
        space: Space,
        found: TargetMatch,
        line: &NameListLine,
        name: &Name,
        is_popular: bool,
    ) -> Option<TyposquatCandidate> {
        let target = self.lines.get(found.target as usize)?;
        let of_target = self.targets.name(found.target)?;
        // One owner may name his things alike.
        let is_same_owner = line.owner.is_some() && folded(&line.owner) == folded(&target.owner);
        if is_same_owner || !self.is_less_popular(line, target) {
            return None;
        }
        let mut case = case(found.kind, Likeness::of(found.kind, name, of_target), line, target);
        case.marks.extend(is_popular.then_some(BenignMark::Established));
        // Letters of another script are no version of anything.
        let may_be_family =
            space == Space::Name && found.kind != TyposquatKind::Confusable && found.kind != TyposquatKind::Homophone;
        case.marks.extend((may_be_family && is_family(name, of_target)).then_some(BenignMark::Family));
        let mut candidate = blank(space, line, target, found.kind);
        candidate.distance = u64::try_from(distance_of(name, of_target)).unwrap_or(u64::MAX);
        candidate.reasons.extend(name.oddity().map(str::to_owned));
        candidate.reasons.extend(reasons(&case, line, target));
        Some(candidate.judged(&case))
    }

    /// True where a name is less popular than a target, as far as anybody says. Being on the list counts for a target,
    /// and so does a place among two lines of which nothing is known.
    fn is_less_popular(&self, line: &NameListLine, target: &NameListLine) -> bool {
        match (line.popularity, target.popularity, line.rank, target.rank) {
            (Some(few), Some(many), _, _) => few < many,
            (_, _, Some(later), Some(earlier)) => later > earlier,
            (None, None, None, None) if self.is_within => line.name > target.name,
            (Some(_), None, _, None) | (_, None, Some(_), None) if self.is_within => false,
            _ => true,
        }
    }

    /// A scope that is almost a popular one, where the whole name is not almost anything.
    fn of_scope(&self, line: &NameListLine, name: &Name, is_popular: bool) -> Vec<TyposquatCandidate> {
        let Some(scope) = name.scoped().and_then(|(scope, _)| Name::read(scope)) else { return Vec::new() };
        if is_popular || self.scopes.has(&scope) {
            return Vec::new();
        }
        let near = |found: &TargetMatch| {
            !matches!(
                found.kind,
                TyposquatKind::Affix | TyposquatKind::Combosquat | TyposquatKind::Scope | TyposquatKind::WordOrder
            )
        };
        let found = self.scopes.of(&scope).into_iter().filter(near);
        let candidate = |found: TargetMatch| {
            let of_target = self.scopes.name(found.target)?;
            let target = NameListLine { name: format!("@{}", of_target.text), ..NameListLine::default() };
            let case = case(found.kind, Likeness::of(found.kind, &scope, of_target), line, &target);
            let mut candidate = blank(Space::Publisher, line, &target, found.kind);
            candidate.name = format!("@{}", scope.text);
            candidate.distance = u64::try_from(distance_of(&scope, of_target)).unwrap_or(u64::MAX);
            candidate.reasons.extend(reasons(&case, line, &target));
            Some(candidate.judged(&case))
        };
        found.filter_map(candidate).collect()
    }
}

fn case(kind: TyposquatKind, likeness: Likeness, line: &NameListLine, target: &NameListLine) -> TyposquatCase {
    let gap = gap_of(line.popularity, target.popularity);
    let mut signals = Vec::new();
    signals.extend(gap.is_some_and(|gap| gap >= WIDE_GAP).then_some(TyposquatSignal::PopularityGap));
    let is_other = line.owner.is_some() && target.owner.is_some() && folded(&line.owner) != folded(&target.owner);
    signals.extend(is_other.then_some(TyposquatSignal::OtherOwner));
    TyposquatCase { kind, likeness, marks: Vec::new(), signals, gap: gap.unwrap_or(0), basis: CaseBasis::List }
}

fn blank(space: Space, line: &NameListLine, target: &NameListLine, kind: TyposquatKind) -> TyposquatCandidate {
    TyposquatCandidate {
        space,
        name: line.name.clone(),
        target: target.name.clone(),
        kind,
        distance: 0,
        severity: Severity::Info,
        rank: 0,
        reasons: vec![kind.sentence().to_owned()],
        signals: Vec::new(),
        listing: None,
        capability: None,
        target_listing: None,
        popularity: line.popularity,
        target_popularity: target.popularity,
        owners: line.owner.iter().cloned().collect(),
        target_owners: target.owner.iter().cloned().collect(),
    }
}

fn reasons(case: &TyposquatCase, line: &NameListLine, target: &NameListLine) -> Vec<String> {
    let mut reasons = Vec::new();
    if case.likeness == Likeness::Accidental {
        reasons.push("names are this much alike by accident".to_owned());
    }
    if let (Some(few), Some(many)) = (line.popularity, target.popularity) {
        reasons.push(format!("{few} use it, {many} the other"));
    }
    if let (true, Some(one), Some(other)) =
        (case.signals.contains(&TyposquatSignal::OtherOwner), &line.owner, &target.owner)
    {
        reasons.push(format!("{one} owns it, {other} the other"));
    }
    reasons
}

fn folded(owner: &Option<String>) -> Option<String> {
    owner.as_ref().map(|owner| owner.trim_start_matches('@').to_lowercase())
}

#[cfg(test)]
mod tests;
