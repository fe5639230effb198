//! Listings that vanish and come back elsewhere: in another directory, under another publisher.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contents, EventKind, IdentityAnchors, IdentityEvent, Look, event};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;

/// Days before the pass notes that something is gone in which its copy may appear: absence needs two whole walks.
const NOTICED_WITHIN_DAYS: i64 = 14;
/// Days for which what is gone is looked for elsewhere.
const LOOKED_FOR_DAYS: i64 = 180;

/// Every pair of something that is gone and something that came after, with the same content or of the same entity, and
/// by other publishers. Only where one of the two is new since the anchors were kept.
pub(super) fn found(
    before: &IdentityAnchors,
    looks: &BTreeMap<String, Look>,
    contents: &Contents,
    at: AsOf,
) -> Vec<IdentityEvent> {
    let is_gone = |look: &Look| !look.anchor.is_active && look.anchor.since.days_until(at.0) <= LOOKED_FOR_DAYS;
    let is_newly_gone = |subject: &String| before.get(subject).is_some_and(|known| known.is_active);
    let is_newly_there = |subject: &String| !before.contains_key(subject);
    let by_sign = by_sign(looks, contents);
    let mut found = Vec::new();
    for (subject, gone) in looks.iter().filter(|(_, look)| is_gone(look)) {
        for (sign, others) in signs(gone, contents).into_iter().filter_map(|sign| Some((sign, by_sign.get(&sign)?))) {
            for (other, there) in others.iter().copied().filter(|(_, look)| look.anchor.is_active) {
                let is_news = is_newly_gone(subject) || is_newly_there(other);
                // A name that was asked for before anything was there arrives when something is.
                let arrived = if is_newly_there(other) { at.0 } else { there.first_seen };
                let came_after =
                    gone.anchor.since.days_until(arrived) >= -NOTICED_WITHIN_DAYS && arrived > gone.first_seen;
                if is_news && !before.is_empty() && came_after && are_strangers(gone, there) {
                    found.push(of_pair((subject, gone), (other, there), sign, at));
                }
            }
        }
    }
    // One pair may have several signs in common; the first, which is that of content, tells.
    found.sort_by(|one, other| one.key.cmp(&other.key));
    found.dedup_by(|one, other| one.key == other.key);
    found
}

/// The signs that two listings may have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign<'a> {
    Content(&'a Digest),
    Entity(&'a str),
}

fn signs<'a>(look: &'a Look, contents: &'a Contents) -> BTreeSet<Sign<'a>> {
    let held = look.listings.iter().filter_map(|listing| contents.get(listing)).flatten().map(Sign::Content);
    held.chain([Sign::Entity(&look.entity)]).collect()
}

fn by_sign<'a>(
    looks: &'a BTreeMap<String, Look>,
    contents: &'a Contents,
) -> BTreeMap<Sign<'a>, Vec<(&'a String, &'a Look)>> {
    let mut by_sign: BTreeMap<Sign<'a>, Vec<(&'a String, &'a Look)>> = BTreeMap::new();
    // Only signs of things that are gone can make a pair: the others would fill the map for nothing.
    let gone: BTreeSet<Sign<'_>> =
        looks.values().filter(|look| !look.anchor.is_active).flat_map(|look| signs(look, contents)).collect();
    for (subject, look) in looks {
        for sign in signs(look, contents).into_iter().filter(|sign| gone.contains(sign)) {
            by_sign.entry(sign).or_default().push((subject, look));
        }
    }
    by_sign
}

/// True where both are known to be published by somebody, and by nobody of the same name. A forge says more of two
/// names of one repository.
fn are_strangers(one: &Look, other: &Look) -> bool {
    let is_moved =
        one.is_forge && other.is_forge && one.anchor.number.is_some() && one.anchor.number == other.anchor.number;
    !is_moved
        && !one.publishers.is_empty()
        && !other.publishers.is_empty()
        && one.publishers.is_disjoint(&other.publishers)
}

fn of_pair((subject, gone): (&str, &Look), (other, there): (&str, &Look), sign: Sign<'_>, at: AsOf) -> IdentityEvent {
    let who = |look: &Look| look.publishers.iter().cloned().collect::<Vec<_>>().join(", ");
    // How bad it is follows from who relied on what is gone.
    let mut event = event(EventKind::ReturnedElsewhere, subject, gone, (subject.to_owned(), other.to_owned()), at);
    event.details.push(format!("published by {} before and by {} now", who(gone), who(there)));
    event.details.push(format!("gone since {}, there since {}", gone.anchor.since, there.first_seen));
    event.details.push(match sign {
        Sign::Content(digest) => format!("content {digest} in both"),
        Sign::Entity(entity) => format!("both are listings of {entity}"),
    });
    event
}
