//! Identity events: what became of who or what stands behind a name, from one night to the next.
//!
//! Each subject as the pass saw it last (its anchor) is compared with what it sees now. Silence of a source tells
//! nothing: values that come or go are no events, so a registry that rewrites its rows is silent.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Identified;
use super::statement::{Statement, Voice};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::ListingKey;
use capdex_model::time::{AsOf, Timestamp};

mod elsewhere;

/// A subject as the pass saw it last: a listing, or the name in a registry whose listings are its versions. While it is
/// gone, the last sight of it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityAnchor {
    /// The repository that it is or names, by name.
    pub repository: Option<String>,
    /// The number of that repository.
    pub number: Option<u64>,
    /// The accounts that may publish it, sorted; empty where unknown.
    pub owners: Vec<String>,
    /// When its registry says that it was made.
    pub created: Option<Timestamp>,
    /// True where it was there.
    pub is_active: bool,
    /// Since when it is there or gone, as far as the pass saw.
    pub since: Timestamp,
}

/// The anchors by subject.
pub type IdentityAnchors = BTreeMap<String, IdentityAnchor>;

/// The content of listings, by listing: digests of capabilities that few share.
pub type Contents = BTreeMap<ListingKey, BTreeSet<Digest>>;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A repository has another name and the same owner and number.
    RepositoryRenamed,
    /// A repository has another owner and the same number.
    RepositoryTransferred,
    /// Under the name of a repository is one with another number.
    RepositoryRecreated,
    /// A listing was gone and is back with another owner or repository.
    ListingResurrected,
    /// A package's name was given out again.
    PackageReregistered,
    /// The content of a listing that vanished is listed elsewhere by somebody else.
    ReturnedElsewhere,
}

impl EventKind {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RepositoryRenamed => "repository_renamed",
            Self::RepositoryTransferred => "repository_transferred",
            Self::RepositoryRecreated => "repository_recreated",
            Self::ListingResurrected => "listing_resurrected",
            Self::PackageReregistered => "package_reregistered",
            Self::ReturnedElsewhere => "returned_elsewhere",
        }
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityEvent {
    /// Stable over nights.
    pub key: String,
    /// The kind of the event.
    pub kind: EventKind,
    /// To which listing, or name in a registry. Untrusted text.
    pub subject: String,
    /// The entity that the subject is of now.
    pub entity: String,
    /// The value before: a name, a number, owners.
    pub before: String,
    /// The value now.
    pub after: String,
    /// The severity; `info` raises no alert.
    pub severity: Severity,
    /// The particulars.
    pub details: Vec<String>,
    /// When it was found.
    pub at: AsOf,
}

/// A subject as the pass sees it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub(super) voice: Voice,
    pub(super) is_forge: bool,
    pub(super) is_package: bool,
    pub(super) anchor: IdentityAnchor,
    pub(super) entity: String,
    pub(super) listings: Vec<ListingKey>,
    pub(super) publishers: BTreeSet<String>,
    pub(super) first_seen: Timestamp,
}

/// The subjects as they are now, and what is to be kept of each as its anchor.
pub fn anchors(
    statements: &[Statement],
    identified: &[Identified],
    before: &IdentityAnchors,
    at: AsOf,
) -> BTreeMap<String, Look> {
    let mut looks: BTreeMap<String, Look> = BTreeMap::new();
    for (said, of) in statements.iter().zip(identified) {
        let subject = said.subject();
        let look = Look::of(said, &of.entity, at);
        match looks.entry(subject) {
            std::collections::btree_map::Entry::Vacant(slot) => drop(slot.insert(look)),
            std::collections::btree_map::Entry::Occupied(mut slot) => slot.get_mut().add(look),
        }
    }
    for (subject, look) in &mut looks {
        if let Some(known) = before.get(subject) {
            look.anchor.follow(known);
        }
    }
    looks
}

impl Statement {
    /// The subject that events are about: the name in a registry of versions, else the listing.
    fn subject(&self) -> String {
        let row = self.row.as_ref().and_then(|row| row.strip_prefix("row:"));
        row.map_or_else(|| self.member.key.to_string(), str::to_owned)
    }
}

impl Look {
    fn of(said: &Statement, entity: &str, at: AsOf) -> Self {
        let is_package = said.own.as_deref().is_some_and(|own| own.starts_with("npm:") || own.starts_with("pypi:"));
        let mut publishers: BTreeSet<String> = said.member.publishers.iter().map(|publisher| bare(publisher)).collect();
        publishers.extend(said.place.as_ref().map(|place| bare(place.owner())));
        // Only where nothing proves a publisher: the owner in a name is what the listing says of itself.
        if publishers.is_empty() {
            publishers.extend(said.member.key.name.split_once('/').map(|(owner, _)| owner.to_lowercase()));
        }
        Self {
            voice: said.voice,
            is_forge: said.is_forge(),
            is_package,
            anchor: IdentityAnchor {
                repository: said.place.as_ref().map(|place| place.repository.clone()),
                number: said.number.or(said.stated_number),
                owners: said.owners.clone().unwrap_or_default(),
                created: said.member.created,
                is_active: said.member.is_active,
                since: at.0,
            },
            entity: entity.to_owned(),
            listings: vec![said.member.key.clone()],
            publishers,
            first_seen: said.member.first_seen,
        }
    }

    /// The anchor that is to be kept of it.
    pub fn into_anchor(self) -> IdentityAnchor {
        self.anchor
    }

    /// Adds another version of the same name. The one that says most about itself counts.
    fn add(&mut self, other: Self) {
        let weight =
            |look: &Self| (look.anchor.is_active, look.anchor.repository.is_some() || look.anchor.number.is_some());
        self.listings.extend(other.listings.iter().cloned());
        self.first_seen = self.first_seen.min(other.first_seen);
        self.publishers.extend(other.publishers.iter().cloned());
        if weight(&other) > weight(self) {
            self.anchor = other.anchor;
            self.entity = other.entity;
        }
    }
}

impl IdentityAnchor {
    /// Keeps what was seen before where nothing is said now, and while it is gone.
    fn follow(&mut self, known: &Self) {
        // `since` is when the state was first seen, and so moves only when the state does.
        if self.is_active == known.is_active {
            self.since = known.since;
        }
        // Whatever a tombstone says must not replace what the subject was while it was there.
        if !self.is_active {
            *self = Self { is_active: false, since: self.since, ..known.clone() };
            return;
        }
        // A source that leaves a field out one night must not hide the change that comes after.
        self.repository = self.repository.take().or_else(|| known.repository.clone());
        self.number = self.number.or(known.number);
        self.created = self.created.or(known.created);
        if self.owners.is_empty() {
            self.owners.clone_from(&known.owners);
        }
    }
}

/// The account alone: `github:acme` and `npm-scope:acme` may be one person's.
fn bare(publisher: &str) -> String {
    let name = publisher.split_once(':').map_or(publisher, |(_, name)| name);
    let name = name.strip_prefix("io.github.").unwrap_or(name);
    name.rsplit('/').next().unwrap_or(name).to_lowercase()
}

/// The events since the anchors were kept, sorted by key. `is_relied_on` says of an entity whether people had the time
/// to rely on it.
pub fn events(
    before: &IdentityAnchors,
    looks: &BTreeMap<String, Look>,
    contents: &Contents,
    is_relied_on: impl Fn(&str) -> bool,
    at: AsOf,
) -> Vec<IdentityEvent> {
    let mut found = Vec::new();
    for (subject, look) in looks {
        if let Some(known) = before.get(subject).filter(|_| look.anchor.is_active) {
            found.extend(of_subject(subject, known, look, at));
        }
    }
    found.extend(moves(before, looks, at));
    found.extend(elsewhere::found(before, looks, contents, at));
    for event in &mut found {
        weigh(event, is_relied_on(&event.entity));
    }
    found.sort_by(|one, other| one.key.cmp(&other.key));
    found
}

/// The event of one subject that is there now.
fn of_subject(subject: &str, known: &IdentityAnchor, look: &Look, at: AsOf) -> Option<IdentityEvent> {
    let now = &look.anchor;
    let came_back = !known.is_active;
    let event = |kind, before: String, after: String| Some(event(kind, subject, look, (before, after), at));
    let is_same_name = known.repository == now.repository;
    let numbers = known.number.zip(now.number);
    let are_others =
        !known.owners.is_empty() && !now.owners.is_empty() && known.owners.iter().all(|it| !now.owners.contains(it));
    let text = |number: u64| format!("number {number}");
    match numbers {
        Some((old, new)) if old != new && is_same_name => {
            return event(EventKind::RepositoryRecreated, text(old), text(new));
        }
        Some((old, new)) if old == new && !is_same_name => {
            let names = known.repository.clone().unwrap_or_default();
            let kind = kind_of_move(&names, now.repository.as_deref().unwrap_or_default());
            return event(kind, names, now.repository.clone().unwrap_or_default());
        }
        _ => {}
    }
    let is_later = known.created.zip(now.created).is_some_and(|(old, new)| old < new);
    let is_unknown = known.owners.is_empty() || now.owners.is_empty();
    if look.is_package && is_later && (are_others || (is_unknown && came_back)) {
        return event(EventKind::PackageReregistered, since(known), since(now));
    }
    let is_elsewhere = match (&known.repository, &now.repository) {
        (Some(old), Some(new)) => owner_of(old) != owner_of(new),
        _ => false,
    };
    if came_back && (are_others || is_elsewhere) {
        let who = |anchor: &IdentityAnchor| {
            if are_others { anchor.owners.join(", ") } else { anchor.repository.clone().unwrap_or_default() }
        };
        return event(EventKind::ListingResurrected, who(known), who(now));
    }
    None
}

/// Repositories whose number is now under another name.
fn moves(before: &IdentityAnchors, looks: &BTreeMap<String, Look>, at: AsOf) -> Vec<IdentityEvent> {
    let mut holders: BTreeMap<(&str, u64), Vec<(&String, &Look)>> = BTreeMap::new();
    for (subject, look) in looks.iter().filter(|(_, look)| look.is_forge) {
        if let (Some(number), Some(repository)) = (look.anchor.number, &look.anchor.repository) {
            // A forge that is known by its host numbers its own repositories; any other is one source.
            let end = if repository.starts_with("git:") { '/' } else { ':' };
            let forge = repository.split(end).next().unwrap_or_default();
            holders.entry((forge, number)).or_default().push((subject, look));
        }
    }
    let mut moves = Vec::new();
    for holders in holders.into_values().filter(|holders| holders.len() > 1) {
        let Some((_, now)) = holders.iter().find(|(_, look)| look.anchor.is_active) else { continue };
        let name = |look: &Look| look.anchor.repository.clone().unwrap_or_default();
        for (subject, old) in holders.iter().filter(|(_, look)| !look.anchor.is_active) {
            if before.get(*subject).is_none_or(|known| known.is_active) {
                let kind = kind_of_move(&name(old), &name(now));
                moves.push(event(kind, subject, now, (name(old), name(now)), at));
            }
        }
    }
    moves
}

fn kind_of_move(old: &str, new: &str) -> EventKind {
    if owner_of(old) == owner_of(new) { EventKind::RepositoryRenamed } else { EventKind::RepositoryTransferred }
}

fn owner_of(repository: &str) -> &str {
    repository.rsplit_once('/').map_or("", |(owner, _)| owner)
}

fn since(anchor: &IdentityAnchor) -> String {
    let made = anchor.created.map_or_else(|| "unknown".to_owned(), |created| created.to_string());
    let owners = if anchor.owners.is_empty() { "unknown".to_owned() } else { anchor.owners.join(", ") };
    format!("made {made} by {owners}")
}

fn event(kind: EventKind, subject: &str, look: &Look, (before, after): (String, String), at: AsOf) -> IdentityEvent {
    let mut details = vec![format!("before: {before}"), format!("now: {after}")];
    if look.voice == Voice::Publisher && kind != EventKind::ReturnedElsewhere {
        details.push("as the publisher's row states it; no forge said so".to_owned());
    }
    IdentityEvent {
        key: format!("{}:{subject}:{before}:{after}", kind.as_str()),
        kind,
        subject: subject.to_owned(),
        entity: look.entity.clone(),
        before,
        after,
        severity: match (kind, look.voice) {
            (EventKind::RepositoryRenamed | EventKind::RepositoryTransferred, _) => Severity::Info,
            // What a row states about its repository is the publisher's own word, and publishers mistype.
            (EventKind::RepositoryRecreated, Voice::Publisher) => Severity::Info,
            (EventKind::ReturnedElsewhere, _) => Severity::Low,
            _ => Severity::Medium,
        },
        details,
        at,
    }
}

/// Weighs an event: more where people had the time to rely on the entity; who owns it now is worth a word.
fn weigh(event: &mut IdentityEvent, is_relied_on: bool) {
    if !is_relied_on {
        return;
    }
    event.severity = match (event.kind, event.severity) {
        (EventKind::RepositoryTransferred, Severity::Info) => Severity::Low,
        (EventKind::ReturnedElsewhere, Severity::Low)
            if event.details.iter().any(|line| line.starts_with("content ")) =>
        {
            Severity::Medium
        }
        (
            EventKind::RepositoryRecreated | EventKind::PackageReregistered | EventKind::ListingResurrected,
            Severity::Medium,
        ) => Severity::High,
        (_, severity) => severity,
    };
}
