//! Other files under one version: what an index says of a version's files, and the code that came with one.
//!
//! An installer chooses among the files of a version, so a file that comes later reaches people who pinned it.

use std::collections::BTreeSet;

use super::effect::{Effect, EffectKind};
use super::package_version::{CapabilityVersion, PackageVersion, is_live};
use super::release::{FileChange, Release};
use capdex_evidence::file_role::FileRole;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::listing::Listing;

/// Files that are named at most: a compiled project has a hundred.
const NAMED: usize = 20;

/// The files that came, went or were swapped under the version that a listing names still. The bytes are compared apart
/// from this, so that none of them is an alert by itself.
pub fn effects(before: &Listing, now: &Listing) -> Vec<Effect> {
    let pairs = before.locators.iter().zip(&now.locators);
    let of_pair = |(old, new)| {
        let (old, new) = (Release::of(old), Release::of(new));
        let changed = old.changed_files(&new).into_iter().map(|(change, name)| {
            let detail = match change {
                FileChange::Came => "added under the version",
                FileChange::Went => "removed under the version",
                FileChange::Swapped => "another digest under the version",
            };
            Effect::info(EffectKind::Packaging, name, detail)
        });
        changed.collect::<Vec<_>>()
    };
    pairs.flat_map(of_pair).take(NAMED).collect()
}

/// The first source of a capability that runs for users and whose bytes were nowhere in the package before: what an
/// installer runs is not what was looked at. Machine code is left out, since every platform has its own.
pub(super) fn new_code(
    before: &PackageVersion<'_>,
    after: (&PackageVersion<'_>, &CapabilityVersion<'_>),
) -> Option<Effect> {
    let known: BTreeSet<&Digest> = before.seen.values().flat_map(|version| version.pins.files.values()).collect();
    let is_new_code = |path: &str, digest: &Digest| {
        let document = after.0.evidence.documents.get(path);
        let is_code = document.is_some_and(|document| matches!(document.role, FileRole::Source | FileRole::Script));
        is_code && is_live(document) && !known.contains(digest)
    };
    let path = after.1.pins.files.iter().find(|(path, digest)| is_new_code(path, digest)).map(|(path, _)| path)?;
    Some(Effect::new(EffectKind::NewCode, Severity::Low, path, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::{Claims, Distribution, Integrity, Locator};

    fn listing(version: &str, others: &[(&str, &str)]) -> Listing {
        let integrity = |digest: &str| vec![Integrity::Sha256(digest.to_owned())];
        let other = |(filename, digest): &(&str, &str)| Distribution {
            filename: (*filename).to_owned(),
            url: String::new(),
            integrity: integrity(digest),
        };
        let locator = Locator::PypiPackage {
            registry: None,
            name: "a".into(),
            version: version.into(),
            url: String::new(),
            filename: format!("a-{version}.tar.gz"),
            integrity: integrity("1"),
            others: Some(others.iter().map(other).collect()),
        };
        let key = ListingKey::new("pypi", "a");
        Listing { key, locators: vec![locator], claims: Claims::default(), references: Vec::new() }
    }

    #[test]
    fn files_of_one_version_are_told_and_those_of_another_are_not() {
        let (before, now) =
            (listing("1", &[("x.whl", "2"), ("y.whl", "3")]), listing("1", &[("x.whl", "9"), ("z.whl", "4")]));
        let told: Vec<(String, String)> =
            effects(&before, &now).into_iter().map(|effect| (effect.subject, effect.detail)).collect();
        let expected = [
            ("z.whl", "added under the version"),
            ("y.whl", "removed under the version"),
            ("x.whl", "another digest under the version"),
        ];
        assert_eq!(told, expected.map(|(name, detail)| (name.to_owned(), detail.to_owned())));
        assert!(effects(&before, &listing("2", &[("z.whl", "4")])).is_empty());
        assert!(effects(&before, &before).is_empty());
        let many: Vec<(String, String)> = (0..90).map(|at| (format!("p{at}.whl"), "5".to_owned())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(name, digest)| (name.as_str(), digest.as_str())).collect();
        assert_eq!(effects(&before, &listing("1", &many)).len(), NAMED);
    }
}
