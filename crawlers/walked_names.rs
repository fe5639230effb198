//! `WalkedNames`: the names of a walk in the form in which their source takes them, worked out once and not at each step.
//!
//! A step takes 16 names. To sort and hash all of them for it would make a walk quadratic in its names.

use std::fmt;
use std::sync::{Arc, OnceLock};

use capdex_model::digest::Digest;

use crate::package_lines::LinesByPackage;

/// Names in their order, with the digest by which a cursor knows them again.
#[derive(Debug)]
pub(crate) struct NameList {
    /// The names.
    pub(crate) names: Vec<String>,
    /// The digest of all of them.
    pub(crate) digest: String,
}

impl NameList {
    /// The list of these names.
    pub(crate) fn of(names: Vec<String>) -> Self {
        let digest = Digest::of_fields(names.iter().map(String::as_bytes)).hex();
        Self { names, digest }
    }
}

/// Packages in their order, and what is asked for of each.
#[derive(Debug)]
pub(crate) struct PackageList {
    /// Their names.
    pub(crate) list: NameList,
    /// The lines that are asked for.
    pub(crate) lines: LinesByPackage,
}

impl PackageList {
    /// The list of these packages.
    pub(crate) fn of(lines: LinesByPackage) -> Self {
        Self { list: NameList::of(lines.keys().cloned().collect()), lines }
    }
}

/// What a source made of a watchlist at the first step of a walk. It belongs to the settings whose watchlist it was made of:
/// a copy begins without it, since its watchlist may become another one.
#[derive(Default)]
pub struct WalkedNames {
    names: OnceLock<Arc<NameList>>,
    packages: OnceLock<Arc<PackageList>>,
}

impl WalkedNames {
    /// The names, made where this is the first step.
    pub(crate) fn names(&self, make: impl FnOnce() -> Vec<String>) -> Arc<NameList> {
        Arc::clone(self.names.get_or_init(|| Arc::new(NameList::of(make()))))
    }

    /// The packages, made where this is the first step.
    pub(crate) fn packages(&self, make: impl FnOnce() -> LinesByPackage) -> Arc<PackageList> {
        Arc::clone(self.packages.get_or_init(|| Arc::new(PackageList::of(make()))))
    }
}

impl Clone for WalkedNames {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It follows from the watchlist, and two settings differ only where those do.
impl PartialEq for WalkedNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for WalkedNames {}

impl fmt::Debug for WalkedNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkedNames").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::SourceSettings;

    #[test]
    fn a_copy_of_settings_begins_with_its_own_names() {
        let first = SourceSettings { watchlist: vec!["a".into()], ..SourceSettings::default() };
        assert_eq!(first.walked.names(|| first.watchlist.clone()).names, ["a"]);
        let mut other = first.clone();
        other.watchlist = vec!["b".into()];
        assert_eq!(other.walked.names(|| other.watchlist.clone()).names, ["b"]);
        let again = first.walked.names(|| panic!("they are made once"));
        assert_eq!(again.names, ["a"]);
    }
}
