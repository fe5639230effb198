//! Packages: the page of each, and what each hands out, worst first.
//!
//! No figure of the corpus decides the order, so that a page stays as it is while its package does.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use capdex_model::fact::Severity;
use capdex_model::score::Band;
use capdex_rubrics::rank::place;

use super::{CapabilitySummary, Site};
use crate::report::paths;

/// Packages by their identities: the places of their rows, and the short names of their pages.
#[derive(Default)]
pub(super) struct Packages {
    rows: BTreeMap<String, Vec<usize>>,
    pages: BTreeMap<String, String>,
}

impl Packages {
    /// Finds the packages of rows.
    pub(super) fn of(rows: &[CapabilitySummary]) -> Self {
        let mut packages = Self::default();
        for (at, row) in rows.iter().enumerate() {
            match packages.rows.get_mut(&row.package) {
                Some(places) => places.push(at),
                None => drop(packages.rows.insert(row.package.clone(), vec![at])),
            }
        }
        packages.pages =
            packages.rows.keys().map(|identity| (paths::short_of_package(identity), identity.clone())).collect();
        packages
    }
}

impl Site {
    /// The identities of all packages, by name.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &str> + Clone {
        self.packages.rows.keys().map(String::as_str)
    }

    /// The rows of a package, by its identity, in order.
    pub(crate) fn of_package<'a>(&'a self, identity: &str) -> impl Iterator<Item = &'a CapabilitySummary> + Clone {
        self.packages.rows.get(identity).into_iter().flatten().filter_map(|at| self.rows.get(*at))
    }

    /// The identity of the package whose page has a short name; none where there is no such.
    pub(crate) fn package_of_page(&self, short: &str) -> Option<&str> {
        self.packages.pages.get(short).map(String::as_str)
    }

    /// The identities of the packages whose pages have short names that begin so, in the order of these.
    pub(crate) fn packages_with_prefix<'a>(&'a self, hex: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.packages.pages.range(hex.to_owned()..);
        from.take_while(move |(short, _)| short.starts_with(hex)).map(|(_, identity)| identity.as_str())
    }

    /// Packages by their bands: the strictest of what each holds.
    pub(crate) fn package_bands(&self) -> BTreeMap<Band, u64> {
        let mut bands = BTreeMap::new();
        for identity in self.packages() {
            let strictest = self.of_package(identity).map(|row| row.band).max_by_key(|band| place(*band));
            *bands.entry(strictest.unwrap_or(Band::Unknown)).or_default() += 1;
        }
        bands
    }
}

/// Rows of a package, worst first: by band, then by findings. The first decides.
pub(crate) fn worst_first<'a>(rows: impl Iterator<Item = &'a CapabilitySummary>) -> Vec<&'a CapabilitySummary> {
    let mut rows: Vec<&CapabilitySummary> = rows.collect();
    rows.sort_by_key(|row| {
        let found: Vec<u64> = Severity::ALL.iter().rev().map(|severity| row.findings.count(*severity)).collect();
        (Reverse(place(row.band)), Reverse(found), row.kind, &row.path, row.id)
    });
    rows
}
