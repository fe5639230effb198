//! Release lines that a page does not have: those that the store lists of a package and that its registry does not lead to any
//! more, and those of a package that is unchanged.
//!
//! The source is not asked: it lists the lines of today, and the store knows those of before.

use std::collections::BTreeSet;

use capdex_crawlers::ListedEntry;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator};
use capdex_model::release_line;

use super::page::key_of;
use super::stored_page::StoredPage;

/// The lines of the packages on a page that are not on it themselves.
#[derive(Debug, Default)]
pub(super) struct OtherLines {
    /// Those that ended.
    pub(super) ended: Vec<ListingKey>,
    /// Those that stand as they were.
    pub(super) unchanged: Vec<ListingKey>,
}

/// The lines that a page leaves out. A package and all its lines come on one page.
///
/// # Errors
/// Errors of the store.
pub(super) fn others(stored: &StoredPage<'_>, page: &[ListedEntry]) -> anyhow::Result<OtherLines> {
    let listed: BTreeSet<&ListingKey> = page.iter().map(key_of).collect();
    let mut others = OtherLines::default();
    for entry in page {
        let key = key_of(entry);
        if release_line::of_name(&key.name).is_some() {
            continue;
        }
        let lines = stored.active_lines(key)?;
        // Most packages never had one, and what they say need not be read.
        if lines.is_empty() {
            continue;
        }
        let stated = match entry {
            // All that it has to list is on the page. A line that leads now to what another one leads to is looked at there.
            ListedEntry::Changed { listing, .. } if is_package(listing) => BTreeSet::new(),
            // Its lines stand as they were: those that nobody names are not on the page.
            ListedEntry::Unchanged(_) => match stored.last_word(key)? {
                Some(listing) if is_package(&listing) => lines_of(&listing),
                _ => continue,
            },
            ListedEntry::Gone(_) | ListedEntry::TakenDown { .. }
                if stored.last_word(key)?.is_some_and(|it| is_package(&it)) =>
            {
                BTreeSet::new()
            }
            _ => continue,
        };
        let lines = lines.into_iter().filter(|line| !listed.contains(line));
        let (unchanged, ended): (Vec<_>, Vec<_>) = lines.partition(|line| stated.contains(&line.name));
        others.ended.extend(ended);
        others.unchanged.extend(unchanged);
    }
    Ok(others)
}

/// True for the listing of a package that may have lines.
fn is_package(listing: &Listing) -> bool {
    listing.locators.first().is_some_and(Locator::is_package)
}

/// The names of the lines that a package states.
fn lines_of(listing: &Listing) -> BTreeSet<String> {
    let lines = listing.claims.release_lines.versions.keys();
    lines.map(|line| format!("{}@{line}", listing.key.name)).collect()
}
