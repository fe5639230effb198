//! Packages that their registry called malicious and took away before anybody here listed them.
//!
//! Without a row of its own such a name would look like one that nobody ever heard of. What was listed before keeps its row.

use capdex_crawlers::ListedEntry;
use capdex_model::digest::Digest;
use capdex_model::ids::package_identity;
use capdex_model::listing::Validators;
use capdex_model::release_line;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::source_role::Ecosystem;
use capdex_model::takedown;

use super::stored_page::StoredPage;
use super::walk_context::WalkContext;

/// An entry, as its notice where it is about such a package, with the gap that this leaves all the same.
///
/// # Errors
/// Errors of the store.
pub(super) fn of(
    walker: &WalkContext<'_>,
    stored: &StoredPage<'_>,
    listed: ListedEntry,
) -> anyhow::Result<(ListedEntry, Option<Gap>)> {
    let ListedEntry::TakenDown { key, detail } = &listed else { return Ok((listed, None)) };
    // Registries of servers delete rows by the thousand, and the end of a line says nothing of its package.
    let ecosystem = walker.source.meta().role.ecosystem();
    let Some(ecosystem @ (Ecosystem::Npm | Ecosystem::Pypi)) = ecosystem else { return Ok((listed, None)) };
    if release_line::of_name(&key.name).is_some() || !takedown::speaks_of_malice(detail) {
        return Ok((listed, None));
    }
    if stored.last_word(key)?.is_some_and(|stored| !takedown::is_notice(&stored)) {
        return Ok((listed, None));
    }
    let identity = package_identity(ecosystem.as_str(), &key.name, walker.run.registry.as_deref());
    let validators = Validators { digest: Some(Digest::of(detail.as_bytes())), ..Validators::default() };
    let gap = Gap::new(key.to_string(), GapReason::TakenDown, detail.clone());
    let listing = Box::new(takedown::notice(key.clone(), identity, detail));
    Ok((ListedEntry::Changed { listing, validators }, Some(gap)))
}
