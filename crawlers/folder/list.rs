//! The listings of a table of folders: which paths it means, and the name of each.
//!
//! A name is the path below the table's folder, so that `alice/notes` and `bob/notes` are two. Where two paths of a table
//! would still have one name, neither speaks for the other: each but the first is a gap.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing, Locator, Validators};
use capdex_model::snapshot::{Gap, GapReason};

use super::{META, failure, last_component, name_of};
use crate::unpack::ArchiveFormat;
use crate::{CrawlError, ListedEntry};

/// The most paths that one pattern may mean. A marketplace has tens of thousands; a pattern that means more was not meant.
const MAX_MATCHES: usize = 200_000;

/// A path of the table as written, or one that a pattern of it means.
struct ListedPath {
    /// Where it is.
    path: PathBuf,
    /// The path below the table's folder; none for a path elsewhere.
    below: Option<String>,
}

/// Lists the paths of a table, in the order in which they were written; those of a pattern by name.
pub(super) fn list(id: &str, base: &str, watchlist: &[String]) -> Vec<ListedEntry> {
    let mut listed = Vec::new();
    let mut paths = Vec::new();
    // So that what a pattern finds begins as its folder is written.
    let base = base.trim_start_matches("./");
    for entry in watchlist {
        match is_pattern(base, entry) {
            true => match matches(base, entry) {
                Ok(found) => paths.extend(found),
                Err((reason, detail)) => listed.push(failed(id, entry, reason, &detail)),
            },
            false => paths.push(ListedPath::of(base, entry)),
        }
    }
    let shared = shared_ends(&paths);
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        let name = path.name(&shared);
        match names.get(&name) {
            // Written twice, or also meant by a pattern.
            Some(known) if is_same(known, &path.path) => {}
            Some(known) => {
                let detail = format!("it has the name {name:?} of {}: give it a table of its own", known.display());
                listed.push(failed(id, &path.path.display().to_string(), GapReason::DuplicatePath, &detail));
            }
            None => {
                listed.push(list_path(id, &path.path, name.clone()));
                names.insert(name, path.path);
            }
        }
    }
    listed
}

impl ListedPath {
    fn of(base: &str, entry: &str) -> Self {
        let written = Path::new(entry);
        let path = if base.is_empty() { written.to_owned() } else { Path::new(base).join(written) };
        let below = match written.is_absolute() {
            false => below(written),
            true if base.is_empty() => None,
            true => written.strip_prefix(base).ok().and_then(below),
        };
        Self { path, below }
    }

    /// The name of its listing. A path elsewhere is known by its last part, and where several of the table end alike by the
    /// whole of it, so that none of them takes a name from another.
    fn name(&self, shared: &BTreeSet<String>) -> String {
        let own = name_of(&self.path);
        match &self.below {
            Some(below) => ArchiveFormat::strip_ending(below).to_owned(),
            None if shared.contains(&own) => {
                let whole = below(&self.path).unwrap_or_default();
                ArchiveFormat::strip_ending(&whole).to_owned()
            }
            None => own,
        }
    }
}

/// A relative path in one spelling, `/` between its parts; none for one that has no part of its own, such as `.`.
fn below(path: &Path) -> Option<String> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        // What lies beside the folder is named by the way to it from there.
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    let parts: Vec<_> = parts.collect();
    // `..` alone says nothing of what it leads to.
    parts.last().is_some_and(|last| last != "..").then(|| parts.join("/"))
}

/// The last parts that several paths outside the table's folder have.
fn shared_ends(paths: &[ListedPath]) -> BTreeSet<String> {
    let elsewhere: BTreeSet<&Path> =
        paths.iter().filter(|path| path.below.is_none()).map(|path| path.path.as_path()).collect();
    let (mut once, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for path in elsewhere {
        let name = name_of(path);
        if !once.insert(name.clone()) {
            shared.insert(name);
        }
    }
    shared
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn is_pattern(base: &str, entry: &str) -> bool {
    // A folder may have a bracket in its name; what is there is meant as it is written.
    entry.contains(['*', '?', '[']) && std::fs::symlink_metadata(Path::new(base).join(entry)).is_err()
}

/// The folders and archives that a pattern means, sorted. Other files beside them, such as a README, are nobody's listing.
fn matches(base: &str, entry: &str) -> Result<Vec<ListedPath>, (GapReason, String)> {
    let pattern = match base.is_empty() || Path::new(entry).is_absolute() {
        true => entry.to_owned(),
        // The folder is a path and no pattern, whatever letters it has.
        false => format!("{}/{entry}", glob::Pattern::escape(base.trim_end_matches('/'))),
    };
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found = glob::glob_with(&pattern, options).map_err(|error| (GapReason::Malformed, error.to_string()))?;
    let mut paths = BTreeSet::new();
    for path in found {
        let path = path.map_err(|error| (GapReason::Unreadable, error.to_string()))?;
        if path.is_dir() || ArchiveFormat::of_filename(&last_component(&path)).is_some() {
            paths.insert(path);
        }
        if paths.len() > MAX_MATCHES {
            return Err((GapReason::TooManyMembers, format!("more than {MAX_MATCHES} paths are like this")));
        }
    }
    if paths.is_empty() {
        return Err((GapReason::NotFound, "no folder and no archive is like this".to_owned()));
    }
    let of_path = |path: PathBuf| {
        let below = match base.is_empty() {
            true => below(&path).filter(|_| !path.is_absolute()),
            false => path.strip_prefix(base).ok().and_then(below),
        };
        // Of a pattern that begins at the root the whole path is the name: its matches end alike more often than not.
        let below = below.or_else(|| self::below(&path));
        ListedPath { path, below }
    };
    Ok(paths.into_iter().map(of_path).collect())
}

fn list_path(id: &str, path: &Path, name: String) -> ListedEntry {
    let key = ListingKey::new(id, name.clone());
    match std::fs::metadata(path).map_err(|error| failure(path, &error)) {
        Ok(_) => {
            // The source's own table has the short name.
            let source = (id != META.id).then(|| id.to_owned());
            let locator = Locator::Folder { source, path: path.display().to_string(), name };
            let listing =
                Box::new(Listing { key, locators: vec![locator], claims: Claims::default(), references: Vec::new() });
            ListedEntry::Changed { listing, validators: Validators::default() }
        }
        Err(CrawlError::Gone { .. }) => ListedEntry::Gone(key),
        // A local failure, such as a missing permission, does not pass by itself.
        Err(error) => ListedEntry::Failed { key, gap: error.to_gap(), transient: false },
    }
}

/// A path that cannot be listed. It fails under the whole of what was written, so that it does not speak for another.
fn failed(id: &str, written: &str, reason: GapReason, detail: &str) -> ListedEntry {
    let gap = Gap::new(written, reason, detail);
    ListedEntry::Failed { key: ListingKey::new(id, written), gap, transient: false }
}
