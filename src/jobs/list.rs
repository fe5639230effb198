//! The list stage: walks every source, and saves listings, cursor and fetch jobs of each page in one transaction.
//!
//! Must not fetch an artifact.

use capdex_core::history::History;
use capdex_core::ids::ListingKey;
use capdex_core::listing::Locator;
use capdex_core::snapshot::{Gap, GapReason};
use capdex_core::time::{AsOf, Timestamp};
use capdex_crawlers::{Cursor, ListRequest, Listed, Next, Page, SOURCES, Source, SourceSettings};
use capdex_db::{ListingState, Reader, Store, StoreError, Writer};
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

/// An entry of a page with the artifacts that it names and the store does not hold.
struct Row {
    listed: Listed,
    missing: Vec<FetchPayload>,
}

/// Saves a page: rows, gaps, fetch jobs and cursor in one transaction.
fn save(store: &Store, id: &'static str, page: Page, at: AsOf, report: &mut StageReport) -> anyhow::Result<()> {
    let now = clock::now();
    let reader = store.reader()?;
    let mut rows = Vec::new();
    for mut listed in page.listed {
        report.items += 1;
        remember(&reader, &mut listed)?;
        match &listed {
            Listed::Failed { .. } => report.failed += 1,
            Listed::Changed { .. } | Listed::Gone(_) => report.done += 1,
            Listed::Unchanged(_) => {}
        }
        let missing = missing(&reader, &listed)?;
        rows.push(Row { listed, missing });
    }
    let next = page.next;
    store.write(move |writer| {
        writer.resolve_gaps(STAGE, id, at)?;
        for row in &rows {
            save_one(writer, row, at, now)?;
        }
        match &next {
            Next::More(cursor) => writer.save_cursor(id, Some(&cursor.0), None),
            Next::Complete => writer.save_cursor(id, None, Some(at)),
        }
    })?;
    Ok(())
}

/// Adds to what a source says now how it differs from what it said before.
fn remember(reader: &Reader, listed: &mut Listed) -> anyhow::Result<()> {
    let Listed::Changed { listing, .. } = listed else { return Ok(()) };
    if let Some(before) = reader.listing(&listing.key)?.and_then(|stored| stored.listing) {
        listing.claims.history = History::follow(&before, listing);
    }
    Ok(())
}

/// The artifacts of an entry that the store does not hold. A folder is read every time.
fn missing(reader: &Reader, listed: &Listed) -> anyhow::Result<Vec<FetchPayload>> {
    let (key, locators) = match listed {
        Listed::Changed { listing, .. } => (&listing.key, listing.locators.clone()),
        Listed::Unchanged(key) => {
            let listing = reader.listing(key)?.and_then(|stored| stored.listing);
            (key, listing.map(|listing| listing.locators).unwrap_or_default())
        }
        Listed::Gone(_) | Listed::Failed { .. } => return Ok(Vec::new()),
    };
    let mut missing = Vec::new();
    for locator in locators {
        if matches!(locator, Locator::Folder { .. }) || !reader.has_artifact(&locator)? {
            missing.push(FetchPayload { key: key.clone(), locator });
        }
    }
    Ok(missing)
}

fn save_one(writer: &Writer<'_>, row: &Row, at: AsOf, now: Timestamp) -> Result<(), StoreError> {
    match &row.listed {
        Listed::Unchanged(key) => {
            writer.resolve_gaps(STAGE, &key.to_string(), at)?;
            writer.mark_listing(key, ListingState::Active, None, at)?;
        }
        Listed::Changed { listing, validators } => {
            writer.resolve_gaps(STAGE, &listing.key.to_string(), at)?;
            writer.upsert_listing(listing, validators, at)?;
        }
        Listed::Gone(key) => {
            let gap = Gap::new(key.to_string(), GapReason::NotFound, "the source says that it does not exist");
            writer.mark_listing(key, ListingState::Gone, Some(&gap), at)?;
            writer.record_gap(STAGE, &key.to_string(), &gap, at)?;
        }
        Listed::Failed { key, gap, .. } => {
            writer.mark_listing(key, ListingState::Failed, Some(gap), at)?;
            writer.record_gap(STAGE, &key.to_string(), gap, at)?;
        }
    }
    for payload in &row.missing {
        let dedupe = format!("{}@{}", payload.locator.identity(), payload.locator.artifact());
        let payload = serde_json::to_value(payload).expect("our own types serialise");
        writer.enqueue(FETCH_JOB, &dedupe, &payload, now)?;
    }
    Ok(())
}
