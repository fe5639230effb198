//! `history_after`: the history of a listing, by comparison with what its source said before.
//!
//! Pure: it compares two listings of one key. A change that a night found stays while the version stays.

use std::collections::BTreeSet;

use crate::claim::Claim;
use crate::history::{History, OwnerChange};
use crate::listing::Listing;
use crate::locator::{Integrity, Locator};

/// The history of a listing, seen after another of the same key. Equal listings leave it as it was, so that a
/// night that is begun twice ends like one that was not.
pub fn history_after(before: &Listing, now: &Listing) -> Claim<History> {
    if is_same(before, now) {
        return before.claims.history.clone();
    }
    let mut history = History {
        republished: before.locators.iter().any(|old| now.locators.iter().any(|new| contradicts(old, new))),
        owners: owner_change(&before.claims.maintainers, &now.claims.maintainers),
    };
    // With another version the past of the old one no longer says anything of what is installed.
    if let (Some(earlier), true) = (before.claims.history.known(), versions(before) == versions(now)) {
        history.republished |= earlier.republished;
        history.owners = worse(&history.owners, &earlier.owners);
    }
    Claim::Known(history)
}

fn is_same(before: &Listing, now: &Listing) -> bool {
    // History itself and the daily counts are left out, or no two nights would be the same.
    let mut claims = now.claims.clone();
    claims.history = before.claims.history.clone();
    claims.popularity = before.claims.popularity;
    before.locators == now.locators && before.claims == claims
}

fn versions(listing: &Listing) -> Vec<Option<&str>> {
    listing.locators.iter().map(Locator::version).collect()
}

/// True where two locators name the same version of the same file and give digests of one kind that differ.
fn contradicts(old: &Locator, new: &Locator) -> bool {
    let contradict =
        |old: &[Integrity], new: &[Integrity]| old.iter().any(|old| new.iter().any(|new| differ(old, new)));
    match (old, new) {
        (
            Locator::NpmPackage { name, version, integrity, .. },
            Locator::NpmPackage { name: new_name, version: new_version, integrity: new_integrity, .. },
        ) if name == new_name && version == new_version => contradict(integrity, new_integrity),
        // One version of a Python project has several files, and each has its own digest.
        (
            Locator::PypiPackage { name, version, .. },
            Locator::PypiPackage { name: new_name, version: new_version, .. },
        ) if name == new_name && version == new_version => {
            let now = new.distributions();
            old.distributions().iter().any(|(file, digests)| now.get(file).is_some_and(|new| contradict(digests, new)))
        }
        _ => false,
    }
}

fn differ(old: &Integrity, new: &Integrity) -> bool {
    match (old, new) {
        // Base64 is exact in its case; hex may be written in either.
        (Integrity::Sha512(old), Integrity::Sha512(new)) => old != new,
        (Integrity::Sha256(old), Integrity::Sha256(new)) | (Integrity::Sha1(old), Integrity::Sha1(new)) => {
            !old.eq_ignore_ascii_case(new)
        }
        // Digests of different kinds cannot be compared: a registry that adds SHA-512 contradicts nothing.
        _ => false,
    }
}

fn owner_change(before: &Claim<Vec<String>>, now: &Claim<Vec<String>>) -> Claim<OwnerChange> {
    let (Some(before), Some(now)) = (before.known(), now.known()) else { return Claim::Unknown };
    // An empty list is a source that hides its accounts, not a package without any.
    if before.is_empty() || now.is_empty() {
        return Claim::Unknown;
    }
    let (before, now): (BTreeSet<&String>, BTreeSet<&String>) = (before.iter().collect(), now.iter().collect());
    Claim::Known(if before.is_disjoint(&now) {
        OwnerChange::Replaced
    } else if now.is_subset(&before) {
        OwnerChange::Same
    } else {
        OwnerChange::Joined
    })
}

fn worse(one: &Claim<OwnerChange>, other: &Claim<OwnerChange>) -> Claim<OwnerChange> {
    one.known().max(other.known()).map_or(Claim::Unknown, |change| Claim::Known(*change))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ListingKey;
    use crate::listing::{Claims, Distribution};

    fn listing(version: &str, digest: &str, owners: &[&str]) -> Listing {
        let owners = owners.iter().map(|owner| (*owner).to_owned()).collect();
        Listing {
            key: ListingKey::new("npm", "a"),
            locators: vec![Locator::NpmPackage {
                registry: None,
                name: "a".into(),
                version: version.into(),
                url: String::new(),
                integrity: vec![Integrity::Sha512(digest.into())],
            }],
            claims: Claims { maintainers: Claim::Known(owners), ..Claims::default() },
            references: Vec::new(),
        }
    }

    fn after(before: &Listing, now: Listing) -> Listing {
        let history = history_after(before, &now);
        Listing { claims: Claims { history, ..now.claims }, ..now }
    }

    #[test]
    fn the_same_words_again_tell_nothing() {
        let first = listing("1", "a", &["ann"]);
        assert_eq!(history_after(&first, &first), Claim::Unknown);
        let second = after(&first, listing("1", "b", &["ann"]));
        assert_eq!(history_after(&second, &listing("1", "b", &["ann"])), second.claims.history);
    }

    #[test]
    fn other_bytes_under_one_version_are_remembered_while_it_is_listed() {
        let first = listing("1", "a", &["ann"]);
        let second = after(&first, listing("1", "b", &["ann"]));
        let mut described = listing("1", "b", &["ann"]);
        described.claims.description = Claim::Known("words".into());
        let third = after(&second, described);
        for seen in [&second, &third] {
            assert!(seen.claims.history.known().expect("compared").republished);
        }
        let fourth = after(&third, listing("2", "c", &["ann"]));
        assert_eq!(
            fourth.claims.history,
            Claim::Known(History { republished: false, owners: Claim::Known(OwnerChange::Same) })
        );
    }

    #[test]
    fn owners_are_compared_where_both_lists_are_known() {
        let change = |before: &[&str], now: &[&str]| {
            let history = history_after(&listing("1", "a", before), &listing("2", "b", now));
            history.known().map(|history| history.owners.clone()).expect("compared")
        };
        assert_eq!(change(&["ann"], &["bob"]), Claim::Known(OwnerChange::Replaced));
        assert_eq!(change(&["ann"], &["ann", "bob"]), Claim::Known(OwnerChange::Joined));
        assert_eq!(change(&["ann", "bob"], &["ann"]), Claim::Known(OwnerChange::Same));
        assert_eq!(change(&["ann"], &[]), Claim::Unknown);
    }

    #[test]
    fn an_owner_who_was_replaced_stays_so_while_the_version_stays() {
        let second = after(&listing("1", "a", &["ann"]), listing("1", "a", &["bob"]));
        let third = after(&second, listing("1", "a", &["bob", "cat"]));
        let owners = |listing: &Listing| listing.claims.history.known().map(|history| history.owners.clone());
        assert_eq!(owners(&third), Some(Claim::Known(OwnerChange::Replaced)));
        let fourth = after(&third, listing("2", "b", &["bob", "cat"]));
        assert_eq!(owners(&fourth), Some(Claim::Known(OwnerChange::Same)));
    }

    #[test]
    fn another_kind_of_digest_or_file_contradicts_nothing() {
        let file = |filename: &str, digest: Integrity| Locator::PypiPackage {
            registry: None,
            name: "a".into(),
            version: "1".into(),
            url: String::new(),
            filename: filename.into(),
            integrity: vec![digest],
            others: None,
        };
        let old = file("a-1.zip", Integrity::Sha256("AA".into()));
        assert!(!contradicts(&old, &file("a-1.tar.gz", Integrity::Sha256("bb".into()))));
        assert!(!contradicts(&old, &file("a-1.zip", Integrity::Sha256("aa".into()))));
        assert!(!contradicts(&old, &file("a-1.zip", Integrity::Sha1("bb".into()))));
        assert!(contradicts(&old, &file("a-1.zip", Integrity::Sha256("bb".into()))));
        let with_wheel = |digest: &str| {
            let mut locator = file("a-1.zip", Integrity::Sha256("aa".into()));
            if let Locator::PypiPackage { others, .. } = &mut locator {
                let integrity = vec![Integrity::Sha256(digest.into())];
                *others = Some(vec![Distribution { filename: "a-1.whl".into(), url: String::new(), integrity }]);
            }
            locator
        };
        assert!(contradicts(&with_wheel("cc"), &with_wheel("dd")), "a wheel beside the main file");
        assert!(!contradicts(&old, &with_wheel("cc")), "one that was added");
    }
}
