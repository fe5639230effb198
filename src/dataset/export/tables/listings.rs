//! The table `listings`: what each directory says about each package.

use std::collections::BTreeMap;

use capdex_db::{ListingState, Reader};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Locator};
use capdex_model::purl::Purl;
use capdex_model::spdx;
use capdex_model::time::{AsOf, Timestamp};

use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// what one directory says about one package
    table listings: stored(rows);
    pub(super) struct ListingRow {
        /// source and name there
        key listing: ListingKey,
        /// active, gone or failed at the last visit
        public state: ListingState,
        /// the gap behind a state other than active
        public why: Option<String>,
        /// the version listed
        public version: Option<String>,
        /// claimed; untrusted
        public description: Option<String>,
        /// claimed; untrusted
        public license: Option<String>,
        /// claimed; untrusted
        public repository: Option<String>,
        /// when the package first appeared, as claimed
        public created: Option<Timestamp>,
        /// when the version was published, as claimed
        public published: Option<Timestamp>,
        /// versions ever published, as claimed
        public version_count: Option<u64>,
        /// deprecation message, as claimed
        public deprecated: Option<String>,
        /// as_of of the night that saw it first
        public first_seen: AsOf,
        /// as_of of the night that saw it in this form first
        public changed: AsOf,
        /// package URL of the listing at its version; null for a directory's own row
        public purl: Option<String>,
        /// the claimed license as an SPDX expression; null where it does not say which license
        public spdx: Option<String>,
        /// release lines of the package (dist-tags, older majors) that were not looked at, for want of budget
        public lines_beyond: Option<u64>,
    }
}

/// Licences that are kept with their expressions.
const LICENCES: usize = 1024;

fn rows(reader: &Reader, emit: Emit<'_, ListingRow>) -> anyhow::Result<()> {
    // Licences are few, and are read once each.
    let mut expressions: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut spdx_of = |license: &str| match expressions.get(license) {
        Some(known) => known.clone(),
        None => {
            let found = spdx::expression(license);
            // Whatever a stranger writes is one, and memory does not grow with them.
            if expressions.len() < LICENCES {
                expressions.insert(license.to_owned(), found.clone());
            }
            found
        }
    };
    reader.each_listing(|stored| {
        let version =
            stored.listing.as_ref().and_then(|listing| listing.locators.first()?.version().map(ToOwned::to_owned));
        let is_package = stored.listing.as_ref().is_some_and(|listing| {
            matches!(listing.locators.first(), Some(Locator::NpmPackage { .. })) && listing.release_line().is_none()
        });
        // A package is what its locator says, with its registry; a table may have any name.
        let package = stored.listing.as_ref().and_then(|listing| {
            let locator = listing.locators.first()?;
            matches!(locator, Locator::NpmPackage { .. } | Locator::PypiPackage { .. }).then(|| locator.identity())
        });
        let claims = stored.listing.map(|listing| listing.claims).unwrap_or_default();
        let purl = match package {
            Some(package) => Purl::of_identity(&package, version.as_deref()),
            None => Purl::of(&stored.key, version.as_deref()),
        };
        let purl = purl.map(|purl| purl.to_string());
        // From the claimed text, so that both columns speak of one claim.
        let license = stated(claims.license);
        let spdx = license.as_deref().and_then(&mut spdx_of);
        emit(ListingRow {
            listing: stored.key,
            state: stored.state,
            why: stored.gap.map(|gap| gap.to_string()),
            version,
            description: stated(claims.description),
            license,
            repository: stated(claims.repository),
            created: stated(claims.created),
            published: stated(claims.published),
            version_count: stated(claims.version_count),
            deprecated: stated(claims.deprecated),
            first_seen: stored.first_seen,
            changed: stored.changed,
            purl,
            spdx,
            lines_beyond: is_package.then_some(claims.release_lines.beyond),
        })
    })
}

/// The value that a source states; none where it states none.
fn stated<T>(claim: Claim<T>) -> Option<T> {
    match claim {
        Claim::Known(value) => Some(value),
        Claim::Absent | Claim::Unknown => None,
    }
}
