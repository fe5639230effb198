//! The list stage: walks every source, and saves listings, cursor and fetch jobs of each page in one transaction.
//!
//! Must not fetch an artifact.

use capdex_core::ids::ListingKey;
use capdex_core::listing::{Listing, Locator};
use capdex_core::time::{AsOf, Timestamp};
use capdex_crawlers::{Cursor, ListRequest, Listed, Next, Page, SOURCES, Source, SourceSettings};
use capdex_db::{ListingState, Store, StoreError, Writer};
use serde::{Deserialize, Serialize};
use tracing::{info, warn};

use super::{Context, StageReport};
use crate::clock;
use crate::progress::Progress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "list";
/// The kind of the jobs that this stage makes.
pub const FETCH_JOB: &str = "fetch";

/// A fetch job as the queue keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FetchPayload {
    /// Whose artifact.
    pub key: ListingKey,
    /// Which artifact.
    pub locator: Locator,
}

/// What the walks of all sources gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListReport {
    /// The stage as the ledger shows it.
    pub stage: StageReport,
    /// Sources asked, and sources that gave nothing at all.
    pub sources: u64,
    /// Sources that gave nothing at all.
    pub unreachable: u64,
}

/// Walks every source of the schedule, one after the other.
///
/// # Errors
/// Only what the store says; a source that fails is a gap.
pub async fn run(context: &Context) -> anyhow::Result<ListReport> {
    let watch = clock::Stopwatch::start();
    let mut report = ListReport::default();
    let total: usize = context.sources.values().map(|settings| settings.watchlist.len()).sum();
    let progress = Progress::stage("list", u64::try_from(total).ok(), context.quiet);
    for (id, settings) in &context.sources {
        if context.stop.is_asked() {
            break;
        }
        let Some(source) = SOURCES.iter().find(|source| source.meta().id == id) else { continue };
        report.sources += 1;
        if !walk(context, *source, settings, &mut report.stage, &progress).await? {
            report.unreachable += 1;
        }
    }
    progress.finish();
    report.stage.requests = context.http.usage().requests;
    report.stage.bytes = context.http.usage().bytes;
    report.stage.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Walks one source from its saved cursor to its end. False when it gave nothing at all.
async fn walk(
    context: &Context,
    source: &dyn Source,
    settings: &SourceSettings,
    report: &mut StageReport,
    progress: &Progress,
) -> anyhow::Result<bool> {
    let id = source.meta().id;
    let mut cursor = context.store.reader()?.cursor(id)?.map(Cursor);
    let known = context.store.reader()?.validators(id)?;
    let mut pages = 0_u64;
    while !context.stop.is_asked() {
        let request = ListRequest { http: &context.http, settings, cursor: cursor.as_ref(), known: &known };
        let page = match source.list(request).await {
            Ok(page) => page,
            Err(error) => {
                warn!(source = id, error = %error, "a source gave no page; its cursor stays");
                let (gap, at) = (error.to_gap(), context.as_of);
                context.store.write(move |writer| writer.record_gap(STAGE, id, &gap, at))?;
                report.failed += 1;
                return Ok(pages > 0);
            }
        };
        pages += 1;
        progress.advance(u64::try_from(page.listed.len()).unwrap_or(0));
        progress.show(context.http.usage().bytes, id);
        let next = page.next.clone();
        save(&context.store, id, page, context.as_of, report)?;
        match next {
            Next::More(more) => cursor = Some(more),
            Next::Complete => break,
        }
    }
    info!(source = id, pages, "walked a source");
    Ok(true)
}

/// Saves a page: rows, gaps, fetch jobs and cursor in one transaction.
fn save(store: &Store, id: &'static str, page: Page, at: AsOf, report: &mut StageReport) -> anyhow::Result<()> {
    let now = clock::now();
    report.items += u64::try_from(page.listed.len()).unwrap_or(0);
    let reader = store.reader()?;
    let mut rows = Vec::new();
    for listed in page.listed {
        let stored = match &listed {
            Listed::Unchanged(key) => reader.listing(key)?.and_then(|stored| stored.listing),
            _ => None,
        };
        match &listed {
            Listed::Failed { .. } => report.failed += 1,
            Listed::Changed { .. } | Listed::Gone(_) => report.done += 1,
            Listed::Unchanged(_) => {}
        }
        rows.push((listed, stored));
    }
    let next = page.next;
    store.write(move |writer| {
        writer.resolve_gaps(STAGE, id, at)?;
        for (listed, stored) in &rows {
            save_one(writer, listed, stored.as_ref(), at, now)?;
        }
        match &next {
            Next::More(cursor) => writer.save_cursor(id, Some(&cursor.0), None),
            Next::Complete => writer.save_cursor(id, None, Some(at)),
        }
    })?;
    Ok(())
}

fn save_one(
    writer: &Writer<'_>,
    listed: &Listed,
    stored: Option<&Listing>,
    at: AsOf,
    now: Timestamp,
) -> Result<(), StoreError> {
    match listed {
        Listed::Unchanged(key) => {
            writer.resolve_gaps(STAGE, &key.to_string(), at)?;
            writer.mark_listing(key, ListingState::Active, None, at)?;
            stored.map_or(Ok(()), |listing| enqueue_missing(writer, listing, now))
        }
        Listed::Changed { listing, validators } => {
            writer.resolve_gaps(STAGE, &listing.key.to_string(), at)?;
            writer.upsert_listing(listing, validators, at)?;
            enqueue_missing(writer, listing, now)
        }
        Listed::Gone(key) => {
            let gap = capdex_core::snapshot::Gap::new(
                key.to_string(),
                capdex_core::snapshot::GapReason::NotFound,
                "the source says that it does not exist",
            );
            writer.mark_listing(key, ListingState::Gone, Some(&gap), at)?;
            writer.record_gap(STAGE, &key.to_string(), &gap, at)
        }
        Listed::Failed { key, gap, .. } => {
            writer.mark_listing(key, ListingState::Failed, Some(gap), at)?;
            writer.record_gap(STAGE, &key.to_string(), gap, at)
        }
    }
}

/// Enqueues a fetch for every artifact of a listing that the store does not hold. A folder is read every time.
fn enqueue_missing(writer: &Writer<'_>, listing: &Listing, now: Timestamp) -> Result<(), StoreError> {
    for locator in &listing.locators {
        let is_folder = matches!(locator, Locator::Folder { .. });
        if !is_folder && writer.has_artifact(locator)? {
            continue;
        }
        let payload = FetchPayload { key: listing.key.clone(), locator: locator.clone() };
        let payload = serde_json::to_value(&payload).expect("our own types serialise");
        writer.enqueue(FETCH_JOB, &format!("{}@{}", locator.identity(), locator.artifact()), &payload, now)?;
    }
    Ok(())
}
