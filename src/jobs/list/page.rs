//! Saving one page: rows, gaps, visits, fetch jobs and cursor in one transaction.
//!
//! The page's source plays no part here: directories and named sources save alike.

use capdex_crawlers::revisit::{self, Revisit};
use capdex_crawlers::{ListPage, ListedEntry, NextPage, WalkKind, at_own_forge, http};
use capdex_db::{ListingState, Reader, StoreError, Upserted, Writer};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator, Validators};
use capdex_model::listing_comparison::history_after;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::time::{AsOf, Timestamp};

use super::stored_page::StoredPage;
use super::walk_context::WalkContext;
use super::{FETCH_JOB, FetchPayload, STAGE, release_lines, takedown_notice};
use crate::clock;
use crate::jobs::fetch;
use capdex_dataset::views::ledger::WalkReport;

/// An entry of a page with what the store must be told beside it.
struct PageEntry {
    listed: ListedEntry,
    /// The validators of an entry that was read and is as it was, and its popularity now.
    kept: Option<(Validators, Option<u64>)>,
    /// Artifacts that it names and the store does not hold.
    missing: Vec<FetchPayload>,
    /// When it is due again, where it was asked for by name.
    revisit: Option<Revisit>,
    /// True where the source listed it until now.
    was_there: bool,
    /// What is to be had of it no more, though it has a row.
    taken_down: Option<Gap>,
}

/// Saves a page; gives the number of its entries that this walk had not met before.
pub(super) fn save(
    walker: &WalkContext<'_>,
    reader: &Reader,
    page: ListPage,
    walked: &mut WalkReport,
) -> anyhow::Result<u64> {
    let (at, now, id) = (walker.context.as_of, clock::now(), walker.id.to_owned());
    let stored = StoredPage::of(reader);
    let is_visit = matches!(walker.source.meta().walk, WalkKind::Names);
    // Compared before the write, because only one writer exists and reading need not hold it up.
    let registry = walker.run.registry.as_deref();
    let lines = release_lines::others(&stored, &page.listed)?;
    let unchanged = lines.unchanged.into_iter().map(ListedEntry::Unchanged);
    // Packages are asked for by name; a directory's rows are about packages and are none.
    let listed = page.listed.into_iter().map(|listed| with_own_forge(walker, listed)).chain(unchanged);
    let listed = listed.map(|listed| match is_visit {
        true => of_registry(&stored, listed, registry),
        false => Ok(listed),
    });
    let mut rows: Vec<PageEntry> =
        listed.map(|listed| noticed(walker, &stored, listed?, is_visit)).collect::<anyhow::Result<_>>()?;
    // Nobody asked for these by name, so their end is no gap.
    for key in lines.ended {
        rows.push(row(&stored, ListedEntry::Gone(key), false, at)?);
    }
    let next = page.next;
    let (counts, met) = walker.context.store.write(move |writer| {
        let (mut counts, mut met) = (WalkReport::default(), 0);
        // A page came, so the source's own failure of an earlier run is over.
        writer.resolve_gaps(STAGE, &id, at)?;
        for row in &rows {
            met += u64::from(save_one(writer, row, &mut counts, at, now)?);
        }
        // The cursor moves with the rows: a kill between the two would skip a page or count it twice.
        match &next {
            NextPage::More(cursor) => writer.save_cursor(&id, &cursor.0)?,
            NextPage::Complete { watermark } => writer.complete_walk(&id, watermark.as_deref(), at)?,
        }
        Ok((counts, met))
    })?;
    // Added only after the commit: what was rolled back was not listed.
    walked.listed += counts.listed;
    walked.new += counts.new;
    walked.changed += counts.changed;
    walked.gone += counts.gone;
    walked.failed += counts.failed;
    Ok(met)
}

pub(super) fn key_of(listed: &ListedEntry) -> &ListingKey {
    match listed {
        ListedEntry::Changed { listing, .. } => &listing.key,
        ListedEntry::Unchanged(key)
        | ListedEntry::Gone(key)
        | ListedEntry::TakenDown { key, .. }
        | ListedEntry::Moved { key, .. }
        | ListedEntry::Failed { key, .. } => key,
    }
}

/// Says of the packages of an entry which registry they are of. An entry of which the store has said otherwise until now, as
/// where the schedule gained a second registry, is listed anew, so that its packages are not taken for others.
fn of_registry(stored: &StoredPage<'_>, listed: ListedEntry, registry: Option<&str>) -> anyhow::Result<ListedEntry> {
    Ok(match listed {
        ListedEntry::Changed { mut listing, validators } => {
            for locator in &mut listing.locators {
                locator.set_registry(registry);
            }
            ListedEntry::Changed { listing, validators }
        }
        ListedEntry::Unchanged(key) => {
            let known = stored.locators(&key)?;
            let mut locators = known.map(|known| known.to_vec()).unwrap_or_default();
            // Each is told, so none is skipped at the first that is news.
            let news = locators.iter_mut().filter_map(|locator| locator.set_registry(registry).then_some(()));
            if news.count() == 0 {
                return Ok(ListedEntry::Unchanged(key));
            }
            match stored.last_word(&key)?.zip(stored.validators(&key)?) {
                // Without its digest, by which it would be taken for the one that is stored.
                Some((listing, validators)) => ListedEntry::Changed {
                    listing: Box::new(Listing { locators, ..Listing::clone(&listing) }),
                    validators: Validators { digest: None, ..validators },
                },
                None => ListedEntry::Unchanged(key),
            }
        }
        other => other,
    })
}

/// The largest number of references of one listing: a stranger says how long the list is, and each name costs a visit.
const MAX_REFERENCES: usize = 64;

/// An entry with the reference to its repository, where that is at one of the operator's own forges. Sources know the
/// forges of the world by themselves.
fn with_own_forge(walker: &WalkContext<'_>, mut listed: ListedEntry) -> ListedEntry {
    if let ListedEntry::Changed { listing, .. } = &mut listed
        && let Some(key) = at_own_forge(&listing.claims.repository, &walker.run.settings.forges)
        && key != listing.key
        && let Err(place) = listing.references.binary_search(&key)
    {
        listing.references.insert(place, key);
    }
    listed
}

/// Compares an entry with what the store knows.
fn row(stored: &StoredPage<'_>, listed: ListedEntry, is_visit: bool, at: AsOf) -> anyhow::Result<PageEntry> {
    let key = key_of(&listed).clone();
    let (mut listed, mut kept, mut says_something_new) = (listed, None, false);
    if let ListedEntry::Changed { listing, validators } = &mut listed {
        let known = stored.validators(&key)?;
        // The digest of the canonical answer decides where a server sends no validators.
        let is_same = validators.digest.is_some() && known.and_then(|known| known.digest) == validators.digest;
        if is_same {
            // Counts of users change daily; they are kept without making a new version of the listing.
            kept = Some((validators.clone(), listing.claims.popularity));
            listed = ListedEntry::Unchanged(key.clone());
        } else {
            listing.references.truncate(MAX_REFERENCES);
            let mut before = stored.last_word(&key)?.map(|before| Listing::clone(&before));
            if let Some(before) = &mut before {
                // Popularity moves by itself, and is no reason for another visit soon.
                before.claims.popularity = listing.claims.popularity;
                listing.claims.history = history_after(before, listing);
            }
            says_something_new = before.as_ref() != Some(&**listing);
        }
    }
    let missing = missing(stored, &listed, is_visit)?;
    // A tombstone for something that was never there, or is gone already, removes nothing.
    let was_there = stored.listing_state(&key)?.is_some_and(|state| state != ListingState::Gone);
    // A name that is still not there, and one that still says the same, is no event.
    let is_eventful = match listed {
        ListedEntry::Changed { .. } => says_something_new,
        ListedEntry::Gone(_) | ListedEntry::TakenDown { .. } | ListedEntry::Moved { .. } => was_there,
        ListedEntry::Unchanged(_) | ListedEntry::Failed { .. } => false,
    };
    let revisit = match is_visit {
        true => Some(revisit::after(&key, stored.visits(&key)?.unchanged_streak, is_eventful, at)),
        false => None,
    };
    Ok(PageEntry { listed, kept, missing, revisit, was_there, taken_down: None })
}

/// The same, with a row for a package that was taken down before anybody listed it.
fn noticed(
    walker: &WalkContext<'_>,
    stored: &StoredPage<'_>,
    listed: ListedEntry,
    is_visit: bool,
) -> anyhow::Result<PageEntry> {
    let (listed, taken_down) = takedown_notice::of(walker, stored, listed)?;
    Ok(PageEntry { taken_down, ..row(stored, listed, is_visit, walker.context.as_of)? })
}

/// The artifacts of an entry that the store does not hold. A folder is read every time. An entry that a directory lists
/// unchanged was enqueued when it was new. One that is asked for by name is looked at again, at no cost worth naming.
fn missing(stored: &StoredPage<'_>, listed: &ListedEntry, is_visit: bool) -> anyhow::Result<Vec<FetchPayload>> {
    let (key, locators) = match listed {
        ListedEntry::Changed { listing, .. } => (&listing.key, listing.locators.clone()),
        ListedEntry::Unchanged(key) if is_visit => {
            (key, stored.locators(key)?.map(|locators| locators.to_vec()).unwrap_or_default())
        }
        ListedEntry::Unchanged(_)
        | ListedEntry::Gone(_)
        | ListedEntry::TakenDown { .. }
        | ListedEntry::Moved { .. }
        | ListedEntry::Failed { .. } => return Ok(Vec::new()),
    };
    let mut missing = Vec::new();
    for locator in locators {
        // A local folder changes under the same name, so what the store holds proves nothing.
        if matches!(locator, Locator::Folder { .. }) || !stored.has_artifact(&locator)? {
            missing.push(FetchPayload { key: key.clone(), locator });
        }
    }
    Ok(missing)
}

fn save_one(
    writer: &Writer<'_>,
    row: &PageEntry,
    counts: &mut WalkReport,
    at: AsOf,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let key = key_of(&row.listed);
    counts.listed += 1;
    match &row.listed {
        ListedEntry::Unchanged(_) => {
            writer.resolve_gaps(STAGE, &key.to_string(), at)?;
            // Read and found the same, rather than answered with "not modified": its validators may be new all the same.
            match &row.kept {
                Some((validators, popularity)) => writer.keep_listing(key, validators, *popularity, at)?,
                None => writer.mark_listing(key, ListingState::Active, None, at)?,
            }
        }
        ListedEntry::Changed { listing, validators } => {
            writer.resolve_gaps(STAGE, &key.to_string(), at)?;
            match writer.upsert_listing(listing, validators, at)? {
                Upserted::New => counts.new += 1,
                Upserted::Changed => counts.changed += 1,
                Upserted::Same => {}
            }
        }
        ListedEntry::Gone(_) => {
            // What the source itself says needs no second walk, other than what is inferred from absence.
            let gap = Gap::new(key.to_string(), GapReason::NotFound, "the source says that it does not exist");
            leave(writer, row, &gap, counts, at)?;
        }
        ListedEntry::TakenDown { detail, .. } => {
            let gap = Gap::new(key.to_string(), GapReason::TakenDown, detail.clone());
            leave(writer, row, &gap, counts, at)?;
        }
        ListedEntry::Moved { to, .. } => {
            let detail = format!("the source says that its name is {to} now");
            leave(writer, row, &Gap::new(key.to_string(), GapReason::NotFound, detail), counts, at)?;
        }
        // Failed, not gone: the listing keeps its place, and the gap says what is unknown.
        ListedEntry::Failed { gap, .. } => {
            counts.failed += 1;
            writer.mark_listing(key, ListingState::Failed, Some(gap), at)?;
            writer.record_gap(STAGE, &key.to_string(), gap, at)?;
        }
    }
    if let Some(gap) = &row.taken_down {
        writer.record_gap(STAGE, &key.to_string(), gap, at)?;
    }
    // The corpus signal counts for the walk, so that absence can be told at its end.
    let is_met = writer.mark_seen(key)?;
    if let Some(Revisit { due, unchanged_streak: calm }) = row.revisit {
        writer.record_visit(key, at, due, calm)?;
    }
    for payload in &row.missing {
        // One job for one artifact, however many listings name it.
        let dedupe = format!("{}@{}", payload.locator.identity(), payload.locator.artifact());
        // Noted for claims, which leave out hosts that are busy.
        let host = payload.locator.url().and_then(http::host_of);
        // The queue outlives this process and perhaps this version, so payloads are JSON.
        let payload = serde_json::to_value(payload).expect("our own types serialise");
        writer.enqueue(FETCH_JOB, &dedupe, &payload, host.as_deref(), now)?;
    }
    Ok(is_met)
}

/// A listing is not there any more. To what was asked for by name that is a gap; a directory's tombstone is its answer.
fn leave(writer: &Writer<'_>, row: &PageEntry, gap: &Gap, counts: &mut WalkReport, at: AsOf) -> Result<(), StoreError> {
    let key = key_of(&row.listed);
    counts.gone += u64::from(row.was_there);
    // Nobody can fetch it any more, so its open failures of both stages are settled by the removal.
    for stage in [STAGE, fetch::STAGE] {
        writer.resolve_gaps(stage, &key.to_string(), at)?;
    }
    writer.mark_listing(key, ListingState::Gone, Some(gap), at)?;
    if row.revisit.is_some() { writer.record_gap(STAGE, &key.to_string(), gap, at) } else { Ok(()) }
}
