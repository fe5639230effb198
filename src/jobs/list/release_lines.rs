//! Release lines that ended: those that the store lists of a package and that its registry does not lead to any more.
//!
//! The source is not asked: it lists the lines of today, and the store knows those of before.

use std::collections::BTreeSet;

use capdex_crawlers::ListedEntry;
use capdex_db::Reader;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::release_line;

use super::page::key_of;

/// The lines that ended, of the packages on a page. A package and all its lines come on one page.
///
/// # Errors
/// Errors of the store.
pub(super) fn ended(reader: &Reader, page: &[ListedEntry]) -> anyhow::Result<Vec<ListingKey>> {
    let listed: BTreeSet<&ListingKey> = page.iter().map(key_of).collect();
    let mut ended = Vec::new();
    for entry in page {
        let key = key_of(entry);
        if release_line::of_name(&key.name).is_some() {
            continue;
        }
        let stated = match entry {
            ListedEntry::Changed { listing, .. } if is_package(listing) => lines_of(listing),
            // Its lines stand as they were: those that nobody names are not on the page.
            ListedEntry::Unchanged(_) => match reader.listing(key)?.and_then(|stored| stored.listing) {
                Some(listing) if is_package(&listing) => lines_of(&listing),
                _ => continue,
            },
            ListedEntry::Gone(_) | ListedEntry::TakenDown { .. }
                if reader.listing(key)?.and_then(|stored| stored.listing).is_some_and(|it| is_package(&it)) =>
            {
                BTreeSet::new()
            }
            _ => continue,
        };
        let lines = reader.active_lines(key)?;
        ended.extend(lines.into_iter().filter(|line| !listed.contains(line) && !stated.contains(&line.name)));
    }
    Ok(ended)
}

/// True for the listing of a package that may have lines.
fn is_package(listing: &Listing) -> bool {
    matches!(listing.locators.first(), Some(capdex_model::listing::Locator::NpmPackage { .. }))
}

/// The names of the lines that a package states.
fn lines_of(listing: &Listing) -> BTreeSet<String> {
    let lines = listing.claims.release_lines.versions.keys();
    lines.map(|line| format!("{}@{line}", listing.key.name)).collect()
}
